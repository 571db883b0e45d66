"""From a named meaning to SQL for SQLite.

What the data adds to the meaning comes in as `Findings`: which keys and columns hold NULLs, how a flag is stored.
"""

from __future__ import annotations

import re
from functools import singledispatchmethod

from sqale_assets.llm.offline.english.lexicon import noun_of
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    BestPerPeer,
    Children,
    Combine,
    Count,
    CountDistinct,
    Extreme,
    GroupBy,
    Link,
    Listing,
    MostChildren,
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
)
from sqale_assets.llm.offline.english.sql_conditions import Conditions
from sqale_assets.llm.offline.english.sql_source import Findings, Source, on_key, plain
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.names import identifier


def to_sql(request: Request, schema: Schema, findings: Findings = Findings()) -> str:  # noqa: B008 - frozen
    """The statement, without a semicolon."""
    writer = _Writer(schema, findings)
    return plain(writer.statement(request), len(writer.taken))


class _Writer(Conditions):
    """Statements, one method per kind of request."""

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
        figures = f"SELECT {figure} AS {name}{source.sql()} GROUP BY {group}"
        return f"WITH figures AS ({figures}) SELECT AVG({name}) FROM figures"

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

    def rank(self, request: Rank, source: Source) -> str:
        peers, key = self.peers(request, source), source.own(request.key)
        self.skip_nulls(source, (Ref(request.key),), [key])
        return f"RANK() OVER (PARTITION BY {', '.join(peers)} ORDER BY {key}{' DESC' * request.descending})"

    def peers(self, request: Rank | BestPerPeer | PeerAverage, source: Source) -> list[str]:
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

    def children_of(self, source: Source, children: Children) -> Source:
        inner = Source(self, children.link.child)
        inner.where.append(on_key(children.link, inner.alias, source.alias))
        self.restrict(inner, children.conditions)
        return inner

    def key_of(self, link: Link) -> tuple[str, ...]:
        return self.tables[link.parent].primary_key or link.parent_columns

    def figure(self, function: str, column: str | None, source: Source) -> tuple[str, str]:
        """An aggregate and a name for it."""
        if function == "count":
            return "COUNT(*)", f"{_snake(noun_of(source.table))}_count"
        words = {"sum": "total", "avg": "average", "max": "highest", "min": "lowest"}
        return f"{function.upper()}({source.own(column)})", f"{words[function]}_{_snake(column)}"

    def order(self, order: Order | None, source: Source, figure: str = "") -> str:
        if order is None:
            return ""
        keys = [key for key in (order.first, order.second) if key is not None]
        words = [
            (figure if key.ref is None else source.column(key.ref, keep=True)) + " DESC" * key.descending
            for key in keys
        ]
        return f" ORDER BY {', '.join(words)}"

    def skip_nulls(self, source: Source, refs: tuple[Ref, ...], columns: list[str]) -> None:
        for ref, column in zip(refs, columns, strict=True):
            end = ref.chain[-1].parent if ref.chain else source.table
            if (end, ref.column) in self.findings.nulls:
                source.where.append(f"{column} IS NOT NULL")


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
