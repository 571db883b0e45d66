"""Schemas side by side on one event loop: what is left of one that failed does not outlive the run."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

from sqale_assets.assets.stream import as_finished


def test_what_a_failed_schema_left_under_way_ends_before_the_gateway_closes():
    """A question's call fails, the other questions' go on: a provider's end left tracebacks of them on the terminal."""
    log = []

    @asynccontextmanager
    async def reservation():
        try:
            yield
        finally:
            log.append("given back")

    async def call(fails: bool) -> None:
        async with reservation():
            await asyncio.sleep(0.01 if fails else 60)
            raise ConnectionError("the provider is gone")

    async def work(_: str) -> None:
        await asyncio.gather(call(False), call(True), call(False))

    async def closing() -> None:
        log.append("closed")

    (end,) = as_finished(["k"], work, 1, closing)
    assert isinstance(end.error, ConnectionError)
    assert log == ["given back"] * 3 + ["closed"]
