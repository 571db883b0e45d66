"""The source stage: from file to schema, and what it rejects."""

from __future__ import annotations

import json

import pytest

from sqale_assets.records import Rejected, SourceFile
from sqale_assets.stages.source import read_source

SHOP = b"""
CREATE TABLE customer (id SERIAL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE purchase (id SERIAL PRIMARY KEY, customer_id integer NOT NULL
    REFERENCES customer (id), total numeric(8,2));
INSERT INTO customer (name) VALUES ('Ada'), ('Grace'), ('Edsger');
"""


def source(format: str = "sql", **fields) -> SourceFile:
    return SourceFile(schema_id="shop_1", name="shop", format=format, sha256="0" * 64, bytes=1, **fields)


def test_reads_schema_rows_and_report():
    record = read_source(source(), SHOP, rows_per_table=2)
    assert [table.name for table in record.definition.tables] == ["customer", "purchase"]
    assert record.rows == {"customer": ((1, "Ada"), (2, "Grace"))}
    assert record.fidelity.dialect == "postgres"
    assert record.fidelity.gained_tables is None


def test_tells_the_gain_over_the_record():
    record = read_source(source(record_tables=1, record_foreign_keys=0), SHOP, rows_per_table=2)
    assert (record.fidelity.gained_tables, record.fidelity.gained_foreign_keys) == (1, 1)


def test_infers_keys_before_it_rejects():
    undeclared = SHOP.replace(b" REFERENCES customer (id)", b"")
    (key,) = read_source(source(), undeclared, rows_per_table=5).definition.tables[1].foreign_keys
    assert (key.target_table, key.origin) == ("customer", "inferred")
    assert key.confidence < 1


def test_reads_a_schemapile_record():
    column = {"TYPE": "Int", "NULLABLE": None, "UNIQUE": None, "DEFAULT": None, "CHECKS": [], "IS_PRIMARY": False}
    key = {"COLUMNS": ["a_id"], "FOREIGN_TABLE": "a", "REFERRED_COLUMNS": ["id"], "ON_DELETE": None, "ON_UPDATE": None}
    tables = {
        "a": {"COLUMNS": {"id": column}, "PRIMARY_KEYS": ["id"], "FOREIGN_KEYS": []},
        "b": {"COLUMNS": {"id": column, "a_id": column}, "PRIMARY_KEYS": ["id"], "FOREIGN_KEYS": [key]},
    }
    record = read_source(source("schemapile"), json.dumps({"TABLES": tables}).encode(), rows_per_table=5)
    assert record.definition.foreign_key_count == 1


@pytest.mark.parametrize(
    ("content", "format", "reason"),
    [
        (b"", "sql", "unreadable"),
        (b"-- only words", "sql", "unreadable"),
        (b"SELECT 1; SELECT 2;", "sql", "no_tables"),
        (b"CREATE TABLE a (id int primary key);", "sql", "too_few_tables"),
        (b"CREATE TABLE a (x int); CREATE TABLE b (y text);", "sql", "no_foreign_keys"),
        (b"{", "schemapile", "unreadable"),
        (b"[]", "schemapile", "unreadable"),
        (b"{}", "schemapile", "unreadable"),
    ],
)
def test_rejects_what_cannot_carry_questions(content, format, reason):
    with pytest.raises(Rejected) as rejection:
        read_source(source(format), content, rows_per_table=5)
    assert rejection.value.reason == reason
    assert rejection.value.evidence
