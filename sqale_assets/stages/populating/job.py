"""One table being filled: the conversation with the model, the runs of its function, and what came of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqale_assets.llm.task import InvalidAnswer, Llm, Message, Reply
from sqale_assets.records import TablePopulation
from sqale_assets.relational.model import ForeignKey, Row, Schema, Table
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.links import Candidates, is_self, lowered, unique_sets
from sqale_assets.stages.populating.plan import TablePlan
from sqale_assets.stages.populating.quality import Finding, degenerate
from sqale_assets.stages.populating.repair import repair
from sqale_assets.stages.populating.rules import TableRules
from sqale_assets.stages.populating.task import FillTable, GeneratorSource, fill_table
from sqale_assets.stages.sandbox import GeneratorError, Sandbox

#: How often a traceback goes back to the model.
RETRIES = 2
#: Rows of one run of a function. A table of more is made in several runs, whose numbering goes on.
BLOCK = 20_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is the same for all tables of a schema. `domain` is told to the model, `locale` is a Faker locale."""

    schema: Schema
    ddl: dict[str, str]
    originals: dict[str, Sequence[Row]]
    domain: str
    locale: str
    llm: Llm
    sandbox: Sandbox


@dataclass(slots=True)
class Filled:
    """A table ready to be inserted, and how it came about."""

    data: TableData
    plan: TablePlan
    originals: int
    attempts: int
    error: str | None
    findings: list[Finding]

    def report(self, *, rows: int, nulls: int, closed: int, dangling: int, invalid: int) -> TablePopulation:
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
            null_cells=nulls,
            foreign_key_cells=data.foreign_key_cells + closed,
            invalid_foreign_keys_before=data.invalid_foreign_keys + dangling,
            invalid_foreign_keys_after=invalid,
            duplicate_keys_before=data.duplicate_keys,
            degenerate=tuple(str(finding) for finding in self.findings),
            error=self.error,
        )


@dataclass(slots=True)
class TableJob:
    """Everything about one table.

    `keys` are the foreign keys whose parents are complete, `later` those closed in the second pass; `base` holds
    the original rows as columns.
    """

    around: Surroundings
    table: Table
    rules: TableRules
    keys: list[ForeignKey]
    later: list[ForeignKey]
    candidates: Candidates
    plan: TablePlan
    base: TableData
    seed: str

    async def run(self) -> Filled:
        """Ask, run, repair, look; ask again with the traceback, or with what looks degenerate."""
        missing = self.plan.rows - len(self.base)
        if missing <= 0 or not self._has_parents():
            error = "a table that it must refer to is empty" if missing > 0 else None
            return Filled(self._repaired({}), self.plan, len(self.base), 0, error, [])
        parents = self._parents(missing)
        task = self._task(missing, parents)
        best: tuple[TableData, list[Finding]] | None = None
        turns: tuple[Message, ...] = ()
        error, attempts, failures = None, 0, 0
        while True:
            attempts += 1
            try:
                reply = await self.around.llm.ask(task.model_copy(update={"turns": turns}))
                columns = await self._generated(reply.value.source, missing, parents)
            except InvalidAnswer as invalid:
                error = str(invalid)
                break
            except GeneratorError as failure:
                failures += 1
                error = str(failure).strip().splitlines()[-1]
                if best is not None or failures > RETRIES:
                    break
                turns += _answered(reply, "The function failed:", f"{failure}\n{_hint(str(failure), parents)}")
                continue
            data = self._repaired(columns)
            found = degenerate(data, self.rules, missing)
            asked_again = best is not None
            if best is None or len(found) < len(best[1]):
                best = data, found
            if asked_again or not found:
                break
            turns += _answered(reply, "The rows do not look real:", "\n".join(f"- {finding}" for finding in found))
        if best is None:
            return Filled(self._repaired({}), self.plan, len(self.base), attempts, error, [])
        return Filled(best[0], self.plan, len(self.base), attempts, None, best[1])

    async def _generated(self, source: str, missing: int, parents: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The function's rows as columns; above `BLOCK` rows in several runs, so that its memory stays bounded."""
        names = [column.name for column in self.table.columns]
        merged: dict[str, list[Any]] = {name: [] for name in names}
        for start in range(0, missing, BLOCK):
            block = await self.around.sandbox.run(
                source,
                columns=names,
                n=min(BLOCK, missing - start),
                parents=self._known_values() | {name: v[start : start + BLOCK] for name, v in parents.items()},
                seed=f"{self.seed}:{start}" if start else self.seed,
                locale=self.around.locale,
            )
            for name, values in block.items():
                numbered = start and lowered(self.table.primary_key) == (name.lower(),) and name not in parents
                merged[name] += [v + start if isinstance(v, int) else v for v in values] if numbered else values
        return merged

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

    def _known_values(self) -> dict[str, list[Any]]:
        """What the original rows hold per column: weak models look for it in `parents` as well."""
        return {
            column.name: known
            for column in self.table.columns
            if (known := list(dict.fromkeys(v for v in self.base.columns[column.name.lower()] if v is not None)))
        }

    def _task(self, missing: int, parents: dict[str, list[Any]]) -> FillTable:
        return fill_table(
            self.table,
            self.around.schema,
            self.rules,
            ddl=self.around.ddl[self.table.name],
            domain=self.around.domain,
            role=self.plan.role,
            language=self.around.locale,
            count=missing,
            originals=self.around.originals[self.table.name],
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


def _hint(failure: str, parents: dict[str, list[Any]]) -> str:
    if "KeyError" not in failure:
        return ""
    return f"`parents` has these keys and no others: {', '.join(parents) or 'none'}."


def _answered(reply: Reply[GeneratorSource], what: str, details: str) -> tuple[Message, Message]:
    told = f"{what}\n\n{details}\n\nMend that and answer with the complete function."
    return {"role": "assistant", "content": reply.text}, {"role": "user", "content": told}
