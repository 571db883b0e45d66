"""Population: rows for every table, in foreign-key order, from functions that the model writes.

Per table: a row plan, one call for a Python function, its run in the sandbox, repair of types, keys and
foreign keys, a look for degenerate data, one bulk insert. An exception goes back to the model with its
traceback, twice; degenerate data once. A table whose function never runs keeps its original rows.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import Any

from sqale_assets.llm.task import InvalidAnswer, Llm, Message, Reply
from sqale_assets.records import (
    DomainDescription,
    ExtendedSchema,
    PopulatedDatabase,
    SourceSchema,
    TablePopulation,
)
from sqale_assets.relational.graph import CreationOrder, creation_order
from sqale_assets.relational.model import ForeignKey, Row, Schema, Table
from sqale_assets.relational.sqlite import create_statements
from sqale_assets.settings import PopulationSettings
from sqale_assets.stages.populating import writing
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.language import language_of
from sqale_assets.stages.populating.links import Candidates, KeyStore, is_self, lowered, unique_sets, usable_keys
from sqale_assets.stages.populating.originals import original_columns
from sqale_assets.stages.populating.plan import TablePlan, plan_rows
from sqale_assets.stages.populating.quality import Finding, degenerate
from sqale_assets.stages.populating.repair import repair
from sqale_assets.stages.populating.rules import TableRules, table_rules
from sqale_assets.stages.populating.task import FillTable, GeneratorSource, fill_table
from sqale_assets.stages.sandbox import GeneratorError, Sandbox

#: How often a traceback goes back to the model.
RETRIES = 2
#: At most this share of the combinations of a key made of foreign keys is used.
_COMBINATIONS = 0.5


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
            filler = _Filler(
                schema=schema, order=order, ddl=ddl, originals=originals, plans=plans, domain=_told(domain), llm=llm,
                sandbox=sandbox, store=KeyStore(schema), locale=language_of(schema), seed=f"{seed}:{source.schema_id}",
            )  # fmt: skip
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
                rows=counts[name], closed=closed.get(name, 0), dangling=dangling[name], invalid=invalid[name]
            )
            for name in ddl
        ),
        usage=llm.usage,
    )


@dataclass(slots=True)
class Filled:
    """A table ready to be inserted, and how it came about."""

    data: TableData
    plan: TablePlan
    originals: int
    attempts: int
    error: str | None
    findings: list[Finding]

    def report(self, *, rows: int, closed: int, dangling: int, invalid: int) -> TablePopulation:
        data = self.data
        return TablePopulation(
            table=data.table.name,
            role=self.plan.role,
            planned_rows=self.plan.rows,
            original_rows=self.originals,
            rows=rows,
            attempts=self.attempts,
            repairs=dict(sorted(data.repairs.items())),
            dropped_rows=data.dropped + dangling,
            foreign_key_cells=data.foreign_key_cells + closed,
            invalid_foreign_keys_before=data.invalid_foreign_keys + dangling,
            invalid_foreign_keys_after=invalid,
            duplicate_keys_before=data.duplicate_keys,
            duplicate_keys_after=0,
            degenerate=tuple(str(finding) for finding in self.findings),
            error=self.error,
        )


@dataclass(slots=True)
class _Filler:
    """What filling any table of one schema needs."""

    schema: Schema
    order: CreationOrder
    ddl: dict[str, str]
    originals: dict[str, Sequence[Row]]
    plans: dict[str, TablePlan]
    domain: str
    llm: Llm
    sandbox: Sandbox
    store: KeyStore
    locale: str
    seed: str

    async def fill(self, table: Table) -> Filled:
        rules = table_rules(table)
        later = [edge.key for edge in self.order.broken if edge.table == table.name]
        keys = [key for key in usable_keys(table, self.schema) if key not in later]
        outward = [key for key in keys if not is_self(table, key)]
        candidates = Candidates(table, outward, self.store, rules)
        seed = f"{self.seed}:{table.name.lower()}"
        given = self.originals[table.name]
        base = TableData(table, {}, len(given))
        base.columns = original_columns(table, given, locale=self.locale, seed=seed, repairs=base.repairs)
        most = min(_capacity(table, rules, candidates), *(self._most_later(table, key) for key in later), 10**9)
        planned = self.plans[table.name]
        plan = planned.model_copy(update={"rows": max(len(given), min(planned.rows, most))})
        job = _Job(self, table, rules, keys, later, candidates, plan, base, seed)
        return await job.run()

    def _most_later(self, table: Table, key: ForeignKey) -> int:
        """Rows that a unique key leaves room for whose parents come later: most of the planned ones."""
        target = self.schema.table(key.target_table)
        if lowered(key.columns) not in unique_sets(table) or target is None:
            return 10**9
        return max(1, int(self.plans[target.name].rows * 0.9))


@dataclass(slots=True)
class _Job:
    """One table being filled: the conversation with the model, and the best rows so far."""

    filler: _Filler
    table: Table
    rules: TableRules
    keys: list[ForeignKey]
    later: list[ForeignKey]
    candidates: Candidates
    plan: TablePlan
    base: TableData
    seed: str

    async def run(self) -> Filled:
        missing = self.plan.rows - len(self.base)
        if missing <= 0 or not self._has_parents():
            return Filled(self._repaired({}), self.plan, len(self.base), 0, None, [])
        parents = self._parents(missing)
        task = self._task(missing, parents)
        best: TableData | None = None
        findings: list[Finding] = []
        error = None
        turns: tuple[Message, ...] = ()
        attempts = 0
        failures = 0
        while True:
            attempts += 1
            try:
                reply: Reply[GeneratorSource] = await self.filler.llm.ask(task.model_copy(update={"turns": turns}))
                columns = await self.filler.sandbox.run(
                    reply.value.source,
                    columns=[column.name for column in self.table.columns],
                    n=missing,
                    parents=parents,
                    seed=self.seed,
                    locale=self.filler.locale,
                )
            except InvalidAnswer as invalid:
                error = error if best is not None else str(invalid)
                break
            except GeneratorError as failure:
                failures += 1
                error = str(failure).strip().splitlines()[-1]
                if best is not None or failures > RETRIES:
                    break
                turns = (
                    *turns,
                    *_answered(
                        reply, f"The function failed:\n\n{failure}\n\nMend it and answer with the complete function."
                    ),
                )
                continue
            data = self._repaired(columns)
            found = degenerate(data, self.rules)
            if best is None or len(found) < len(findings):
                best, findings, error = data, found, None
            if not found or attempts > failures + 1:
                break
            told = "\n".join(f"- {finding}" for finding in found)
            turns = (
                *turns,
                *_answered(
                    reply, f"The rows do not look real:\n\n{told}\n\nMend that and answer with the complete function."
                ),
            )
        if best is not None:
            error = None
        return Filled(best or self._repaired({}), self.plan, len(self.base), attempts, error, findings)

    def _has_parents(self) -> bool:
        """Whether a row can be added at all: every key that must not be empty has a value to take."""
        required = [
            lowered(key.columns)
            for key in self.keys
            if not is_self(self.table, key)
            and not any(self.rules.columns[name].nullable for name in lowered(key.columns))
        ]
        return all(self.candidates.lists[columns] for columns in required)

    def _parents(self, missing: int) -> dict[str, list[Any]]:
        """Key columns as the table spells them, "a, b" for a composite key -> values to pick from."""
        unique = unique_sets(self.table)
        drawn = {}
        for key in self.keys:
            columns = lowered(key.columns)
            if is_self(self.table, key) or not self.candidates.lists[columns]:
                continue
            rng = random.Random(f"{self.seed}:parents:{','.join(columns)}")
            once = columns in unique
            drawn[", ".join(key.columns)] = self.candidates.drawn(
                columns, max(missing, 20), rng, once=once, used=set(self.base.key(columns)) if once else set()
            )
        return drawn

    def _task(self, missing: int, parents: dict[str, list[Any]]) -> FillTable:
        return fill_table(
            self.table,
            self.filler.schema,
            self.rules,
            ddl=self.filler.ddl[self.table.name],
            domain=self.filler.domain,
            role=self.plan.role,
            language=self.filler.locale,
            count=missing,
            originals=self.filler.originals[self.table.name],
            parents=parents,
            later=self.later,
        )

    def _repaired(self, columns: dict[str, list[Any]]) -> TableData:
        """Original rows followed by the generated ones, repaired."""
        data = TableData(self.table, {}, self.base.originals, self.base.repairs.copy())
        for column in self.table.columns:
            data.columns[column.name.lower()] = [*self.base.columns[column.name.lower()], *columns.get(column.name, ())]
        repair(data, self.keys, self.later, self.candidates, self.rules, random.Random(f"{self.seed}:repair"))
        return data


def _answered(reply: Reply[GeneratorSource], told: str) -> tuple[Message, Message]:
    return {"role": "assistant", "content": reply.text}, {"role": "user", "content": told}


def _capacity(table: Table, rules: TableRules, candidates: Candidates) -> int:
    """How many rows the keys of the table leave room for, given how many parents there are."""
    most = 10**9
    for names in unique_sets(table):
        left, sizes = set(names), []
        for columns, values in candidates.lists.items():
            if set(columns) <= left:
                left -= set(columns)
                sizes.append(len(values))
        for name in sorted(left):
            rule = rules.columns[name]
            if rule.nullable and names != lowered(table.primary_key):
                break
            size = len(rule.allowed) or (2 if rule.column.kind == "boolean" else 0)
            if not size and rule.column.kind == "integer" and rule.high is not None and rule.high < 1000:
                size = int(rule.high - max(rule.low or 0, 0)) + 1
            if not size:
                break
            sizes.append(size)
        else:
            share = 0.9 if len(sizes) == 1 and left == set() else _COMBINATIONS if len(sizes) > 1 else 1.0
            most = min(most, max(1, int(prod(sizes) * share)))
    return most


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


def _told(domain: DomainDescription) -> str:
    return f"{domain.label}. {domain.description}".strip()
