"""Small schemas in few words, and what population needs around them."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

from sqale_assets.records import DomainDescription, ExtendedSchema, PopulatedDatabase, SourceFile, SourceSchema
from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.relational.model import Column, ForeignKey, Row, Schema, Table
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


def source_of(schema: Schema, rows: dict[str, tuple[Row, ...]] | None = None, schema_id: str = "schema_1") -> SourceSchema:
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
            DomainDescription(
                schema_id="schema_1", label="Shop", description=domain, entities=(), evidence="schema"
            ),
            connection,
            llm or OfflineLlm(),
            settings=PopulationSettings(**settings),
            seed=seed,
        )
    )
    return record, connection


#: Everything at once: composite and text keys, one-to-one, junction, tree, cycle, CHECKs.
SHOP = Schema(
    tables=(
        table("category", "id, name VARCHAR(50) NOT NULL, parent_id", keys=(key("parent_id", "category"),), unique=(("name",),)),
        table("customer", "id, first_name VARCHAR(40), last_name VARCHAR(40), email VARCHAR(80), created_at DATETIME, updated_at DATETIME", unique=(("email",),)),
        table("product", "sku VARCHAR(12) NOT NULL, name VARCHAR(60), price DECIMAL(8,2) NOT NULL, category_id INTEGER NOT NULL", "sku", (key("category_id", "category"),), checks=("price > 0",)),
        table("orders", "id, customer_id INTEGER NOT NULL, status VARCHAR(10), order_date DATE NOT NULL, shipped_date DATE", keys=(key("customer_id", "customer"),), checks=("status IN ('new', 'paid', 'sent')", "shipped_date >= order_date")),
        table("order_line", "order_id, line_no, sku VARCHAR(12) NOT NULL, quantity INTEGER NOT NULL, unit_price DECIMAL(8,2), line_total DECIMAL(8,2)", "order_id line_no", (key("order_id", "orders"), key("sku", "product", "sku"))),
        table("shipment_line", "id, order_id INTEGER NOT NULL, line_no INTEGER NOT NULL", keys=(key("order_id line_no", "order_line", "order_id line_no"), key("order_id", "orders"))),
        table("customer_profile", "customer_id, bio TEXT", "customer_id", (key("customer_id", "customer"),)),
        table("favourite", "customer_id, sku VARCHAR(12) NOT NULL", "customer_id sku", (key("customer_id", "customer"), key("sku", "product", "sku"))),
        table("department", "id, name TEXT, head_id", keys=(key("head_id", "employee"),)),
        table("employee", "id, name TEXT, department_id INTEGER NOT NULL, manager_id", keys=(key("department_id", "department"), key("manager_id", "employee"))),
        table("payment", "id, order_id, invoice_id, amount DECIMAL(8,2)", keys=(key("order_id", "orders"), key("invoice_id", "invoice")), checks=("(order_id IS NULL AND invoice_id IS NOT NULL) OR (order_id IS NOT NULL AND invoice_id IS NULL)",)),
        table("invoice", "id, number VARCHAR(20), issued_on DATE"),
    )
)  # fmt: skip
