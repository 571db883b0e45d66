"""Run many schemas of one stage at once and hand back each as it finishes.

The event loop lives in a thread of its own, so that model calls go on while Dagster writes an event. When the
gateway says that no call can be made (provider down, budget spent) or the disk is full, no further schema is begun.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sqale_assets.files import disk_trouble
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.store import StoreError

T = TypeVar("T")
_END = object()


@dataclass(frozen=True)
class Finished(Generic[T]):
    """A key's end: a value, or the exception that it died of. `stops`: every further key would die of the same."""

    key: str
    value: T | None
    error: BaseException | None
    stops: bool = False


class Keys(Protocol):
    """Keys that may not be known yet when the first is begun, and how many there can be at most."""

    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...


class NotAttempted(Exception):
    """The run stopped before this schema's turn."""


def as_finished(
    keys: Keys,
    work: Callable[[str], Awaitable[T]],
    limit: int,
    closing: Callable[[], Awaitable[None]] | None = None,
) -> Iterator[Finished[T]]:
    """Yield one `Finished` per key, in the order of finishing, with at most `limit` under way.

    Closing the iterator cancels what is under way. `closing` runs on the same event loop when all is done.
    """
    results: queue.SimpleQueue = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    main_task: list[asyncio.Task] = []

    async def drive() -> None:
        pending = iter(keys)
        halt: BaseException | None = None

        async def worker() -> None:
            nonlocal halt
            for key in pending:
                if halt is not None:
                    results.put(Finished(key, None, NotAttempted(f"not attempted, the run stopped: {halt}")))
                    continue
                try:
                    results.put(Finished(key, await work(key), None))
                except Exception as error:
                    stops = stops_the_run(error)
                    halt = halt or (error if stops else None)
                    results.put(Finished(key, None, error, stops))

        try:
            await asyncio.gather(*(worker() for _ in range(min(limit, len(keys)))))
        finally:
            await _cancelled(asyncio.all_tasks() - {asyncio.current_task()})
            if closing:
                await closing()

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            task = loop.create_task(drive())
            main_task.append(task)
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # surfaces in the consumer, not in a thread's traceback
            results.put(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            results.put(_END)

    thread = threading.Thread(target=run, name="sqale-stage", daemon=True)
    thread.start()
    try:
        while (item := results.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        if thread.is_alive():
            if main_task and not loop.is_closed():
                loop.call_soon_threadsafe(main_task[0].cancel)
            thread.join(timeout=30)


async def _cancelled(tasks: set[asyncio.Task | None]) -> None:
    """Cancel and wait: where one of the calls that `gather` waits for fails, the others are left under way."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def stops_the_run(error: BaseException) -> bool:
    """Whether every further schema would die of the same: no provider, no budget, no space, a store that is no more."""
    unwritable = isinstance(error, StoreError) and isinstance(error.__cause__, OSError)
    return unwritable or isinstance(error, GatewayUnavailable) or bool(disk_trouble(error))
