"""Foreign keys as edges between tables, and the shortest chains of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from sqale_assets.relational.model import Schema, Table


@dataclass(frozen=True, slots=True)
class Edge:
    """A foreign key, from the table that holds it to the one it points at. Columns correspond by position."""

    from_table: str
    from_columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]

    def entry(self) -> dict[str, Any]:
        """The edge as a JSON object."""
        return asdict(self)


def edges_of(table: Table) -> list[Edge]:
    """The foreign keys that leave `table`."""
    return [Edge(table.name, key.columns, key.target_table, key.target_columns) for key in table.foreign_keys]


def incoming(schema: Schema, name: str) -> list[Edge]:
    """The foreign keys of any table, its own included, that point at the table `name`."""
    return [edge for table in schema.tables for edge in edges_of(table) if edge.to_table == name]


def shortest_paths(schema: Schema, start: str, end: str, *, most: int = 5) -> list[tuple[Edge, ...]]:
    """Up to `most` chains of foreign keys, in either direction, between two tables; all of the least length.

    From a table to itself these are its self references.
    """
    neighbours: dict[str, list[tuple[str, Edge]]] = defaultdict(list)
    present = {table.name for table in schema.tables}
    for table in schema.tables:
        for edge in edges_of(table):
            if edge.to_table not in present:
                continue
            neighbours[edge.from_table].append((edge.to_table, edge))
            if edge.from_table != edge.to_table:
                neighbours[edge.to_table].append((edge.from_table, edge))
    if start == end:
        return [(edge,) for there, edge in neighbours[start] if there == end][:most]

    # Distances from the end, so that the walk from the start only takes steps that lead there.
    distance, frontier = {end: 0}, [end]
    while frontier and start not in distance:
        reached = dict.fromkeys(there for name in frontier for there, _ in neighbours[name] if there not in distance)
        distance |= dict.fromkeys(reached, distance[frontier[0]] + 1)
        frontier = list(reached)

    def walk(name: str) -> Iterator[tuple[Edge, ...]]:
        if name == end:
            yield ()
            return
        for there, edge in neighbours[name]:
            if distance.get(there) == distance[name] - 1:
                for rest in walk(there):
                    yield (edge, *rest)

    return list(islice(walk(start), most)) if start in distance else []
