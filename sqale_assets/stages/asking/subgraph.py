"""Sampling what a call is about: tables connected along foreign keys.

Sizes are drawn so that the median is 5 with a tail to 20 (seed, "Fields of ...-Queries"). Growth starts at
the table used least so far, prefers tables used little and of few keys, so that hubs do not dominate, and takes
a junction's other side with it, so that paths through junctions occur.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from sqale_assets.relational.model import Schema, Table

#: Number of tables -> weight. Median 5.
_SIZES = {
    1: 6, 2: 9, 3: 13, 4: 15, 5: 15, 6: 11, 7: 8, 8: 6, 9: 4, 10: 3, 11: 2, 12: 2,
    13: 1, 14: 1, 15: 1, 16: 1, 17: 0.5, 18: 0.5, 19: 0.5, 20: 0.5,
}  # fmt: skip


#: A question over so many tables is drawn from a larger part of the schema.
_WIDE = 8


class Sampler:
    """Draws subgraphs over the tables of `schema` that are `populated` (name -> number of rows)."""

    def __init__(self, schema: Schema, populated: dict[str, int], rng: Random, *, largest: int = 20):
        self._rng, self._largest = rng, largest
        self._tables = {table.name: table for table in schema.tables if populated.get(table.name, 0) > 0}
        self._near = _neighbours(self._tables)
        self._parents = {
            name: sorted({key.target_table for key in table.foreign_keys} & self._tables.keys() - {name})
            for name, table in self._tables.items()
        }
        self._reach = {name: len(self._reached(name)) for name in self._tables}
        self._uses: Counter[str] = Counter()

    def draw(self, deep: int = 1) -> tuple[str, ...]:
        """Names of connected tables in the schema's order.

        With `deep`, at least so many are reached from one of them by following keys, or from what points at it, where
        the schema has such a table: questions that join many tables need it.
        """
        if not self._tables:
            return ()
        least = deep if deep < _WIDE else deep + _WIDE // 2  # not every table drawn takes part in so wide a question
        sizes = {size: weight for size, weight in _SIZES.items() if least <= size <= self._largest}
        wanted = self._rng.choices(list(sizes), list(sizes.values()))[0] if sizes else self._largest
        chosen = self._grow(wanted, deep)
        self._uses.update(chosen)
        return tuple(name for name in self._tables if name in chosen)

    def _grow(self, wanted: int, deep: int) -> set[str]:
        start = self._start(wanted, deep)
        chosen, reached = {start}, {start}
        while len(chosen) < wanted:
            sides = {parent for name in sorted(reached) for parent in self._parents[name]} - chosen
            # Where the keys lead no further, what points at the start, and what that points to.
            sides = sides or {name for name in self._near[start] if start in self._parents[name]} - chosen
            if len(reached) < deep and sides:
                frontier = sorted(sides)
            else:
                frontier = sorted({near for name in chosen for near in self._near[name]} - chosen)
                frontier = [name for name in frontier if self._other_side(name, chosen)] or frontier
            if not frontier:
                break
            taken = self._rng.choices(frontier, [self._weight(name) for name in frontier])[0]
            chosen.add(taken)
            if taken in sides:
                reached.add(taken)
        return chosen

    def _reached(self, name: str) -> set[str]:
        """The table and those that its keys lead to, and on."""
        seen: set[str] = set()
        open_ = [name]
        while open_:
            at = open_.pop()
            if at not in seen:
                seen.add(at)
                open_ += self._parents[at]
        return seen

    def _other_side(self, name: str, chosen: set[str]) -> bool:
        """Whether the table is what a chosen junction links the others with."""
        return any(name in self._parents[at] and _is_junction(self._tables[at]) for at in chosen)

    def _start(self, wanted: int, deep: int) -> str:
        """A table used least, among those that reach deep enough, or else deepest."""
        if wanted > 1:
            depth = min(deep, max(self._reach.values()))
            names = [name for name in self._tables if self._near[name] and self._reach[name] >= depth]
        else:
            names = []
        names = names or list(self._tables)
        least = min(self._uses[name] for name in names)
        return self._rng.choice([name for name in names if self._uses[name] == least])

    def _weight(self, name: str) -> float:
        return 1 / ((1 + self._uses[name]) * (len(self._near[name]) ** 0.5 or 1))


def _neighbours(tables: dict[str, Table]) -> dict[str, tuple[str, ...]]:
    near: dict[str, dict[str, None]] = {name: {} for name in tables}
    for table in tables.values():
        for key in table.foreign_keys:
            if key.target_table in tables and key.target_table != table.name:
                near[table.name][key.target_table] = None
                near[key.target_table][table.name] = None
    return {name: tuple(others) for name, others in near.items()}


def _is_junction(table: Table) -> bool:
    """Whether the table says little but that rows of others belong together."""
    keys = {column for key in table.foreign_keys for column in key.columns}
    return len(table.foreign_keys) >= 2 and len(table.columns) - len(keys | set(table.primary_key)) <= 2


def connected(schema: Schema, names: Sequence[str]) -> bool:
    """Whether the tables hang together along foreign keys."""
    tables = {name: table for name in names if (table := schema.table(name)) is not None}
    near = _neighbours(tables)
    seen: set[str] = set()
    open_ = list(tables)[:1]
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            open_ += near[name]
    return len(seen) == len(set(names))
