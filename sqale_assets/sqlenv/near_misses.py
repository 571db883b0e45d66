"""Queries that are wrong on purpose: one controlled change to a right one, with the category a judge should name.

A near miss runs, returns rows and gives another answer than the query that it was made from, so that it is wrong
whatever a judge thinks of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlglot import exp

from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.compare import compare
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.mutation import mutants
from sqale_assets.sqlenv.names import quote
from sqale_assets.sqlenv.sqlfacts import parse_select, sql_facts


class NearMiss(NamedTuple):
    """A wrong query: what kind of wrong, in the judge's categories, and what was changed."""

    category: str
    change: str
    sql: str


#: Kind of a mutation test's part -> category of what its mutant gets wrong.
_CATEGORIES = {
    "where": "wrong_filter",
    "having": "wrong_filter",
    "on": "wrong_filter",
    "case": "wrong_filter",
    "join": "extra_rows",
    "distinct": "wrong_grain",
    "aggregate": "wrong_aggregate",
    "order": "wrong_order",
    "limit": "extra_rows",
    "union": "missing_rows",
    "except": "extra_rows",
    "intersect": "extra_rows",
}
_TURNED = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LT, exp.LTE: exp.GT, exp.EQ: exp.NEQ, exp.NEQ: exp.EQ}


def near_misses(sql: str, database: Database) -> list[NearMiss]:
    """Every near miss of `sql` that this module knows to make, in a stable order.

    Raises:
        NotASelect: `sql` is not one SELECT.
        QueryError: `sql` itself does not run.
    """
    gold = database.execute(sql)
    found: list[NearMiss] = []
    for candidate in _candidates(sql, database):
        try:
            result = database.execute(candidate.sql)
        except QueryError:
            continue
        ordered = candidate.category == "wrong_order"
        if result.rows and not compare(gold, result, ordered=ordered).equal:
            found.append(candidate)
    return found


def _candidates(sql: str, database: Database) -> Iterator[NearMiss]:
    tree = parse_select(sql)
    for mutant in mutants(tree):
        kind = mutant.part.partition(":")[0].partition(" ")[0]
        yield NearMiss(_CATEGORIES[kind], f"without {mutant.part}", mutant.sql)
    yield from _turned(tree)
    yield from _other_values(sql, tree, database)
    yield from _other_keys(tree, database.schema)
    yield from _shapes(tree)
    yield from _extra_column(tree, database.schema)


def _variant(tree: exp.Query, position: int, change: Callable[[exp.Expression], None]) -> str:
    copy = tree.copy()
    change(list(copy.walk())[position])
    return copy.sql(dialect="sqlite")


def _turned(tree: exp.Query) -> Iterator[NearMiss]:
    """Comparisons with constants and figures turned round, NOT EXISTS without NOT."""
    for position, node in enumerate(tree.walk()):
        compared = isinstance(node, exp.Binary) and isinstance(node.expression, exp.Literal | exp.Subquery)
        if type(node) in _TURNED and compared and node.find_ancestor(exp.Where, exp.Having):
            other = _TURNED[type(node)]
            sql = _variant(tree, position, lambda each, other=other: each.replace(other(**each.args)) and None)
            yield NearMiss("wrong_filter", f"turned {node.sql('sqlite')}", sql)
        if isinstance(node, exp.Not) and isinstance(node.this, exp.Exists):
            sql = _variant(tree, position, lambda each: each.replace(each.this) and None)
            yield NearMiss("wrong_filter", "NOT EXISTS without NOT", sql)


def _other_values(sql: str, tree: exp.Query, database: Database) -> Iterator[NearMiss]:
    """Another stored value in the place of one that a column is compared with."""
    for constant in sql_facts(sql).literals:
        if constant.use != "equal" or not constant.table or not constant.column or not isinstance(constant.value, str):
            continue
        column, table = quote(constant.column), quote(constant.table)
        texts = f"SELECT DISTINCT {column} FROM {table} WHERE typeof({column}) = 'text' ORDER BY 1 LIMIT 20"
        try:
            values = database.execute(texts)
        except QueryError:
            continue
        other = next((row[0] for row in values.rows if row[0] != constant.value), None)
        for position, node in enumerate(tree.walk()):
            if other is not None and isinstance(node, exp.Literal) and node.is_string and node.this == constant.value:
                changed = _variant(tree, position, lambda each, other=other: each.set("this", other))
                yield NearMiss("wrong_filter", f"{other!r} for {constant.value!r}", changed)
                break


def _other_keys(tree: exp.Query, schema: Schema) -> Iterator[NearMiss]:
    """Joins over another key of the same table: feedback given for feedback received, or the key of something else."""
    aliases = {table.alias_or_name.lower(): table.name for table in tree.find_all(exp.Table)}
    for position, node in enumerate(tree.walk()):
        if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join) is None:
            continue
        table = schema.table(aliases.get(node.table.lower(), ""))
        keys = {key.columns[0].lower(): key for key in table.foreign_keys if len(key.columns) == 1} if table else {}
        key = keys.get(node.name.lower())
        others = [other for other in keys.values() if key and other is not key]
        twins = [other for other in others if key and other.target_table == key.target_table]
        for other in [*twins[:1], *[each for each in others if each not in twins][:1]]:
            name = other.columns[0]
            sql = _variant(
                tree, position, lambda each, name=name: each.set("this", exp.to_identifier(name, quoted=True))
            )
            yield NearMiss("wrong_join", f"{name} for {node.name}", sql)


def _shapes(tree: exp.Query) -> Iterator[NearMiss]:
    """A column too few, one row for all groups, and rows cut off."""
    if isinstance(tree, exp.Select) and len(tree.expressions) > 1 and not tree.args.get("distinct"):
        for at in (-1, 0):
            fewer = _variant(tree, 0, lambda each, at=at: each.expressions.pop(at) and None)
            yield NearMiss("missing_column", f"without {tree.expressions[at].sql('sqlite')}", fewer)
    if isinstance(tree, exp.Select) and tree.args.get("group"):
        yield NearMiss("wrong_grain", "without GROUP BY", _variant(tree, 0, lambda each: each.set("group", None)))
    if not tree.args.get("limit"):
        yield NearMiss("missing_rows", "only one row", tree.limit(1).sql(dialect="sqlite"))


def _extra_column(tree: exp.Query, schema: Schema) -> Iterator[NearMiss]:
    """A further column of the table that is read first, where each row shows one of its rows."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct") or tree.args.get("group"):
        return
    if tree.find(exp.AggFunc):
        return
    source = tree.args["from_"].this if tree.args.get("from_") else None
    table = schema.table(source.name) if isinstance(source, exp.Table) else None
    used = {column.name.lower() for column in tree.find_all(exp.Column)}
    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key) if table else set()
    for column in table.columns if table else ():
        if column.name.lower() not in used and column.name not in keys:
            shown = exp.column(column.name, table=source.alias_or_name, quoted=True)
            more = _variant(tree, 0, lambda each, shown=shown: each.append("expressions", shown) and None)
            yield NearMiss("extra_column", f"with {column.name}", more)
            return
