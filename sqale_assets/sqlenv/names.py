"""Quoting of identifiers: names are data."""

from __future__ import annotations


def quote(name: str) -> str:
    """`name` as a quoted identifier of SQLite."""
    return '"' + name.replace('"', '""') + '"'
