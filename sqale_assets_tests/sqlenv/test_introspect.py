from __future__ import annotations

import sqlite3

from sqale_assets.relational.model import ForeignKey
from sqale_assets.sqlenv.introspect import read_schema
from sqale_assets_tests.sqlenv.conftest import COMPANY


def read(ddl: str):
    connection = sqlite3.connect(":memory:")
    connection.executescript(ddl)
    return read_schema(connection)


def test_tables_columns_and_keys():
    schema = read(COMPANY)
    assert [table.name for table in schema.tables][:3] == ["department", "employee", "feedback"]
    employee = schema.table("employee")
    assert employee.primary_key == ("id",)
    assert [column.name for column in employee.columns][:3] == ["id", "first_name", "last_name"]
    hired = employee.column("hired")
    assert (hired.declared_type, hired.kind, hired.affinity, hired.nullable) == ("DATE", "date", "NUMERIC", True)
    assert employee.column("first_name").nullable is False
    assert schema.table("department").unique == (("d_name",),)
    assert schema.table("order").column("two words") is not None


def test_foreign_keys():
    schema = read(COMPANY)
    first, second = schema.table("employee").foreign_keys
    assert (first.columns, first.target_table, first.target_columns) == (("department_id",), "department", ("id",))
    assert second == ForeignKey(columns=("manager_id",), target_table="employee", target_columns=("id",))
    composite = schema.table("assignment").foreign_keys[1]
    assert (composite.columns, composite.target_columns) == (("code", "year"), ("code", "year"))


def test_odd_but_legal_schemas():
    schema = read("""
        CREATE TABLE Parent (a, b, PRIMARY KEY (b, a), UNIQUE (a), UNIQUE (b, a));
        CREATE TABLE child (x REFERENCES PARENT ON DELETE CASCADE, y REFERENCES missing, z REFERENCES missing(q));
        CREATE VIEW v AS SELECT 1;
        CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, "a b" DEFAULT 'x', g AS (id + 1));
        CREATE UNIQUE INDEX i ON n ("a b");
    """)
    assert [table.name for table in schema.tables] == ["Parent", "child", "n"]
    assert schema.table("parent").primary_key == ("b", "a")
    assert schema.table("parent").unique == (("a",),) or schema.table("parent").unique == (("a",), ("b", "a"))
    to_parent, to_missing, named = schema.table("child").foreign_keys
    assert (to_parent.target_table, to_parent.on_delete) == ("Parent", "CASCADE")
    assert len(to_parent.target_columns) == 1
    assert (to_missing.target_table, named.target_columns) == ("missing", ("q",))
    assert schema.table("n").column("a b").default == "'x'"
    assert schema.table("n").unique == ()


def test_an_empty_database():
    assert read("").tables == ()
