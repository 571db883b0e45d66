"""Quoting of identifiers: names are data."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

#: Keywords of SQLite (sqlite.org/lang_keywords.html); not all need quotes everywhere, but none is worth the risk.
_WORDS = """
    abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade
    case cast check collate column commit conflict constraint create cross current current_date current_time
    current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape
    except exclude exclusive exists explain fail filter first following for foreign from full generated glob group
    groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join key
    last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others
    outer over partition plan pragma preceding primary query raise range recursive references regexp reindex release
    rename replace restrict returning right rollback row rows savepoint select set table temp temporary then ties to
    transaction trigger unbounded union unique update using vacuum values view virtual when where window with
    without"""
_KEYWORDS = frozenset(_WORDS.split())


def quote(name: str) -> str:
    """`name` as a quoted identifier of SQLite."""
    return '"' + name.replace('"', '""') + '"'


def identifier(name: str) -> str:
    """`name` as people write it: quoted only where it must be."""
    return name if _PLAIN.match(name) and name.lower() not in _KEYWORDS else quote(name)
