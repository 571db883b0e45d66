"""The short way sends what litellm sends and fails as litellm fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sqale_assets.llm import direct
from sqale_assets.llm.backend import load_litellm
from sqale_assets.llm.errors import Broken, ProviderError
from sqale_assets.llm.prices import cost
from sqale_assets.llm.provider import Completion, complete
from sqale_assets.llm.routing import Target
from sqale_assets_tests.llm import server
from sqale_assets_tests.llm.conftest import KEY
from sqale_assets_tests.llm.server import FakeProvider

ASKED = {"temperature": 0.5, "max_tokens": 100, "stop": ["END"]}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture
def through_litellm(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The last messages of the calls that went through litellm."""
    monkeypatch.setattr(direct, "_templates", {})
    monkeypatch.setenv("FAKE_API_KEY", KEY)
    asked: list[str] = []
    acompletion = load_litellm().acompletion

    async def counted(**call: Any) -> Any:
        asked.append(call["messages"][-1]["content"])
        return await acompletion(**call)

    monkeypatch.setattr(load_litellm(), "acompletion", counted)
    return asked


def said(*contents: str) -> list[dict[str, str]]:
    """System and user messages, then turns."""
    roles = ["system", *["user", "assistant"] * len(contents)]
    return [{"role": role, "content": content} for role, content in zip(roles, ("Answer.", *contents), strict=False)]


def ask(provider: FakeProvider, *calls: dict[str, Any], model: str = "openai/fake") -> list[Completion | ProviderError]:
    """What comes of `calls`, one after the other."""

    async def main() -> list[Completion | ProviderError]:
        async with provider:
            results: list[Completion | ProviderError] = []
            for call in calls:
                base = provider.base_url.removesuffix("/v1") if model.startswith("anthropic") else provider.base_url
                target = Target(model, base, "FAKE_API_KEY", timeout=call.pop("timeout", 5.0))
                try:
                    results.append(await complete(target, call.pop("messages"), call))
                except ProviderError as error:
                    results.append(error)
            await direct.close_sessions()
            return results

    return asyncio.run(main())


@pytest.mark.parametrize("model", ["openai/fake", "hosted_vllm/fake", "openrouter/fake", "deepseek/fake"])
def test_later_calls_send_what_litellm_sent(through_litellm, model):
    provider = FakeProvider(lambda request: request.last_message)
    results = ask(provider, *({"messages": said(text), **ASKED} for text in "abc"), model=model)
    assert through_litellm == ["a"]
    assert [result.text for result in results] == ["a", "b", "c"]
    first, *later = (request.body for request in provider.requests)
    assert all({**body, "messages": None} == {**first, "messages": None} for body in later)
    assert [body["messages"] for body in later] == [said("b"), said("c")]
    assert {request.headers["Authorization"] for request in provider.requests} == {f"Bearer {KEY}"}


def test_usage_cost_and_tool_calls_are_read_alike(through_litellm):
    call = {"id": "call_7", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "<think>hm</think>so be it", "tool_calls": [call]}
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 600}}
    provider = FakeProvider()
    provider.faults = server.always(server.answer(message, usage))
    first, second = ask(
        provider, *({"messages": said(text), "tools": TOOLS} for text in "ab"), model="openai/gpt-4o-mini"
    )
    assert through_litellm == ["a"] and first == second
    assert (second.text, second.tool_calls, second.tokens_cached) == ("so be it", (call,), 600)
    assert second.cost == pytest.approx(400 * 0.15e-6 + 600 * 0.075e-6 + 10 * 0.6e-6)


def test_another_kind_of_call_is_shown_by_litellm_first(through_litellm):
    calls = [
        {"messages": said("a")},
        {"messages": said("b"), "temperature": 0.1},
        {"messages": said("c", "turn", "d")},
        {"messages": said("e"), "response_format": {"type": "json_object"}},
        {"messages": said("f"), "tools": TOOLS},
        {"messages": said("g"), "timeout": 4.0},
    ]
    ask(FakeProvider(), *calls)
    assert through_litellm == ["a", "b", "d", "e", "f", "g"]


def test_what_litellm_rewrites_always_goes_through_it(through_litellm):
    provider = FakeProvider(lambda request: request.last_message)
    results = ask(provider, *({"messages": said(text), **ASKED} for text in "ab"), model="anthropic/claude-fake")
    assert through_litellm == ["a", "b"]
    assert [result.text for result in results] == ["a", "b"]
    assert provider.requests[1].body["system"][0]["text"] == "Answer."


def test_credentials_that_run_out_are_renewed_by_litellm(through_litellm):
    provider = FakeProvider()
    provider.faults = server.in_turn([None, None, server.status(401, "expired"), None])
    results = ask(provider, *({"messages": said(text)} for text in "abcde"))
    assert [result.text for result in results] == ["ok"] * 5
    assert through_litellm == ["a", "c"]


def test_a_template_that_never_worked_is_not_learned_again(through_litellm):
    provider = FakeProvider()
    provider.faults = server.in_turn([None, server.status(401, "not this way"), None])
    ask(provider, *({"messages": said(text)} for text in "abcd"))
    assert through_litellm == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "fault",
    [
        server.rate_limited(7),
        server.rate_limited(),
        server.status(500, "boom"),
        server.status(503, "busy"),
        server.status(400, "too rude"),
        server.status(400, "maximum context length is 10 tokens"),
        server.status(404, "no such model"),
        server.status(422, "unprocessable"),
        server.Fault(302, headers={"Location": "http://127.0.0.1:1/"}),
        server.Fault(200, '{"error": {"code": 429, "message": "upstream is busy"}}'),
        server.Fault(200, '{"choices": []}'),
        server.GARBAGE,
        server.HANG,
    ],
    ids=lambda fault: f"{fault.status}-{fault.body[:30]}" + ("-hang" if fault.hang else ""),
)
def test_it_fails_as_litellm_fails(through_litellm, fault):
    calls = [{"messages": said(text), "timeout": 0.3} for text in "ab"]
    provider = FakeProvider()
    provider.faults = server.always(fault)
    by_litellm, _ = ask(provider, *(dict(call) for call in calls))
    provider = FakeProvider()
    provider.faults = server.in_turn([None, fault])
    through_litellm.clear()
    _, by_us = ask(provider, *calls)
    assert through_litellm == ["a"]
    assert type(by_us) is type(by_litellm)
    assert vars(by_us) == vars(by_litellm)


def test_a_server_that_went_away_is_broken(through_litellm):
    async def main() -> list[ProviderError]:
        provider = FakeProvider()
        await provider.start()
        target = Target("openai/fake", provider.base_url, "FAKE_API_KEY", timeout=5.0)
        await complete(target, said("a"), {})
        await provider.stop()
        raised = []
        for parameters in ({}, {"temperature": 0.1}):
            with pytest.raises(ProviderError) as caught:
                await complete(target, said("b"), parameters)
            raised.append(caught.value)
        await direct.close_sessions()
        return raised

    by_us, by_litellm = asyncio.run(main())
    assert type(by_us) is type(by_litellm) is Broken
    assert "127.0.0.1" in str(by_us)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro", "deepseek/deepseek-chat"]
)
@pytest.mark.parametrize("call", [(1234, 100, 0), (60_000, 50, 1000), (250_000, 50, 1000)])
def test_flat_prices_are_what_litellm_says(model, call):
    tokens_in, tokens_out, cached = call
    by_litellm = load_litellm().cost_per_token(
        model=model, prompt_tokens=tokens_in, completion_tokens=tokens_out, cache_read_input_tokens=cached
    )
    assert cost(Target(model), *call) == pytest.approx(sum(by_litellm), rel=1e-9)
