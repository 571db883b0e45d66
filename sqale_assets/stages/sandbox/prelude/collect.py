"""From what a generated function returned to columns: inside the sandbox, because columns cross its wall cheaply.

A row of six values that crosses as a dict costs 9 microseconds, in six lists 5, as JSON text 0.7.
"""

import json

PLAIN = ["str", "int", "float", "bool", "NoneType", "date", "datetime", "time", "timedelta", "Decimal", "bytes"]


def collect(rows, columns, limit):
    """The values per column, at most `limit` of them: JSON text of a list where JSON can say it, else the list."""
    if isinstance(rows, dict):
        return _from_columns(rows, columns, limit)
    if not isinstance(rows, (list, tuple)):
        raise TypeError("generate_rows must return a list of dicts, not " + type(rows).__name__)
    rows = rows[:limit]
    if not rows:
        return [[] for _ in columns]
    for kind in set([type(row) for row in rows]):  # noqa: C403 - three times as fast in monty
        if kind not in (dict, list, tuple):
            raise TypeError("every row must be a dict of column name to value, not " + kind.__name__)
    if not isinstance(rows[0], dict):
        if len(rows[0]) != len(columns):
            raise ValueError("every row must be a dict with the keys " + ", ".join(columns))
        rows = [dict(zip(columns, row, strict=True)) for row in rows]
    names = _spelling(rows[0], columns)
    return [_crossing([row.get(name) for row in rows]) for name in names]


def _from_columns(values, columns, limit):
    names = _spelling(values, columns)
    length = min([limit] + [len(values[name]) for name in names if name in values])
    return [_crossing(list(values[name][:length])) if name in values else [None] * length for name in names]


def _spelling(row, columns):
    """The function's own spelling of each column; an error when none of the names is known."""
    own = {str(name).lower(): name for name in row}
    names = [own.get(column.lower(), column) for column in columns]
    if not [name for name in names if name in row]:
        raise KeyError("no row key is a column of the table; the columns are: " + ", ".join(columns))
    return names


def _crossing(values):
    try:
        return json.dumps(values, allow_nan=False)
    except (TypeError, ValueError):
        return [value if type(value).__name__ in PLAIN else _text(value) for value in values]


def _text(value):
    return value if isinstance(value, (dict, list, tuple)) else str(value)
