"""The foreign-key graph of a schema: order, components, neighbours and join paths.

Nodes are table names as the schema spells them; an edge runs from the table that holds a key to the table that
the key references. Keys whose target is not in the schema have no edge. Everything is deterministic: ties are
decided by the order of the tables in the schema.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import networkx as nx

from sqale_assets.relational.model import ForeignKey, Schema, Table


class Edge(NamedTuple):
    """A foreign key with the name of the table that holds it."""

    table: str
    key: ForeignKey


class CreationOrder(NamedTuple):
    """`tables` in dependency order: each after those it references, but for the keys in `broken`."""

    tables: tuple[Table, ...]
    broken: tuple[Edge, ...]


def foreign_key_graph(schema: Schema) -> nx.MultiDiGraph:
    """The graph. Each edge carries its `ForeignKey` as `foreign_key`, each node its `position` in the schema."""
    graph = nx.MultiDiGraph()
    names = {table.name.lower(): table.name for table in schema.tables}
    for position, table in enumerate(schema.tables):
        graph.add_node(table.name, position=position)
    for table in schema.tables:
        for key in table.foreign_keys:
            target = names.get(key.target_table.lower())
            if target is not None:
                graph.add_edge(table.name, target, foreign_key=key)
    return graph


def creation_order(schema: Schema) -> CreationOrder:
    """Tables so that parents come before children, in source order where the keys leave a choice.

    A cycle is opened where it costs least: at keys whose columns may be NULL (fill them later), then at inferred
    ones. A self-reference orders rows, not tables: it is never listed as broken.
    """
    keys: dict[tuple[str, str], list[ForeignKey]] = {}
    for child, parent, key in foreign_key_graph(schema).edges(data="foreign_key"):
        if child != parent:
            keys.setdefault((child, parent), []).append(key)
    positions = {table.name: position for position, table in enumerate(schema.tables)}
    # From parent to child, so that a topological order of the graph is an order of creation.
    graph = nx.DiGraph()
    graph.add_nodes_from(positions)
    graph.add_edges_from((parent, child) for child, parent in keys)

    tables = {table.name: table for table in schema.tables}

    def cost(edge: tuple[str, str]) -> tuple[bool, float, int, int]:
        child, _parent = edge
        parallel = keys[edge]
        required = not all(may_be_null(tables[child], key) for key in parallel)
        return required, max(key.confidence for key in parallel), len(parallel), -positions[child]

    broken: list[Edge] = []
    for component in sorted(nx.strongly_connected_components(graph), key=lambda names: min(map(positions.get, names))):
        if len(component) == 1:
            continue
        # Not `graph.subgraph`: its views iterate over sets, in an order that differs from run to run.
        inside = nx.DiGraph(edge for edge in graph.edges if component.issuperset(edge))
        while (cycle := _cycle(inside)) is not None:
            child, parent = min(((child, parent) for parent, child in cycle), key=cost)
            inside.remove_edge(parent, child)
            graph.remove_edge(parent, child)
            broken.extend(Edge(child, key) for key in keys[child, parent])
    order = nx.lexicographical_topological_sort(graph, key=positions.get)
    return CreationOrder(tuple(tables[name] for name in order), tuple(broken))


def may_be_null(table: Table, key: ForeignKey) -> bool:
    """Whether a row of `table` may leave `key` empty: one NULL among its columns is enough to do so."""
    primary = {name.lower() for name in table.primary_key}
    columns = (table.column(name) for name in key.columns)
    return any(
        column is not None and column.nullable is not False and column.name.lower() not in primary for column in columns
    )


def connected_components(schema: Schema) -> tuple[tuple[str, ...], ...]:
    """Table names grouped by connection through keys, each group and the groups in source order."""
    graph = foreign_key_graph(schema)
    position = graph.nodes(data="position")
    components = (tuple(sorted(names, key=position.__getitem__)) for names in nx.weakly_connected_components(graph))
    return tuple(sorted(components, key=lambda names: position[names[0]]))


def neighbours(schema: Schema, name: str) -> tuple[str, ...]:
    """Tables one key away from `name` in either direction, in source order, without `name` itself."""
    table = schema.table(name)
    if table is None:
        return ()
    graph = foreign_key_graph(schema)
    near = {*graph.successors(table.name), *graph.predecessors(table.name)} - {table.name}
    return tuple(other.name for other in schema.tables if other.name in near)


def join_path(schema: Schema, start: str, end: str) -> tuple[Edge, ...] | None:
    """The fewest keys to join along from `start` to `end`, walked in either direction; None where unconnected.

    A step's key belongs to `step.table`, which is either the nearer or the farther of the two tables it joins.
    """
    first, last = schema.table(start), schema.table(end)
    if first is None or last is None:
        return None
    graph = foreign_key_graph(schema)
    undirected = nx.Graph()  # built by hand, as networkx's undirected views have no stable order
    undirected.add_nodes_from(graph)
    undirected.add_edges_from(graph.edges())
    try:
        names = nx.shortest_path(undirected, first.name, last.name)
    except nx.NetworkXNoPath:
        return None
    return tuple(_edge_between(graph, near, far) for near, far in pairwise(names))


def _edge_between(graph: nx.MultiDiGraph, near: str, far: str) -> Edge:
    for child, parent in ((near, far), (far, near)):
        if graph.has_edge(child, parent):
            return Edge(child, graph.edges[child, parent, 0]["foreign_key"])
    raise AssertionError("consecutive nodes of a path are joined by an edge")


def _cycle(graph: nx.DiGraph) -> list[tuple[str, str]] | None:
    try:
        return nx.find_cycle(graph)
    except nx.NetworkXNoCycle:
        return None
