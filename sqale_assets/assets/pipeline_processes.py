"""Pipelines in processes of their own, which work on schemas while this one makes their calls.

One event loop on one core keeps up with some hundred calls per second (`benchmarks/throughput.py`); a provider that
answers more than that is kept busy from several. They take one schema after the other as they have room, and all calls
go through one gateway (`llm/call_server.py`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import socket
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from sqale_assets.assets.outcomes import End, Ends
from sqale_assets.assets.pipeline import Pipeline
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stream import Finished
from sqale_assets.assets.workers import WorkerDied, WorkerError
from sqale_assets.llm.call_server import CallServer, RemoteCaller, travelling
from sqale_assets.llm.routing import stage_routes
from sqale_assets.settings import Settings
from sqale_assets.store import Store

if TYPE_CHECKING:
    from sqale_assets.llm.gateway import Gateway

#: Calls in flight that one process is left to care for.
CALLS_EACH = 64
#: Seconds to end in, calls cancelled and the ledger written, before a process is killed.
GRACE = 30
#: What a process asks for with, and what it is told to end with.
_NEXT, _END = ("next",), ("end",)


def pipeline_count(settings: Settings, schemas: int) -> int:
    """How many processes: one per `CALLS_EACH` calls in flight, at most one per core, unless `processes` says."""
    calls = max(target.concurrency for route in stage_routes(settings).values() for target in route.targets)
    wanted = settings.processes or min(os.cpu_count() or 1, calls // CALLS_EACH)
    return max(1, min(wanted, schemas, settings.schemas_in_flight))


class PipelineProcesses:
    """A `Pipeline` per process, each telling `ends`. One that dies leaves its schemas failed, the others go on."""

    def __init__(
        self, stages: Sequence[Stage], keys: Sequence[str], settings: Settings, gateway: Gateway, ends: Ends,
        processes: int,
    ):  # fmt: skip
        self._stages = [stage.name for stage in stages]
        self._keys, self._settings, self._ends = keys, settings, ends
        self._calls = CallServer(gateway, processes)
        self._workers: dict[Connection, Any] = {}
        self._thread = threading.Thread(target=self._listen, name="sqale-pipelines", daemon=True)

    def __enter__(self) -> PipelineProcesses:
        context = multiprocessing.get_context("spawn")
        native_tools = self._calls.native_tools()
        least, rest = divmod(self._settings.schemas_in_flight, len(self._calls.sockets))
        self._calls.start()
        for place, calls in enumerate(self._calls.sockets):
            ours, theirs = context.Pipe()
            settings = self._settings.model_copy(update={"schemas_in_flight": least + (place < rest)})
            process = context.Process(
                target=_work,
                args=(theirs, calls, native_tools, self._stages, len(self._keys), settings),
                daemon=True,  # should this one end before it could tell them to
            )
            process.start()
            theirs.close()  # so that the end of the process is the end of what can be read
            calls.close()
            self._workers[ours] = process
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what is under way and wait for its end."""
        for connection, process in self._workers.items():
            if process.is_alive():
                _tell(connection, _END)
        for process in self._workers.values():
            process.join(GRACE)
            process.kill()
        self._thread.join(GRACE)
        self._calls.close()

    def _listen(self) -> None:
        """Deal the schemas out and pass on how they end, until no process is left."""
        count = len(self._workers)
        left = {connection: deque(self._keys[place::count]) for place, connection in enumerate(self._workers)}
        untold: dict[Connection, set[tuple[str, str]]] = {connection: set() for connection in self._workers}
        while untold:
            for connection in wait(list(untold)):
                try:
                    told = connection.recv()
                except (EOFError, OSError):  # it ended, or died
                    self._died(untold.pop(connection))
                    continue
                if told == _NEXT:
                    rest = left[connection] or max(left.values(), key=len)  # another's, when its own are done
                    key = rest.popleft() if rest else None
                    untold[connection].update((stage, key) for stage in self._stages if key is not None)
                    _tell(connection, key)
                elif isinstance(told, WorkerError):
                    self._ends.fail(told)
                else:
                    stage, end = told
                    untold[connection].discard((stage, end.key))
                    self._ends.put(stage, end)
        self._died({(stage, key) for rest in left.values() for key in rest for stage in self._stages})

    def _died(self, untold: set[tuple[str, str]]) -> None:
        for stage, key in untold:
            self._ends.put(stage, Finished(key, None, WorkerDied()))


class _Parent:
    """The other end as a process sees it: `Keys`, each asked for when there is room for it, and who hears of `Ends`."""

    def __init__(self, connection: Connection, in_all: int):
        self._connection, self._in_all = connection, in_all
        self._lock = threading.Lock()  # the event loop's thread tells, and the one that waits for it
        self._dealt: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: there are no more

    def __len__(self) -> int:
        return self._in_all

    def __iter__(self) -> Iterator[str]:
        while True:
            self._tell(_NEXT)
            if (key := self._dealt.get()) is None:
                return
            yield key

    def put(self, stage: str, end: End) -> None:
        self._tell((stage, replace(end, error=end.error and travelling(end.error))))

    def fail(self, error: BaseException) -> None:
        self._tell(WorkerError(f"{type(error).__name__}: {error}"))

    def hear(self) -> None:
        """Take what is dealt, until it is time to end."""
        with contextlib.suppress(EOFError, OSError):
            while (told := self._connection.recv()) != _END:
                self._dealt.put(told)
        self._dealt.put(None)

    def _tell(self, what: object) -> None:
        with self._lock:
            _tell(self._connection, what)


def _tell(connection: Connection, what: object) -> None:
    with contextlib.suppress(OSError):  # nobody is there any more
        connection.send(what)


def _work(
    connection: Connection, calls: socket.socket, native_tools: Mapping[str, bool], names: Sequence[str], in_all: int,
    settings: Settings,
) -> None:  # fmt: skip
    """What a process does: take schemas until there are no more, it is told to end, or its parent is gone."""
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.llm.backend import calm_collector
    from sqale_assets.llm.gateway import Gateway

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal interrupts all; the parent tells when to end
    calm_collector()
    parent, gateway = _Parent(connection, in_all), Gateway(settings, RemoteCaller(calls, native_tools))
    stages = [stage for stage in STAGES if stage.name in names]
    pipeline = Pipeline(stages, parent, settings, Store(settings.store), gateway, parent)

    def until_told() -> None:
        parent.hear()
        pipeline.cancel()

    with pipeline:
        threading.Thread(target=until_told, daemon=True).start()
        pipeline.wait()
