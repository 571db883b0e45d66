"""From text to named meanings: every request that a question can be read as over a schema.

A phrase may fit several tables, columns or keys; readings that do not hang together (a column that the
table has not, a key that leads elsewhere) fall away. One reading left: the question is clear. Several: it is
ambiguous over what is known of the schema. None: it is not in the controlled English, or about something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Any

from sqale_assets.llm.offline.english.lexicon import Lexicon, noun_of
from sqale_assets.llm.offline.english.meaning import (
    Children,
    Combine,
    Compare,
    Day,
    Entity,
    Link,
    Node,
    Ref,
    Request,
    VersusAverage,
)
from sqale_assets.llm.offline.english.rules import GRAMMAR

#: More readings than this are no longer told apart.
MAX_READINGS = 64


def read(question: str, lexicon: Lexicon, *, terse: bool = False) -> list[Request]:
    """The named readings of a question, each once. A `terse` one may lack its articles."""
    worded = GRAMMAR.parse("request", question, lexicon.terminals, terse=terse)
    named = (request for each in worded for request in _request(each, lexicon))
    return list(dict.fromkeys(islice(named, MAX_READINGS)))


def worded_readings(question: str, lexicon: Lexicon) -> list[Request]:
    """The readings before their phrases are looked up: for saying what is not known."""
    return GRAMMAR.parse("request", question, lexicon.terminals)


def _request(node: Request, lexicon: Lexicon) -> Iterator[Request]:
    if isinstance(node, Combine):
        for left in _node(node.left, "", lexicon):
            for right in _node(node.right, "", lexicon):
                yield replace(node, left=left, right=right)
    else:
        yield from _node(node, "", lexicon)


def _node(node: Any, table: str, lexicon: Lexicon) -> Iterator[Any]:
    """What a worded node means when it is told of the rows of `table`."""
    if isinstance(node, tuple):
        if not node:
            yield ()
            return
        for first in _node(node[0], table, lexicon):
            for rest in _node(node[1:], table, lexicon):
                yield (first, *rest)
    elif isinstance(node, Ref):
        yield from _ref(node, table, lexicon)
    elif isinstance(node, Children):
        for link in _arriving(node, table, lexicon):
            for conditions in _node(node.conditions, link.child, lexicon):
                yield Children(link, None, conditions)
    elif isinstance(node, Entity):
        for candidate in lexicon.nouns.get(node.table, ()):
            for conditions in _node(node.conditions, candidate, lexicon):
                yield Entity(candidate, conditions)
    elif isinstance(node, Node):
        yield from _fields(node, [field.name for field in _things_first(node)], table, lexicon)
    else:
        yield node


def _things_first(node: Node) -> list[Any]:
    rank = {Entity: 0, Children: 1}
    return sorted(fields(node), key=lambda field: rank.get(type(getattr(node, field.name)), 2))


def _fields(node: Any, names: list[str], table: str, lexicon: Lexicon) -> Iterator[Any]:
    """`node` with each of its fields looked up in turn; its entity is what the fields after it are told of."""
    if not names:
        if _sensible(node, table, lexicon):
            yield node
        return
    name, *others = names
    value = getattr(node, name)
    if isinstance(value, str) and name in ("column", "key"):
        children = getattr(node, "children", None)
        owner = children.link.child if isinstance(children, Children) else table
        found: Iterator[Any] = iter(lexicon.columns_called(owner, value))
    elif isinstance(value, str) and name == "table" and isinstance(node, VersusAverage):
        found = iter([table] if noun_of(table) == value else [])
    else:
        found = _node(value, table, lexicon)
    for each in found:
        scope = each.table if isinstance(each, Entity) else table
        yield from _fields(replace(node, **{name: each}), others, scope, lexicon)


def _ref(node: Ref, table: str, lexicon: Lexicon) -> Iterator[Ref]:
    for chain in _chains(node.chain, table, lexicon):
        end = chain[-1].parent if chain else table
        if not node.column:
            yield Ref("", chain)
        for column in lexicon.columns_called(end, node.column):
            yield Ref(column, chain)


def _chains(roles: tuple[Any, ...], table: str, lexicon: Lexicon) -> Iterator[tuple[Link, ...]]:
    if not roles:
        yield ()
        return
    for link in lexicon.links_called(table, roles[0]):
        for rest in _chains(roles[1:], link.parent, lexicon):
            yield (link, *rest)


def _arriving(node: Children, table: str, lexicon: Lexicon) -> list[Link]:
    """The keys by which rows called `node.link` point at `table`; without a role there must be no choice."""
    children = lexicon.nouns.get(str(node.link), ())
    found = [link for link in lexicon.links_in(table) if link.child in children]
    if node.role is not None:
        return [link for link in found if lexicon.role(link) == node.role]
    return [link for link in found if sum(1 for other in found if other.child == link.child) == 1]


def _sensible(node: Any, table: str, lexicon: Lexicon) -> bool:
    """Whether a comparison fits the column's type as far as it is declared."""
    if not isinstance(node, Compare):
        return True
    end = node.ref.chain[-1].parent if node.ref.chain else table
    column = lexicon.tables[end].column(node.ref.column)
    if column is None:
        return False
    if isinstance(node.value, Day) or node.op in ("year", "month"):
        return column.kind not in ("integer", "decimal", "real", "boolean") or column.affinity == "NUMERIC"
    if node.op in ("true", "false"):
        return True
    if isinstance(node.value, int | float):
        return column.kind not in ("date", "datetime")
    return True
