from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import sys
from types import ModuleType

import pytest

from sqale_assets.llm import offline
from sqale_assets.llm.errors import redact
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.routing import Target
from sqale_assets.llm.task import GatewayUnavailable, InvalidAnswer
from sqale_assets.settings import Settings
from sqale_assets_tests.llm import server
from sqale_assets_tests.llm.conftest import GOOD_NAMES, KEY, Echo, ListNames
from sqale_assets_tests.llm.server import FakeProvider


@pytest.fixture(autouse=True)
def _fresh_rules():
    offline._rules.cache_clear()


def run(provider: FakeProvider, settings, work):
    """`work(llm, gateway)` against `provider`, in a loop of its own; its result."""

    async def main():
        async with provider:
            gateway = Gateway(settings(provider.base_url))
            try:
                return await work(gateway.for_schema("style", "s1"), gateway)
            finally:
                await gateway.aclose()

    return asyncio.run(main())


def ledger(settings):
    import duckdb

    found = duckdb.sql(f"SELECT * FROM '{settings().store}/ledger/*.parquet' ORDER BY asked_at")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_a_task_is_answered_and_accounted_for(settings):
    provider = FakeProvider(lambda request: request.last_message.upper())

    async def work(llm, _):
        return await llm.ask(Echo(text="hello")), llm.usage

    reply, usage = run(provider, settings, work)
    assert (reply.value.text, reply.cached, reply.model) == ("HELLO", False, "openai/fake")
    sent = provider.requests[0].body
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("fake", 0.5, 200)
    assert provider.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert (usage.calls, usage.cached_calls, usage.models) == (1, 0, ("openai/fake",))
    assert usage.tokens_in == reply.tokens_in > 0 and usage.seconds > 0
    (row,) = ledger(settings)
    assert (row["stage"], row["schema_id"], row["task"], row["outcome"]) == ("style", "s1", "echo", "ok")
    assert row["prompt"] == usage.prompts["echo"]


def test_nothing_is_paid_twice_and_one_new_row_costs_one_call(settings):
    provider = FakeProvider(lambda request: request.last_message)

    async def work(llm, _):
        return await asyncio.gather(*(llm.ask(Echo(text=str(n))) for n in range(count)))

    count = 20
    run(provider, settings, work)
    count = 21
    replies = run(provider, settings, work)
    assert len(provider.requests) == 21
    assert [reply.cached for reply in replies] == [True] * 20 + [False]
    assert [reply.value.text for reply in replies] == [str(n) for n in range(21)]


def test_samples_and_edited_prompts_are_other_calls(settings, prompts):
    provider = FakeProvider()

    async def work(llm, _):
        await llm.ask(Echo(text="x"))
        await llm.ask(Echo(text="x"), sample=1)
        path = prompts / "echo.md"
        path.write_text(path.read_text().replace("Answer.", "Answer briefly."))
        await llm.ask(Echo(text="x"))

    run(provider, settings, work)
    assert len(provider.requests) == 3


def test_a_prompt_may_say_where_replies_end(settings, prompts):
    provider = FakeProvider()
    path = prompts / "echo.md"
    path.write_text(path.read_text().replace("version: 1", 'version: 1\nstop: ["\\n```\\n"]'))

    async def work(llm, _):
        await llm.ask(Echo(text="x"))

    run(provider, settings, work)
    assert provider.requests[0].body["stop"] == ["\n```\n"]


def test_equal_calls_at_the_same_time_are_one_call(settings):
    provider = FakeProvider(latency=0.05)

    async def work(llm, _):
        return await asyncio.gather(*(llm.ask(Echo(text="same")) for _ in range(10)))

    assert [reply.cached for reply in run(provider, settings, work)].count(False) == 1
    assert len(provider.requests) == 1


def test_the_model_is_shown_its_own_error(settings):
    replies = iter(['{"nmes": ["ada"]}', GOOD_NAMES])
    provider = FakeProvider(lambda _: next(replies))

    async def work(llm, _):
        return await llm.ask(ListNames(topic="computing")), llm.usage

    reply, usage = run(provider, settings, work)
    assert reply.value.names == ("ada", "grace")
    assert usage.calls == 2
    _, said, told = provider.requests[1].body["messages"][-3:]
    assert said == {"role": "assistant", "content": '{"nmes": ["ada"]}'}
    assert "names: Field required" in told["content"]
    assert [(row["outcome"], row["attempt"]) for row in ledger(settings)] == [("invalid", 0), ("ok", 1)]


def test_an_answer_that_stays_invalid_is_evidence(settings):
    provider = FakeProvider(lambda _: "I would rather not.")

    async def work(llm, _):
        await llm.ask(ListNames(topic="computing"))

    with pytest.raises(InvalidAnswer) as caught:
        run(provider, settings, work)
    assert len(caught.value.errors) == len(provider.requests) == 3
    assert caught.value.text == "I would rather not."


def test_the_schema_is_sent_in_the_strictest_form_that_the_provider_takes(settings):
    def refuse(request):
        form = request.body.get("response_format", {}).get("type")
        return server.status(500, "response_format must be json_object") if form == "json_schema" else None

    provider = FakeProvider(lambda _: GOOD_NAMES)
    provider.faults = refuse

    async def work(llm, _):
        for topic in "abc":
            await llm.ask(ListNames(topic=topic))

    run(provider, settings, work)
    sent = [request.body["response_format"] for request in provider.requests]
    assert [form["type"] for form in sent] == ["json_schema", "json_object", "json_object", "json_object"]
    assert sent[0]["json_schema"]["schema"]["required"] == ["names"]
    assert sent[1]["schema"]["properties"]["names"]["type"] == "array"


def test_a_request_that_the_provider_refuses_rejects_the_item_alone(settings):
    provider = FakeProvider()
    provider.faults = lambda request: server.status(400, "too rude") if request.last_message == "rude" else None

    async def work(llm, _):
        with pytest.raises(InvalidAnswer, match="too rude"):
            await llm.ask(Echo(text="rude"))
        return await llm.ask(Echo(text="kind"))

    assert run(provider, settings, work).value.text == "ok"


def test_refusals_without_end_stop_the_run(settings):
    provider = FakeProvider()
    provider.faults = server.always(server.status(400, "unknown parameter"))

    async def work(llm, _):
        for n in range(100):
            try:
                await llm.ask(Echo(text=str(n)))
            except InvalidAnswer:
                continue

    with pytest.raises(GatewayUnavailable, match=r"in a row were refused.*unknown parameter"):
        run(provider, settings, work)
    assert len(provider.requests) == 25


@pytest.mark.parametrize(("code", "message"), [(401, "bad key"), (404, "no such model")])
def test_a_wrong_key_or_model_stops_at_once(settings, code, message):
    provider = FakeProvider()
    provider.faults = server.always(server.status(code, message))

    async def work(llm, _):
        with pytest.raises(GatewayUnavailable, match=message):
            await llm.ask(Echo(text="1"))
        with pytest.raises(GatewayUnavailable, match=message):
            await llm.ask(Echo(text="2"))

    run(provider, settings, work)
    assert len(provider.requests) == 1


def test_a_fallback_answers_when_the_first_model_is_not_there(settings, monkeypatch):
    provider = FakeProvider(lambda request: request.body["model"])
    provider.faults = lambda request: server.status(404, "gone") if request.body["model"] == "fake" else None

    async def main():
        async with provider:
            monkeypatch.setenv("OPENAI_API_BASE", provider.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            gateway = Gateway(settings(provider.base_url, route={"fallbacks": ["openai/second"]}))
            reply = await gateway.for_schema("style", "s1").ask(Echo(text="x"))
            await gateway.aclose()
            return reply

    reply = asyncio.run(main())
    assert (reply.model, reply.value.text) == ("openai/second", "second")


@pytest.mark.parametrize("fault", [server.status(500), server.status(503), server.GARBAGE, server.rate_limited(0.01)])
def test_passing_faults_are_retried(settings, fault):
    provider = FakeProvider()
    provider.faults = server.in_turn([fault, fault])

    async def work(llm, _):
        return await llm.ask(Echo(text="x"))

    assert run(provider, settings, work).value.text == "ok"
    assert [(row["outcome"], row["retries"]) for row in ledger(settings)] == [("ok", 2)]


def test_one_gateway_serves_one_loop_after_the_other(settings):
    provider = FakeProvider(lambda request: request.last_message)
    gateways = []

    async def work(llm, gateway):
        gateways[:] = gateways or [gateway]
        llm = gateways[0].for_schema("style", "s1")
        return await asyncio.gather(*(llm.ask(Echo(text=f"{len(provider.requests)} {n}")) for n in range(5)))

    for _ in range(3):
        run(provider, settings, work)
    assert provider.answered == 15


def test_a_loop_that_is_cancelled_half_way_leaves_the_gateway_usable(settings):
    provider = FakeProvider(latency=0.2)
    gateways = []

    async def cancelled(llm, gateway):
        gateways.append(gateway)
        await asyncio.wait_for(asyncio.gather(*(llm.ask(Echo(text=str(n))) for n in range(100))), timeout=0.1)

    with pytest.raises(TimeoutError):
        run(provider, settings, cancelled)
    provider.latency = 0

    async def again(_, __):
        llm = gateways[0].for_schema("style", "s1")
        return await asyncio.gather(*(llm.ask(Echo(text=str(n))) for n in range(100)))

    assert len(run(provider, settings, again)) == 100


def test_the_budget_stops_before_the_call_that_would_cross_it(settings):
    provider = FakeProvider(latency=0.01)

    async def main(**budget):
        async with provider:
            gateway = Gateway(settings(provider.base_url, budget=budget))
            llm = gateway.for_schema("style", "s1")
            try:
                return await asyncio.gather(*(llm.ask(Echo(text=str(n))) for n in range(30)), return_exceptions=True)
            finally:
                await gateway.aclose()

    results = asyncio.run(main(calls=10))
    assert len(provider.requests) == 10
    assert sum(isinstance(result, GatewayUnavailable) for result in results) == 20
    assert "raise the limit" in str(results[-1]) and "budget.calls=10" in str(results[-1])
    # what is paid for is kept: the next run goes on from there, and the total counts both
    asyncio.run(main(calls=10, total_calls=15))
    assert len(provider.requests) == 15


def test_once_a_reply_cannot_be_kept_no_further_one_is_asked_for(settings):
    provider = FakeProvider(lambda request: os.urandom(300).hex(), latency=0.05)

    async def main():
        async with provider:
            gateway = Gateway(settings(provider.base_url, route={"concurrency": 4, "timeout": 120}))
            llm = gateway.for_schema("style", "s1")
            await llm.ask(Echo(text="before the disk is full"))
            (pages,) = gateway.cache._connection.execute("PRAGMA page_count").fetchone()
            gateway.cache._connection.execute(f"PRAGMA max_page_count = {pages}")
            try:
                return await asyncio.gather(*(llm.ask(Echo(text=str(n))) for n in range(30)), return_exceptions=True)
            finally:
                await gateway.aclose()

    results = asyncio.run(main())
    refused = [result for result in results if isinstance(result, GatewayUnavailable)]
    assert len(refused) > 20 and all("disk is full" in str(result) for result in refused)
    kept = 1 + len(results) - len(refused)
    assert len(provider.requests) - kept <= 4  # those in flight


def test_the_planted_key_is_nowhere(settings, tmp_path, caplog, capfd):
    provider = FakeProvider(lambda request: f"echo {request.headers['Authorization']}")
    faults = [server.status(500, f"you sent {KEY}"), server.status(400, f"key {KEY} may not"), None]
    caplog.set_level(logging.DEBUG)
    errors = []

    async def work(llm, _):
        for text in "ab":
            try:
                reply = await llm.ask(Echo(text=text))
            except InvalidAnswer as error:
                errors.append(error)
        return reply

    provider.faults = server.in_turn(faults)
    reply = run(provider, settings, work)
    provider.faults = server.always(server.status(401, f"wrong key {KEY}"))

    async def refused(llm, _):
        await llm.ask(Echo(text="c"))

    with pytest.raises(GatewayUnavailable) as caught:
        run(provider, settings, refused)
    errors.append(caught.value)
    assert "***" in reply.text
    for error in errors:
        assert KEY not in "".join(_rendered(error))
    store = tmp_path / "store"
    cached = sqlite3.connect(store / "llm_cache.sqlite").execute("SELECT * FROM reply").fetchall()
    assert cached and KEY not in json.dumps(ledger(settings), default=str)
    for path in store.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    streams = capfd.readouterr()
    assert KEY not in caplog.text + streams.out + streams.err


def _rendered(error):
    import traceback

    return traceback.format_exception(error)


def test_secrets_of_the_environment_are_redacted(monkeypatch):
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", "very-secret-value")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret-value-too")
    assert redact("a very-secret-value-too b very-secret-value") == "a *** b ***"


def test_secrets_of_a_route_are_known_however_deep():
    extra = {
        "aws_secret_access_key": "value-of-aws",
        "extra_headers": {"Authorization": "Bearer deep-value"},
        "top_p": 1,
    }
    target = Target("bedrock/x", extra=extra)
    assert redact("value-of-aws, deep-value", target.secrets) == "***, ***"


def test_the_offline_rules_go_the_same_way_but_are_not_cached(tmp_path, prompts, monkeypatch):
    rules = ModuleType("rules")
    asked = []
    rules.respond = lambda messages: asked.append(messages) or json.dumps({"names": [messages[1]["content"]]})
    monkeypatch.setitem(sys.modules, "sqale_assets.llm.offline.list_names", rules)
    gateway = Gateway(Settings(store=str(tmp_path / "store"), prompts=prompts, model="offline/rules"))

    async def main():
        llm = gateway.for_schema("style", "s1")
        replies = [await llm.ask(ListNames(topic="ada")) for _ in range(2)]
        await gateway.aclose()
        return replies, llm.usage

    replies, usage = asyncio.run(main())
    assert [reply.value.names for reply in replies] == [("ada",)] * 2
    assert len(asked) == 2
    assert (usage.calls, usage.cached_calls, usage.seconds, usage.cost) == (2, 0, 0.0, 0.0)


def test_a_fault_in_the_rules_is_raised_as_it_is(tmp_path, prompts, monkeypatch):
    rules = ModuleType("rules")

    def respond(messages):
        return {}["missing"]

    rules.respond = respond
    monkeypatch.setitem(sys.modules, "sqale_assets.llm.offline.list_names", rules)
    gateway = Gateway(Settings(store=str(tmp_path / "store"), prompts=prompts, model="offline/rules"))
    with pytest.raises(KeyError, match="missing"):
        asyncio.run(gateway.for_schema("style", "s1").ask(ListNames(topic="x")))


def test_a_task_without_rules_says_what_to_do(tmp_path, prompts):
    gateway = Gateway(Settings(store=str(tmp_path / "store"), prompts=prompts, model="offline/rules"))
    with pytest.raises(offline.NoRules, match="set SQALE_MODEL"):
        asyncio.run(gateway.for_schema("style", "s1").ask(ListNames(topic="x")))
