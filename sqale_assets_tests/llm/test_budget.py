from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from upath import UPath

from sqale_assets.llm.account import NOTHING, Account, Spending
from sqale_assets.llm.budget import Budget, spent_in
from sqale_assets.llm.ledger import Ledger
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import BudgetSettings
from sqale_assets_tests.llm.test_ledger import row


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(tmp_path / "account.sqlite")


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
        ({"total_calls": 7, "calls": 9}, 7),
        ({"total_tokens": 1000}, 10),
        ({"total_dollars": 2.5}, 20),
    ],
)
def test_the_first_limit_that_would_be_crossed_stops_the_calls(limits, made, account):
    call = Spending(dollars=0.125, tokens=100, calls=1)
    budget = Budget(BudgetSettings(**limits), account)
    assert spend(budget, call, call, calls=50) == made
    assert budget.spent.calls == made


@pytest.mark.parametrize("limits", [{"tokens": 1000}, {"total_tokens": 1000}])
def test_calls_that_take_less_than_their_worst_case_leave_room_for_more(limits, account):
    worst, actual = Spending(tokens=400, calls=1), Spending(tokens=50, calls=1)
    budget = Budget(BudgetSettings(**limits), account)
    made = spend(budget, worst, actual, calls=100)
    assert budget.spent.tokens == made * 50 <= 1000
    assert made == 13  # 12 x 50 spent leave room for a worst case of 400; 13 x 50 do not


@pytest.mark.parametrize("limits", [{"calls": 1}, {"total_calls": 1}])
def test_a_call_that_failed_gives_its_room_back(limits, account):
    budget = Budget(BudgetSettings(**limits), account)

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            async with budget.reserve(Spending(calls=1)):
                1 / 0  # noqa: B018
        async with budget.reserve(Spending(calls=1)) as reservation:
            reservation.actual = Spending(calls=1)

    asyncio.run(main())
    assert budget.spent.calls == 1


def test_an_account_begins_with_what_the_ledger_says(tmp_path):
    ledger = Ledger(UPath(tmp_path / "ledger"))
    for changes in (
        {},
        {"outcome": "invalid"},
        {"cached": True, "cost": 0.0},
        {"outcome": "unavailable", "tokens_in": 0, "tokens_out": 0, "cost": 0.0},
        {"model": "offline/rules"},
    ):
        ledger.add(row(**changes))
    ledger.flush()
    call = Spending(tokens=1, calls=1)
    for made in (1, 0):  # the second run finds the account as the first left it
        account = Account(tmp_path / "account.sqlite", earlier=lambda: spent_in(ledger.folder))
        assert spend(Budget(BudgetSettings(total_calls=3), account), call, call, calls=5) == made
    assert account.spent() == Spending(pytest.approx(0.5), 31, 3)


#: Spends with seven others at once what it may, and says how many calls that were; or holds three calls and dies.
_RUN = """
import asyncio, os, signal, sys
from pathlib import Path
from sqale_assets.llm.account import Account, Spending
from sqale_assets.llm.budget import Budget
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import BudgetSettings

call = Spending(tokens=10, calls=1)
account = Account(Path(sys.argv[2]))
budget = Budget(BudgetSettings(total_calls=101), account)

async def one():
    made = 0
    while True:
        try:
            async with budget.reserve(Spending(tokens=100, calls=1)) as reservation:
                await asyncio.sleep(0.001)
                reservation.actual = call
                made += 1
        except GatewayUnavailable:
            return made

async def main():
    if sys.argv[1] == "die":
        for _ in range(3):
            account.hold(call, None, None, 101)
        os.kill(os.getpid(), signal.SIGKILL)
    print(sum(await asyncio.gather(*(one() for _ in range(8)))))

asyncio.run(main())
"""


def test_processes_share_a_limit_in_total_and_a_killed_one_holds_nothing_back(tmp_path):
    path = tmp_path / "account.sqlite"
    command = [sys.executable, "-c", _RUN]
    subprocess.run([*command, "die", str(path)], check=False)
    runs = [subprocess.Popen([*command, "spend", str(path)], stdout=subprocess.PIPE) for _ in range(3)]
    made = [int(run.communicate()[0]) for run in runs]
    assert sum(made) == 101
    assert Account(path).spent() == Spending(0.0, 1010, 101)
    assert not Account(path).hold(Spending(calls=1), None, None, 101)
    assert Account(path).hold(NOTHING, None, None, 101)


def test_a_ledger_that_cannot_be_read_keeps_nobody_else_from_the_account(tmp_path):
    def unreadable():
        raise RuntimeError("no such ledger")

    first, second = Account(tmp_path / "account.sqlite", unreadable), Account(tmp_path / "account.sqlite")
    with pytest.raises(RuntimeError, match="no such ledger") as raised:
        first.spent()
    assert second.spent() == NOTHING
    assert raised.tb  # which holds the connection that failed
