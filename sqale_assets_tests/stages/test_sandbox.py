"""What generated code may do in the sandbox, and what it may not."""

from __future__ import annotations

import ast
import asyncio
import calendar
import random
from datetime import date, datetime

import pytest

from sqale_assets.stages.sandbox import GeneratorError, Sandbox
from sqale_assets.stages.sandbox.imports import redirect_imports
from sqale_assets.stages.sandbox.pools import LOCALES, pools
from sqale_assets.stages.sandbox.prelude.faker import Faker, ascii_slug
from sqale_assets.stages.sandbox.prelude.modules import CalendarModule


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(seconds=1.0, megabytes=64) as opened:
        yield opened


def _run(sandbox, body: str, *, columns=("a",), n=3, parents=None, seed="s", head=""):
    source = f"{head}\ndef generate_rows(rng, n, parents):\n    {body}\n"
    return sandbox.run_now(source, columns=list(columns), n=n, parents=parents or {}, seed=seed)


@pytest.mark.parametrize(
    "body",
    [
        'return [{"A": i, "b": None} for i in range(n)]',
        'return {"a": list(range(n)), "b": [None] * n}',
        "return [(i, None) for i in range(n)]",
        'return [{"a": i} for i in range(n)]',
        'return [{"a": i, "b": None, "c": 9} for i in range(n + 5)]',
    ],
)
def test_rows_come_back_as_columns_whatever_their_shape(sandbox, body):
    assert _run(sandbox, body, columns=("a", "b")) == {"a": [0, 1, 2], "b": [None, None, None]}


def test_parents_arrive_and_chance_is_seeded(sandbox):
    body = 'return [{"a": rng.choice(parents["p, q"])[0]} for _ in range(n)]'
    draw = [_run(sandbox, body, n=20, parents={"p, q": [(1, 2), (3, 4)]}, seed=seed) for seed in ("x", "x", "y")]
    assert draw[0] == draw[1] != draw[2]
    assert set(draw[0]["a"]) == {1, 3}


def test_global_random_clock_and_uuid_are_the_same_in_every_run(sandbox):
    head = "import random, uuid\nfrom datetime import datetime\n"
    body = 'return [{"a": f"{random.random()} {uuid.uuid4()} {datetime.now()} {fake.name()}"} for _ in range(n)]'
    assert _run(sandbox, body, head=head) == _run(sandbox, body, head=head)
    assert "2025-06-30" in _run(sandbox, body, head=head)["a"][0]


def test_ordinary_imports_work(sandbox):
    head = """
import random, string as st, uuid
from faker import Faker
import calendar, statistics
from datetime import date, timedelta
from secrets import token_hex
"""
    body = """f = Faker("de_DE")
    return [{"a": st.digits[0] + calendar.month_name[2] + str(statistics.mean([1, 3])) + token_hex(2) + f.city()
             + str(uuid.uuid4()) + str(date(2024, 1, 1) + timedelta(days=1))} for _ in range(n)]"""
    assert _run(sandbox, body, head=head)["a"][0].startswith("0February2")


def test_values_keep_their_types(sandbox):
    head = "from decimal import Decimal\nfrom datetime import date\nimport uuid"
    body = 'return [{"a": v} for v in [date(2024, 1, 2), Decimal("1.50"), uuid.uuid4()]]'
    first, second, third = _run(sandbox, body, head=head)["a"]
    assert first == date(2024, 1, 2)
    assert str(second) == "1.50"
    assert isinstance(third, str) and len(third) == 36


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1 / 0", "ZeroDivisionError"),
        ("while True: pass", "TimeoutError"),
        ('x = "a" * 10**9', "MemoryError"),
        ("return generate_rows(rng, n, parents)", "RecursionError"),
        ("return 5", "must return a list of dicts"),
        ('return [{"zz": 1}]', "the columns are: a"),
        ("return [1, 2]", "every row must be a dict"),
        ('return [{"a": open("/etc/hostname").read()}]', "PermissionError"),
        ("import numpy", "ModuleNotFoundError"),
        ("import os; return [{'a': os.environ['HOME']}]", "Error"),
        ("import socket", "ModuleNotFoundError"),
        ("return (", "SyntaxError"),
    ],
)
def test_what_goes_wrong_is_told_as_a_traceback(sandbox, body, expected):
    with pytest.raises(GeneratorError, match=expected):
        _run(sandbox, body)


def test_a_traceback_points_at_the_models_own_lines(sandbox):
    source = "from faker import Faker\nimport uuid\n\ndef generate_rows(rng, n, parents):\n    x = 1\n    return [y]\n"
    with pytest.raises(GeneratorError) as told:
        sandbox.run_now(source, columns=["a"], n=1, parents={}, seed="s")
    assert "line 6" in str(told.value)


def test_runs_go_on_beside_each_other(sandbox):
    source = 'def generate_rows(rng, n, parents):\n    return [{"a": fake.name()} for _ in range(n)]\n'

    async def many():
        runs = (sandbox.run(source, columns=["a"], n=5, parents={}, seed=str(i % 3)) for i in range(12))
        return await asyncio.gather(*runs)

    results = asyncio.run(many())
    assert all(result == results[i % 3] for i, result in enumerate(results))


def test_redirected_imports_keep_every_line_in_its_place():
    source = "import random, uuid as u\nfrom faker import (\n    Faker,\n    Factory as F,\n)\nx = 1\n"
    mended = redirect_imports(source)
    assert len(mended.splitlines()) == len(source.splitlines())
    assert mended.splitlines()[5] == "x = 1"
    ast.parse(mended)
    assert redirect_imports("import (") == "import ("
    assert redirect_imports("import random\n") == "import random\n"


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_has_names_enough(locale):
    drawn = pools(locale)
    assert min(len(drawn["female"]), len(drawn["male"]), len(drawn["last"]), len(drawn["places"])) >= 30
    assert all(len(place) == 4 for place in drawn["places"])


@pytest.mark.parametrize("locale", ["en_US", "fr_FR", "zh_CN"])
def test_every_method_of_fake_gives_a_value(locale):
    fake = Faker(rng=random.Random(1), pools=pools(locale))
    for name in dir(fake):
        method = getattr(fake, name)
        if (
            name.startswith("_")
            or name in ("random", "pools", "surname_first", "unique", "clear", "seed_instance")
            or not callable(method)
        ):
            continue
        assert method() is not None, name
    assert fake.email("Zoë Müller-Årup").split("@")[0] == "zoe.muellerarup"
    assert datetime(2022, 6, 30) <= fake.date_time_between("-3y", "now") <= datetime(2025, 6, 30, 12)
    assert ascii_slug("Škoda & Søn") == "skodason"


def test_the_calendar_agrees_with_the_standard_one():
    ours = CalendarModule()
    months = [(year, month) for year in (1900, 2000, 2023, 2024, 2025) for month in range(1, 13)]
    assert [ours.monthrange(*at) for at in months] == [calendar.monthrange(*at) for at in months]
