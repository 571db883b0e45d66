"""What the tests of the reader share: read, create in SQLite, look up."""

from __future__ import annotations

from sqale_assets.relational.fidelity import Reading
from sqale_assets.relational.model import Column, Table
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import open_memory


def read(sql: str, **options) -> Reading:
    """Read and create in SQLite, keys enforced."""
    reading = read_sql(sql.encode(), **options)
    open_memory(reading.schema).execute("PRAGMA foreign_key_check")
    return reading


def table(reading: Reading, name: str) -> Table:
    found = reading.schema.table(name)
    assert found is not None, [table.name for table in reading.schema.tables]
    return found


def column(reading: Reading, path: str) -> Column:
    table_name, column_name = path.split(".")
    found = table(reading, table_name).column(column_name)
    assert found is not None
    return found


def keys(reading: Reading) -> list[tuple[str, tuple[str, ...], str, tuple[str, ...]]]:
    return [
        (table.name, key.columns, key.target_table, key.target_columns)
        for table in reading.schema.tables
        for key in table.foreign_keys
    ]


def reasons(reading: Reading) -> list[tuple[int | None, str]]:
    return [(loss.line, loss.reason) for loss in reading.fidelity.losses]
