"""Foreign keys and their parents' keys: what SQLite would refuse is mended where true, else reported."""

import sqlite3

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.parents import with_parent_keys
from sqale_assets.relational.sqlite import create_statements


def column(name):
    return Column(name=name, declared_type="INTEGER", kind="integer", affinity="INTEGER")


def schema(parent_key=(), parent_unique=(), target=("id",)):
    parent = Table(name="Parent", columns=(column("id"), column("part")), primary_key=parent_key, unique=parent_unique)
    key = ForeignKey(columns=tuple(f"parent_{name}" for name in target), target_table="PARENT", target_columns=target)
    child = Table(name="child", columns=tuple(column(f"parent_{name}") for name in target), foreign_keys=(key,))
    return Schema(tables=(child, parent))


def check(definition):
    connection = sqlite3.connect(":memory:")
    for statement in create_statements(definition).values():
        connection.execute(statement)
    return connection.execute("PRAGMA foreign_key_check").fetchall()


def test_a_parent_without_key_gets_one():
    mended, lost = with_parent_keys(schema(), {"Parent": ((1, 1), (2, 1))})
    assert mended.table("parent").unique == (("id",),) and lost == () and check(mended) == []


def test_a_parent_with_the_key_stays_as_it_is():
    for given in (schema(parent_key=("id",)), schema(parent_unique=(("ID",),))):
        assert with_parent_keys(given, {}) == (given, ())


def test_columns_that_repeat_lose_the_foreign_key():
    mended, lost = with_parent_keys(schema(), {"Parent": ((1, 1), (1, 2))})
    assert mended.foreign_key_count == 0 and "repeat" in lost[0].reason and check(mended) == []


def test_a_part_of_a_wider_key_is_no_key():
    mended, lost = with_parent_keys(schema(parent_key=("id", "part")), {})
    assert mended.foreign_key_count == 0 and len(lost) == 1


def test_composite_keys_compare_in_any_order():
    given = schema(parent_key=("part", "id"), target=("id", "part"))
    assert with_parent_keys(given, {}) == (given, ())
