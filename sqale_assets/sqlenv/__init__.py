"""The one safe SQLite executor, the agent's tools over it, and what a gold query must withstand."""
