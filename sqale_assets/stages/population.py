"""Population: rows for every table, in foreign-key order, from functions that the model writes.

Per table: a row plan, one call for a Python function, its run in the sandbox, repair of types, keys and
foreign keys, a look for degenerate data, one bulk insert. An exception goes back to the model with its
traceback, twice; degenerate data once. A table whose function never runs keeps its original rows.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from sqale_assets.llm.task import Llm
from sqale_assets.records import DomainDescription, ExtendedSchema, PopulatedDatabase, SourceSchema
from sqale_assets.relational.graph import CreationOrder, creation_order
from sqale_assets.relational.model import ForeignKey, Table
from sqale_assets.relational.sqlite import create_statements
from sqale_assets.settings import PopulationSettings
from sqale_assets.stages.populating import writing
from sqale_assets.stages.populating.capacity import ONE_TO_ONE, UNLIMITED, capacity
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.job import Filled, Surroundings, TableJob
from sqale_assets.stages.populating.language import language_of
from sqale_assets.stages.populating.links import Candidates, KeyStore, is_self, lowered, unique_sets, usable_keys
from sqale_assets.stages.populating.originals import original_columns
from sqale_assets.stages.populating.plan import TablePlan, plan_rows
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets.stages.sandbox import Sandbox


async def populate(
    source: SourceSchema,
    extended: ExtendedSchema,
    domain: DomainDescription,
    connection: sqlite3.Connection,
    llm: Llm,
    *,
    settings: PopulationSettings,
    seed: int,
) -> PopulatedDatabase:
    """Create and fill all tables of `extended` in the empty database of `connection`, and commit.

    Raises:
        GatewayUnavailable: the model cannot be asked now; nothing is committed.
    """
    schema = extended.definition
    order = creation_order(schema)
    ddl = create_statements(schema)
    originals = {table.name: source.rows.get(table.name, ()) for table in schema.tables}
    plans = plan_rows(
        schema,
        {name: len(rows) for name, rows in originals.items()},
        median_rows=settings.median_rows,
        scale=settings.scale,
        seed=f"{seed}:{source.schema_id}",
    )
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = OFF")  # checked as a whole below: rows of a cycle come in any order
    connection.execute("BEGIN")
    filled: dict[str, Filled] = {}
    try:
        for statement in ddl.values():
            connection.execute(statement)
        with Sandbox(seconds=settings.generator_seconds, megabytes=settings.generator_megabytes) as sandbox:
            around = Surroundings(
                schema=schema, ddl=ddl, originals=originals, domain=f"{domain.label}. {domain.description}",
                locale=language_of(schema, originals), llm=llm, sandbox=sandbox,
            )  # fmt: skip
            filler = _Filler(around, order, plans, KeyStore(schema), f"{seed}:{source.schema_id}")
            for level in _levels(order):
                for done in await asyncio.gather(*(filler.fill(table) for table in level)):
                    writing.insert(connection, done.data)
                    filler.store.keep(done.data)
                    done.data.columns = {}
                    filled[done.data.table.name] = done
            closed = writing.close_cycles(connection, order.broken, schema, filler.store, filler.seed)
        dangling = writing.remove_dangling(connection, schema.tables)
        invalid = writing.invalid_cells(connection, schema.tables)
        counts = writing.row_counts(connection, schema.tables)
        nulls = writing.null_counts(connection, schema.tables)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return PopulatedDatabase(
        schema_id=source.schema_id,
        ddl=ddl,
        tables=tuple(
            filled[name].report(
                rows=counts[name],
                nulls=nulls[name],
                closed=closed.get(name, 0),
                dangling=dangling[name],
                invalid=invalid[name],
            )
            for name in ddl
        ),
        usage=llm.usage,
    )


@dataclass(frozen=True, slots=True)
class _Filler:
    """Prepares each table's job once its parents are complete."""

    around: Surroundings
    order: CreationOrder
    plans: dict[str, TablePlan]
    store: KeyStore
    seed: str

    async def fill(self, table: Table) -> Filled:
        rules = table_rules(table)
        later = [edge.key for edge in self.order.broken if edge.table == table.name]
        keys = [key for key in usable_keys(table, self.around.schema) if key not in later]
        outward = [key for key in keys if not is_self(table, key)]
        candidates = Candidates(table, outward, self.store, rules)
        seed = f"{self.seed}:{table.name.lower()}"
        given = self.around.originals[table.name]
        base = TableData(table, {}, len(given))
        base.columns = original_columns(table, given, locale=self.around.locale, seed=seed, repairs=base.repairs)
        most = min(capacity(table, rules, candidates), *(self._most_later(table, key) for key in later), UNLIMITED)
        planned = self.plans[table.name]
        plan = planned.model_copy(update={"rows": max(len(given), min(planned.rows, most))})
        return await TableJob(self.around, table, rules, keys, later, candidates, plan, base, seed).run()

    def _most_later(self, table: Table, key: ForeignKey) -> int:
        """Rows that a unique key leaves room for whose parents come later: most of the planned ones."""
        target = self.around.schema.table(key.target_table)
        if lowered(key.columns) not in unique_sets(table) or target is None:
            return UNLIMITED
        return max(1, int(self.plans[target.name].rows * ONE_TO_ONE))


def _levels(order: CreationOrder) -> Iterator[list[Table]]:
    """Tables that do not wait for each other, level by level."""
    broken = {(edge.table, edge.key) for edge in order.broken}
    depth: dict[str, int] = {}
    for table in order.tables:
        depth[table.name.lower()] = 1 + max(
            (
                depth.get(key.target_table.lower(), 0)
                for key in table.foreign_keys
                if not is_self(table, key) and (table.name, key) not in broken
            ),
            default=0,
        )
    ranked = sorted(order.tables, key=lambda table: depth[table.name.lower()])
    for _, tables in groupby(ranked, key=lambda table: depth[table.name.lower()]):
        yield list(tables)
