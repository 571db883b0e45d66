"""Each schema's end in each stage, from whoever brings it about to the run that waits for it and reports it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, as_completed
from typing import Protocol

from sqale_assets.assets.stream import Finished
from sqale_assets.store import Manifest

End = Finished[Manifest]


class Ends(Protocol):
    """Who is told of ends."""

    def put(self, stage: str, end: End) -> None:
        """A schema's end in a stage; a second one of the same is not heard."""

    def fail(self, error: BaseException) -> None:
        """There will be no more ends."""


class Outcomes:
    """`Ends` that can be waited for, from any thread."""

    def __init__(self) -> None:
        self._futures: dict[tuple[str, str], Future[End]] = {}
        self._lock = threading.Lock()
        self._failed: BaseException | None = None

    def put(self, stage: str, end: End) -> None:
        future = self._future(stage, end.key)
        if not future.done():
            future.set_result(end)

    def fail(self, error: BaseException) -> None:
        with self._lock:
            self._failed = error
            futures = list(self._futures.values())
        for future in futures:
            if not future.done():
                future.set_exception(error)

    def finished(self, stage: str, keys: Sequence[str]) -> Iterator[End]:
        """One `Finished` per key of a stage, in the order of finishing. Each is given out once.

        Raises what `fail` was told, where an end is missing then.
        """
        for future in as_completed([self._future(stage, key) for key in keys]):
            end = future.result()
            with self._lock:
                del self._futures[stage, end.key]
            yield end

    def _future(self, stage: str, key: str) -> Future[End]:
        with self._lock:
            future = self._futures.setdefault((stage, key), Future())
            if self._failed and not future.done():
                future.set_exception(self._failed)
            return future
