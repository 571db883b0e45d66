"""Schemas on their way through all stages at once: what `sqale build` does while a remote model is waited for.

Stage by stage, the provider idles while the slowest schema of a stage ends; and a stage that asks one question after
the other never has more calls under way than there are schemas. Here every schema goes on to a stage as soon as those
before it are done. Dagster's runs stay what they are, one stage over one range each: they take what is finished and
report it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from sqale_assets.assets.outcomes import Ends
from sqale_assets.assets.stage import Stage, run_stage
from sqale_assets.assets.stream import Finished, Keys, as_finished, stops_the_run
from sqale_assets.assets.workers import asks_remotely
from sqale_assets.settings import Settings
from sqale_assets.stages.extension_size import drawn_tables
from sqale_assets.store import Manifest, Store


class Pipeline:
    """Brings `keys` through `stages`, in their order, `schemas_in_flight` at once, from a thread of its own.

    When the gateway says that no call can be made, or the disk is full, no further schema is begun. `ends` is told how
    each schema ended in each stage.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        keys: Keys,
        settings: Settings,
        store: Store,
        gateway: Any,
        ends: Ends,
    ):
        self._stages, self._keys = tuple(stages), keys
        self._settings, self._store, self._gateway, self._ends = settings, store, gateway, ends
        self._loop: asyncio.AbstractEventLoop | None = None
        self._under_way: set[asyncio.Task[Any]] = set()
        self._cancelled = False
        self._thread = threading.Thread(target=self._drive, name="sqale-pipeline", daemon=True)

    def __enter__(self) -> Pipeline:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what is under way and wait for its end."""
        self.cancel()
        self._thread.join(30)

    def wait(self) -> None:
        """Until all schemas are through."""
        self._thread.join()

    def cancel(self) -> None:
        """End what is under way, and begin nothing more; from any thread."""
        self._cancelled = True
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in self._under_way])

    def _drive(self) -> None:
        closing = self._gateway.aclose if self._gateway else None
        try:
            for ended in as_finished(self._keys, self._through, self._settings.schemas_in_flight, closing):
                for stage in self._stages if ended.error else ():  # of one whose turn never came
                    self._ends.put(stage.name, Finished(ended.key, None, ended.error, ended.stops))
        except BaseException as error:  # surfaces where an end is waited for, not in a thread's traceback
            self._ends.fail(error)

    async def _through(self, schema_id: str) -> None:
        """All stages of one schema. Raises the error, if any, after which no further schema should be begun."""
        self._loop = asyncio.get_running_loop()
        if self._cancelled:
            raise asyncio.CancelledError
        tasks: dict[str, asyncio.Task[Finished[Manifest]]] = {}
        for stage in self._stages:
            before = [tasks[name] for name in stage.upstream if name in tasks]
            tasks[stage.name] = self._loop.create_task(self._one(stage, schema_id, before))
        self._under_way.update(tasks.values())
        try:
            ends = await asyncio.gather(*tasks.values())
        finally:
            self._under_way.difference_update(tasks.values())
        for end in ends:
            if end.stops:
                raise end.error

    async def _one(self, stage: Stage, schema_id: str, before: Sequence[asyncio.Task[Any]]) -> Finished[Manifest]:
        if before:
            await asyncio.wait(before)
        try:
            manifest = await run_stage(stage, schema_id, self._settings, self._store, self._gateway)
            end = Finished(schema_id, manifest, None)
        except Exception as error:
            end = Finished(schema_id, None, error, stops_the_run(error))
        self._ends.put(stage.name, end)
        return end


def largest_first(keys: Sequence[str], settings: Settings) -> list[str]:
    """The schemas of each run's range, those first that will have most tables and take longest, in two rounds.

    At the end of a build the provider waits for whichever schema is through last. In two rounds there are small ones
    among the first: they have calls to make while the large ones are still extended.
    """
    size = settings.partitions_per_run
    ranges = (keys[start : start + size] for start in range(0, len(keys), size))

    def tables(schema_id: str) -> int:
        return drawn_tables(schema_id, settings.extension, settings.seed)

    ordered = [sorted(each, key=tables, reverse=True) for each in ranges]
    return [key for each in ordered for key in (*each[::2], *each[1::2])]


def worthwhile(stages: Sequence[Stage], settings: Settings) -> bool:
    """Whether any stage waits for a provider; where none does, processes for one stage after the other are faster."""
    return any(asks_remotely(stage, settings) for stage in stages)
