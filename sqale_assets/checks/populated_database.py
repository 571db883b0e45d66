"""Checks of populated_database: keys, references and populated tables on the SQLite file, and what looks degenerate."""

import sqlite3

from sqale_assets.records import PopulatedDatabase
from sqale_assets.relational.model import ForeignKey, Schema, Table
from sqale_assets.sqlenv.names import quote
from sqale_assets.store import CheckOutcome

FOREIGN_KEY_BOUND, POPULATED_BOUND = 1.0, 0.99  # the paper has 95.1% of keys, 95.2% of tables
DEGENERATE_BOUND = 0.05

CHECKS = (
    ("primary_keys_unique", "Rows that share a primary key with another of their table (bound: 0)"),
    (
        "foreign_keys_valid",
        f"Share of non-NULL foreign keys with a parent (bound: at least {FOREIGN_KEY_BOUND:.0%})",
    ),
    ("tables_populated", f"Share of the tables that have rows (bound: at least {POPULATED_BOUND:.0%})"),
    (
        "rows_not_degenerate",
        "Share of the tables that still have constant columns, numbered values or filler "
        f"(bound: at most {DEGENERATE_BOUND:.0%})",
    ),
)


def evaluate(schema: Schema, connection: sqlite3.Connection, record: PopulatedDatabase) -> tuple[CheckOutcome, ...]:
    """`record` knows what still looked degenerate after a table had been asked for again."""
    duplicates = {table.name: count for table in schema.tables if (count := _duplicate_keys(connection, table))}
    cells = sum(_foreign_key_cells(connection, table, key) for table in schema.tables for key in table.foreign_keys)
    invalid = sum(1 for _ in connection.execute("PRAGMA foreign_key_check"))
    valid = 1 - invalid / cells if cells else 1.0
    empty = [
        table.name for table in schema.tables if not _count(connection, f"SELECT 1 FROM {quote(table.name)} LIMIT 1")
    ]
    populated = 1 - len(empty) / len(schema.tables)
    degenerate = {table.table: list(table.degenerate) for table in record.tables if table.degenerate}
    flagged = len(degenerate) / len(schema.tables)
    return (
        CheckOutcome(
            name="primary_keys_unique",
            passed=not duplicates,
            metadata={"duplicate_keys": sum(duplicates.values()), "bound": 0, "where": duplicates},
        ),
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
        CheckOutcome(
            name="rows_not_degenerate",
            passed=flagged <= DEGENERATE_BOUND,
            severity="warn",
            metadata={"share": flagged, "bound": DEGENERATE_BOUND, "found": dict(list(degenerate.items())[:10])},
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
