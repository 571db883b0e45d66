"""Checks of populated_database, measured on the SQLite file: keys, references, populated tables."""

import sqlite3

from sqale_assets.relational.model import ForeignKey, Schema, Table
from sqale_assets.sqlenv.names import quote
from sqale_assets.store import CheckOutcome

FOREIGN_KEY_BOUND, POPULATED_BOUND = 0.95, 0.952  # the paper's 95% of keys, 95.2% of tables

CHECKS = (
    ("primary_keys_unique", "No two rows of a table share a primary key"),
    ("foreign_keys_valid", f"At least {FOREIGN_KEY_BOUND:.0%} of non-NULL foreign keys find their parent"),
    ("tables_populated", f"At least {POPULATED_BOUND:.1%} of the tables have rows"),
)


def evaluate(schema: Schema, connection: sqlite3.Connection) -> tuple[CheckOutcome, ...]:
    duplicates = {table.name: count for table in schema.tables if (count := _duplicate_keys(connection, table))}
    cells = sum(_foreign_key_cells(connection, table, key) for table in schema.tables for key in table.foreign_keys)
    invalid = sum(1 for _ in connection.execute("PRAGMA foreign_key_check"))
    valid = 1 - invalid / cells if cells else 1.0
    empty = [
        table.name for table in schema.tables if not _count(connection, f"SELECT 1 FROM {quote(table.name)} LIMIT 1")
    ]
    populated = 1 - len(empty) / len(schema.tables)
    return (
        CheckOutcome(name="primary_keys_unique", passed=not duplicates, metadata={"duplicate_keys": duplicates}),
        CheckOutcome(
            name="foreign_keys_valid",
            passed=valid >= FOREIGN_KEY_BOUND,
            metadata={"share": valid, "bound": FOREIGN_KEY_BOUND, "foreign_keys": cells, "invalid": invalid},
        ),
        CheckOutcome(
            name="tables_populated",
            passed=populated >= POPULATED_BOUND,
            metadata={"share": populated, "bound": POPULATED_BOUND, "tables": len(schema.tables), "empty": empty[:20]},
        ),
    )


def _duplicate_keys(connection: sqlite3.Connection, table: Table) -> int:
    if not table.primary_key:
        return 0
    columns = ", ".join(map(quote, table.primary_key))
    return _count(
        connection,
        f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM {quote(table.name)} "
        f"GROUP BY {columns} HAVING n > 1)",
    )


def _foreign_key_cells(connection: sqlite3.Connection, table: Table, key: ForeignKey) -> int:
    present = " AND ".join(f"{quote(column)} IS NOT NULL" for column in key.columns)
    return _count(connection, f"SELECT count(*) FROM {quote(table.name)} WHERE {present}")


def _count(connection: sqlite3.Connection, sql: str) -> int:
    row = connection.execute(sql).fetchone()
    return row[0] if row else 0
