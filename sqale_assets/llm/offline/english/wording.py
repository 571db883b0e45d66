"""From a named meaning to worded meaning and text: every identifier becomes the schema's phrase for it."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random
from typing import Any

from sqale_assets.llm.offline.english.lexicon import SPOKEN, Lexicon, noun_of
from sqale_assets.llm.offline.english.meaning import Children, Combine, Entity, Link, Node, Ref, Request, VersusAverage
from sqale_assets.llm.offline.english.rules import GRAMMAR


def say(request: Request, lexicon: Lexicon, rng: Random) -> str:
    """One of the request's wordings. Raises LookupError when the grammar has none for it."""
    return GRAMMAR.render("request", worded(request, lexicon), SPOKEN, rng)


def worded(request: Request, lexicon: Lexicon) -> Request:
    """The request with phrases for identifiers."""
    if isinstance(request, Combine):
        return replace(request, left=_node(request.left, "", lexicon), right=_node(request.right, "", lexicon))
    return _node(request, "", lexicon)


def _node(node: Any, table: str, lexicon: Lexicon) -> Any:
    """A node told of the rows of `table`."""
    if isinstance(node, tuple):
        return tuple(_node(item, table, lexicon) for item in node)
    if isinstance(node, Ref):
        end = node.chain[-1].parent if node.chain else table
        chain = tuple(lexicon.role(link) for link in node.chain)
        return Ref(lexicon.column(end, node.column) if node.column else "", chain)
    if isinstance(node, Children):
        link = node.link
        role = lexicon.role(link)
        plain = len([other for other in lexicon.links_in(link.parent) if other.child == link.child]) == 1
        named = role == noun_of(link.parent) and plain and link.child != link.parent
        conditions = _node(node.conditions, link.child, lexicon)
        return Children(noun_of(link.child), None if named else role, conditions)
    if not isinstance(node, Node):
        return node
    scope, changes = table, {}
    for field in fields(node):  # the things talked about come first: they are what the rest is told of
        value = getattr(node, field.name)
        if isinstance(value, Entity):
            scope = value.table
            changes[field.name] = Entity(noun_of(scope), _node(value.conditions, scope, lexicon))
    children = getattr(node, "children", None)
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in changes or value is None:
            continue
        if field.name in ("column", "key") and isinstance(value, str):
            owner = children.link.child if isinstance(children, Children) else scope
            changes[field.name] = lexicon.column(owner, value)
        elif field.name == "table" and isinstance(node, VersusAverage):
            changes[field.name] = noun_of(value)
        elif isinstance(value, Node | tuple) and not isinstance(value, Link):
            changes[field.name] = _node(value, scope, lexicon)
    return replace(node, **changes)
