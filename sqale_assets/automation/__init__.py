"""What runs by itself or from outside: jobs, schedules, sensors, and the build that the command line drives."""
