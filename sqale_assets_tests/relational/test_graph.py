"""The foreign-key graph: orders, cycles, components and paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational import graph
from sqale_assets.relational.model import Column, ForeignKey, Schema, Table


def table(name: str, *references: str, nullable: bool = False, confidence: float = 1.0) -> Table:
    """A table with an `id` and one `<target>_id` key column per reference."""
    columns = [Column(name="id", declared_type="INTEGER", kind="integer", affinity="INTEGER")]
    keys = []
    for target in references:
        columns.append(
            Column(name=f"{target}_id", declared_type="INTEGER", kind="integer", affinity="INTEGER", nullable=nullable)
        )
        keys.append(
            ForeignKey(columns=(f"{target}_id",), target_table=target, target_columns=("id",), confidence=confidence)
        )
    return Table(name=name, columns=tuple(columns), primary_key=("id",), foreign_keys=tuple(keys))


def names(tables: tuple[Table, ...]) -> list[str]:
    return [table.name for table in tables]


def test_parents_come_first_and_source_order_decides_ties():
    schema = Schema(tables=(table("line", "order", "item"), table("zebra"), table("order"), table("item")))
    order = graph.creation_order(schema)
    assert names(order.tables) == ["zebra", "order", "item", "line"]
    assert order.broken == ()


def test_a_cycle_is_opened_at_the_nullable_key():
    schema = Schema(tables=(table("department", "employee", nullable=True), table("employee", "department")))
    order = graph.creation_order(schema)
    assert names(order.tables) == ["department", "employee"]
    assert [(edge.table, edge.key.target_table) for edge in order.broken] == [("department", "employee")]


def test_a_cycle_of_required_keys_is_opened_at_an_inferred_one():
    schema = Schema(tables=(table("a", "b"), table("b", "c", confidence=0.8), table("c", "a")))
    order = graph.creation_order(schema)
    assert [edge.table for edge in order.broken] == ["b"]
    assert names(order.tables) == ["b", "a", "c"]


def test_a_self_reference_breaks_nothing():
    order = graph.creation_order(Schema(tables=(table("node", "node"),)))
    assert names(order.tables) == ["node"] and order.broken == ()


def test_names_are_compared_without_case_and_missing_targets_ignored():
    schema = Schema(tables=(table("Child", "PARENT", "elsewhere"), table("Parent")))
    assert names(graph.creation_order(schema).tables) == ["Parent", "Child"]
    assert graph.neighbours(schema, "parent") == ("Child",)
    assert graph.connected_components(schema) == (("Child", "Parent"),)


def test_components_in_source_order():
    schema = Schema(tables=(table("x"), table("b", "a"), table("y", "x"), table("a")))
    assert graph.connected_components(schema) == (("x", "y"), ("b", "a"))


def test_join_path_walks_keys_in_both_directions():
    schema = Schema(tables=(table("enrolment", "student", "course"), table("student"), table("course"), table("other")))
    path = graph.join_path(schema, "student", "COURSE")
    assert path is not None
    assert [(step.table, step.key.target_table) for step in path] == [
        ("enrolment", "student"),
        ("enrolment", "course"),
    ]
    assert graph.join_path(schema, "student", "student") == ()
    assert graph.join_path(schema, "student", "other") is None
    assert graph.join_path(schema, "student", "nowhere") is None


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.booleans()), max_size=25))
def test_every_unbroken_key_points_backwards(edges):
    references = {n: {} for n in range(8)}
    for child, parent, nullable in edges:
        references[child][parent] = nullable
    schema = Schema(
        tables=tuple(
            table(f"t{n}", *(f"t{parent}" for parent in sorted(parents)), nullable=all(parents.values()))
            for n, parents in references.items()
        )
    )
    order = graph.creation_order(schema)
    assert sorted(names(order.tables)) == sorted(names(schema.tables))
    position = {table.name: index for index, table in enumerate(order.tables)}
    broken = {(edge.table, edge.key.target_table) for edge in order.broken}
    for child in order.tables:
        for key in child.foreign_keys:
            if child.name != key.target_table and (child.name, key.target_table) not in broken:
                assert position[key.target_table] < position[child.name]
    assert graph.creation_order(schema) == order
