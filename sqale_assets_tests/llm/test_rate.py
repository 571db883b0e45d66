"""The bound per minute: exact, shared by processes, in a file and in a real Redis."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.llm import rate
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.rate import Bound, FileWindow, Rate, RedisWindow, _opens
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets_tests.llm.conftest import Echo
from sqale_assets_tests.llm.server import FakeProvider
from sqale_assets_tests.processes import free_port

#: A window that a test can wait for, instead of a minute's.
SECONDS, LAG = 2.0, 0.5


def in_a_loop(test):
    """A test that is a coroutine, run to its end."""
    return functools.wraps(test)(lambda *arguments, **named: asyncio.run(test(*arguments, **named)))


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory) -> Iterator[str]:
    pytest.importorskip("redis", reason="the package redis comes with .[cluster]")
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed (Debian: apt-get install redis-server)")
    port = free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL, cwd=tmp_path_factory.mktemp("redis"),
    )  # fmt: skip
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            break
        time.sleep(0.05)
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait()


@pytest.fixture(params=["file", "redis"])
def place(request, tmp_path) -> str:
    """Where the window lies, as a process is told."""
    return request.getfixturevalue("redis_url") if request.param == "redis" else str(tmp_path / "rate.sqlite")


def window(place: str) -> FileWindow | RedisWindow:
    kind = RedisWindow if "://" in place else lambda path, **times: FileWindow(Path(path), **times)
    return kind(place, seconds=SECONDS, lag=LAG)


CALLER = """
import asyncio, random, sys, time
from sqale_assets.llm.rate import Bound, Rate
from sqale_assets_tests.llm.test_rate import window

async def main(place, calls):
    one = window(place)
    rate = Rate(one, "provider", Bound(20, 1000))
    async def call():
        entry = await rate.enter(100)
        tokens = random.randint(20, 100)
        await asyncio.sleep(random.uniform(0, 0.4))
        print(time.time(), tokens, flush=True)
        await rate.settle(entry, tokens)
    await asyncio.gather(*(call() for _ in range(calls)))
    await one.aclose()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def test_two_processes_keep_one_bound(place):
    calls = 30
    callers = [
        subprocess.Popen([sys.executable, "-c", CALLER, place, str(calls)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    lines = [line.split() for caller in callers for line in caller.communicate(timeout=120)[0].splitlines()]
    made = sorted((float(at), int(tokens)) for at, tokens in lines)
    assert len(made) == 2 * calls
    slack = 0.1  # the clocks' differences
    for start, _ in made:
        within = [tokens for at, tokens in made if start <= at < start + SECONDS - slack]
        assert len(within) <= 20 and sum(within) <= 1000
    took = made[-1][0] - made[0][0]
    assert took >= 2 * SECONDS - slack, f"60 calls at 20 in {SECONDS} s took {took:.1f} s"


@in_a_loop
async def test_a_call_larger_than_the_bound_has_a_window_to_itself(place):
    one = window(place)
    keeper = Rate(one, "large", Bound(None, 50))
    began = time.monotonic()
    await keeper.enter(500)
    await keeper.enter(500)
    assert SECONDS - 0.1 <= time.monotonic() - began < SECONDS + 3
    await one.aclose()


@in_a_loop
async def test_what_was_not_taken_makes_room(place):
    one = window(place)
    keeper = Rate(one, "settled", Bound(None, 100))
    began = time.monotonic()
    for _ in range(5):
        await keeper.settle(await keeper.enter(60), 10)
    assert time.monotonic() - began < SECONDS
    await one.aclose()


@in_a_loop
async def test_providers_are_counted_apart(place):
    one = window(place)
    began = time.monotonic()
    for name in ("a", "b", "c"):
        await Rate(one, name, Bound(1, None)).enter(1)
    assert time.monotonic() - began < SECONDS
    await one.aclose()


@in_a_loop
async def test_a_machine_that_started_anew_forgets_within_a_window(tmp_path, monkeypatch):
    one = FileWindow(tmp_path / "rate.sqlite", seconds=SECONDS, lag=LAG)
    keeper = Rate(one, "provider", Bound(1, None))
    now = time.monotonic()
    monkeypatch.setattr(rate.time, "monotonic", lambda: now + 1e6)
    await keeper.enter(1)
    monkeypatch.undo()
    began = time.monotonic()
    await keeper.enter(1)
    assert time.monotonic() - began < SECONDS + 3


@in_a_loop
async def test_redis_that_cannot_be_reached_ends_the_run():
    pytest.importorskip("redis", reason="the package redis comes with .[cluster]")
    with pytest.raises(GatewayUnavailable, match="the shared rate limit cannot be kept"):
        await Rate(RedisWindow("redis://127.0.0.1:1/0"), "provider", Bound(1, None)).enter(1)


@given(st.lists(st.tuples(st.floats(0, 60), st.integers(1, 50)), max_size=12), st.integers(1, 5), st.integers(1, 100))
def test_room_opens_no_sooner_and_no_later_than_it_must(calls, requests, tokens):
    calls = sorted(calls)
    opens = _opens(calls, Bound(requests, 100), tokens)

    def fits(rest):
        return len(rest) < requests and sum(taken for _, taken in rest) + tokens <= 100

    if opens is None:
        assert fits(calls) or not calls
    else:
        ended = next(number for number in range(1, len(calls) + 1) if fits(calls[number:]) or number == len(calls))
        assert not fits(calls) and opens == calls[ended - 1][0]


@in_a_loop
async def test_the_gateway_keeps_the_bound(settings, tmp_path, monkeypatch):
    """Every request that arrives is counted, the process' first one too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    arrived = []
    async with FakeProvider(lambda request: arrived.append(time.monotonic()) or "ok") as provider:
        gateway = Gateway(settings(provider.base_url, requests_per_minute=3, route={"timeout": 120}))
        gateway.window._seconds = SECONDS
        llm = gateway.for_schema("style", "s1")
        await asyncio.gather(*(llm.ask(Echo(text=str(number))) for number in range(7)))
        await gateway.aclose()
    assert len(arrived) == 1 + 7
    assert all(later - earlier >= SECONDS for earlier, later in zip(arrived, arrived[3:], strict=False))
    assert (tmp_path / "caches" / "sqale" / "rate.sqlite").exists()
