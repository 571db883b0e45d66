"""Whether a query gives the same answer every time, on every SQLite that holds the same rows.

Two kinds of evidence. The text shows what can never be stable: random numbers, the current time, rowids, LIMIT
without ORDER BY. Running the query in ways that SQL leaves open shows the rest: reading every
table backwards, and breaking every tie of every ORDER BY one way and then the other. If the
answer changes, it hangs on something that the query does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.compare import compare
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.sqlfacts import base_tables, is_cte, parse_select

_UNSTABLE_FUNCTIONS = frozenset(
    {"random", "randomblob", "rand", "changes", "total_changes", "last_insert_rowid", "sqlite_version"}
    | {"sqlite_source_id", "sqlite_compileoption_get", "sqlite_compileoption_used", "current_timestamp"}
)
_CLOCKS = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.CurrentDatetime)
#: Without an argument these mean now.
_DATE_FUNCTIONS = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})
_ROWID = frozenset({"rowid", "oid", "_rowid_"})
#: Window functions whose value changes with the order of rows that tie; ranks and running sums treat ties alike.
_TIE_SENSITIVE = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile)
#: Steps of SQLite's machine for one variant, about a second. Counted, not timed: a gate must not hang on the machine.
_VARIANT_STEPS = 20_000_000


class Unstable(NamedTuple):
    """Why a query is not deterministic: a code for counting and what was seen."""

    reason: str
    evidence: str


THROUGH_TIE = Unstable(
    "limit_through_tie",
    "LIMIT cuts rows that tie in ORDER BY: keep all that tie (compare with the maximum), or order by more columns",
)
NOT_TOTAL = Unstable(
    "order_not_total", "rows that tie in ORDER BY come in arbitrary order: order by more columns, at last the key"
)
SCAN_ORDER = Unstable(
    "scan_order",
    "the answer depends on the order in which tables are read: a column that is neither grouped nor aggregated,"
    " or a list without an order",
)


def unstable_text(sql: str, schema: Schema) -> Unstable | None:
    """What in the text of a SELECT cannot be stable, if anything. Nothing is run."""
    return next(unstable_parts(sql, schema), None)


def unstable_parts(sql: str, schema: Schema) -> Iterator[Unstable]:
    """Everything in the text of a SELECT that cannot be stable, from the outside in."""
    tree = parse_select(sql)
    for node in tree.walk():
        if isinstance(node, _CLOCKS):
            yield Unstable("current_time", node.sql("sqlite"))
        elif isinstance(node, exp.Rand | exp.Randn):
            yield Unstable("random", node.sql("sqlite"))
        elif isinstance(node, exp.Func):
            name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
            if name in _UNSTABLE_FUNCTIONS:
                yield Unstable("random" if name.startswith("rand") else "engine_state", f"{name}()")
            if name in _DATE_FUNCTIONS and not any(node.iter_expressions()):
                yield Unstable("current_time", f"{name}()")
        elif (
            isinstance(node, exp.Literal) and node.is_string and node.this.strip().lower() == "now" and _of_clock(node)
        ):
            yield Unstable("current_time", "'now'")
        elif isinstance(node, exp.Column) and node.name.lower() in _ROWID and not _is_column(node.name, tree, schema):
            yield Unstable("rowid", f"{node.sql('sqlite')} is not a column of the tables")
        elif isinstance(node, exp.Query) and _unordered_limit(node):
            yield Unstable("unordered_limit", "LIMIT without ORDER BY keeps arbitrary rows")


def unstable_run(sql: str, database: Database, result: QueryResult) -> Unstable | None:
    """Whether `result`, what `sql` gave on `database`, changes when the query is run in another permitted way."""
    tree = parse_select(sql)
    ordered = tree.args.get("order") is not None
    limited = any(node.args.get("limit") for node in tree.find_all(exp.Query))
    orders = [(variant, THROUGH_TIE if limited else NOT_TOTAL) for variant in _tie_breakers(tree, database.schema)]
    for variant, reason in [*orders, (_backwards(tree, database.schema), SCAN_ORDER)]:
        other = _run(variant, database)
        if other is None:
            continue
        if not compare(result, other, ordered=False).equal:
            return reason
        if ordered and not compare(result, other, ordered=True).equal:
            return NOT_TOTAL
    return None


def _run(sql: str, database: Database) -> QueryResult | None:
    """The result, or None where a variant cannot be run or is cut off: it then proves nothing."""
    try:
        result = database.execute(sql, steps=_VARIANT_STEPS)
    except QueryError:
        return None
    return None if result.truncated else result


def _of_clock(node: exp.Expression) -> bool:
    """Whether a literal is an argument of a date or time function, and not just a text."""
    function = node.find_ancestor(exp.Func, exp.Predicate)
    if function is None or isinstance(function, exp.Predicate):
        return False
    name = function.name if isinstance(function, exp.Anonymous) else function.key
    return bool(re.search(r"date|time|julian|epoch", name, re.IGNORECASE))


def _is_column(name: str, tree: exp.Query, schema: Schema) -> bool:
    tables = (schema.table(table) for table in base_tables(tree))
    return any(table is not None and table.column(name) is not None for table in tables)


def _unordered_limit(query: exp.Query) -> bool:
    limited = query.args.get("limit") or query.args.get("offset")
    return bool(limited) and query.args.get("order") is None and not _one_row(query)


def _one_row(query: exp.Query) -> bool:
    """Whether a query gives one row whatever the data: an aggregate without GROUP BY, or no FROM."""
    if not isinstance(query, exp.Select) or query.args.get("group"):
        return False
    if query.args.get("from_") is None:
        return True
    return any(
        not isinstance(node.parent, exp.Window) and node.find_ancestor(exp.Select) is query
        for each in query.expressions
        for node in each.find_all(exp.AggFunc)
    )


def _backwards(tree: exp.Query, schema: Schema) -> str:
    """The query with every table read from its last row to its first."""
    variant = tree.copy()
    for source in list(variant.find_all(exp.Table)):
        table = schema.table(source.name)
        if table is None or is_cte(source):
            continue
        names = table.primary_key or tuple(column.name for column in table.columns)
        keys = [exp.Ordered(this=exp.column(name, quoted=True), desc=True) for name in names]
        # SQLite drops the order of a subquery that has no LIMIT, and a negative one means all rows.
        rows = (
            exp.select("*").from_(exp.Table(this=exp.to_identifier(table.name, quoted=True))).order_by(*keys).limit(-1)
        )
        source.replace(rows.subquery(source.alias_or_name))
    return variant.sql(dialect="sqlite", copy=False)


def _tie_breakers(tree: exp.Query, schema: Schema) -> Iterator[str]:
    """The query with every order made total, once by ascending and once by descending keys. Nothing if it has none."""
    if tree.find(exp.Order) is None:
        return
    for descending in (False, True):
        variant = tree.copy()
        changed = False
        for order in list(variant.find_all(exp.Order)):
            keys = _keys(order, schema)
            for key in keys:
                order.append("expressions", exp.Ordered(this=key, desc=descending))
            changed = changed or bool(keys)
        if not changed:
            return
        yield variant.sql(dialect="sqlite", copy=False)


def _keys(order: exp.Order, schema: Schema) -> list[exp.Expression]:
    """What tells rows apart that tie in `order`: keys of groups, else the primary keys of the tables read."""
    select = order.find_ancestor(exp.Query)
    if isinstance(order.parent, exp.Window):
        if not isinstance(order.parent.this, _TIE_SENSITIVE):
            return []
    elif select is not order.parent:
        return []  # inside an aggregate
    if isinstance(select, exp.SetOperation):
        return [exp.Literal.number(at) for at in range(1, len(select.selects) + 1)]
    if not isinstance(select, exp.Select):
        return []
    if select.args.get("distinct") and not isinstance(order.parent, exp.Window):
        if any(isinstance(each.unalias(), exp.Star) or each.is_star for each in select.expressions):
            return []
        return [exp.Literal.number(at) for at in range(1, len(select.expressions) + 1)]
    if group := select.args.get("group"):
        return [_group_key(each, select) for each in group.expressions]
    return [key for source in _sources(select) for key in _row_keys(source, schema)]


def _group_key(key: exp.Expression, select: exp.Select) -> exp.Expression:
    """A key of GROUP BY as ORDER BY can name it: a position means a column of the result there as well."""
    if isinstance(key, exp.Literal) and key.is_int:
        return select.expressions[int(key.this) - 1].unalias().copy()
    return key.copy()


def _sources(select: exp.Select) -> Iterator[exp.Table]:
    """The base tables that a SELECT itself reads."""
    clauses = [select.args.get("from_"), *(select.args.get("joins") or [])]
    yield from (clause.this for clause in clauses if clause is not None and isinstance(clause.this, exp.Table))


def _row_keys(source: exp.Table, schema: Schema) -> list[exp.Expression]:
    table = schema.table(source.name)
    if table is None:
        return []  # a CTE: its own order, if any, is varied inside
    names = table.primary_key or tuple(column.name for column in table.columns)
    return [exp.column(name, table=source.alias_or_name, quoted=True) for name in names]
