"""The FROM clause of generated SQL: sources that grow joins as columns are asked for, and what all of SQL shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqale_assets.llm.offline.english.meaning import Day, Link, Ref, Value
from sqale_assets.sqlenv.names import identifier

#: Stands around an alias until it is known whether the statement needs aliases at all.
_MARK = "\x00"
_ALIASED = re.compile(f"{_MARK}(\\w+){_MARK}\\.")
_DECLARED = re.compile(f" {_MARK}(\\w+){_MARK}")


@dataclass(frozen=True)
class Findings:
    """What was seen in the data. `nulls`: (table, column) that hold NULLs; `flags`: the stored true and false."""

    nulls: frozenset[tuple[str, str]] = frozenset()
    flags: Mapping[tuple[str, str], tuple[Value, Value]] = field(default_factory=dict)


class Aliases(Protocol):
    """What a source needs of the statement that it is a part of."""

    findings: Findings

    def new_alias(self, table: str) -> str: ...


class Source:
    """A FROM clause that grows joins as columns are asked for, with its WHERE."""

    def __init__(self, writer: Aliases, table: str):
        self.writer, self.table = writer, table
        self.alias = writer.new_alias(table)
        self.where: list[str] = []
        self._joins: dict[tuple[Link, ...], str] = {}
        self._outer: set[tuple[Link, ...]] = set()
        self._extra: list[str] = []

    def own(self, column: str) -> str:
        return column_of(self.alias, column)

    def column(self, ref: Ref, *, keep: bool = False) -> str:
        """The column, joined in. With `keep`, rows whose key is NULL are kept."""
        return column_of(self.at(ref.chain, keep=keep), ref.column)

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
        if not keep or not (optional or chain[:-1] in self._outer):
            self._outer.discard(chain)
        assert before
        return self._joins[chain]

    def peers(self, ref: Ref) -> list[str]:
        """The columns in which rows agree that share a peer: a column, or the key that leads to it."""
        if ref.column:
            return [self.column(ref)]
        start = self.at(ref.chain[:-1])
        return [column_of(start, column) for column in ref.chain[-1].columns]

    def join_children(self, link: Link, *, outer: bool = False) -> Source:
        """The children of this source's rows, joined in. Their own conditions go to the common WHERE."""
        children = Source(self.writer, link.child)
        kind = "LEFT JOIN" if outer else "JOIN"
        self._extra.append(
            f" {kind} {declared(link.child, children.alias)} ON {on_key(link, children.alias, self.alias)}"
        )
        children.where = self.where
        self._children = children
        return children

    def sql(self) -> str:
        """FROM and WHERE."""
        return f" FROM {declared(self.table, self.alias)}{self.joins()}{where_clause(self.where)}"

    def joins(self) -> str:
        text = ""
        for chain, alias in self._joins.items():
            before = self._joins[chain[:-1]] if len(chain) > 1 else self.alias
            kind = "LEFT JOIN" if chain in self._outer else "JOIN"
            text += f" {kind} {declared(chain[-1].parent, alias)} ON {on_key(chain[-1], before, alias)}"
        text += "".join(self._extra)
        if children := getattr(self, "_children", None):
            text += children.joins()
        return text


def literal(value: Value) -> str:
    """A value as SQL."""
    if isinstance(value, Day):
        return f"'{value.iso}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def column_of(alias: str, column: str) -> str:
    return f"{_MARK}{alias}{_MARK}.{identifier(column)}"


def declared(table: str, alias: str) -> str:
    return f"{identifier(table)} {_MARK}{alias}{_MARK}"


def on_key(link: Link, child: str, parent: str) -> str:
    return " AND ".join(
        f"{column_of(child, mine)} = {column_of(parent, theirs)}"
        for mine, theirs in zip(link.columns, link.parent_columns, strict=True)
    )


def where_clause(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def plain(text: str, aliases: int) -> str:
    """The finished statement; one table needs no alias."""
    if aliases == 1:
        return _DECLARED.sub("", _ALIASED.sub("", text))
    return text.replace(_MARK, "")
