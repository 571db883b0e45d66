"""SchemaPile records: what is kept, what stays unknown, what is a loss; and never a crash."""

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqale_assets.relational.schemapile import read_schemapile
from sqale_assets.relational.schemapile_file import counts, iter_records
from sqale_assets.relational.sqlite import open_memory, quote
from sqale_assets_tests.shared import SLICE, needs_slice


def column(type_: str = "Int", **fields: Any) -> dict[str, Any]:
    return {"TYPE": type_, "NULLABLE": None, "UNIQUE": None, "DEFAULT": None, "CHECKS": [], **fields}


def table(columns: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"COLUMNS": columns, "PRIMARY_KEYS": [], "FOREIGN_KEYS": [], "CHECKS": [], **fields}


def key(columns: list[str], target: str, referred: list[str], **actions: Any) -> dict[str, Any]:
    return {"COLUMNS": columns, "FOREIGN_TABLE": target, "REFERRED_COLUMNS": referred, **actions}


def read(**tables: Any):
    return read_schemapile({"TABLES": tables})


def test_unknown_nullability_stays_unknown():
    reading = read(
        t=table({"a": column(NULLABLE=None), "b": column(NULLABLE=False), "c": column(NULLABLE=True)})
    )  # fmt: skip
    assert [c.nullable for c in reading.schema.tables[0].columns] == [None, False, True]


def test_types_are_ast_names():
    reading = read(t=table({"a": column("UnsignedBigInt"), "b": column("DoublePrecision"), "c": column("VARCHAR2")}))
    assert [(c.kind, c.affinity) for c in reading.schema.tables[0].columns] == [
        ("integer", "INTEGER"),
        ("real", "REAL"),
        ("text", "TEXT"),
    ]


def test_oracles_number_counts_where_it_is_a_key():
    reading = read(
        parent=table({"id": column("NUMBER", VALUES=["1", "2"]), "weight": column("number")}, PRIMARY_KEYS=["id"]),
        child=table({"parent_id": column("number")}, FOREIGN_KEYS=[key(["parent_id"], "parent", ["id"])]),
    )
    kinds = {c.name: (c.kind, c.declared_type) for t in reading.schema.tables for c in t.columns}
    assert kinds["id"] == kinds["parent_id"] == ("integer", "INTEGER")
    assert kinds["weight"][0] == "decimal"


def test_keys_composite_and_actions():
    reading = read(
        parent=table({"a": column(), "b": column()}, PRIMARY_KEYS=["a", "b"]),
        child=table(
            {"x": column(), "y": column()},
            FOREIGN_KEYS=[key(["x", "y"], "PARENT", ["A", "B"], ON_DELETE="SetNull", ON_UPDATE="NoAction")],
        ),
    )
    parent, child = reading.schema.tables
    assert parent.primary_key == ("a", "b")
    (found,) = child.foreign_keys
    assert (found.target_table, found.target_columns) == ("parent", ("a", "b"))
    assert (found.on_delete, found.on_update) == ("SET NULL", "NO ACTION")


@pytest.mark.parametrize(
    ("target", "referred", "reason"),
    [("nowhere", ["id"], "not in the record"), ("parent", ["wrong"], "columns are not"), ("parent", [], None)],
)
def test_keys_that_lead_nowhere_are_losses(target, referred, reason):
    reading = read(
        parent=table({"id": column()}, PRIMARY_KEYS=["id"]),
        child=table({"parent_id": column()}, FOREIGN_KEYS=[key(["parent_id"], target, referred)]),
    )
    assert reading.schema.foreign_key_count == (1 if reason is None else 0)  # an empty list means the primary key
    assert [loss.statement.split(" ")[0] for loss in reading.fidelity.losses] == (["child"] if reason else [])
    assert all(reason in loss.reason for loss in reading.fidelity.losses)


def test_qualifiers_go_unless_tables_would_meet():
    reading = read(
        **{
            "sales.orders": table({"id": column()}, PRIMARY_KEYS=["id"]),
            "sales.log": table({"order_id": column()}, FOREIGN_KEYS=[key(["order_id"], "sales.orders", ["id"])]),
            "audit.log": table({"n": column()}),
        }
    )
    assert [t.name for t in reading.schema.tables] == ["orders", "sales_log", "audit_log"]
    assert reading.schema.tables[1].foreign_keys[0].target_table == "orders"


def test_a_lost_primary_key_is_taken_from_those_who_reference_it():
    reading = read(
        parent=table({"id": column(VALUES=[1, 2]), "n": column(VALUES=[5, 5])}),
        child=table({"parent_id": column()}, FOREIGN_KEYS=[key(["parent_id"], "parent", ["id"])]),
    )
    assert reading.schema.tables[0].primary_key == ("id",)
    assert "no primary key recorded" in reading.fidelity.losses[0].reason
    repeated = read(
        parent=table({"id": column(VALUES=[1, 1])}),
        child=table({"parent_id": column()}, FOREIGN_KEYS=[key(["parent_id"], "parent", ["id"])]),
    )
    assert repeated.schema.tables[0].primary_key == ()


def test_unique_marks_of_a_composite_are_read_as_one():
    parent = table({"id": column()}, PRIMARY_KEYS=["id"])
    link = table(
        {"a_id": column(UNIQUE=True), "b": column(UNIQUE=True)}, FOREIGN_KEYS=[key(["a_id"], "parent", ["id"])]
    )
    person = table({"login": column("Varchar", UNIQUE=True), "mail": column("Varchar", UNIQUE=True)})
    schema = read(parent=parent, link=link, person=person).schema
    assert schema.table("link").unique == (("a_id", "b"),)
    assert schema.table("person").unique == (("login",), ("mail",))


def test_unique_that_the_values_deny_is_dropped():
    schema = read(t=table({"a": column(UNIQUE=True, VALUES=[1, 1])})).schema
    assert schema.tables[0].unique == ()


def test_defaults_as_sql_of_the_columns_kind():
    columns = {
        "n": column("Int", DEFAULT="0"),
        "s": column("Varchar", DEFAULT="it's; new"),
        "bad": column("Int", DEFAULT="none"),
        "at": column("Timestamp", DEFAULT="CURRENT_TIMESTAMP"),
    }
    reading = read(t=table(columns))
    assert [c.default for c in reading.schema.tables[0].columns] == [
        "0",
        "'it''s; new'",
        None,
        "CURRENT_TIMESTAMP",
    ]
    assert [loss.statement for loss in reading.fidelity.losses] == ["t.bad"]


def test_checks_that_sqlite_has_and_has_not():
    columns = {"n": column(CHECKS=["n >= 0"]), "s": column("Varchar", CHECKS=["s IN ('x', 'y')", "INITCAP(s) = s"])}
    reading = read(t=table(columns, CHECKS=["btrim(s) <> ''"]))
    (found,) = reading.schema.tables
    assert found.checks[0] == "n >= 0"
    assert "TRIM(s)" in found.checks[1]
    assert found.columns[1].enum == ("x", "y")
    assert [loss.statement for loss in reading.fidelity.losses] == ["t: CHECK (INITCAP(s) = s)"]


def test_rows_need_equally_many_values_and_no_personal_data():
    columns = {
        "id": column(VALUES=[1, 2, "3"]),
        "name": column("Varchar", VALUES=["Ada", "<PERSON>", 7]),
    }
    reading = read(t=table(columns), ragged=table({"a": column(VALUES=[1]), "b": column(VALUES=[1, 2])}))
    assert reading.rows == {"t": ((1, "Ada"), (3, "7"))}
    assert [loss.statement for loss in reading.fidelity.losses] == ["t", "ragged"]


def test_list_shape_gives_the_same_schema():
    columns = {"id": column("Int"), "p": column("Int")}
    plain = table(columns, PRIMARY_KEYS=["id"], FOREIGN_KEYS=[key(["p"], "t", ["id"])])
    listed = {
        "TABLE_NAME": "t",
        "COLUMNS": [{"NAME": name, **fields} for name, fields in columns.items()],
        "PRIMARY_KEYS": ["id"],
        "FOREIGN_KEYS": {"COLUMNS": [["p"]], "FOREIGN_TABLE": ["t"], "REFERRED_COLUMNS": [["id"]]},
    }
    assert read_schemapile({"TABLES": [listed]}).schema == read(t=plain).schema
    assert counts({"TABLES": [listed]}) == counts({"TABLES": {"t": plain}}) == (1, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
RECORD_LIKE = st.fixed_dictionaries(
    {
        "COLUMNS": st.dictionaries(
            st.text(max_size=5),
            st.fixed_dictionaries({}, optional=dict.fromkeys(("TYPE", "UNIQUE", "DEFAULT", "CHECKS", "VALUES"), JSON)),
            max_size=4,
        )
        | JSON
    },
    optional=dict.fromkeys(("PRIMARY_KEYS", "FOREIGN_KEYS", "CHECKS"), JSON),
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=6), RECORD_LIKE | JSON, max_size=4) | JSON)
def test_no_record_makes_reading_fail_and_all_that_is_read_can_be_created(tables):
    reading = read_schemapile({"TABLES": tables})
    assert reading.fidelity.kept == len(reading.schema.tables)
    with open_memory(reading.schema) as connection:
        (created,) = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()
    assert created == len(reading.schema.tables)


@needs_slice
def test_every_table_and_key_of_the_slice_reaches_sqlite():
    tables = keys = 0
    for _, record in iter_records(SLICE):
        reading = read_schemapile(record)
        assert reading.fidelity.skipped == 0
        connection = open_memory(reading.schema)
        for parsed in reading.schema.tables:
            listed = connection.execute("SELECT DISTINCT id FROM pragma_foreign_key_list(?)", (parsed.name,)).fetchall()
            tables, keys = tables + 1, keys + len(listed)
            _insert(connection, parsed.name, reading.rows.get(parsed.name, ()))
        connection.close()
    assert (tables, keys) == (1012, 1046)


def _insert(connection: sqlite3.Connection, name: str, rows) -> None:
    """Fails where a row breaks a constraint other than a foreign key."""
    connection.execute("PRAGMA foreign_keys = OFF")
    for row in rows:
        connection.execute(f"INSERT INTO {quote(name)} VALUES ({', '.join('?' * len(row))})", row)
