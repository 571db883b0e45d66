"""What a query computes with: SQLite takes any text for a number, and a constant for a result.

Both were found by reading what a 1.5B model answered and, as its own judge, accepted: `AVG(due_on)` is the mean of the
years, `CAST(5.0225 AS REAL) / 100 AS percentage FROM farms` is nobody's percentage.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.names import identifier
from sqale_assets.sqlenv.sqlfacts import base_tables, origin, parse_select, plain_column, sources_of

#: Stored texts that are looked at to tell whether they are numbers.
SAMPLE = 50
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def shows_constants_only(sql: str) -> bool:
    """Whether no column of the result comes from the data: neither a stored column, a count nor a subquery."""
    selects = _selects(parse_select(sql))
    return all(
        not shown.find(exp.Column, exp.Star, exp.AggFunc, exp.Query) for each in selects for shown in each.selects
    )


def text_as_number(sql: str, database: Database) -> str | None:
    """What the query computes with as if it were a number, and the text that it is."""
    tree = parse_select(sql)
    tables, sources = base_tables(tree), sources_of(tree)
    for operand in _operands(tree):
        if _is_date(operand):
            return f"{operand.sql('sqlite')}, which is a text"
        table, column = origin(plain_column(operand), sources)
        if not column:
            continue
        for name in [table] if table else tables:
            found = database.schema.table(name)
            if found and found.column(column):
                if text := _no_number(found.name, column, database):
                    return f"{found.name}.{column}, which holds texts such as {text!r}"
                break
    return None


def _selects(tree: exp.Query) -> list[exp.Select]:
    """The SELECTs whose columns are the result's."""
    if isinstance(tree, exp.SetOperation):
        return [*_selects(tree.left), *_selects(tree.right)]
    inner = tree.unnest()
    return [inner] if isinstance(inner, exp.Select) else []


def _operands(tree: exp.Query) -> Iterator[exp.Expression]:
    """What is averaged, summed or calculated with."""
    for node in tree.find_all(exp.Avg, exp.Sum, *_ARITHMETIC, bfs=False):
        operands = [node.left, node.right] if isinstance(node, _ARITHMETIC) else [node.this]
        for operand in operands:
            operand = operand.expressions[0] if isinstance(operand, exp.Distinct) else operand
            while isinstance(operand, exp.Paren | exp.Cast):
                operand = operand.this
            yield operand


def _is_date(node: exp.Expression) -> bool:
    """Whether it is a function that writes a date or a time, not a single part of one such as the year."""
    if isinstance(node, exp.TimeToStr):
        return any(mark in node.text("format") for mark in "-/: ")
    return isinstance(node, exp.Date) or (
        isinstance(node, exp.Anonymous) and node.name.lower() in ("date", "datetime", "time")
    )


def _no_number(table: str, column: str, database: Database) -> str | None:
    name = identifier(column)
    try:
        result = database.execute(
            f"SELECT DISTINCT {name} FROM {identifier(table)} WHERE typeof({name}) = 'text' LIMIT {SAMPLE}"
        )
    except QueryError:
        return None
    return next((text for (text,) in result.rows if not _is_number(text)), None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
