"""Rows into SQLite: bulk inserts inside one transaction, closing of cycles, and the last word on foreign keys."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from sqale_assets.relational.graph import Edge
from sqale_assets.relational.model import Schema, Table
from sqale_assets.relational.sqlite import quote
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.links import KeyStore, Popularity, lowered, unique_sets

#: Rows per INSERT, and what SQLite can bind in one statement.
TOGETHER, MOST_VARIABLES = 20, 32_766


def insert(connection: sqlite3.Connection, data: TableData) -> None:
    """Insert all rows. Those that SQLite refuses (CHECKs nobody understood) are dropped and counted."""
    if not len(data):
        return
    names = [column.name for column in data.table.columns]
    lists = [data.columns[name.lower()] for name in names]
    into = f"INSERT INTO {quote(data.table.name)} ({', '.join(map(quote, names))}) VALUES "
    row = f"({', '.join('?' * len(names))})"
    connection.execute("SAVEPOINT rows")
    try:
        _insert_together(connection, into, row, lists)
    except sqlite3.IntegrityError:
        connection.execute("ROLLBACK TO rows")
        data.drop(_insert_singly(connection, into + row, list(zip(*lists, strict=True)), data.repairs))
    connection.execute("RELEASE rows")


def _insert_together(connection: sqlite3.Connection, into: str, row: str, lists: Sequence[Sequence[object]]) -> None:
    """Many rows to a statement: half the time of one row each."""
    together = max(1, min(TOGETHER, MOST_VARIABLES // len(lists)))
    whole, rest = divmod(len(lists[0]), together)
    values = chain.from_iterable(zip(*lists, strict=True))
    blocks = zip(*[values] * (together * len(lists)), strict=False)
    connection.executemany(into + ", ".join([row] * together), islice(blocks, whole))
    if rest:
        connection.execute(into + ", ".join([row] * rest), tuple(values))


def _insert_singly(
    connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]], repairs: Counter[str]
) -> list[int]:
    refused = []
    for at, row in enumerate(rows):
        try:
            connection.execute(statement, row)
        except sqlite3.IntegrityError:
            refused.append(at)
    repairs["refused"] += len(refused)
    return refused


def close_cycles(
    connection: sqlite3.Connection, broken: Sequence[Edge], schema: Schema, store: KeyStore, seed: str
) -> dict[str, int]:
    """Second pass: give the keys that were set aside their values. Returns cells set per table."""
    cells: dict[str, int] = defaultdict(int)
    for table_name, key in broken:
        table = schema.table(table_name)
        values = list(dict.fromkeys(store.values(key)))
        if table is None or not values:
            continue
        rng = random.Random(f"{seed}:cycle:{table_name}:{','.join(key.columns)}")
        rowids = [rowid for (rowid,) in connection.execute(f"SELECT rowid FROM {quote(table_name)} ORDER BY rowid")]
        chosen = _chosen(table, lowered(key.columns), values, len(rowids), rng)
        optional = all(table.column(name).nullable is not False for name in key.columns)  # type: ignore[union-attr]
        assignments = ", ".join(f"{quote(name)} = ?" for name in key.columns)
        for rowid, value in zip(rowids, chosen, strict=False):
            if optional and rng.random() < 0.1:
                continue
            parts = value if isinstance(value, tuple) else (value,)
            try:
                connection.execute(f"UPDATE {quote(table_name)} SET {assignments} WHERE rowid = ?", (*parts, rowid))
            except sqlite3.IntegrityError:
                continue
            cells[table_name] += 1
    return cells


def _chosen(
    table: Table, columns: tuple[str, ...], values: list[object], count: int, rng: random.Random
) -> list[object]:
    if columns in unique_sets(table):
        return rng.sample(values, min(count, len(values)))
    return Popularity(values, rng).draw(count)


def remove_dangling(connection: sqlite3.Connection, tables: Sequence[Table]) -> Counter[str]:
    """Delete rows until `PRAGMA foreign_key_check` finds nothing. Returns rows deleted per table."""
    removed: Counter[str] = Counter()
    while violations := set(_violations(connection, tables)):
        for table, rowid in sorted(violations):
            connection.execute(f"DELETE FROM {quote(table)} WHERE rowid = ?", (rowid,))
            removed[table] += 1
    return removed


def invalid_cells(connection: sqlite3.Connection, tables: Sequence[Table]) -> Counter[str]:
    """Foreign-key violations per table as SQLite sees them."""
    return Counter(table for table, _ in _violations(connection, tables))


def _violations(connection: sqlite3.Connection, tables: Sequence[Table]) -> Iterator[tuple[str, int]]:
    """(table, rowid) per violation. SQLite cannot check a table with a key to columns that are not unique."""
    for table in tables:
        if not table.foreign_keys:
            continue
        with suppress(sqlite3.OperationalError):
            for name, rowid, *_ in connection.execute(f"PRAGMA foreign_key_check({quote(table.name)})"):
                yield name, rowid


def row_counts(connection: sqlite3.Connection, tables: Sequence[Table]) -> dict[str, int]:
    return {
        table.name: connection.execute(f"SELECT count(*) FROM {quote(table.name)}").fetchone()[0] for table in tables
    }


def null_counts(connection: sqlite3.Connection, tables: Sequence[Table]) -> dict[str, int]:
    """Cells that hold NULL, per table."""
    found = {}
    for table in tables:
        columns = ", ".join(f"count(*) - count({quote(column.name)})" for column in table.columns)
        found[table.name] = sum(connection.execute(f"SELECT {columns} FROM {quote(table.name)}").fetchone())
    return found
