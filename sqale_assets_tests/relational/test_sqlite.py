"""The writer: DDL for people and for the published loader, names quoted only where needed."""

from __future__ import annotations

import sqlite3

import pytest
import sqlglot
from sqlglot import exp

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.sqlite import (
    canonical,
    create_statements,
    create_table,
    literal,
    open_memory,
    quote,
    without_semicolons,
)
from sqale_assets.relational.types import column_type


def column(name: str, declared: str, **fields) -> Column:
    return Column(name=name, **{**dict(column_type(declared)), **fields})


def key(column_name: str, target: str, **fields) -> ForeignKey:
    return ForeignKey(columns=(column_name,), target_table=target, target_columns=("id",), **fields)


ORDER = Table(
    name="order",
    comment="What was bought; by whom",
    columns=(
        column("id", "serial"),
        column("customer_id", "int", nullable=False, comment="who */ bought"),
        column("state", "enum('new','sent;paid')", nullable=False, default="'new'"),
        column("note", "varchar(20)", default="'a;b'"),
        column("paid at", "timestamp", default="CURRENT_TIMESTAMP"),
    ),
    primary_key=("id",),
    unique=(("customer_id", "note"), ("note",), ("id",)),
    foreign_keys=(key("customer_id", "customer", name="fk", on_delete="CASCADE"), key("CUSTOMER_ID", "Customer")),
    checks=("note <> ';'",),
)
CUSTOMER = Table(name="customer", columns=(column("id", "integer"),), primary_key=("id",))


def test_ddl_reads_like_ddl():
    assert create_table(ORDER) == (
        'CREATE TABLE "order" ( /* What was bought, by whom */\n'
        "    id INTEGER PRIMARY KEY,\n"
        "    customer_id INT NOT NULL /* who * / bought */,\n"
        "    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'sent' || char(59) || 'paid')),\n"
        "    note VARCHAR(20) UNIQUE DEFAULT (('a' || char(59) || 'b')),\n"
        '    "paid at" TIMESTAMP DEFAULT CURRENT_TIMESTAMP,\n'
        "    UNIQUE (customer_id, note),\n"
        "    CHECK (note <> ('' || char(59) || '')),\n"
        "    CONSTRAINT fk FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE\n"
        ")"
    )


def test_referenced_tables_come_first():
    assert list(create_statements(Schema(tables=(ORDER, CUSTOMER)))) == ["customer", "order"]


def test_constraints_hold_in_sqlite():
    connection = open_memory(Schema(tables=(ORDER, CUSTOMER)))
    connection.execute("INSERT INTO customer VALUES (1)")
    connection.execute("INSERT INTO \"order\" (customer_id, state) VALUES (1, 'sent;paid')")
    assert connection.execute('SELECT id, note FROM "order"').fetchall() == [(1, "a;b")]
    for values in ("(2, 'new', 'x')", "(1, 'gone', 'y')", "(1, 'new', ';')", "(NULL, 'new', 'z')"):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(f'INSERT INTO "order" (customer_id, state, note) VALUES {values}')


def test_only_keys_that_count_are_rowids():
    connection = open_memory(Schema(tables=(ORDER, CUSTOMER)))
    connection.execute("INSERT INTO customer VALUES (1)")
    connection.execute("INSERT INTO \"order\" (customer_id, state) VALUES (1, 'new')")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO customer VALUES (NULL)")


def test_primary_key_columns_are_never_null():
    table = Table(name="t", columns=(column("a", "text"), column("b", "int")), primary_key=("a", "b"))
    assert [column.nullable for column in canonical(table).columns] == [False, False]


@pytest.mark.parametrize("name", ["order", "Group", "index", "values", "true", "2fa", "a b", "a-b", 'a"b', "größe", ""])
def test_names_in_need_of_quotes_get_them(name):
    assert quote(name) == '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("name", ["name", "key", "Action", "user_id", "date", "year", "type", "desc", "_x", "row"])
def test_bare_names_are_understood_bare(name):
    assert quote(name) == name
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE {name} ({name} int)")
    connection.execute(f"SELECT {name}, sum({name}) FROM {name} AS t GROUP BY {name} ORDER BY t.{name}")
    tree = sqlglot.parse_one(f"SELECT {name} FROM {name} WHERE {name} = 1", dialect="sqlite")
    assert {found.name for found in tree.find_all(exp.Column, exp.Table)} == {name}


def test_literals_without_semicolons():
    connection = sqlite3.connect(":memory:")
    for text in ("", ";", "a;b;;c", "it's; here"):
        assert ";" not in literal(text)
        assert connection.execute(f"SELECT {literal(text)}").fetchone() == (text,)
    assert without_semicolons("a = 'x' AND b = 'y;'") == "a = 'x' AND b = ('y' || char(59) || '')"
