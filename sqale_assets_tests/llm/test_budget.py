from __future__ import annotations

import asyncio

import pytest
from upath import UPath

from sqale_assets.llm.budget import Budget, Spending, spent_before
from sqale_assets.llm.ledger import Ledger
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import BudgetSettings
from sqale_assets_tests.llm.test_ledger import row


def spend(budget: Budget, worst: Spending, actual: Spending, *, calls: int, at_once: int = 8):
    """How many of `calls` were made, in tasks of which `at_once` run together."""
    made = 0

    async def one(places: asyncio.Semaphore) -> None:
        nonlocal made
        async with places, budget.reserve(worst) as reservation:
            made += 1
            await asyncio.sleep(0)
            reservation.actual = actual

    async def main() -> list[BaseException | None]:
        places = asyncio.Semaphore(at_once)
        return await asyncio.gather(*(one(places) for _ in range(calls)), return_exceptions=True)

    errors = [error for error in asyncio.run(main()) if error]
    assert all(isinstance(error, GatewayUnavailable) for error in errors)
    assert made + len(errors) == calls
    return made


@pytest.mark.parametrize(
    ("limits", "made"),
    [
        ({}, 50),
        ({"calls": 7}, 7),
        ({"tokens": 1000}, 10),
        ({"dollars": 2.5}, 20),
        ({"dollars": 2.5, "calls": 50, "tokens": 1500}, 15),
    ],
)
def test_the_first_limit_that_would_be_crossed_stops_the_calls(limits, made):
    call = Spending(dollars=0.125, tokens=100, calls=1)
    budget = Budget(BudgetSettings(**limits))
    assert spend(budget, call, call, calls=50) == made
    assert budget.spent.calls == made


def test_calls_that_take_less_than_their_worst_case_leave_room_for_more():
    worst, actual = Spending(tokens=400, calls=1), Spending(tokens=50, calls=1)
    budget = Budget(BudgetSettings(tokens=1000))
    made = spend(budget, worst, actual, calls=100)
    assert budget.spent.tokens == made * 50 <= 1000
    assert made == 13  # 12 x 50 spent leave room for a worst case of 400; 13 x 50 do not


def test_a_call_that_failed_gives_its_room_back():
    budget = Budget(BudgetSettings(calls=1))

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            async with budget.reserve(Spending(calls=1)):
                1 / 0  # noqa: B018
        async with budget.reserve(Spending(calls=1)) as reservation:
            reservation.actual = Spending(calls=1)

    asyncio.run(main())
    assert budget.spent.calls == 1


def test_the_total_counts_what_the_ledger_of_earlier_runs_says(tmp_path):
    ledger = Ledger(UPath(tmp_path))
    for changes in (
        {},
        {"outcome": "invalid"},
        {"cached": True, "cost": 0.0},
        {"outcome": "unavailable", "tokens_in": 0, "tokens_out": 0, "cost": 0.0},
        {"model": "offline/rules"},
    ):
        ledger.add(row(**changes))
    ledger.flush()
    limits = BudgetSettings(total_calls=3)
    before = spent_before(limits, UPath(tmp_path))
    assert (before.calls, before.tokens, before.dollars) == (2, 30, pytest.approx(0.5))
    assert spent_before(BudgetSettings(calls=3), UPath(tmp_path)) == Spending()
    call = Spending(tokens=1, calls=1)
    assert spend(Budget(limits, before=before), call, call, calls=5) == 1
