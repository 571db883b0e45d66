"""Pipelines in processes of their own, each with a share of the schemas and of the calls in flight.

One event loop on one core keeps up with some hundred calls per second (`benchmarks/throughput.py`); a provider that
answers more than that is kept busy from several. What bounds them together stays whole: the calls in flight are
dealt out, and cache, account, rate and ledger are shared by all processes of a store anyway.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from sqale_assets.assets.outcomes import End, Ends
from sqale_assets.assets.pipeline import Pipeline
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stream import Finished
from sqale_assets.assets.workers import WorkerDied, WorkerError
from sqale_assets.llm.routing import stage_routes
from sqale_assets.settings import Settings
from sqale_assets.store import Store

#: Calls in flight that one process is left to care for.
CALLS_EACH = 64
#: Seconds to end in, calls cancelled and the ledger written, before a process is killed.
GRACE = 30


def pipeline_count(settings: Settings, schemas: int) -> int:
    """How many processes: one per `CALLS_EACH` calls in flight, at most one per core, unless `processes` says.

    One where a budget is for this run only: each process would have it for itself.
    """
    if settings.budget.dollars or settings.budget.tokens or settings.budget.calls:
        return 1
    calls = [target.concurrency for route in stage_routes(settings).values() for target in route.targets]
    wanted = settings.processes or min(os.cpu_count() or 1, max(calls) // CALLS_EACH)
    return max(1, min(wanted, schemas, settings.schemas_in_flight, *calls))


def shares(settings: Settings, processes: int) -> list[Settings]:
    """Each process's settings: their calls and schemas in flight add up to those of `settings`."""

    def share(total: int, place: int) -> int:
        return total // processes + (place < total % processes)

    made = []
    for place in range(processes):
        models = {
            name: route.model_copy(update={"concurrency": route.concurrency and share(route.concurrency, place)})
            for name, route in settings.models.items()
        }
        bounds = {name: share(getattr(settings, name), place) for name in ("concurrency", "schemas_in_flight")}
        made.append(settings.model_copy(update={"models": models, **bounds}))
    return made


class PipelineProcesses:
    """A `Pipeline` per process, each telling `ends`. One that dies leaves its schemas failed, the others go on."""

    def __init__(self, stages: Sequence[Stage], keys: Sequence[str], settings: Settings, ends: Ends, processes: int):
        self._stages = [stage.name for stage in stages]
        self._ends = ends
        self._shares = [(keys[place::processes], share) for place, share in enumerate(shares(settings, processes))]
        self._workers: dict[Connection, tuple[Any, Sequence[str]]] = {}
        self._thread = threading.Thread(target=self._listen, name="sqale-pipelines", daemon=True)

    def __enter__(self) -> PipelineProcesses:
        context = multiprocessing.get_context("spawn")
        for keys, settings in self._shares:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, self._stages, keys, settings))
            process.start()
            theirs.close()  # so that the end of the process is the end of what can be read
            self._workers[ours] = process, keys
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what is under way and wait for its end."""
        for connection, (process, _) in self._workers.items():
            if process.is_alive():
                _tell(connection, "end")
        for process, _ in self._workers.values():
            process.join(GRACE)
            process.kill()
        self._thread.join(GRACE)

    def _listen(self) -> None:
        untold = {
            connection: {(stage, key) for stage in self._stages for key in keys}
            for connection, (_, keys) in self._workers.items()
        }
        while untold:
            for connection in wait(list(untold)):
                try:
                    told = connection.recv()
                except (EOFError, OSError):  # it ended, or died
                    for stage, key in untold.pop(connection):
                        self._ends.put(stage, Finished(key, None, WorkerDied()))
                    continue
                if isinstance(told, WorkerError):
                    self._ends.fail(told)
                    continue
                stage, end = told
                untold[connection].discard((stage, end.key))
                self._ends.put(stage, end)


class _Teller:
    """`Ends` for the process at the other end of a connection."""

    def __init__(self, connection: Connection):
        self._connection, self._lock = connection, threading.Lock()

    def put(self, stage: str, end: End) -> None:
        with self._lock:  # the event loop's thread tells, and the one that waits for it
            _tell(self._connection, (stage, end if _can_travel(end) else _as_text(end)))

    def fail(self, error: BaseException) -> None:
        with self._lock:
            _tell(self._connection, WorkerError(f"{type(error).__name__}: {error}"))


def _can_travel(end: End) -> bool:
    """Not every exception survives the way between processes."""
    try:
        pickle.loads(pickle.dumps(end.error))
    except Exception:
        return False
    return True


def _as_text(end: End) -> End:
    return Finished(end.key, None, WorkerError(f"{type(end.error).__name__}: {end.error}"), end.stops)


def _tell(connection: Connection, what: object) -> None:
    with contextlib.suppress(OSError):  # nobody is there any more
        connection.send(what)


def _work(connection: Connection, names: Sequence[str], keys: Sequence[str], settings: Settings) -> None:
    """What a process does: its share of the schemas, until it is told to end or its parent is gone."""
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.llm.gateway import Gateway

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal interrupts all; the parent tells when to end
    stages = [stage for stage in STAGES if stage.name in names]
    pipeline = Pipeline(stages, keys, settings, Store(settings.store), Gateway(settings), _Teller(connection))

    def until_told() -> None:
        with contextlib.suppress(EOFError, OSError):
            connection.recv()
        pipeline.cancel()

    with pipeline:
        threading.Thread(target=until_told, daemon=True).start()
        pipeline.wait()
