"""The rows of a draft as its database would hold them: typed, counted, with their literal defaults."""

from __future__ import annotations

from sqale_assets.relational.folding.draft import DraftTable
from sqale_assets.relational.model import Column, Row, Table, Value
from sqale_assets.relational.values import CLOCK, typed


def seed_rows(source: DraftTable, table: Table) -> tuple[Row, ...]:
    """The kept rows in column order, typed; columns that a row does not name are NULL."""
    plans: dict[tuple[str, ...], list[int | None]] = {}
    counters = {index: 0 for index, column in enumerate(table.columns) if column.autoincrement}
    defaults = [_plain_default(column) for column in table.columns]
    rows: list[Row] = []
    for names, values in source.rows:
        if names not in plans:
            position = {name.lower(): index for index, name in enumerate(names)}
            plans[names] = [position.get(column.name.lower()) for column in table.columns]
        row = [
            default if index is None else _held(values[index], column)
            for column, index, default in zip(table.columns, plans[names], defaults, strict=True)
        ]
        for index, last in counters.items():  # as the database would have counted, for other rows refer to it
            given = row[index]
            row[index] = given if isinstance(given, int) else last + 1
            counters[index] = max(last, row[index])
        rows.append(tuple(row))
    return tuple(rows)


def _plain_default(column: Column) -> Value:
    """What a row holds that does not name the column: its default where that is a literal or the clock, else NULL."""
    if column.default is not None and column.default[0] in "'+-.0123456789":
        text = column.default[1:-1].replace("''", "'") if column.default[0] == "'" else column.default
        return typed(text, column.kind)
    return _held(CLOCK if (column.default or "").startswith("CURRENT_") else None, column)


def _held(value: object, column: Column) -> Value:
    """The value in the column; "" in a binary one that must hold something, for rows cannot carry BLOBs."""
    held = typed(value, column.kind)
    return "" if held is None and column.kind == "binary" and column.nullable is False else held
