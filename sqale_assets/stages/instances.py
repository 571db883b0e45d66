"""Further populations of a schema: the same tables and generators with other seeds.

A query and a near miss of it can agree on one population by accident; they seldom do on three.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from typing import Any

from sqale_assets.llm.task import Llm, Reply, Task
from sqale_assets.records import DomainDescription, ExtendedSchema, LlmUsage, SourceSchema
from sqale_assets.settings import PopulationSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.population import populate


class _SameGenerators:
    """Asks the model while the first population is made, and then gives the same functions for every other.

    The prompts show values of parent tables, which differ with the seed; the functions need not.
    """

    def __init__(self, llm: Llm):
        self._llm = llm
        self._replies: dict[str, Reply[Any]] = {}
        self.recording = True

    async def ask(self, task: Task[Any], *, sample: int = 0) -> Reply[Any]:
        table = task.variables()["table"]
        if self.recording or table not in self._replies:
            self._replies[table] = await self._llm.ask(task, sample=sample)
        return self._replies[table]

    @property
    def usage(self) -> LlmUsage:
        return self._llm.usage


@asynccontextmanager
async def other_populations(
    source: SourceSchema,
    extended: ExtendedSchema,
    domain: DomainDescription,
    llm: Llm,
    *,
    settings: PopulationSettings,
    seed: int,
    count: int,
) -> AsyncIterator[tuple[Database, ...]]:
    """`count` populations in memory, with the seeds after `seed`. `llm` is the populate stage's view of the gateway.

    The population of `seed` itself is made once more to learn its functions; what it asks is in the response cache.
    """
    generators = _SameGenerators(llm)
    async with AsyncExitStack() as stack:
        databases = []
        for number in range(count + 1):
            connection = stack.enter_context(closing(sqlite3.connect(":memory:", check_same_thread=False)))
            await populate(source, extended, domain, connection, generators, settings=settings, seed=seed + number)
            generators.recording = False
            if number:
                databases.append(stack.enter_context(Database.from_connection(connection)))
        yield tuple(databases)
