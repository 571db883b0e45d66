"""Schemas on their way through all stages at once: what `sqale build` does while a remote model is waited for.

Stage by stage, the provider idles while the slowest schema of a stage ends; and a stage that asks one question after
the other never has more calls under way than there are schemas. Here every schema goes on to a stage as soon as those
before it are done. Dagster's runs stay what they are, one stage over one range each: they take what is finished and
report it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, as_completed
from typing import Any

from sqale_assets.assets.stage import Stage, run_stage
from sqale_assets.assets.stream import Finished, as_finished, stops_the_run
from sqale_assets.assets.workers import asks_remotely
from sqale_assets.settings import Settings
from sqale_assets.store import Manifest, Store


class Pipeline:
    """Brings `keys` through `stages`, in their order, `schemas_in_flight` at once, from a thread of its own.

    When the gateway says that no call can be made, or the disk is full, no further schema is begun.
    """

    def __init__(self, stages: Sequence[Stage], keys: Sequence[str], settings: Settings, store: Store, gateway: Any):
        self._stages, self._keys = tuple(stages), tuple(keys)
        self._settings, self._store, self._gateway = settings, store, gateway
        self._outcomes: dict[tuple[str, str], Future[Finished[Manifest]]] = {}
        self._lock = threading.Lock()
        self._broken: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._under_way: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._drive, name="sqale-pipeline", daemon=True)

    def __enter__(self) -> Pipeline:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what is under way and wait for its end."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in self._under_way])
        self._thread.join(30)

    def finished(self, stage: str, keys: Sequence[str]) -> Iterator[Finished[Manifest]]:
        """One `Finished` per key of a stage, in the order of finishing. Each is given out once."""
        for future in as_completed([self._outcome(stage, key) for key in keys]):
            outcome = future.result()
            with self._lock:
                del self._outcomes[stage, outcome.key]
            yield outcome

    def _outcome(self, stage: str, key: str) -> Future[Finished[Manifest]]:
        with self._lock:
            future = self._outcomes.setdefault((stage, key), Future())
        if self._broken and not future.done():
            future.set_exception(self._broken)
        return future

    def _drive(self) -> None:
        closing = self._gateway.aclose if self._gateway else None
        try:
            for ended in as_finished(self._keys, self._through, self._settings.schemas_in_flight, closing):
                for stage in self._stages:  # of one whose turn never came
                    future = self._outcome(stage.name, ended.key) if ended.error else None
                    if future and not future.done():
                        future.set_result(Finished(ended.key, None, ended.error, ended.stops))
        except BaseException as error:  # surfaces where an outcome is waited for, not in a thread's traceback
            self._broken = error
            for future in list(self._outcomes.values()):
                if not future.done():
                    future.set_exception(error)

    async def _through(self, schema_id: str) -> None:
        """All stages of one schema. Raises the error, if any, after which no further schema should be begun."""
        self._loop = asyncio.get_running_loop()
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
        self._outcome(stage.name, schema_id).set_result(end)
        return end


def worthwhile(stages: Sequence[Stage], settings: Settings) -> bool:
    """Whether any stage waits for a provider; where none does, processes for one stage after the other are faster."""
    return any(asks_remotely(stage, settings) for stage in stages)
