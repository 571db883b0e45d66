"""From a named meaning to SQL for SQLite.

What the data adds to the meaning comes in as `Findings`: which keys and columns hold NULLs, how a flag is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod

from sqale_assets.llm.offline.english.lexicon import noun_of
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    BestPerPeer,
    Children,
    Combine,
    Compare,
    Count,
    CountDistinct,
    Day,
    Entity,
    Extreme,
    GroupBy,
    Has,
    Link,
    Listing,
    MostChildren,
    Node,
    Order,
    PeerAverage,
    PerParent,
    Rank,
    Ref,
    Request,
    Running,
    Share,
    Side,
    Top,
    Value,
    VersusAverage,
)
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.names import identifier

#: Stands around an alias until it is known whether the statement needs aliases at all.
_MARK = "\x00"
_ALIASED = re.compile(f"{_MARK}(\\w+){_MARK}\\.")
_DECLARED = re.compile(f" {_MARK}(\\w+){_MARK}")
_KEYWORDS = frozenset("as at by do if in is no of on or to all and asc end for not row set".split())


@dataclass(frozen=True)
class Findings:
    """What was seen in the data. `nulls`: (table, column) that hold NULLs; `flags`: the stored true and false."""

    nulls: frozenset[tuple[str, str]] = frozenset()
    flags: Mapping[tuple[str, str], tuple[Value, Value]] = field(default_factory=dict)


def to_sql(request: Request, schema: Schema, findings: Findings = Findings()) -> str:  # noqa: B008 - frozen
    """The statement, without a semicolon."""
    writer = _Writer(schema, findings)
    text = writer.statement(request)
    if len(writer.taken) == 1:
        return _DECLARED.sub("", _ALIASED.sub("", text))
    return text.replace(_MARK, "")


def literal(value: Value) -> str:
    """A value as SQL."""
    if isinstance(value, Day):
        return f"'{value.iso}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


class _Source:
    """A FROM clause that grows joins as columns are asked for, with its WHERE."""

    def __init__(self, writer: _Writer, table: str):
        self.writer, self.table = writer, table
        self.alias = writer.new_alias(table)
        self.where: list[str] = []
        self._joins: dict[tuple[Link, ...], str] = {}
        self._outer: set[tuple[Link, ...]] = set()
        self._extra: list[str] = []

    def own(self, column: str) -> str:
        return _column(self.alias, column)

    def column(self, ref: Ref, *, keep: bool = False) -> str:
        """The column, joined in. With `keep`, rows whose key is NULL are kept."""
        return _column(self.at(ref.chain, keep=keep), ref.column)

    def at(self, chain: tuple[Link, ...], *, keep: bool = False) -> str:
        """The alias of the table that a chain of keys leads to."""
        if not chain:
            return self.alias
        before = self.at(chain[:-1], keep=keep)
        link = chain[-1]
        if chain not in self._joins:
            self._joins[chain] = self.writer.new_alias(link.parent)
            self._outer.add(chain)
        optional = any((link.child, column) in self.writer.findings.nulls for column in link.columns)
        if not keep or not (optional or chain[:-1] in self._outer and chain[:-1]):
            self._outer.discard(chain)
        assert before
        return self._joins[chain]

    def peers(self, ref: Ref) -> list[str]:
        """The columns in which rows agree that share a peer: a column, or the key that leads to it."""
        if ref.column:
            return [self.column(ref)]
        start = self.at(ref.chain[:-1])
        return [_column(start, column) for column in ref.chain[-1].columns]

    def join_children(self, link: Link, *, outer: bool = False) -> _Source:
        """The children of this source's rows, joined in. Their own conditions go to the common WHERE."""
        children = _Source(self.writer, link.child)
        kind = "LEFT JOIN" if outer else "JOIN"
        self._extra.append(
            f" {kind} {_declared(link.child, children.alias)} ON {_on(link, children.alias, self.alias)}"
        )
        children.where = self.where
        self._children = children
        return children

    def sql(self) -> str:
        """FROM and WHERE."""
        return f" FROM {_declared(self.table, self.alias)}{self.joins()}{_where(self.where)}"

    def joins(self) -> str:
        text = ""
        for chain, alias in self._joins.items():
            before = self._joins[chain[:-1]] if len(chain) > 1 else self.alias
            kind = "LEFT JOIN" if chain in self._outer else "JOIN"
            text += f" {kind} {_declared(chain[-1].parent, alias)} ON {_on(chain[-1], before, alias)}"
        text += "".join(self._extra)
        if children := getattr(self, "_children", None):
            text += children.joins()
        return text


class _Writer:
    def __init__(self, schema: Schema, findings: Findings):
        self.tables = {table.name: table for table in schema.tables}
        self.findings = findings
        self.taken: set[str] = set()

    def new_alias(self, table: str) -> str:
        base = "".join(word[0] for word in noun_of(table).split() if word[0].isalpha()) or "t"
        alias, number = base, 1
        while alias in self.taken or alias in _KEYWORDS:
            number += 1
            alias = f"{base}{number}"
        self.taken.add(alias)
        return alias

    def source(self, entity: Entity) -> _Source:
        made = _Source(self, entity.table)
        self.restrict(made, entity.conditions)
        return made

    def restrict(self, source: _Source, conditions: tuple[Node, ...]) -> None:
        for condition in conditions:
            source.where.append(self.condition(condition, source))

    # --- conditions

    def condition(self, node: Node, source: _Source, *, keep: bool = False) -> str:
        if isinstance(node, Compare):
            return self._compare(node, source, keep)
        if isinstance(node, Has):
            return self._has(node, source)
        assert isinstance(node, VersusAverage)
        inner = _Source(self, source.table)
        if node.peer is not None:
            inner.where += [
                f"{mine} = {theirs}"
                for mine, theirs in zip(inner.peers(node.peer), source.peers(node.peer), strict=True)
            ]
        return f"{source.own(node.column)} {node.op} (SELECT AVG({inner.own(node.column)}){inner.sql()})"

    def _compare(self, node: Compare, source: _Source, keep: bool) -> str:
        end = node.ref.chain[-1].parent if node.ref.chain else source.table
        column = source.column(node.ref, keep=keep)
        match node.op:
            case "between" if isinstance(node.value, Day):
                return f"date({column}) BETWEEN {literal(node.value)} AND {literal(node.other)}"
            case "between":
                return f"{column} BETWEEN {literal(node.value)} AND {literal(node.other)}"
            case "in":
                return f"{column} IN ({literal(node.value)}, {literal(node.other)})"
            case "contains":
                return f"{column} LIKE {literal(f'%{node.value}%')}"
            case "starts":
                return f"{column} LIKE {literal(f'{node.value}%')}"
            case "year":
                return f"strftime('%Y', {column}) = '{node.value:04}'"
            case "month":
                return f"strftime('%Y-%m', {column}) = '{node.value:04}-{node.other:02}'"
            case "missing":
                return f"{column} IS NULL"
            case "present":
                return f"{column} IS NOT NULL"
            case "true" | "false":
                stored = self.findings.flags.get((end, node.ref.column), (1, 0))
                return f"{column} = {literal(stored[node.op == 'false'])}"
            case _:
                return f"{column} {node.op} {literal(node.value)}"

    def _has(self, node: Has, source: _Source) -> str:
        inner = _Source(self, node.children.link.child)
        inner.where.append(_on(node.children.link, inner.alias, source.alias))
        self.restrict(inner, node.children.conditions)
        if node.op == "none":
            return f"NOT EXISTS (SELECT 1{inner.sql()})"
        if (node.op, node.number) in ((">=", 1), (">", 0)):
            return f"EXISTS (SELECT 1{inner.sql()})"
        return f"(SELECT COUNT(*){inner.sql()}) {node.op} {node.number}"

    # --- requests

    @singledispatchmethod
    def statement(self, request: Request) -> str:
        raise TypeError(type(request).__name__)

    @statement.register
    def _(self, request: Listing) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        if request.distinct:
            self.skip_nulls(source, request.refs, columns)
        order = self.order(request.order, source)
        return f"SELECT {'DISTINCT ' * request.distinct}{', '.join(columns)}{source.sql()}{order}"

    @statement.register
    def _(self, request: Top) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        key, tie = source.column(request.key), source.column(request.tie)
        self.skip_nulls(source, (request.key,), [key])
        order = f"{key}{' DESC' * request.descending}, {tie}"
        return f"SELECT {', '.join(columns)}{source.sql()} ORDER BY {order} LIMIT {request.number}"

    @statement.register
    def _(self, request: Count) -> str:
        return f"SELECT COUNT(*){self.source(request.entity).sql()}"

    @statement.register
    def _(self, request: CountDistinct) -> str:
        source = self.source(request.entity)
        return f"SELECT COUNT(DISTINCT {source.column(request.ref)}){source.sql()}"

    @statement.register
    def _(self, request: Aggregate) -> str:
        source = self.source(request.entity)
        column = source.column(request.ref)
        figures = [f"{name.upper()}({column})" for name in (request.function, request.second) if name]
        return f"SELECT {', '.join(figures)}{source.sql()}"

    @statement.register
    def _(self, request: Share) -> str:
        source = self.source(request.entity)
        condition = self.condition(request.condition, source, keep=True)
        return f"SELECT 100.0 * SUM(CASE WHEN {condition} THEN 1 ELSE 0 END) / COUNT(*) AS percentage{source.sql()}"

    @statement.register
    def _(self, request: Extreme) -> str:
        source, inner = self.source(request.entity), self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        function = "MAX" if request.descending else "MIN"
        source.where.append(f"{source.own(request.key)} = (SELECT {function}({inner.own(request.key)}){inner.sql()})")
        return f"SELECT {', '.join(columns)}{source.sql()}"

    @statement.register
    def _(self, request: GroupBy) -> str:
        source = self.source(request.entity)
        group = source.column(request.group)
        figure, name = self.figure(request.function, request.column, source)
        having = "" if request.over is None else f" HAVING {figure} > {request.over}"
        order = self.order(request.order, source, name)
        return f"SELECT {group}, {figure} AS {name}{source.sql()} GROUP BY {group}{having}{order}"

    @statement.register
    def _(self, request: PerParent) -> str:
        source, link = self.source(request.entity), request.children.link
        columns = [source.column(ref, keep=True) for ref in request.refs]
        group = ", ".join(source.own(column) for column in self.key_of(link))
        if request.function == "count" and request.over is None and request.children.conditions:
            counted = self.children_of(source, request.children)
            name = f"{_snake(noun_of(link.child))}_count"
            order = self.order(request.order, source, name)
            return f"SELECT {', '.join(columns)}, (SELECT COUNT(*){counted.sql()}) AS {name}{source.sql()}{order}"
        everyone = request.function == "count" and request.over is None
        children = source.join_children(link, outer=everyone)
        self.restrict(children, request.children.conditions)
        if request.function == "count":
            counted = children.own(link.columns[0]) if everyone else "*"
            figure, name = f"COUNT({counted})", f"{_snake(noun_of(link.child))}_count"
        else:
            figure, name = self.figure(request.function, request.column, children)
        having = "" if request.over is None else f" HAVING {figure} > {request.over}"
        order = self.order(request.order, source, name)
        return f"SELECT {', '.join(columns)}, {figure} AS {name}{source.sql()} GROUP BY {group}{having}{order}"

    @statement.register
    def _(self, request: MostChildren) -> str:
        return self.counted(request, "= (SELECT MAX(number) FROM counts)")

    @statement.register
    def _(self, request: AboveAverageChildren) -> str:
        return self.counted(request, "> (SELECT AVG(number) FROM counts)")

    def counted(self, request: MostChildren | AboveAverageChildren, condition: str) -> str:
        source, link = self.source(request.entity), request.children.link
        columns = [source.column(ref, keep=True) for ref in request.refs]
        names = _distinct_names([ref.column for ref in request.refs], ("number",))
        children = source.join_children(link)
        self.restrict(children, request.children.conditions)
        group = ", ".join(source.own(column) for column in self.key_of(link))
        listed = ", ".join(f"{column} AS {name}" for column, name in zip(columns, names, strict=True))
        counts = f"SELECT {listed}, COUNT(*) AS number{source.sql()} GROUP BY {group}"
        return f"WITH counts AS ({counts}) SELECT {', '.join(names)} FROM counts WHERE number {condition}"

    @statement.register
    def _(self, request: AverageChildren) -> str:
        source, link = self.source(request.entity), request.children.link
        children = source.join_children(link)
        self.restrict(children, request.children.conditions)
        figure = f"SUM({children.own(request.column)})" if request.column else "COUNT(*)"
        name = "total" if request.column else "number"
        group = ", ".join(source.own(column) for column in self.key_of(link))
        return f"WITH figures AS (SELECT {figure} AS {name}{source.sql()} GROUP BY {group}) SELECT AVG({name}) FROM figures"

    @statement.register
    def _(self, request: Combine) -> str:
        words = {"both": "INTERSECT", "minus": "EXCEPT", "either": "UNION"}
        return f"{self.side(request.left)} {words[request.op]} {self.side(request.right)}"

    def side(self, side: Side) -> str:
        source = self.source(side.entity)
        column = source.column(side.ref)
        self.skip_nulls(source, (side.ref,), [column])
        return f"SELECT {column}{source.sql()}"

    @statement.register
    def _(self, request: Rank) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        return f"SELECT {', '.join(columns)}, {self.rank(request, source)} AS place{source.sql()}"

    @statement.register
    def _(self, request: BestPerPeer) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        names = _distinct_names([ref.column for ref in request.refs], ("own", "best"))
        peers, key = self.peers(request, source), source.own(request.key)
        function = "MAX" if request.descending else "MIN"
        listed = "".join(f"{column} AS {name}, " for column, name in zip(columns, names, strict=True))
        best = f"{function}({key}) OVER (PARTITION BY {', '.join(peers)})"
        return (
            f"WITH compared AS (SELECT {listed}{key} AS own, {best} AS best{source.sql()}) "
            f"SELECT {', '.join(names)} FROM compared WHERE own = best"
        )

    def rank(self, request: Rank, source: _Source) -> str:
        peers, key = self.peers(request, source), source.own(request.key)
        self.skip_nulls(source, (Ref(request.key),), [key])
        return f"RANK() OVER (PARTITION BY {', '.join(peers)} ORDER BY {key}{' DESC' * request.descending})"

    def peers(self, request: Rank | BestPerPeer | PeerAverage, source: _Source) -> list[str]:
        """What to partition by; rows that have no peer are left out."""
        peers = source.peers(request.peer)
        holder = request.peer.chain[-1].child if not request.peer.column else source.table
        names = request.peer.chain[-1].columns if not request.peer.column else (request.peer.column,)
        source.where += [
            f"{peer} IS NOT NULL"
            for peer, name in zip(peers, names, strict=True)
            if (holder, name) in self.findings.nulls
        ]
        return peers

    @statement.register
    def _(self, request: Running) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        order = f"{source.column(request.by)}, {source.column(request.tie)}"
        total = f"SUM({source.own(request.column)}) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING)"
        return f"SELECT {', '.join(columns)}, {total} AS running_total{source.sql()} ORDER BY {order}"

    @statement.register
    def _(self, request: PeerAverage) -> str:
        source = self.source(request.entity)
        columns = [source.column(ref, keep=True) for ref in request.refs]
        peers = ", ".join(source.peers(request.peer))
        average = f"AVG({source.own(request.column)}) OVER (PARTITION BY {peers})"
        return f"SELECT {', '.join(columns)}, {average} AS peer_average{source.sql()}"

    # --- parts

    def children_of(self, source: _Source, children: Children) -> _Source:
        inner = _Source(self, children.link.child)
        inner.where.append(_on(children.link, inner.alias, source.alias))
        self.restrict(inner, children.conditions)
        return inner

    def key_of(self, link: Link) -> tuple[str, ...]:
        return self.tables[link.parent].primary_key or link.parent_columns

    def figure(self, function: str, column: str | None, source: _Source) -> tuple[str, str]:
        """An aggregate and a name for it."""
        if function == "count":
            return "COUNT(*)", f"{_snake(noun_of(source.table))}_count"
        words = {"sum": "total", "avg": "average", "max": "highest", "min": "lowest"}
        return f"{function.upper()}({source.own(column)})", f"{words[function]}_{_snake(column)}"

    def order(self, order: Order | None, source: _Source, figure: str = "") -> str:
        if order is None:
            return ""
        keys = [key for key in (order.first, order.second) if key is not None]
        words = [
            (figure if key.ref is None else source.column(key.ref, keep=True)) + " DESC" * key.descending
            for key in keys
        ]
        return f" ORDER BY {', '.join(words)}"

    def skip_nulls(self, source: _Source, refs: tuple[Ref, ...], columns: list[str]) -> None:
        for ref, column in zip(refs, columns, strict=True):
            end = ref.chain[-1].parent if ref.chain else source.table
            if (end, ref.column) in self.findings.nulls:
                source.where.append(f"{column} IS NOT NULL")


def _column(alias: str, column: str) -> str:
    return f"{_MARK}{alias}{_MARK}.{identifier(column)}"


def _declared(table: str, alias: str) -> str:
    return f"{identifier(table)} {_MARK}{alias}{_MARK}"


def _on(link: Link, child: str, parent: str) -> str:
    return " AND ".join(
        f"{_column(child, mine)} = {_column(parent, theirs)}"
        for mine, theirs in zip(link.columns, link.parent_columns, strict=True)
    )


def _where(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _snake(text: str) -> str:
    return re.sub(r"\W+", "_", text.strip().lower()).strip("_") or "value"


def _distinct_names(columns: list[str], taken: tuple[str, ...]) -> list[str]:
    """Names for a CTE's columns, each once."""
    names: list[str] = []
    for column in columns:
        name, number = _snake(column), 1
        while name in names or name in taken or not name[0].isalpha():
            number += 1
            name = f"{_snake(column)}_{number}" if name[0].isalpha() else f"c_{name}"
        names.append(name)
    return [identifier(name) for name in names]
