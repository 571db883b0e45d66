"""What SQL queries look like: the shape of one, and the figures over many.

The rules are those of `quality/reference_statistics.json` ("definitions"), so that figures compare; over BIRD dev
they give the reference's figures to the last digit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import sqlglot
from pydantic import BaseModel
from sqlglot import exp

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"\b\d+(\.\d+)?\b")
#: Nodes that sqlglot counts as functions and nobody else does: operators, and conversions that it puts in itself.
_NOT_FUNCTIONS = (exp.And, exp.Or, exp.Case, exp.Exists, exp.TsOrDsToTimestamp)


@dataclass(frozen=True, slots=True)
class QueryShape:
    """One query. `tables` are its distinct base tables in lower case; depths count from 1."""

    nested: bool
    cte: bool
    window: bool
    set_operation: bool
    aggregate: bool
    group_by: bool
    having: bool
    order_by: bool
    limit: bool
    distinct: bool
    case: bool
    like: bool
    joins: int
    tables: frozenset[str]
    tokens: int
    words: int
    characters: int
    ast_depth: int
    ast_nodes: int
    select_depth: int
    functions: frozenset[str]


def query_shape(sql: str) -> QueryShape | None:
    """The shape of a SQLite query; None when sqlglot cannot parse it."""
    dialect = sqlglot.Dialect.get_or_raise("sqlite")
    try:
        tokens = dialect.tokenize(sql)
        (tree,) = dialect.parser().parse(tokens, sql)
    except (sqlglot.errors.SqlglotError, ValueError):  # a ValueError is several statements, or none
        return None
    if tree is None:
        return None
    seen: set[type] = set()
    nodes = joins = deepest = select_depth = 0
    nested = False
    tables: set[str] = set()
    ctes: set[str] = set()
    functions: set[str] = set()
    for node, depth, selects, in_cte in _walk(tree):
        nodes += 1
        seen.add(type(node))
        deepest = max(deepest, depth)
        if isinstance(node, exp.Select):
            select_depth = max(select_depth, selects + 1)
            nested |= selects > 0 and not in_cte
        elif isinstance(node, exp.Join):
            joins += 1
        elif isinstance(node, exp.Table):
            tables.add(node.name.lower())
        elif isinstance(node, exp.CTE):
            ctes.add(node.alias_or_name.lower())
        elif isinstance(node, exp.Func) and not isinstance(node, _NOT_FUNCTIONS):
            functions.add(node.name.upper() if isinstance(node, exp.Anonymous) else node.sql_name())

    def has(*kinds: type) -> bool:
        return any(issubclass(kind, kinds) for kind in seen)

    return QueryShape(
        nested=nested, cte=bool(ctes), window=has(exp.Window), set_operation=has(exp.SetOperation),
        aggregate=has(exp.AggFunc), group_by=has(exp.Group), having=has(exp.Having), order_by=has(exp.Order),
        limit=has(exp.Limit), distinct=has(exp.Distinct), case=has(exp.Case, exp.If), like=has(exp.Like),
        joins=joins, tables=frozenset(tables - ctes), tokens=len(tokens), words=len(sql.split()), characters=len(sql),
        ast_depth=deepest, ast_nodes=nodes, select_depth=select_depth, functions=frozenset(functions),
    )  # fmt: skip


def skeleton(sql: str) -> str:
    """The query with its literals masked, in lower case and without extra whitespace (OmniSQL's rule)."""
    return " ".join(_NUMBER.sub("?", _QUOTED.sub("?", sql)).lower().split())


class SqlStatistics(BaseModel):
    """Figures over queries, named and defined as in `quality/reference_statistics.json`. Shares are percentages."""

    n: int
    parsed: int
    nested_pct: float
    cte_pct: float
    window_pct: float
    setop_pct: float
    agg_pct: float
    group_by_pct: float
    having_pct: float
    order_by_pct: float
    limit_pct: float
    distinct_pct: float
    case_pct: float
    like_pct: float
    join_pct: float
    joins_mean: float
    multi_join_of_join_pct: float
    tables_mean: float
    tables_ge5_pct: float
    tables_max: int
    tok_sqlglot_mean: float
    tok_ws_mean: float
    chars_mean: float
    ast_depth_mean: float
    ast_nodes_mean: float
    subq_depth_mean: float
    unique_sql_pct: float
    unique_skeleton: int
    unique_skeleton_pct: float
    functions: int
    #: Queries per number of distinct base tables, and per function: for charts.
    tables_histogram: dict[int, int] = {}
    joins_histogram: dict[int, int] = {}
    function_counts: dict[str, int] = {}


#: What each figure is that the reference statistics do not define.
DEFINITIONS = {
    "n": "queries, or questions",
    "parsed": "queries that sqlglot parses; shares and means are over these",
    "tables_histogram": "queries by their number of distinct base tables",
    "joins_histogram": "queries by their number of joins",
    "function_counts": "queries by the functions that they use (sqlglot's names; IF is also each branch of a CASE)",
}
_SHARES = {
    "nested_pct": "nested", "cte_pct": "cte", "window_pct": "window", "setop_pct": "set_operation",
    "agg_pct": "aggregate", "group_by_pct": "group_by", "having_pct": "having", "order_by_pct": "order_by",
    "limit_pct": "limit", "distinct_pct": "distinct", "case_pct": "case", "like_pct": "like",
}  # fmt: skip
#: figure -> attribute, digits shown
_MEANS = {
    "tok_sqlglot_mean": ("tokens", 1), "tok_ws_mean": ("words", 1), "chars_mean": ("characters", 1),
    "ast_depth_mean": ("ast_depth", 2), "ast_nodes_mean": ("ast_nodes", 1), "subq_depth_mean": ("select_depth", 3),
}  # fmt: skip


@dataclass(slots=True)
class SqlTally:
    """Running sums over queries, so that a corpus of any size can be streamed through. Tallies can be merged."""

    queries: int = 0
    parsed: int = 0
    flags: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    joins: Counter[int] = field(default_factory=Counter)
    tables: Counter[int] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    texts: set[bytes] = field(default_factory=set)
    skeletons: set[bytes] = field(default_factory=set)

    def add(self, sql: str) -> QueryShape | None:
        """Count one query; returns its shape."""
        self.queries += 1
        self.texts.add(_digest(" ".join(sql.lower().split())))
        self.skeletons.add(_digest(skeleton(sql)))
        shape = query_shape(sql)
        if shape is not None:
            self.parsed += 1
            self.flags.update(flag for flag in _SHARES.values() if getattr(shape, flag))
            self.sums.update({name: getattr(shape, name) for name, _ in _MEANS.values()})
            self.joins[shape.joins] += 1
            self.tables[len(shape.tables)] += 1
            self.functions.update(shape.functions)
        return shape

    def merge(self, other: SqlTally) -> None:
        self.queries += other.queries
        self.parsed += other.parsed
        for name in ("flags", "sums", "joins", "tables", "functions"):
            getattr(self, name).update(getattr(other, name))
        self.texts |= other.texts
        self.skeletons |= other.skeletons

    def statistics(self) -> SqlStatistics:
        """The figures so far. Over no queries, every figure is 0."""
        joining = self.parsed - self.joins[0]
        return SqlStatistics(
            n=self.queries,
            parsed=self.parsed,
            **{figure: percent(self.flags[flag], self.parsed) for figure, flag in _SHARES.items()},
            **{figure: mean(self.sums[name], self.parsed, digits) for figure, (name, digits) in _MEANS.items()},
            join_pct=percent(joining, self.parsed),
            joins_mean=mean(_total(self.joins), self.parsed, 3),
            multi_join_of_join_pct=percent(joining - self.joins[1], joining),
            tables_mean=mean(_total(self.tables), self.parsed, 3),
            tables_ge5_pct=percent(sum(n for tables, n in self.tables.items() if tables >= 5), self.parsed),
            tables_max=max(self.tables, default=0),
            unique_sql_pct=percent(len(self.texts), self.queries),
            unique_skeleton=len(self.skeletons),
            unique_skeleton_pct=percent(len(self.skeletons), self.queries),
            functions=len(self.functions),
            tables_histogram=dict(sorted(self.tables.items())),
            joins_histogram=dict(sorted((joins, n) for joins, n in self.joins.items() if n)),
            function_counts=dict(sorted(self.functions.items(), key=lambda item: (-item[1], item[0]))),
        )


def sql_statistics(queries: Iterable[str]) -> SqlStatistics:
    """The figures over SQLite queries."""
    tally = SqlTally()
    for sql in queries:
        tally.add(sql)
    return tally.statistics()


def percent(part: float, whole: float) -> float:
    """A percentage with two digits; 0 of nothing is 0."""
    return round(100 * part / whole, 2) if whole else 0.0


def mean(total: float, count: int, digits: int) -> float:
    return round(total / count, digits) if count else 0.0


def _walk(tree: exp.Expression) -> Iterator[tuple[exp.Expression, int, int, bool]]:
    """Every node with its depth, the SELECTs around it, and whether a CTE stands between it and the innermost one."""
    stack = [(tree, 1, 0, False)]
    while stack:
        node, depth, selects, in_cte = entry = stack.pop()
        yield entry
        if isinstance(node, exp.Select):
            selects, in_cte = selects + 1, False
        elif isinstance(node, exp.CTE):
            in_cte = True
        stack.extend((child, depth + 1, selects, in_cte) for child in node.iter_expressions())


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _total(histogram: Counter[int]) -> int:
    return sum(value * count for value, count in histogram.items())
