"""One target's gate: places for calls, retries with back-off, and what both hear from limit and circuit.

A call waits for its retry without holding its place, so rejections cost nothing but themselves, and a
Retry-After holds back its own call; only in overload does it hold back the target.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TypeVar

from sqale_assets.llm.circuit import Circuit
from sqale_assets.llm.errors import Broken, Overloaded, ProviderError, Refused, TimedOut
from sqale_assets.llm.limit import AdaptiveLimit
from sqale_assets.llm.silence import Silence
from sqale_assets.llm.task import GatewayUnavailable

T = TypeVar("T")

PROBE_PAUSE = 1.0
MAX_BACKOFF, MAX_RETRY_AFTER = 5.0, 60.0
#: attempts of one call, per kind of failure
ATTEMPTS: dict[type[ProviderError], int] = {Overloaded: 30, TimedOut: 3, Broken: 8}


class Throttle:
    """One target's gate: `run` makes a call within the limit and sees it through its retries."""

    def __init__(
        self,
        name: str,
        cap: int,
        *,
        circuit: Circuit | None = None,
        probe: Callable[[], Awaitable[object]] | None = None,
        patience: float = math.inf,
    ):
        """`probe` makes a short test call when nothing was answered for `patience` seconds; see Silence."""
        self.name = name
        self.limit = AdaptiveLimit(cap)
        self.circuit = circuit or Circuit()
        self._silence = Silence(patience, probe, self.circuit.open) if probe else None
        self._jitter = random.Random(name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._in_flight = 0
        self._paused_until = 0.0

    async def run(
        self, call: Callable[[], Awaitable[T]], admitted: Callable[[], Awaitable[None]] | None = None
    ) -> tuple[T, int]:
        """The call's result and the number of retries it took. `admitted` is waited for before every attempt.

        Raises:
            GatewayUnavailable: the circuit is open, or the target keeps rejecting this call.
            Refused: the target fails on this call again and again, but answers others.
            ProviderError: whatever else the call raises.
        """
        failures: Counter[type[ProviderError]] = Counter()
        first = self.circuit.clock()
        while True:
            async with self._place():
                if admitted:
                    await admitted()
                began = self.circuit.clock()
                try:
                    async with self._silence.listening() if self._silence else nullcontext():
                        result = await call()
                except TimeoutError:
                    raise self._unavailable() from None
                except (Overloaded, Broken) as error:
                    failures[type(error)] += 1
                    wait = self._failed(error, began, failures.total())
                    if failures[type(error)] >= ATTEMPTS[type(error)]:
                        raise self._given_up(error, first) from None
                except Refused as error:
                    self.circuit.refused(str(error))
                    raise
                else:
                    self.circuit.succeeded()
                    self.limit.outcome(rejected=False)
                    return result, failures.total()
            await asyncio.sleep(wait)

    def _failed(self, error: Overloaded | Broken, began: float, failures: int) -> float:
        """Tell limit and circuit; the seconds to wait before the next attempt."""
        wait = self._jitter.uniform(0.5, 1.0) * min(MAX_BACKOFF, 0.25 * 2**failures)
        if not isinstance(error, Overloaded) or isinstance(error, TimedOut):
            self.circuit.broke(began, str(error))
            if self.circuit.suspect:
                self._pause(PROBE_PAUSE)
        if isinstance(error, Overloaded):
            if error.retry_after is not None:
                wait = min(MAX_RETRY_AFTER, error.retry_after) + self._jitter.uniform(0, 0.1)
            overloaded = self.limit.outcome(rejected=True)
            if overloaded and (error.retry_after or self.limit.value == self.limit.floor):
                self._pause(wait)
        return wait

    def _pause(self, seconds: float) -> None:
        """Let no further call begin for so long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    @property
    def _room(self) -> int:
        """How many calls may be in flight now: one at a time where an outage is suspected."""
        return 1 if self.circuit.suspect else self.limit.value

    def _given_up(self, error: Overloaded | Broken, first: float) -> Exception:
        attempts = ATTEMPTS[type(error)]
        if type(error) is Overloaded or self.circuit.last_success < first:
            return GatewayUnavailable(f"{attempts} attempts failed, the last with: {error}")
        return Refused(f"{error} ({attempts} attempts)")

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a new run's loop: whoever waited in the old one is gone
            self._loop, self._in_flight = loop, 0
            self._waiting.clear()
        self._check_circuit()
        while self._in_flight >= self._room or (delay := self._paused_until - time.monotonic()) > 0:
            if self._in_flight >= self._room:
                await self._turn()
            else:
                await asyncio.sleep(delay)
            self._check_circuit()
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1
            self._wake()

    def _check_circuit(self) -> None:
        if not self.circuit.admit():
            self._wake(len(self._waiting))  # they shall hear of it too
            raise self._unavailable()

    def _unavailable(self) -> GatewayUnavailable:
        return GatewayUnavailable(
            f"no call can be made: {self.name}: {self.circuit.last_error}."
            " What is finished is saved; run again to resume."
        )

    async def _turn(self) -> None:
        future = self._loop.create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._wake()  # the turn was given to a task that no longer wants it
            raise

    def _wake(self, least: int = 1) -> None:
        for _ in range(max(least, self._room - self._in_flight)):
            while self._waiting and self._waiting[0].done():
                self._waiting.popleft()
            if not self._waiting:
                return
            self._waiting.popleft().set_result(None)
