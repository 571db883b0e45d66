"""Open databases for episodes: whole ones are lent again and again, reduced copies live as long as their episode."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqale_assets.evaluation.conditions import kept_tables, reduced_copy
from sqale_assets.evaluation.items import rank
from sqale_assets.evaluation.preflight import Ready
from sqale_assets.sqlenv.database import Database, Limits


class Databases:
    """Lends a database to one episode at a time: reading a large schema and counting its rows is done once.

    `scratch` is an existing folder for reduced copies; `idle` bounds the open files that wait to be lent again.
    """

    def __init__(self, scratch: Path, limits: Limits, *, seed: int = 0, idle: int = 128):
        self._scratch, self._limits, self._seed, self._most = scratch, limits, seed, idle
        self._idle: dict[Path, list[Database]] = defaultdict(list)
        self._waiting = 0

    @asynccontextmanager
    async def lend(self, ready: Ready, condition: str) -> AsyncIterator[tuple[Path, Database]]:
        """The database that a question meets under a condition, and its file.

        Raises:
            CorpusError: it cannot be reduced.
        """
        kept = kept_tables(
            ready.schema, ready.needs.tables or (), condition, seed=self._seed, question_id=ready.item.question_id
        )
        if kept is None:
            with self._whole(ready) as database:
                yield ready.path, database
            return
        name = rank(self._seed, str(ready.path), ready.item.question_id, condition)[:24]
        copy = self._scratch / f"{re.sub(r'[^A-Za-z0-9_-]', '_', ready.item.database_id)[:60]}-{name}.sqlite"
        await asyncio.to_thread(reduced_copy, ready.path, kept, copy)
        try:
            with Database.open(copy, limits=self._limits) as database:
                yield copy, database
        finally:
            copy.unlink(missing_ok=True)

    def close(self) -> None:
        """Close what waits to be lent."""
        for waiting in self._idle.values():
            for database in waiting:
                database.close()
        self._idle.clear()
        self._waiting = 0

    @contextmanager
    def _whole(self, ready: Ready) -> Iterator[Database]:
        waiting = self._idle[ready.path]
        if waiting:
            database = waiting.pop()
            self._waiting -= 1
        else:
            database = Database.open(ready.path, limits=self._limits)
            database.schema = ready.schema  # reading one of 239 tables takes 20 ms
        yield database  # one that an error came through is not lent again
        if self._waiting < self._most:
            self._idle[ready.path].append(database)
            self._waiting += 1
        else:
            database.close()
