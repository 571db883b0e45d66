"""Speed and memory of population with the offline model: `PYTHONPATH=. python benchmarks/population.py [rows] [scale]`.

Prints rows per second from function call to checked row for a table of six columns, with the share of each step;
seconds for a full-size schema (113 tables, extended by the offline model); and peak memory, at that scale as well.
It uses the tests' offline double, hence the checkout on the path.
"""

from __future__ import annotations

import asyncio
import random
import resource
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqale_assets.llm.offline.fill_table import respond
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.records import DomainDescription, ExtendedSchema, SourceFile, SourceSchema
from sqale_assets.relational.model import Schema
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import create_statements
from sqale_assets.settings import ExtensionSettings, PopulationSettings
from sqale_assets.stages.extension import extend_schema
from sqale_assets.stages.populating import writing
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.links import Candidates, KeyStore, usable_keys
from sqale_assets.stages.populating.quality import degenerate
from sqale_assets.stages.populating.repair import repair
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets.stages.populating.task import GeneratorSource, fill_table
from sqale_assets.stages.population import populate
from sqale_assets.stages.sandbox import Sandbox
from sqale_assets.stages.sandbox.pools import pools
from sqale_assets_tests.doubles import OfflineLlm

SEED_SCHEMAS, SEED_ROWS = 9_259, 108_708_694

DDL = b"""
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL, email VARCHAR(90));
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), status VARCHAR(12) NOT NULL,
    order_date DATETIME NOT NULL, total DECIMAL(10,2) NOT NULL, email VARCHAR(90),
    CHECK (status IN ('new', 'paid', 'sent')), CHECK (total > 0)
);
"""


def processor_seconds() -> float:
    """Processor time of this process and of the sandbox workers that have ended: it tells on a busy machine."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in usage)


class Steps:
    """Seconds per step."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - start


def six_columns(count: int) -> None:
    """Rows per second of one table, step by step as the stage takes them."""
    schema = read_sql(DDL).schema
    customer, orders = schema.tables
    rules, store, steps = table_rules(orders), KeyStore(schema), Steps()
    store.keep(TableData(customer, {"id": list(range(1, 2001)), "name": ["x"] * 2000, "email": [None] * 2000}))
    keys = usable_keys(orders, schema)
    candidates = Candidates(orders, keys, store, rules)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement in create_statements(schema).values():
        connection.execute(statement)
    pools()  # names are drawn once a process
    parents = {"customer_id": candidates.drawn(("customer_id",), count, random.Random(0), once=False, used=set())}
    task = fill_table(
        orders, schema, rules, ddl=create_statements(schema)["orders"], domain="A shop.", role="fact",
        language="en_US", count=count, originals=(), parents=parents, later=(),
    )  # fmt: skip
    before = processor_seconds()
    with Sandbox(seconds=60, megabytes=1024) as sandbox:
        source = GeneratorSource.parse_text(respond(load_prompt("fill_table").render(task))).source
        columns = [column.name for column in orders.columns]
        with steps.step("function in the sandbox"):
            values = sandbox.run_now(source, columns=columns, n=count, parents=parents, seed="0")
    data = TableData(orders, {name.lower(): column for name, column in values.items()})
    with steps.step("repair"):
        repair(data, keys, (), candidates, rules, random.Random(0))
    with steps.step("degenerate data"):
        degenerate(data, rules, count)
    connection.execute("BEGIN")
    with steps.step("insert"):
        writing.insert(connection, data)
    with steps.step("keys checked by SQLite"):
        store.keep(data)
        connection.execute("PRAGMA foreign_key_check(orders)").fetchall()
    connection.execute("COMMIT")
    total, busy = sum(steps.seconds.values()), processor_seconds() - before
    print(f"six columns: {count:,} rows in {total:.2f} s = {count / total:,.0f} rows/s (bar: 40,000)")
    print(f"    {busy:.2f} s of processor time = {count / busy:,.0f} rows a second of one core")
    for name, seconds in steps.seconds.most_common():
        print(f"    {seconds / total:5.0%}  {seconds / count * 1e6:6.2f} us/row  {name}")


def full_size(scale: float) -> None:
    """A sample schema extended to 113 tables and populated; then at `scale`."""
    sample = Path(__file__).resolve().parents[1] / "sample" / "web_shop.sql"
    reading = read_sql(sample.read_bytes())
    source = SourceSchema(
        schema_id="web_shop",
        source=SourceFile(schema_id="web_shop", name=sample.name, format="sql", sha256="0" * 64, bytes=1),
        definition=reading.schema,
        rows=reading.rows,
        fidelity=reading.fidelity,
    )
    domain = DomainDescription(
        schema_id="web_shop", label="web shop", description="Orders, products and stock of a web shop.",
        entities=("order", "product"), evidence="schema",
    )  # fmt: skip
    start = time.perf_counter()
    missing = max(0, 113 - len(reading.schema.tables))
    settings = ExtensionSettings(extra_tables=missing)
    extended = asyncio.run(extend_schema(source, domain, OfflineLlm(), settings=settings, seed=0))
    extension = time.perf_counter() - start
    definition: Schema = extended.definition
    print(
        f"full size: {len(definition.tables)} tables, {definition.column_count} columns, "
        f"{definition.foreign_key_count} foreign keys; extended in {extension:.2f} s"
    )
    _populate(source, extended, domain, 1.0, extension)
    if scale > 1:
        _populate(source, extended, domain, scale, 0.0)


def _populate(
    source: SourceSchema, extended: ExtendedSchema, domain: DomainDescription, scale: float, extension: float
) -> None:
    connection = sqlite3.connect(":memory:")
    before = processor_seconds()
    start = time.perf_counter()
    record = asyncio.run(
        populate(source, extended, domain, connection, OfflineLlm(), settings=PopulationSettings(scale=scale), seed=0)
    )
    seconds = time.perf_counter() - start
    busy = processor_seconds() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
    print(
        f"populated x{scale:g}: {record.rows:,} rows in {seconds:.2f} s = {record.rows / seconds:,.0f} rows/s "
        f"({busy:.2f} s of processor time over both cores); "
        f"peak memory {peak:,.0f} MB, of which the database {size / 2**20:,.0f} MB; "
        f"{sum(t.dropped_rows for t in record.tables)} rows dropped, {sum(t.rows == 0 for t in record.tables)} empty"
    )
    if scale == 1.0:
        print(f"extended and populated: {extension + seconds:.2f} s (bar: 3 s)")
        hours = SEED_SCHEMAS * (extension + seconds) / 3600
        print(f"{SEED_SCHEMAS:,} such schemas on one process: {hours:.1f} h")
        print(f"{SEED_ROWS:,} rows at this rate: {SEED_ROWS / (record.rows / seconds) / 3600:.1f} h")


if __name__ == "__main__":
    arguments = [float(argument) for argument in sys.argv[1:]]
    six_columns(int(arguments[0]) if arguments else 50_000)
    full_size(arguments[1] if len(arguments) > 1 else 1.0)
