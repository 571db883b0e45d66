"""What a SELECT statement says about itself: tables, literals, order, difficulty. Read with sqlglot, nothing is run.

Difficulty is measured by points, so that two people (or two versions of this module) give the same:

- 1 point for each join, comma joins included, at most 4 in all;
- 1 for aggregation, 1 for GROUP BY, 1 for HAVING, 1 for a top-n (ORDER BY with LIMIT);
- 1 for each condition after the first in WHERE or HAVING, at most 2;
- 1 for CASE (or IIF), 2 for a set operation, 2 for window functions;
- 2 for each nested SELECT (subquery or CTE), at most 4.

Up to 2 points are simple, up to 5 moderate, more are hard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from sqale_assets.records import Difficulty

SIMPLE_POINTS, MODERATE_POINTS = 2, 5

#: Queries inside of queries, through which a column is followed to its table.
_DEEPEST = 10
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)


class NotASelect(ValueError):
    """The text is not one SELECT statement that sqlglot can read."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant that a condition compares with, or that LIMIT and OFFSET count to.

    `column` is the one it is compared with where that is a plain column, also through a CTE or subquery; `table` the
    base table of that column, where it can be told. `pattern` for LIKE and GLOB.
    """

    value: int | float | str
    use: Literal["equal", "range", "pattern", "limit"]
    table: str | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class SqlFacts:
    """`tables` in order of their first mention, in the query's spelling, without CTEs. `template` has no literals."""

    tables: tuple[str, ...]
    literals: tuple[Constant, ...]
    ordered: bool
    points: int
    difficulty: Difficulty
    normal: str
    template: str


@lru_cache(maxsize=4096)
def parse_select(sql: str) -> exp.Query:
    """The syntax tree of one SELECT. The tree is shared: copy it before you change it.

    Raises:
        NotASelect: it is not one, or sqlglot cannot read it.
    """
    try:
        statements = [statement for statement in parse(sql, dialect="sqlite") if statement is not None]
    except (SqlglotError, RecursionError) as error:
        raise NotASelect(str(error)) from error
    if len(statements) != 1:
        raise NotASelect(f"{len(statements)} statements")
    statement = statements[0]
    while isinstance(statement, exp.Subquery) and not statement.args.get("alias"):
        statement = statement.this
    if not isinstance(statement, exp.Query):
        raise NotASelect(f"a {statement.key.upper()} statement")
    return statement


@lru_cache(maxsize=4096)
def sql_facts(sql: str) -> SqlFacts:
    """The facts about one SELECT statement.

    Raises:
        NotASelect: it is not one, or sqlglot cannot read it.
    """
    tree = parse_select(sql)
    points = difficulty_points(tree)
    normal, template = normal_forms(tree)
    return SqlFacts(
        tables=base_tables(tree),
        literals=tuple(_literals(tree)),
        ordered=tree.args.get("order") is not None,
        points=points,
        difficulty="simple" if points <= SIMPLE_POINTS else "moderate" if points <= MODERATE_POINTS else "hard",
        normal=normal,
        template=template,
    )


def base_tables(tree: exp.Query) -> tuple[str, ...]:
    """Names of the tables read, each once (whatever its case), CTEs and table-valued functions left out."""
    names: dict[str, str] = {}
    for table in tree.find_all(exp.Table, bfs=False):
        if table.name and isinstance(table.this, exp.Identifier) and not is_cte(table):
            names.setdefault(table.name.lower(), table.name)
    return tuple(names.values())


def normal_forms(tree: exp.Query) -> tuple[str, str]:
    """The statement in one spelling: keywords, blanks, case of names and names of table aliases do not matter.

    In the second form its constants do not matter either.
    """
    tree = tree.copy()
    renamed: dict[str, str] = {}
    for alias in tree.find_all(exp.TableAlias, bfs=False):
        if alias.name and not isinstance(alias.parent, exp.CTE):
            renamed.setdefault(alias.name.lower(), f"t{len(renamed) + 1}")
    constants = []
    for node in list(tree.walk()):
        if isinstance(node, exp.Identifier):
            name = node.this.lower()
            if node.arg_key == "table" or isinstance(node.parent, exp.TableAlias):
                name = renamed.get(name, name)
            node.replace(exp.to_identifier(name, quoted=True))
        elif isinstance(node, exp.Literal | exp.Boolean):
            constants.append(node)
    normal = tree.sql(dialect="sqlite", comments=False)
    for constant in constants:
        constant.replace(exp.Placeholder())
    return normal, tree.sql(dialect="sqlite", comments=False, copy=False)


def difficulty_points(tree: exp.Query) -> int:
    """The points of the module's table."""
    joins = sum(1 for _ in tree.find_all(exp.Join))
    conditions = sum(_conditions(node.this) for node in tree.find_all(exp.Where, exp.Having))
    nested = sum(
        1 for node in tree.find_all(exp.Select) if node.find_ancestor(exp.Subquery, exp.CTE, exp.In, exp.Exists)
    )
    top_n = any(node.args.get("limit") and node.args.get("order") for node in tree.find_all(exp.Query))
    aggregates = any(not isinstance(node.parent, exp.Window) for node in tree.find_all(exp.AggFunc))
    return (
        min(joins, 4)
        + aggregates
        + (tree.find(exp.Group) is not None)
        + (tree.find(exp.Having) is not None)
        + top_n
        + min(max(conditions - 1, 0), 2)
        + (tree.find(exp.Case, exp.If) is not None)
        + 2 * (tree.find(exp.SetOperation) is not None)
        + 2 * (tree.find(exp.Window) is not None)
        + 2 * min(nested, 2)
    )


def _conditions(node: exp.Expression) -> int:
    """The number of conditions that AND and OR connect."""
    node = node.unnest()
    if isinstance(node, exp.Connector):
        return _conditions(node.left) + _conditions(node.right)
    return 1


def is_cte(table: exp.Table) -> bool:
    """Whether the name is that of a CTE in whose reach the table stands."""
    if table.db:
        return False
    node: exp.Expression | None = table
    while node is not None:
        clause = node.args.get("with_")
        if clause and any(cte.alias.lower() == table.name.lower() for cte in clause.expressions):
            return True
        node = node.parent
    return False


def _literals(tree: exp.Query) -> Iterator[Constant]:
    sources = sources_of(tree)
    for node in tree.find_all(*_COMPARISONS, exp.Between, exp.In, exp.Like, exp.Glob, exp.Limit, exp.Offset, bfs=False):
        if isinstance(node, exp.Limit | exp.Offset):
            yield from (Constant(value, "limit") for value in _constants([node.expression]))
            continue
        if isinstance(node, exp.In):
            subject, others, use = node.this, node.expressions, "equal"
        elif isinstance(node, exp.Between):
            subject, others, use = node.this, [node.args["low"], node.args["high"]], "range"
        else:
            subject, others = node.this, [node.expression]
            if not list(_constants(others)):
                subject, others = node.expression, [node.this]
            use = "pattern" if isinstance(node, exp.Like | exp.Glob) else "range"
            use = "equal" if isinstance(node, exp.EQ | exp.NEQ | exp.NullSafeEQ | exp.NullSafeNEQ) else use
        table, column = origin(plain_column(subject), sources)
        for value in _constants(others):
            yield Constant(value, use, table, column)


def origin(column: exp.Column | None, sources: dict[tuple[int, str], exp.Query | str]) -> tuple[str | None, str | None]:
    """Base table and column that a column shows, through CTEs and subqueries; no column where it is computed."""
    for _ in range(_DEEPEST):
        if column is None:
            return None, None
        source = sources.get((id(column.parent_select), column.table.lower()))
        if not isinstance(source, exp.Query):
            return source, column.name
        shown = [each for each in source.selects if each.alias_or_name.lower() == column.name.lower()]
        if not shown:
            return None, column.name  # a star shows it, under its own name
        column = plain_column(shown[0].unalias())
    return None, None


def plain_column(node: exp.Expression) -> exp.Column | None:
    """The column that `node` is, possibly folded in case, trimmed or collated."""
    while isinstance(node, exp.Paren | exp.Lower | exp.Upper | exp.Trim | exp.Collate | exp.Cast):
        node = node.this
    return node if isinstance(node, exp.Column) else None


def _constants(nodes: list[exp.Expression]) -> Iterator[int | float | str]:
    for node in nodes:
        sign = 1
        while isinstance(node, exp.Paren | exp.Neg | exp.Lower | exp.Upper | exp.Trim | exp.Cast | exp.Collate):
            sign = -sign if isinstance(node, exp.Neg) else sign
            node = node.this
        if isinstance(node, exp.Literal):
            if node.is_string:
                yield node.this
            else:
                number = float(node.this)
                yield sign * (int(node.this) if node.this.isdecimal() else number)


def sources_of(tree: exp.Query) -> dict[tuple[int, str], exp.Query | str]:
    """(SELECT, alias in lower case) -> base table, or the query of a CTE or subquery.

    The empty alias stands for the only source of its SELECT.
    """
    found: dict[tuple[int, str], exp.Query | str] = {}
    try:
        scopes = traverse_scope(tree)
    except SqlglotError:
        return found
    for scope in scopes:
        read = {
            alias.lower(): source.name if isinstance(source, exp.Table) else source.expression
            for alias, (_, source) in scope.selected_sources.items()
        }
        found |= {(id(scope.expression), alias): source for alias, source in read.items()}
        if len(read) == 1:
            found[id(scope.expression), ""] = next(iter(read.values()))
    return found
