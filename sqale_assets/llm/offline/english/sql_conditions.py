"""Conditions as SQL: comparisons, children, averages."""

from __future__ import annotations

from sqale_assets.llm.offline.english.lexicon import noun_of
from sqale_assets.llm.offline.english.meaning import Compare, Day, Entity, Has, Node, VersusAverage
from sqale_assets.llm.offline.english.sql_source import Findings, Source, literal, on_key
from sqale_assets.relational.model import Schema

_KEYWORDS_TEXT = """
    as at by do if in is no of on or to all and asc end for not row set
"""
_KEYWORDS = frozenset(_KEYWORDS_TEXT.split())


class Conditions:
    """Writes conditions into the WHERE of sources; knows the aliases that the statement has taken."""

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

    def source(self, entity: Entity) -> Source:
        made = Source(self, entity.table)
        self.restrict(made, entity.conditions)
        return made

    def restrict(self, source: Source, conditions: tuple[Node, ...]) -> None:
        for condition in conditions:
            source.where.append(self.condition(condition, source))

    def condition(self, node: Node, source: Source, *, keep: bool = False) -> str:
        if isinstance(node, Compare):
            return self._compare(node, source, keep)
        if isinstance(node, Has):
            return self._has(node, source)
        assert isinstance(node, VersusAverage)
        inner = Source(self, source.table)
        if node.peer is not None:
            inner.where += [
                f"{mine} = {theirs}"
                for mine, theirs in zip(inner.peers(node.peer), source.peers(node.peer), strict=True)
            ]
        return f"{source.own(node.column)} {node.op} (SELECT AVG({inner.own(node.column)}){inner.sql()})"

    def _compare(self, node: Compare, source: Source, keep: bool) -> str:
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

    def _has(self, node: Has, source: Source) -> str:
        inner = Source(self, node.children.link.child)
        inner.where.append(on_key(node.children.link, inner.alias, source.alias))
        self.restrict(inner, node.children.conditions)
        if node.op == "none":
            return f"NOT EXISTS (SELECT 1{inner.sql()})"
        if (node.op, node.number) in ((">=", 1), (">", 0)):
            return f"EXISTS (SELECT 1{inner.sql()})"
        return f"(SELECT COUNT(*){inner.sql()}) {node.op} {node.number}"
