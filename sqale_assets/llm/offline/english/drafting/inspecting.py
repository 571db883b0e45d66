"""Small questions about drafted nodes, and numbers as a question says them."""

from __future__ import annotations

import math
from typing import Any

from sqale_assets.llm.offline.english.meaning import Children, Compare, Entity, Has, Link, Ref
from sqale_assets.llm.offline.english.picture import Known

#: A way along keys, from child to parent.
Chain = tuple[Link, ...]


def says_twice(node: Any) -> bool:
    """Whether the request shows a column twice, or shows nothing but what its conditions name."""
    refs = getattr(node, "refs", ())
    entity = getattr(node, "entity", None)
    if len(set(refs)) < len(refs):
        return True
    return bool(refs) and isinstance(entity, Entity) and set(refs) <= refs_in(entity)


def refs_in(node: Any) -> set[Ref]:
    """Every column mentioned in the conditions of a node."""
    if isinstance(node, Entity | Children):
        return set().union(*(refs_in(condition) for condition in node.conditions))
    if isinstance(node, Compare):
        return {node.ref}
    if isinstance(node, tuple):
        return set().union(*map(refs_in, node))
    return set()


def tables_of(condition: Any) -> int:
    """Tables that a condition on children needs, theirs and those that they point to; 0 for other conditions."""
    if not isinstance(condition, Has):
        return 0
    return 1 + len({ref.chain[: end + 1] for ref in refs_in(condition.children) for end in range(len(ref.chain))})


def fixed(entity: Entity) -> set[Ref]:
    """The columns that the conditions leave only one value."""
    return {c.ref for c in entity.conditions if isinstance(c, Compare) and c.op in ("=", "true", "false", "missing")}


def compared(node: Entity | Children) -> frozenset[str]:
    return frozenset(ref.column for ref in refs_in(node) if not ref.chain)


def flag(column: Known, ref: Ref, value: Any) -> Compare | None:
    values = {str(each).lower() for each, _ in column.values}
    for true, false in (("1", "0"), ("true", "false"), ("y", "n"), ("yes", "no"), ("t", "f")):
        if values == {true, false} and not column.nulls:
            return Compare(ref, "true" if str(value).lower() == true else "false")
    return None


def rounded(value: float) -> float:
    """The value to two significant digits."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)


def like(column: Known, value: float) -> int | float:
    """The number as the column would hold it."""
    if isinstance(column.least, int) and isinstance(column.most, int):
        return round(value)
    return int(value) if value == int(value) else round(value, 2)
