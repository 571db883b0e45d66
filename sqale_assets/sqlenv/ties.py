"""Where a query's order leaves rows tied: they may come in any order, so no comparison should hang on it."""

from __future__ import annotations

from sqlglot import exp

from sqale_assets.sqlenv.compare import tie_runs
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.sqlfacts import NotASelect, parse_select


def ties_of(sql: str, result: QueryResult, database: Database) -> tuple[int, ...] | None:
    """The sizes of the runs of rows of `result` that tie in the ORDER BY of `sql`; they add up to its rows.

    None where it cannot be told: the query does not order, or its keys cannot be selected beside its columns.
    """
    keyed = _with_keys(sql)
    if keyed is None or result.truncated:
        return None
    statement, keys = keyed
    try:
        found = database.execute(statement)
    except QueryError:
        return None
    width = len(result.columns)
    if len(found.columns) != width + keys or [row[:width] for row in found.rows] != list(result.rows):
        return None
    return tie_runs([row[width:] for row in found.rows])


def _with_keys(sql: str) -> tuple[str, int] | None:
    """The query with the keys of its order as further columns at the end, and their number."""
    try:
        tree = parse_select(sql)
    except NotASelect:
        return None
    order = tree.args.get("order")
    if order is None or not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return None
    tree = tree.copy()
    aliases = {item.alias.lower(): item.this for item in tree.expressions if isinstance(item, exp.Alias)}
    keys = []
    for number, ordered in enumerate(tree.args["order"].expressions, start=1):
        key = ordered.this
        if isinstance(key, exp.Literal) and key.is_int:
            if not 1 <= int(key.this) <= len(tree.expressions):
                return None
            key = tree.expressions[int(key.this) - 1].unalias()
        elif isinstance(key, exp.Column) and not key.table:
            key = aliases.get(key.name.lower(), key)
        keys.append(exp.alias_(key.copy(), f"order_key_{number}"))
    for key in keys:
        tree.append("expressions", key)
    return tree.sql(dialect="sqlite"), len(keys)
