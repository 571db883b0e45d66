"""Calls made by one process for others: the same replies and bounds, and what happens when either end goes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

from sqale_assets.llm import offline
from sqale_assets.llm.call_server import CallServer, RemoteCaller, travelling
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.task import GatewayUnavailable, InvalidAnswer, OutOfRoom
from sqale_assets_tests.llm import server
from sqale_assets_tests.llm.conftest import GOOD_NAMES, Echo, ListNames
from sqale_assets_tests.llm.server import FakeProvider


def ask(provider, settings, work, clients=1):
    """The results of `work(llm)` with each of so many remote callers, in event loops of their own; and the server."""

    def client(place, theirs):
        async def main():
            gateway = Gateway(settings(provider.base_url), RemoteCaller(theirs, calls.native_tools()))
            try:
                return await work(gateway.for_schema("style", f"s{place}"))
            finally:
                await gateway.aclose()

        try:
            results[place] = asyncio.run(main())
        except Exception as error:
            results[place] = error

    async def run():
        async with provider:
            nonlocal calls
            calls = CallServer(Gateway(settings(provider.base_url)), clients)
            calls.start()
            with contextlib.closing(calls):
                threads = [threading.Thread(target=client, args=each) for each in enumerate(calls.sockets)]
                for thread in threads:
                    thread.start()
                await asyncio.to_thread(lambda: [thread.join() for thread in threads])

    calls, results = None, [None] * clients
    asyncio.run(run())
    return results


def faulty(faults):
    provider = FakeProvider(lambda request: request.last_message)
    provider.faults = faults
    return provider


def test_a_reply_comes_back_validated_and_is_accounted_for_by_who_asked(settings):
    async def work(llm):
        return await llm.ask(ListNames(topic="pioneers")), llm.usage

    ((reply, usage),) = ask(FakeProvider(lambda request: GOOD_NAMES), settings, work)
    assert reply.value.names == ("ada", "grace") and not reply.cached
    assert (usage.calls, usage.models) == (1, ("openai/fake",))


def test_all_together_keep_to_the_places_and_to_the_budget_of_one(settings):
    provider = FakeProvider(lambda request: request.last_message, latency=0.02)

    def bounded(url):
        return settings(url, route={"concurrency": 3}, budget={"calls": 25})

    async def work(llm):
        asked = (llm.ask(Echo(text=f"{id(llm)} {number}")) for number in range(15))
        return await asyncio.gather(*asked, return_exceptions=True)

    results = [each for made in ask(provider, bounded, work, clients=2) for each in made]
    refused = [each for each in results if isinstance(each, GatewayUnavailable)]
    assert len(provider.requests) == 25 and len(refused) == 5 and "budget.calls" in str(refused[0])
    assert max(request.in_flight for request in provider.requests) == 3


def test_what_one_has_asked_the_other_finds_in_the_cache(settings):
    provider = FakeProvider(lambda request: request.last_message, latency=0.05)

    async def work(llm):
        return (await llm.ask(Echo(text="the same"))).value.text

    assert ask(provider, settings, work, clients=2) == ["the same", "the same"]
    assert len(provider.requests) == 1


def test_a_refusal_and_a_dead_provider_are_told_as_at_home(settings):
    async def work(llm):
        return await llm.ask(Echo(text="hello"))

    refusing = faulty(lambda request: server.status(400, "not this"))
    (refused,) = ask(refusing, settings, work)
    assert isinstance(refused, InvalidAnswer) and "not this" in str(refused)
    wrong_key = faulty(lambda request: server.status(401, "who are you"))
    (unavailable,) = ask(wrong_key, settings, work)
    assert isinstance(unavailable, GatewayUnavailable) and "sqale models" in str(unavailable)


def test_the_embedded_rules_stay_at_home(settings, monkeypatch):
    monkeypatch.setattr(offline, "_rules", lambda task: lambda messages: threading.current_thread().name)
    provider = FakeProvider()

    async def work(llm):
        return (await llm.ask(Echo(text="hello"))).value.text

    (where,) = ask(provider, lambda url: settings(url, route={"model": "offline/rules"}), work)
    assert where != "sqale-calls" and not provider.requests


def test_a_cancelled_call_gives_its_place_back(settings):
    provider = faulty(lambda request: server.HANG if "1" in request.last_message else None)

    async def work(llm):
        hanging = asyncio.create_task(llm.ask(Echo(text="1")))
        while not provider.requests:
            await asyncio.sleep(0.01)
        hanging.cancel()
        return (await llm.ask(Echo(text="2"))).value.text

    assert ask(provider, lambda url: settings(url, route={"concurrency": 1}), work) == ["2"]


def test_a_caller_whose_server_ends_says_so(settings):
    provider = faulty(lambda request: server.HANG)

    async def main():
        async with provider:
            calls = CallServer(Gateway(settings(provider.base_url)), 1)
            gateway = Gateway(settings(provider.base_url), RemoteCaller(calls.sockets[0], calls.native_tools()))
            calls.start()
            asked = asyncio.create_task(gateway.for_schema("style", "s1").ask(Echo(text="hello")))
            while not provider.requests:
                await asyncio.sleep(0.01)
            began = time.monotonic()
            await asyncio.to_thread(calls.close)
            with pytest.raises(GatewayUnavailable, match=r"has ended.*run again to resume"):
                await asked
            with pytest.raises(GatewayUnavailable, match="has ended"):
                await gateway.for_schema("style", "s1").ask(Echo(text="again"))
            await gateway.aclose()
            return time.monotonic() - began

    assert asyncio.run(main()) < 5


def test_errors_that_cannot_travel_go_as_text():
    kept = GatewayUnavailable("no provider")
    assert travelling(kept) is kept
    told = travelling(OutOfRoom("echo", ("cut off",), "SELECT"))
    assert type(told) is RuntimeError and "OutOfRoom: echo" in str(told)
