"""Further instances of a database: the same schema with some rows gone and keys pointed elsewhere.

A query that gives the gold's answer on one population can do so by accident, or because it was written from that
answer: `SELECT 216 FROM orders LIMIT 1`. On an instance that the model never sees it gives itself away. An instance
keeps every constraint: of each table a share of the rows is deleted, keys that then lead nowhere are pointed at rows
that are left, and rows for which that breaks a constraint go too. So two queries that mean the same still agree.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from sqale_assets.relational.model import ForeignKey, Schema, Table
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.names import quote

#: Share of each table's rows that an instance lacks.
DROPPED = 0.25


def make_instance(source: Path, target: Path, *, seed: int) -> None:
    """Write an instance of the SQLite file `source` to `target`. Same source and seed, same rows.

    Raises:
        sqlite3.Error: the file cannot be copied or changed.
    """
    with Database.open(source) as database:
        schema = database.schema
    # Another process or thread may be making the same file: the first to finish gives it its name.
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.part")
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    unfinished.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(source)) as original,
        closing(sqlite3.connect(unfinished, isolation_level=None)) as copy,
    ):
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        copy.execute("BEGIN")
        rng = random.Random(f"instance:{seed}")
        for table in schema.tables:
            _drop_rows(copy, table, rng)
        for table in schema.tables:
            for key in _keys(table, schema):
                _repoint(copy, table, key, rng)
        while any(_delete_orphans(copy, table, key) for table in schema.tables for key in _keys(table, schema)):
            pass
        copy.execute("COMMIT")
    unfinished.replace(target)


def _drop_rows(copy: sqlite3.Connection, table: Table, rng: random.Random) -> None:
    names = _row_names(copy, table)
    rows = copy.execute(f"SELECT {names} FROM {quote(table.name)} ORDER BY {names}").fetchall()
    gone = [row for row in rows if rng.random() < DROPPED]
    copy.executemany(f"DELETE FROM {quote(table.name)} WHERE ({names}) = ({_marks(gone)})", gone)


def _repoint(copy: sqlite3.Connection, table: Table, key: ForeignKey, rng: random.Random) -> None:
    """Lead the keys that lead nowhere to rows that are left. A key that others of the row need too may stay."""
    parents = ", ".join(map(quote, key.target_columns))
    targets = copy.execute(f"SELECT {parents} FROM {quote(key.target_table)} ORDER BY {parents}").fetchall()
    if not targets:
        return
    columns, names = ", ".join(map(quote, key.columns)), _row_names(copy, table)
    orphans = copy.execute(
        f"SELECT {names} FROM {quote(table.name)} AS child WHERE {_orphaned(key)} ORDER BY {names}"
    ).fetchall()
    changes = [(*rng.choice(targets), *row) for row in orphans]
    if changes:
        values, row = _marks([targets[0]]), _marks(orphans)
        copy.executemany(
            f"UPDATE OR IGNORE {quote(table.name)} SET ({columns}) = ({values}) WHERE ({names}) = ({row})", changes
        )


def _delete_orphans(copy: sqlite3.Connection, table: Table, key: ForeignKey) -> int:
    return copy.execute(f"DELETE FROM {quote(table.name)} AS child WHERE {_orphaned(key)}").rowcount


def _orphaned(key: ForeignKey) -> str:
    """The condition under which a row of `child` refers to a row that is not there."""
    given = " AND ".join(f"child.{quote(column)} IS NOT NULL" for column in key.columns)
    pairs = zip(key.columns, key.target_columns, strict=True)
    equal = " AND ".join(f"parent.{quote(theirs)} = child.{quote(ours)}" for ours, theirs in pairs)
    return f"{given} AND NOT EXISTS (SELECT 1 FROM {quote(key.target_table)} AS parent WHERE {equal})"


def _keys(table: Table, schema: Schema) -> list[ForeignKey]:
    """The foreign keys of a table whose target is there."""
    return [
        key
        for key in table.foreign_keys
        if (target := schema.table(key.target_table)) and all(map(target.column, key.target_columns))
    ]


def _row_names(copy: sqlite3.Connection, table: Table) -> str:
    """What tells the rows of a table apart: the rowid, or the primary key where there is none."""
    columns = {column.name.lower() for column in table.columns}
    hidden = next(name for name in ("rowid", "_rowid_", "oid", "") if name not in columns)
    try:
        copy.execute(f"SELECT {hidden} FROM {quote(table.name)} LIMIT 0")
    except sqlite3.OperationalError:
        return ", ".join(map(quote, table.primary_key))
    return hidden


def _marks(rows: list[tuple]) -> str:
    return ", ".join("?" * len(rows[0])) if rows else "NULL"
