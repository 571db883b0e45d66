"""Whether the data can tell a query from its near misses.

A part of a query that can be taken out without changing the result is vacuous on that database: a prediction that
lacks it scores as right. So every part is taken out or turned round in turn, and the discrimination score is the share
of parts whose mutants change the result. On further populations of the schema the other parts are tried again: what
shows only there is equal by accident on the database itself.

The parts: each condition of WHERE, HAVING, ON and CASE; each join that only filters; DISTINCT; aggregates (MAX for MIN,
SUM for AVG and back); the direction of an order; LIMIT; each arm of a set operation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp

from sqale_assets.sqlenv.compare import compare
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.sqlfacts import parse_select

#: Mutants of one query that are run; queries with more parts than this are judged by the first ones.
MAX_MUTANTS = 40
#: Steps of SQLite's machine for one mutant, some 0.3 seconds: without a condition a join can grow without bound.
#: Counted, not timed, so that the score is the same on every machine.
MUTANT_STEPS = 5_000_000


class Mutant(NamedTuple):
    """A query without one part, or with it turned round. `part` names it: "where: x = 1"."""

    part: str
    sql: str


@dataclass(frozen=True, slots=True)
class Discrimination:
    """What the mutants showed. `score` is the share of `parts` that the database itself tells apart; 1 without any.

    `untested` are the parts that no population does, `accidental` those that only the others do. Mutants that fail or
    run away prove nothing and their parts are not counted.
    """

    score: float
    parts: int
    untested: tuple[str, ...]
    accidental: tuple[str, ...]
    mutants: int
    seconds: float


def discriminate(sql: str, database: Database, others: Sequence[Database] = ()) -> Discrimination:
    """Run the mutants of `sql` on `database` and, where it does not tell them apart, on other populations of it.

    Raises:
        NotASelect: `sql` is not one SELECT.
        QueryError: `sql` itself fails on one of the databases.
    """
    started = time.monotonic()
    tree = parse_select(sql)
    ordered = tree.args.get("order") is not None
    golds = [each.execute(sql) for each in (database, *others)]
    untested: list[str] = []
    accidental: list[str] = []
    parts = tried = 0
    for mutant in list(mutants(tree))[:MAX_MUTANTS]:
        tried += 1
        first = _differs(mutant, golds[0], database, ordered)
        if first is None:
            continue
        parts += 1
        if first:
            continue
        elsewhere = (_differs(mutant, gold, each, ordered) for each, gold in zip(others, golds[1:], strict=True))
        (accidental if any(elsewhere) else untested).append(mutant.part)
    score = 1.0 if not parts else (parts - len(untested) - len(accidental)) / parts
    return Discrimination(score, parts, tuple(untested), tuple(accidental), tried, time.monotonic() - started)


def _differs(mutant: Mutant, gold: QueryResult, database: Database, ordered: bool) -> bool | None:
    try:
        result = database.execute(mutant.sql, steps=MUTANT_STEPS)
    except QueryError:
        return None
    return not compare(gold, result, ordered=ordered).equal


def mutants(tree: exp.Query) -> Iterator[Mutant]:
    """The mutants of a query, one per part, in the order of the text. The tree is not changed."""
    for at, node in enumerate(tree.walk(bfs=False)):
        for part, change in _changes(node):
            variant = tree.copy()
            copied = next(each for position, each in enumerate(variant.walk(bfs=False)) if position == at)
            variant = change(copied) or variant
            yield Mutant(part, variant.sql(dialect="sqlite", copy=False))


#: Changes a node of a copy; returns the new root where the root itself was replaced.
Change = Callable[[exp.Expression], exp.Query | None]


def _changes(node: exp.Expression) -> Iterator[tuple[str, Change]]:
    clause = _clause(node)
    if clause:
        yield _part(clause, node), _drop_condition
    elif isinstance(node, exp.Join):
        if _only_filters(node):
            yield _part("join", node), lambda join: join.pop() and None
    elif isinstance(node, exp.Select) and node.args.get("distinct"):
        yield "distinct", lambda select: select.set("distinct", None)
    elif isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        yield _part("distinct", node), lambda count: count.set("this", count.this.expressions[0])
    elif isinstance(node, exp.Max | exp.Min | exp.Sum | exp.Avg) and not node.expressions:
        yield _part("aggregate", node), _other_aggregate
    elif isinstance(node, exp.If) and isinstance(node.parent, exp.Case) and node.parent.this is None:
        yield _part("case", node.this), lambda branch: branch.set("this", exp.true())
    elif isinstance(node, exp.SetOperation):
        yield _part(f"{node.key} arm", node.expression), _left_arm
    if isinstance(node, exp.Query):
        if order := node.args.get("order"):
            yield _part("order", order), _turn_order
        if limit := node.args.get("limit"):
            yield _part("limit", limit), lambda query: query.set("limit", None)


def _part(kind: str, node: exp.Expression) -> str:
    return f"{kind}: {node.sql(dialect='sqlite').strip()}"


def _clause(node: exp.Expression) -> str | None:
    """The clause that `node` is a single condition of, if it is one. Joins on columns alone are no conditions."""
    if isinstance(node, exp.Connector | exp.Paren) or not isinstance(node, exp.Condition):
        return None
    parent, child = node.parent, node
    while isinstance(parent, exp.Connector | exp.Paren):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Where | exp.Having):
        return parent.key
    if isinstance(parent, exp.Join) and child is parent.args.get("on") and node.find(exp.Literal):
        return "on"
    return None


def _drop_condition(node: exp.Expression) -> None:
    """Take a condition out: what it is connected with stays, and an empty clause goes."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    parent = node.parent
    if isinstance(parent, exp.Connector):
        parent.replace(parent.right if node is parent.left else parent.left)
    elif isinstance(parent, exp.Where | exp.Having):
        parent.pop()
    else:
        parent.set("on", exp.true())


def _only_filters(join: exp.Join) -> bool:
    """Whether nothing but the join's own condition speaks of the joined table."""
    select = join.parent
    if not isinstance(select, exp.Select) or not isinstance(join.this, exp.Table):
        return False
    if any(each.is_star for each in select.expressions):
        return False
    name = join.this.alias_or_name.lower()
    inside = {id(column) for column in join.find_all(exp.Column)}
    columns = [column for column in select.find_all(exp.Column) if id(column) not in inside]
    return all(column.table and column.table.lower() != name for column in columns)


_OTHER = {exp.Max: exp.Min, exp.Min: exp.Max, exp.Sum: exp.Avg, exp.Avg: exp.Sum}


def _other_aggregate(node: exp.Expression) -> None:
    node.replace(_OTHER[type(node)](this=node.this.copy()))


def _left_arm(node: exp.Expression) -> exp.Query | None:
    left = node.this.copy()
    if node.parent is None:
        return left
    node.replace(left)
    return None


def _turn_order(query: exp.Expression) -> None:
    first = query.args["order"].expressions[0]
    first.set("nulls_first", bool(first.args.get("desc")))
    first.set("desc", not first.args.get("desc"))
