"""A provider that takes calls and never answers them: found out by asking it something short.

A reply may rightly take as long as the route's `timeout` allows, so a call's own silence says little. But when none of
a target's calls has been answered for `patience` seconds, a test call is made; if that too stays without any answer
for so long, the provider hangs, and the calls in flight are ended instead of waiting for their timeouts one by one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqale_assets.llm.errors import ProviderError, TimedOut

#: A patience is counted in so many naps, not in seconds: while something keeps the event loop busy, a nap does not end
#: and no reply is heard, which is not the provider's silence.
NAPS = 10


class Silence:
    """Watches one target's calls. `probe` makes the test call, `found` is told once it stays unanswered.

    `patience` in seconds; the verdict takes twice as long. Probes are not in the ledger; one costs some 20 tokens.
    """

    def __init__(self, patience: float, probe: Callable[[], Awaitable[object]], found: Callable[[str], None]):
        self.patience, self._probe, self._found = patience, probe, found
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: set[asyncio.Timeout] = set()
        self._watch: asyncio.Task[None] | None = None
        self._heard = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Around each call. Raises TimeoutError out of it when the provider is found to hang."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a new run's loop: what was in the old one is gone
            self._loop, self._calls, self._watch = loop, set(), None
        if self._watch is None:
            self._watch = loop.create_task(self._look())
        scope = asyncio.timeout(None)
        self._calls.add(scope)
        try:
            async with scope:
                yield
        except (TimedOut, TimeoutError):
            raise
        except ProviderError:  # an answer of a kind
            self._heard += 1
            raise
        else:
            self._heard += 1
        finally:
            self._calls.discard(scope)
            if not self._calls and self._watch:
                self._watch.cancel()
                self._watch = None

    async def _look(self) -> None:
        """As long as there are calls."""
        while True:
            if await self._silent():
                probe = asyncio.ensure_future(self._probe())
                try:
                    silent = await self._silent(probe)
                finally:
                    probe.cancel()
                if silent:
                    break
        self._found(f"no reply for {2 * self.patience:.0f} s, nor to a short test call")
        for scope in self._calls:
            scope.reschedule(self._loop.time())

    async def _silent(self, probe: asyncio.Future[object] | None = None) -> bool:
        """Whether a whole patience passed without any answer, from `probe` either."""
        heard = self._heard
        for _ in range(NAPS):
            await asyncio.sleep(self.patience / NAPS)
            if self._heard != heard or (probe and probe.done() and not isinstance(probe.exception(), TimedOut)):
                return False
        return True
