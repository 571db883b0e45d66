"""Small schemas in few words, and what population needs around them."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

from sqale_assets.records import DomainDescription, ExtendedSchema, PopulatedDatabase, SourceFile, SourceSchema
from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.relational.model import Column, ForeignKey, Row, Schema, Table
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.types import column_type
from sqale_assets.settings import PopulationSettings
from sqale_assets.stages.population import populate
from sqale_assets_tests.doubles import OfflineLlm


def column(name: str, declared: str = "INTEGER", **more: Any) -> Column:
    return Column(name=name, **(column_type(declared).model_dump() | more))


def key(columns: str, target: str, target_columns: str = "id") -> ForeignKey:
    return ForeignKey(columns=tuple(columns.split()), target_table=target, target_columns=tuple(target_columns.split()))


def table(name: str, columns: str, primary: str = "id", keys: tuple[ForeignKey, ...] = (), **more: Any) -> Table:
    """`columns` is "id, name VARCHAR(40) NOT NULL, price DECIMAL(8,2)"."""
    parsed = []
    for text in columns.replace("(8,2)", "(8;2)").split(", "):
        word, _, declared = text.replace("(8;2)", "(8,2)").partition(" ")
        required = declared.endswith("NOT NULL")
        parsed.append(column(word, declared.removesuffix("NOT NULL").strip() or "INTEGER", nullable=not required))
    return Table(name=name, columns=tuple(parsed), primary_key=tuple(primary.split()), foreign_keys=keys, **more)


def source_of(
    schema: Schema, rows: dict[str, tuple[Row, ...]] | None = None, schema_id: str = "schema_1"
) -> SourceSchema:
    return SourceSchema(
        schema_id=schema_id,
        source=SourceFile(schema_id=schema_id, name="made.sql", format="sql", sha256="0" * 64, bytes=1),
        definition=schema,
        rows=rows or {},
        fidelity=Fidelity(dialect=None, encoding=None, statements=1, kept=1, skipped=0),
    )


def filled(
    schema: Schema,
    rows: dict[str, tuple[Row, ...]] | None = None,
    *,
    llm: Any = None,
    seed: int = 0,
    domain: str = "Orders of a small shop.",
    **settings: Any,
) -> tuple[PopulatedDatabase, sqlite3.Connection]:
    """The schema populated in memory."""
    connection = sqlite3.connect(":memory:")
    record = asyncio.run(
        populate(
            source_of(schema, rows),
            ExtendedSchema(schema_id="schema_1", definition=schema, target_tables=0, style_conformity=1.0),
            DomainDescription(schema_id="schema_1", label="Shop", description=domain, entities=(), evidence="schema"),
            connection,
            llm or OfflineLlm(),
            settings=PopulationSettings(**settings),
            seed=seed,
        )
    )
    return record, connection


#: Everything at once: composite and text keys, one-to-one, junction, tree, cycle, CHECKs.
SHOP = read_sql(b"""
CREATE TABLE category (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE, parent_id INT REFERENCES category (id));
CREATE TABLE customer (
    id INT PRIMARY KEY, first_name VARCHAR(40), last_name VARCHAR(40), email VARCHAR(80) UNIQUE,
    created_at DATETIME, updated_at DATETIME
);
CREATE TABLE product (
    sku VARCHAR(12) PRIMARY KEY, name VARCHAR(60), price DECIMAL(8,2) NOT NULL CHECK (price > 0),
    category_id INT NOT NULL REFERENCES category (id)
);
CREATE TABLE orders (
    id INT PRIMARY KEY, customer_id INT NOT NULL REFERENCES customer (id), status VARCHAR(10),
    order_date DATE NOT NULL, shipped_date DATE,
    CHECK (status IN ('new', 'paid', 'sent')), CHECK (shipped_date >= order_date)
);
CREATE TABLE order_line (
    order_id INT REFERENCES orders (id), line_no INT, sku VARCHAR(12) NOT NULL REFERENCES product (sku),
    quantity INT NOT NULL, unit_price DECIMAL(8,2), line_total DECIMAL(8,2), PRIMARY KEY (order_id, line_no)
);
CREATE TABLE shipment_line (
    id INT PRIMARY KEY, order_id INT NOT NULL REFERENCES orders (id), line_no INT NOT NULL,
    FOREIGN KEY (order_id, line_no) REFERENCES order_line (order_id, line_no)
);
CREATE TABLE customer_profile (customer_id INT PRIMARY KEY REFERENCES customer (id), bio TEXT);
CREATE TABLE favourite (
    customer_id INT REFERENCES customer (id), sku VARCHAR(12) REFERENCES product (sku), PRIMARY KEY (customer_id, sku)
);
CREATE TABLE department (id INT PRIMARY KEY, name TEXT, head_id INT REFERENCES employee (id));
CREATE TABLE employee (
    id INT PRIMARY KEY, name TEXT, department_id INT NOT NULL REFERENCES department (id),
    manager_id INT REFERENCES employee (id)
);
CREATE TABLE invoice (id INT PRIMARY KEY, number VARCHAR(20), issued_on DATE);
CREATE TABLE payment (
    id INT PRIMARY KEY, order_id INT REFERENCES orders (id), invoice_id INT REFERENCES invoice (id),
    amount DECIMAL(8,2),
    CHECK ((order_id IS NULL AND invoice_id IS NOT NULL) OR (order_id IS NOT NULL AND invoice_id IS NULL))
);
""").schema
