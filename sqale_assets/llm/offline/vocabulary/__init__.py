"""Data only: see the README beside this file."""
