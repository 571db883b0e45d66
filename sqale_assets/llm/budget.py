"""Hard limits in money, tokens and calls. The call that would cross one is not made.

A call reserves its worst case (its prompt plus max_tokens) before it starts and settles what it really
took afterwards. A call that fits only without the others' reservations waits for one to settle; one
that fits not even alone ends the run, resumable. Replies from the cache cost nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqale_assets.llm.ledger import read_ledger
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import OFFLINE_MODEL, BudgetSettings

if TYPE_CHECKING:
    from upath import UPath


@dataclass(frozen=True, slots=True)
class Spending:
    """Amounts spent or about to be: US dollars, tokens in and out, provider calls."""

    dollars: float = 0.0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.dollars + other.dollars, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: Spending) -> Spending:
        return Spending(self.dollars - other.dollars, self.tokens - other.tokens, self.calls - other.calls)


NOTHING = Spending()


def spent_before(limits: BudgetSettings, ledger: UPath) -> Spending:
    """What the ledger says was spent so far, if `limits` has any in total."""
    if not any((limits.total_dollars, limits.total_tokens, limits.total_calls)):
        return NOTHING
    table = read_ledger(ledger, ["model", "outcome", "cached", "tokens_in", "tokens_out", "cost"])
    spent = NOTHING
    for model, outcome, cached, tokens_in, tokens_out, cost in zip(
        *(c.to_pylist() for c in table.columns), strict=True
    ):
        if not cached and outcome in ("ok", "invalid") and model != OFFLINE_MODEL:
            spent += Spending(cost, tokens_in + tokens_out, 1)
    return spent


class Reservation:
    """A call's share of the budget while it runs; `actual` is what it took, told by the caller."""

    actual: Spending = NOTHING


class Budget:
    """What this process may still spend; `before` is what earlier runs spent, for the limits in total."""

    def __init__(self, limits: BudgetSettings, *, before: Spending = NOTHING):
        self.limits, self.before = limits, before
        self.spent = NOTHING
        self._reserved = NOTHING
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def reserve(self, worst: Spending) -> AsyncIterator[Reservation]:
        """Hold room for `worst`, once there is any. Raises GatewayUnavailable if there can be none."""
        while self._crossed(self.spent + self._reserved + worst):
            if crossed := self._crossed(self.spent + worst):
                raise GatewayUnavailable(
                    f"{crossed}. What is finished is saved; raise the limit and run again to resume."
                )
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future
        self._reserved += worst
        reservation = Reservation()
        try:
            yield reservation
        finally:
            self._reserved -= worst
            self.spent += reservation.actual
            waiting, self._waiting = self._waiting, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    def _crossed(self, spending: Spending) -> str | None:
        """The limit that `spending` of this run would cross, in words."""
        total = self.before + spending
        limits = self.limits
        for name, limit, amount in (
            ("dollars", limits.dollars, spending.dollars),
            ("tokens", limits.tokens, spending.tokens),
            ("calls", limits.calls, spending.calls),
            ("total_dollars", limits.total_dollars, total.dollars),
            ("total_tokens", limits.total_tokens, total.tokens),
            ("total_calls", limits.total_calls, total.calls),
        ):
            if limit is not None and amount > limit:
                return f"the budget is spent: the next call would cross budget.{name}={limit:g}"
        return None
