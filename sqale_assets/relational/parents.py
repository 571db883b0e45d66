"""Every foreign key points at a key: SQLite enforces none whose parent columns are not PRIMARY KEY or UNIQUE.

A foreign key says that its parent columns identify a row, so they get the UNIQUE that the source forgot, unless the
source shows that they repeat; then the foreign key goes, and the loss is reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqale_assets.relational.fidelity import Loss
from sqale_assets.relational.model import ForeignKey, Row, Schema, Table


def with_parent_keys(schema: Schema, rows: Mapping[str, tuple[Row, ...]]) -> tuple[Schema, tuple[Loss, ...]]:
    """The schema with only foreign keys that SQLite can enforce, and the foreign keys that it lost for that.

    `rows` are in column order, by table name.
    """
    tables = {table.name.lower(): table for table in schema.tables}
    losses: list[Loss] = []
    for name in list(tables):
        kept = []
        for key in tables[name].foreign_keys:
            reason = _make_enforceable(key, tables, rows)
            if reason:
                what = f"{tables[name].name} ({', '.join(key.columns)}) REFERENCES {key.target_table}"
                losses.append(Loss(line=None, statement=what, reason=reason))
            else:
                kept.append(key)
        tables[name] = tables[name].model_copy(update={"foreign_keys": tuple(kept)})
    return schema.model_copy(update={"tables": tuple(tables.values())}), tuple(losses)


def _make_enforceable(key: ForeignKey, tables: dict[str, Table], rows: Mapping[str, tuple[Row, ...]]) -> str:
    """Give the parent its UNIQUE where needed; returns why that cannot be, or nothing."""
    parent = tables.get(key.target_table.lower())
    if parent is None:
        return "a foreign key to a table that is not there"
    wanted = {column.lower() for column in key.target_columns}
    keys = [{column.lower() for column in names} for names in (parent.primary_key, *parent.unique) if names]
    if wanted in keys:
        return ""
    if any(wanted < each for each in keys) or _repeat(parent, wanted, rows.get(parent.name, ())):
        return "a foreign key to columns that repeat, which SQLite cannot enforce"
    tables[parent.name.lower()] = parent.model_copy(update={"unique": (*parent.unique, key.target_columns)})
    return ""


def _repeat(parent: Table, wanted: set[str], rows: tuple[Row, ...]) -> bool:
    positions = [index for index, column in enumerate(parent.columns) if column.name.lower() in wanted]
    values = [tuple(row[index] for index in positions) for row in rows]
    complete = [value for value in values if None not in value]
    return len(complete) != len(set(complete))
