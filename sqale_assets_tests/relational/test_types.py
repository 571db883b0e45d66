"""Declared types of every dialect, and SchemaPile's AST names."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.types import affinity, column_type

CASES = [
    # declared, SQLite name, kind, length, precision, scale
    ("int(11) unsigned", "INT UNSIGNED", "integer", None, None, None),
    ("[int]", "INT", "integer", None, None, None),
    ("[nvarchar](50)", "NVARCHAR(50)", "text", 50, None, None),
    ("NVARCHAR(MAX)", "TEXT", "text", None, None, None),
    ("[decimal](18, 4)", "DECIMAL(18,4)", "decimal", None, 18, 4),
    ("character varying(20)", "VARCHAR(20)", "text", 20, None, None),
    ("pg_catalog.int4", "INT4", "integer", None, None, None),
    ("timestamp(6) with time zone", "TIMESTAMPTZ", "datetime", None, None, None),
    ("timestamp without time zone", "TIMESTAMP", "datetime", None, None, None),
    ("interval day (2) to second (6)", "TEXT", "text", None, None, None),
    ("VARCHAR2(20 CHAR)", "VARCHAR2(20)", "text", 20, None, None),
    ("NUMBER", "NUMBER", "decimal", None, None, None),
    ("NUMBER(6)", "NUMBER(6)", "integer", None, 6, 0),
    ("NUMBER(*,0)", "NUMBER(38,0)", "integer", None, 38, 0),
    ("tinyint(1)", "TINYINT(1)", "boolean", None, None, None),
    ("tinyint(4)", "TINYINT", "integer", None, None, None),
    ("bit", "BIT", "boolean", None, None, None),
    ("bit(8)", "BIT(8)", "integer", None, None, None),
    ("double(8,2)", "DOUBLE(8,2)", "real", None, 8, 2),
    ("bytea", "BLOB", "binary", None, None, None),
    ("BLOB SUB_TYPE TEXT", "TEXT", "text", None, None, None),
    ("point", "TEXT", "text", None, None, None),
    ("string", "TEXT", "text", None, None, None),
    ("text[]", "TEXT", "text", None, None, None),
    ("int[3]", "TEXT", "text", None, None, None),
    ("uniqueidentifier", "UNIQUEIDENTIFIER", "uuid", None, None, None),
    ("jsonb", "JSONB", "json", None, None, None),
    ("UnsignedBigInt", "BIGINT UNSIGNED", "integer", None, None, None),
    ("DoublePrecision", "DOUBLE PRECISION", "real", None, None, None),
    ("CharacterVarying", "VARCHAR", "text", None, None, None),
    ("UnsignedTinyInt", "TINYINT UNSIGNED", "integer", None, None, None),
    ("TECH_ID", "INTEGER", "integer", None, None, None),
    ("generic_timestamp", "DATETIME", "datetime", None, None, None),
    ("", "TEXT", "text", None, None, None),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "name", "kind", "length", "precision", "scale"), CASES)
def test_declared_types(declared, name, kind, length, precision, scale):
    meant = column_type(declared)
    assert (meant.declared_type, meant.kind) == (name, kind)
    assert (meant.length, meant.precision, meant.scale) == (length, precision, scale)


@pytest.mark.parametrize("declared", [case[0] for case in CASES])
def test_the_given_name_reads_back_the_same(declared):
    meant = column_type(declared)
    assert column_type(meant.declared_type) == meant


def test_enumerations_keep_their_values():
    meant = column_type("enum('a','b''c','d\\'e')")
    assert (meant.kind, meant.enum) == ("enum", ("a", "b'c", "d'e"))
    assert column_type("Enum").kind == "text"  # SchemaPile does not say of which values


def test_serials_count_by_themselves():
    assert column_type("BIGSERIAL").autoincrement and column_type("BIGSERIAL").declared_type == "BIGINT"


@given(st.sampled_from([case[1] for case in CASES]) | st.text("ABCDEFINTRLOUX 12", max_size=12))
def test_affinity_is_what_sqlite_says(name):
    """A stored text shows the affinity: it turns into a number, or into a real one, or stays."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE t (c {name})")
    except sqlite3.Error:
        return
    declared = connection.execute("SELECT type FROM pragma_table_info('t')").fetchone()[0]
    connection.execute("INSERT INTO t VALUES ('7')")
    stored = connection.execute("SELECT typeof(c) FROM t").fetchone()[0]
    expected = {"INTEGER": "integer", "NUMERIC": "integer", "REAL": "real", "TEXT": "text", "BLOB": "text"}
    assert stored == expected[affinity(declared)]


@given(st.text(max_size=30))
def test_any_text_is_some_type(declared):
    meant = column_type(declared)
    assert meant.affinity == affinity(meant.declared_type)
    sqlite3.connect(":memory:").execute(f"CREATE TABLE t (c {meant.declared_type})")
