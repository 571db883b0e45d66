from __future__ import annotations

import asyncio
import random
import time

import pytest

from sqale_assets.llm.circuit import Circuit
from sqale_assets.llm.errors import Broken, Overloaded, Refused, TimedOut
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.limit import AdaptiveLimit
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.llm.throttle import Throttle
from sqale_assets_tests.llm import server
from sqale_assets_tests.llm.conftest import Echo
from sqale_assets_tests.llm.server import FakeProvider


@pytest.mark.parametrize("share", [0.02, 0.1, 0.25])
def test_rejections_that_have_nothing_to_do_with_load_do_not_cost_speed(share):
    limit, draw = AdaptiveLimit(64), random.Random(1)
    values = []
    for _ in range(20_000):
        limit.outcome(rejected=draw.random() < share)
        values.append(limit.value)
    assert sum(values) / len(values) > 56
    assert min(values) >= 27


def simulated(limit: AdaptiveLimit, capacity: int, rounds: int, draw: random.Random) -> list[int]:
    """A provider that takes `capacity` calls at once and rejects the rest of those in flight at once."""
    values = []
    for _ in range(rounds):
        in_flight = limit.value
        for n in range(in_flight):
            limit.outcome(rejected=n >= capacity)
        values.append(limit.value)
    return values


@pytest.mark.parametrize("capacity", [1, 4, 10, 30, 50])
def test_overload_brings_the_limit_down_to_what_the_provider_takes(capacity):
    limit = AdaptiveLimit(64)
    values = simulated(limit, capacity, 400, random.Random(2))
    settled = values[100:]
    assert sum(settled) / len(settled) < max(1.6 * capacity, limit.floor + 3)
    assert min(values) >= limit.floor


def test_the_limit_comes_back_when_the_load_goes():
    limit = AdaptiveLimit(64)
    simulated(limit, 4, 50, random.Random(3))
    assert limit.value < 16
    for _ in range(3000):
        limit.outcome(rejected=False)
    assert limit.value == 64


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_circuit_opens_after_patience_and_closes_after_a_probe():
    clock = Clock()
    circuit = Circuit(patience=25, failures=4, probe_after=10, clock=clock)
    for clock.now in (0.0, 5.0, 12.0, 24.0):
        circuit.broke(clock.now, "connection refused")
        assert circuit.admit()
    clock.now = 26.0
    circuit.broke(26.0, "connection refused")
    assert not circuit.admit()
    clock.now = 37.0
    assert circuit.admit() and not circuit.admit()  # one probe
    circuit.succeeded()
    assert circuit.admit()


def test_a_success_now_and_then_keeps_the_circuit_closed():
    clock = Clock()
    circuit = Circuit(patience=25, failures=4, clock=clock)
    for second in range(0, 200, 2):
        clock.now = second
        circuit.succeeded() if second % 20 == 0 else circuit.broke(second, "500")
        assert circuit.admit()


def test_calls_that_hung_count_from_when_they_began():
    clock = Clock()
    circuit = Circuit(patience=25, failures=4, clock=clock)
    clock.now = 120.0
    for _ in range(4):
        circuit.broke(0.0, "no reply")
    assert not circuit.admit()


def run(call, n: int = 1, **circuit):
    throttle = Throttle("fake", 8, circuit=Circuit(**circuit))

    async def main():
        return await asyncio.gather(*(throttle.run(call) for _ in range(n)), return_exceptions=True)

    return asyncio.run(main())


def test_a_provider_that_is_down_stops_every_call_soon():
    async def down():
        raise Broken("connection refused")

    began = time.monotonic()
    results = run(down, 500, patience=0.5, failures=4)
    assert time.monotonic() - began < 20
    assert all(isinstance(result, GatewayUnavailable) for result in results)
    assert "connection refused" in str(results[0]) and "run again" in str(results[0])


def test_a_call_that_alone_fails_is_refused_while_the_others_are_answered(monkeypatch):
    monkeypatch.setattr("sqale_assets.llm.throttle.MAX_BACKOFF", 0.01)

    async def poisoned():
        raise Broken("500")

    async def fine():
        return "ok"

    async def main():
        throttle = Throttle("fake", 8)
        poison = asyncio.create_task(throttle.run(poisoned))
        while not poison.done():
            await throttle.run(fine)
            await asyncio.sleep(0.001)
        return poison.exception()

    assert isinstance(asyncio.run(main()), Refused)


def test_a_call_that_never_gets_a_reply_is_not_tried_for_ever(monkeypatch):
    monkeypatch.setattr("sqale_assets.llm.throttle.MAX_BACKOFF", 0.01)
    attempts = []

    async def endless():
        attempts.append(1)
        raise TimedOut("no reply within 120 s")

    (result,) = run(endless)
    assert isinstance(result, GatewayUnavailable)
    assert len(attempts) == 3


async def _forever() -> None:
    await asyncio.Event().wait()


def test_a_provider_that_never_answers_is_found_out_before_its_timeout():
    async def main():
        throttle = Throttle("t", 8, probe=_forever, patience=0.05)
        return await asyncio.gather(*(throttle.run(_forever) for _ in range(20)), return_exceptions=True)

    began = time.monotonic()
    results = asyncio.run(main())
    assert 0.1 <= time.monotonic() - began < 1
    assert all(isinstance(result, GatewayUnavailable) for result in results)
    assert "nor to a short test call" in str(results[0]) and "run again to resume" in str(results[0])


@pytest.mark.parametrize("answer", [None, Overloaded("busy")])
def test_a_slow_provider_that_answers_the_test_call_is_waited_for(answer):
    probes = []

    async def probe():
        probes.append(1)
        if answer:
            raise answer

    async def slow():
        await asyncio.sleep(0.3)
        return "ok"

    async def main():
        throttle = Throttle("t", 8, probe=probe, patience=0.05)
        return await asyncio.gather(*(throttle.run(slow) for _ in range(8)))

    assert asyncio.run(main()) == [("ok", 0)] * 8
    assert 3 <= len(probes) <= 6


def test_a_provider_that_is_heard_of_is_not_probed():
    async def main():
        throttle = Throttle("t", 8, probe=_forever, patience=0.15)

        async def short():
            await asyncio.sleep(0.02)

        async def long():
            await asyncio.sleep(0.5)

        async def others():
            for _ in range(20):
                await throttle.run(short)

        await asyncio.gather(throttle.run(long), others())

    asyncio.run(main())


def test_a_provider_that_hangs_half_way_stops_the_run_with_everything_kept(settings):
    provider = FakeProvider(latency=0.01)

    async def main(faults):
        provider.faults = faults
        async with provider:
            gateway = Gateway(settings(provider.base_url, route={"timeout": 3}))
            llm = gateway.for_schema("style", "s1")
            await llm.ask(Echo(text="imports litellm"))
            asked = (llm.ask(Echo(text=str(n))) for n in range(100))
            results = await asyncio.gather(*asked, return_exceptions=True)
            await gateway.aclose()
            return results

    results = asyncio.run(main(server.in_turn([None] * 71 + [server.HANG] * 1000)))
    answered = sum(not isinstance(result, GatewayUnavailable) for result in results)
    assert 60 < answered < 100
    resumed = asyncio.run(main(server.always(None)))
    assert sum(reply.cached for reply in resumed) == answered


def test_retry_after_is_waited_for():
    times = []

    async def limited():
        times.append(time.monotonic())
        if len(times) == 1:
            raise Overloaded("slow down", retry_after=0.3)
        return "ok"

    assert run(limited) == [("ok", 1)]
    assert 0.3 <= times[1] - times[0] < 2


def test_a_cancelled_waiter_passes_its_turn_on():
    async def main():
        throttle = Throttle("fake", 1)
        release = asyncio.Event()

        async def slow():
            await release.wait()
            return "ok"

        first, second, third = (asyncio.create_task(throttle.run(slow)) for _ in range(3))
        await asyncio.sleep(0.01)
        second.cancel()
        release.set()
        return await asyncio.wait_for(asyncio.gather(first, third), timeout=1)

    assert asyncio.run(main()) == [("ok", 0)] * 2


def ask_many(provider: FakeProvider, settings, n: int, **changes):
    async def main():
        async with provider:
            gateway = Gateway(settings(provider.base_url, **changes))
            llm = gateway.for_schema("style", "s1")
            try:
                return await asyncio.gather(*(llm.ask(Echo(text=str(i))) for i in range(n)), return_exceptions=True)
            finally:
                await gateway.aclose()

    return asyncio.run(main())


@pytest.mark.parametrize("retry_after", [None, 0.2])
def test_with_ten_percent_random_429s_every_item_completes(settings, retry_after):
    provider = FakeProvider(lambda request: request.last_message, latency=0.05)
    provider.faults = server.random_429(0.1, retry_after=retry_after)
    replies = ask_many(provider, settings, 400)
    assert [reply.value.text for reply in replies] == [str(i) for i in range(400)]
    assert len(provider.requests) < 400 * 1.25


def test_an_overloaded_provider_is_asked_less_and_everything_completes(settings):
    provider = FakeProvider(latency=0.02)
    provider.faults = server.over_capacity(6)
    replies = ask_many(provider, settings, 300)
    assert all(reply.value.text == "ok" for reply in replies)
    late = [request.in_flight for request in provider.requests[len(provider.requests) // 2 :]]
    assert sum(late) / len(late) < 16


@pytest.mark.parametrize("changes", [{"concurrency": 5}, {"route": {"concurrency": 5}}])
def test_no_more_calls_are_in_flight_than_the_settings_allow(settings, changes):
    provider = FakeProvider(latency=0.02)
    ask_many(provider, settings, 60, **changes)
    assert provider.peak == 5


def test_a_provider_that_restarts_is_waited_for(settings):
    provider = FakeProvider()

    async def main():
        gateway = Gateway(settings(provider.base_url))
        llm = gateway.for_schema("style", "s1")
        asking = asyncio.gather(*(llm.ask(Echo(text=str(i))) for i in range(10)))
        await asyncio.sleep(0.5)
        async with provider:
            replies = await asking
            await gateway.aclose()
        return replies

    async def reserve_a_port():
        async with provider:
            pass

    asyncio.run(reserve_a_port())
    assert len(asyncio.run(main())) == 10
