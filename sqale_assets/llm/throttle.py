"""How many calls a target may have in flight: adaptive limit, retries with back-off, circuit breaker.

The limit is additive increase, multiplicative decrease, with one question asked first: is a rejection a
matter of load at all? Some providers reject a share of calls whatever their number (shared tenants,
flaky proxies); cutting the limit then only costs speed. So:

- more than half of a window's calls rejected: overload, cut;
- some rejected: cut once as a trial; if the share does not fall significantly, the rejections were
  not ours: restore the limit and leave it alone for a while;
- none worth mentioning: grow.

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
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from sqale_assets.llm.errors import Broken, Overloaded, ProviderError, Refused, TimedOut
from sqale_assets.llm.task import GatewayUnavailable

T = TypeVar("T")

NOISE, SATURATED = 0.03, 0.5
WINDOW = 100
SURE = 32  # calls before a window may be judged early
CUT = 0.75
HOLD_WINDOWS = 20
REFUSALS = 25
SUSPECT, PROBE_PAUSE = 16, 1.0
MAX_BACKOFF, MAX_RETRY_AFTER = 5.0, 60.0
#: attempts of one call, per kind of failure
ATTEMPTS: dict[type[ProviderError], int] = {Overloaded: 30, TimedOut: 3, Broken: 8}


class AdaptiveLimit:
    """The limit itself: told each outcome, it says how many calls may be in flight. No clock, no I/O."""

    def __init__(self, cap: int):
        self.cap, self.floor = cap, max(1, cap // 16)
        self.value = cap
        self._asked = self._rejected = 0
        self._trial: tuple[int, float, int] | None = None  # limit, share and calls before the trial cut
        self._noise, self._hold = NOISE, 0

    def outcome(self, rejected: bool) -> bool:
        """Count one call; True if this closed a window that found the target overloaded."""
        self._asked += 1
        self._rejected += rejected
        if self._rejected > SATURATED * max(self._asked, SURE):
            self._open_window()
            self._cut()
            self._trial, self._noise, self._hold = None, NOISE, 0
            return True
        if self._asked >= WINDOW:
            self._judge(self._rejected / self._asked, self._asked)
            self._open_window()
        return False

    def _judge(self, share: float, calls: int) -> None:
        if self._trial:
            limit, share_before, calls_before = self._trial
            self._trial = None
            deviation = math.sqrt(share_before * (1 - share_before) * (1 / calls + 1 / calls_before))
            if share_before - share < 2 * deviation:
                self.value, self._noise, self._hold = limit, share_before + 2 * deviation, HOLD_WINDOWS
                return
        if self._hold:
            self._hold -= 1
        else:
            self._noise = NOISE
        if share <= self._noise:
            self.value = min(self.cap, self.value + max(1, self.cap // 16))
        else:
            self._trial = self.value, share, calls
            self._cut()

    def _cut(self) -> None:
        self.value = max(self.floor, int(self.value * CUT))

    def _open_window(self) -> None:
        self._asked = self._rejected = 0


@dataclass
class Circuit:
    """Opens when for `patience` seconds every call failed, at least `failures` of them.

    While open it lets one call through every `probe_after` seconds, and closes when that succeeds.
    `patience` outlasts a provider's restart; together with the longest back-off it ends a run within a minute.
    """

    patience: float = 20.0
    failures: int = 4
    probe_after: float = 10.0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._failed = self._refused = 0
        self._failing_since = math.inf
        self._open_until: float | None = None
        self.last_success = -math.inf
        self.last_error = ""

    @property
    def suspect(self) -> bool:
        """So many failures in a row look like an outage."""
        return self._failed >= SUSPECT

    def admit(self) -> bool:
        """False while open; once `probe_after` has passed, True for one call."""
        if self._open_until is None:
            return True
        if self.clock() < self._open_until:
            return False
        self._open_until = self.clock() + self.probe_after
        return True

    def succeeded(self) -> None:
        self._failed, self._refused, self._failing_since, self._open_until = 0, 0, math.inf, None
        self.last_success = self.clock()

    def broke(self, began: float, error: str) -> None:
        """A call that began at `began` failed: a success since then speaks against an outage."""
        self._failed += 1
        self._failing_since = min(self._failing_since, began)
        if self._failed >= self.failures and self.clock() - self._failing_since >= self.patience:
            self.open(error)

    def refused(self, error: str) -> None:
        """A call was refused. Many in a row are no matter of the single call."""
        self._refused += 1
        if self._refused >= REFUSALS:
            self.open(f"{self._refused} calls in a row were refused, the last with: {error}")

    def open(self, error: str) -> None:
        self.last_error = error
        self._open_until = self.clock() + self.probe_after


class Throttle:
    """One target's gate: `run` makes a call within the limit and sees it through its retries."""

    def __init__(self, name: str, cap: int, *, circuit: Circuit | None = None):
        self.name = name
        self.limit = AdaptiveLimit(cap)
        self.circuit = circuit or Circuit()
        self._jitter = random.Random(name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._in_flight = 0
        self._paused_until = 0.0

    async def run(self, call: Callable[[], Awaitable[T]]) -> tuple[T, int]:
        """The call's result and the number of retries it took.

        Raises:
            GatewayUnavailable: the circuit is open, or the target keeps rejecting this call.
            Refused: the target fails on this call again and again, but answers others.
            ProviderError: whatever else the call raises.
        """
        failures: Counter[type[ProviderError]] = Counter()
        first = self.circuit.clock()
        while True:
            async with self._place():
                began = self.circuit.clock()
                try:
                    result = await call()
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
            raise GatewayUnavailable(
                f"no call can be made: {self.circuit.last_error}. What is finished is saved; run again to resume."
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
