"""Hard limits in money, tokens and calls. The call that would cross one is not made.

A call reserves its worst case (its prompt plus max_tokens) before it starts and settles what it really
took afterwards. A call that fits only without the others' reservations waits for one to settle; one
that fits not even alone ends the run, resumable. Replies from the cache cost nothing. Limits of a run are
this process' matter; limits in total are kept in the store's account, which all runs on it share.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqale_assets.llm.account import NOTHING, Account, Spending
from sqale_assets.llm.ledger import read_ledger
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import OFFLINE_MODEL, BudgetSettings

if TYPE_CHECKING:
    from upath import UPath

#: Seconds after which a call that waits for other processes' calls looks again.
LOOK_AGAIN = 0.25


def spent_in(ledger: UPath) -> Spending:
    """What the ledger says was spent."""
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
    """What this run may still spend, by its own `limits` and by those in total that all runs on `account` share."""

    def __init__(self, limits: BudgetSettings, account: Account):
        self.account = account
        self._run = (limits.dollars, limits.tokens, limits.calls)
        self._total = (limits.total_dollars, limits.total_tokens, limits.total_calls)
        self.spent = NOTHING
        self._reserved = NOTHING
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def reserve(self, worst: Spending) -> AsyncIterator[Reservation]:
        """Hold room for `worst`, once there is any. Raises GatewayUnavailable if there can be none."""
        limited = any(self._total)
        while not self._fits(worst, limited):
            self._require_room(worst)
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await asyncio.wait([future], timeout=LOOK_AGAIN)
        self._reserved += worst
        reservation = Reservation()
        try:
            yield reservation
        finally:
            self._reserved -= worst
            self.spent += reservation.actual
            self.account.settle(worst if limited else NOTHING, reservation.actual)
            waiting, self._waiting = self._waiting, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    def _fits(self, worst: Spending, limited: bool) -> bool:
        if (self.spent + self._reserved + worst).crosses(*self._run):
            return False
        return not limited or self.account.hold(worst, *self._total)

    def _require_room(self, worst: Spending) -> None:
        """Raise if `worst` would cross a limit even with no other call in flight."""
        for prefix, spent, limits in (("", self.spent, self._run), ("total_", self.account.spent(), self._total)):
            if name := (spent + worst).crosses(*limits):
                limit = dict(zip(("dollars", "tokens", "calls"), limits, strict=True))[name]
                raise GatewayUnavailable(
                    f"the budget is spent: the next call would cross budget.{prefix}{name}={limit:g}."
                    " What is finished is saved; raise the limit and run again to resume."
                )
