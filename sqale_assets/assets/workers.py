"""Worker processes for stages that wait for the processor and not for a provider.

With the embedded offline model, or without any, one event loop keeps one core busy. Such a stage deals its schemas out
to one process per core; each runs `run_stage` as the event loop would. The pool is kept for the next stages, because a
worker's imports cost more than most schemas.
"""

import asyncio
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from multiprocessing.util import Finalize
from typing import Any

from sqale_assets.assets.stage import Stage, run_stage
from sqale_assets.assets.stream import Finished, NotAttempted, stops_the_run
from sqale_assets.llm.routing import stage_route
from sqale_assets.settings import Settings
from sqale_assets.store import Manifest, Store

#: Fewer schemas than this are not worth a worker's imports.
WORTHWHILE = 16

_pools: dict[tuple[str, int], ProcessPoolExecutor] = {}


class WorkerError(Exception):
    """What a schema died of in a worker, as text: not every exception survives the way between processes."""


class WorkerDied(WorkerError):
    """Nothing is known but that the schema's process is no more. What a stage finished is kept."""

    def __init__(self) -> None:
        super().__init__("a worker process died (killed, or out of memory)")


def process_count(stage: Stage, keys: int, settings: Settings) -> int:
    """How many processes to use; 1 means the event loop of this one."""
    if asks_remotely(stage, settings):
        return 1
    if settings.processes is not None:
        return min(settings.processes, keys)
    return (os.cpu_count() or 1) if keys >= WORTHWHILE else 1


def asks_remotely(stage: Stage, settings: Settings) -> bool:
    """Whether the stage asks a model that is not the embedded one."""
    return any(not target.offline for model in stage.models for target in stage_route(settings, model).targets)


def in_processes(stage: Stage, keys: Sequence[str], settings: Settings, processes: int) -> Iterator[Finished[Manifest]]:
    """Yield one `Finished` per key, in the order of finishing."""
    identity = (settings.model_dump_json(), processes)
    if identity not in _pools:
        _pools[identity] = ProcessPoolExecutor(
            processes, multiprocessing.get_context("spawn"), initializer=_start, initargs=(settings, os.getpid())
        )
        # A run of Dagster's is itself a child of multiprocessing, which at its end waits for its own children before
        # pools hear of it: for ever. 10 is when the queues close through which a pool tells its workers to end.
        Finalize(None, _pools[identity].shutdown, exitpriority=11)
    futures = {_pools[identity].submit(_work, stage.name, key): key for key in keys}
    stopped = ""
    try:
        for future in as_completed(futures):
            key = futures[future]
            if future.cancelled():
                yield Finished(key, None, NotAttempted(f"not attempted, the run stopped: {stopped}"))
                continue
            try:
                manifest, error, stops = future.result()
            except BrokenExecutor:
                _pools.pop(identity, None)
                yield Finished(key, None, WorkerDied())
                continue
            if stops and not stopped:
                stopped = error
                for other in futures:
                    other.cancel()
            yield Finished(key, manifest, None if manifest else WorkerError(error), stops)
    finally:
        for future in futures:
            future.cancel()


_worker: dict[str, Any] = {}


def _start(settings: Settings, parent: int) -> None:
    """Make a fresh process into a worker."""
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.llm.gateway import Gateway

    _worker.update(
        settings=settings,
        store=Store(settings.store),
        gateway=Gateway(settings),
        stages={stage.name: stage for stage in STAGES},
        loop=asyncio.new_event_loop(),
    )
    Finalize(None, _worker["gateway"].close, exitpriority=1)  # the ledger's last rows
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A worker whose parent was killed would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _work(stage: str, schema_id: str) -> tuple[Manifest | None, str, bool]:
    """The manifest, or what went wrong and whether that stops the run."""
    stages, settings, store, gateway = (_worker[name] for name in ("stages", "settings", "store", "gateway"))
    try:
        coroutine = run_stage(stages[stage], schema_id, settings, store, gateway)
        return _worker["loop"].run_until_complete(coroutine), "", False
    except Exception as error:
        return None, f"{type(error).__name__}: {error}", stops_the_run(error)
