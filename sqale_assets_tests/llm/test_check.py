from __future__ import annotations

import asyncio

import pytest

from sqale_assets.llm import check
from sqale_assets.llm.check import check_routes, require_routes
from sqale_assets.llm.routing import stage_route, stage_routes
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import Settings
from sqale_assets_tests.llm import server
from sqale_assets_tests.llm.server import FakeProvider


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "SQALE_MODEL", "SQALE_MODEL_ANSWER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(check, "RETRY_AFTER", (0.01, 0.01))


def problem(settings: Settings, *, call: bool = False) -> str:
    """The problem of the one route that is not offline."""
    (status,) = (s for s in asyncio.run(check_routes(settings, call=call)) if not s.target.offline)
    return status.problem or ""


def test_the_stage_variable_wins_over_the_settings_which_win_over_the_model():
    settings = Settings(model="openai/a", models={"answer": {"model": "openai/b"}})
    assert stage_route(settings, "style", {}).targets[0].model == "openai/a"
    assert stage_route(settings, "answer", {}).targets[0].model == "openai/b"
    assert stage_route(settings, "answer", {"SQALE_MODEL_ANSWER": "openai/c"}).targets[0].model == "openai/c"


def test_every_setting_of_a_route_arrives(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret-of-mine")
    route = {
        "model": "openai/b", "api_base": "http://x/v1", "api_key_env": "MY_KEY", "temperature": 0.1, "max_tokens": 9,
        "timeout": 3, "fallbacks": ["openai/c"], "extra": {"top_p": 0.9},
    }  # fmt: skip
    resolved = stage_routes(Settings(models={"judge": route}))["judge"]
    first, second = resolved.targets
    assert (first.model, first.api_base, first.api_key, first.timeout) == (
        "openai/b",
        "http://x/v1",
        "secret-of-mine",
        3,
    )
    assert (second.model, second.api_base, dict(second.extra)) == ("openai/c", None, {"top_p": 0.9})
    assert (resolved.temperature, resolved.max_tokens) == (0.1, 9)
    assert "secret-of-mine" not in repr(resolved)


@pytest.mark.parametrize(
    ("route", "message"),
    [
        ({"model": "opnai/gpt-4o"}, "litellm knows no such provider"),
        ({"model": "gpt-fortytwo"}, "provider/name"),
        ({"model": "openai/gpt-4o"}, "set OPENAI_API_KEY"),
        ({"model": "openai/gpt-4o", "api_key_env": "MY_ABSENT_KEY"}, "set the environment variable MY_ABSENT_KEY"),
    ],
)
def test_a_wrong_model_and_a_missing_key_are_told_without_a_call(route, message):
    assert message in problem(Settings(models={"style": route}))


def test_a_limit_in_money_needs_a_price(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret-of-mine")
    route = {"model": "openai/home-made", "api_key_env": "MY_KEY"}
    assert "knows no price" in problem(Settings(models={"style": route}, budget={"dollars": 5}))
    assert not problem(Settings(models={"style": route}, budget={"tokens": 5}))
    priced = {**route, "extra": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}
    assert not problem(Settings(models={"style": priced}, budget={"dollars": 5}))


def test_an_address_where_nobody_answers_is_told(settings):
    assert "cannot be reached at http://127.0.0.1:1/v1" in problem(settings("http://127.0.0.1:1/v1"), call=True)


@pytest.mark.parametrize(
    ("faults", "message", "asked"),
    [
        ([server.status(401, "wrong key")], "wrong key", 1),
        ([server.status(404, "model not found")], "model not found", 1),
        ([server.rate_limited()] * 3, "no room now", 3),
        ([server.rate_limited(), server.status(500)], "", 3),
        ([], "", 1),
    ],
)
def test_one_call_tells_what_the_name_does_not(settings, faults, message, asked):
    async def main():
        async with FakeProvider() as provider:
            provider.faults = server.in_turn(faults)
            statuses = await check_routes(settings(provider.base_url))
            return [s for s in statuses if not s.target.offline], len(provider.requests)

    (status,), requests = asyncio.run(main())
    assert requests == asked and status.seconds > 0
    assert message in status.problem if message else status.problem is None


def test_all_unfit_routes_are_in_one_message(settings):
    both = settings("http://127.0.0.1:1/v1", model="opnai/x")
    with pytest.raises(GatewayUnavailable) as caught:
        asyncio.run(require_routes(both))
    assert "opnai/x (domain, extend, populate, question, answer, judge)" in str(caught.value)
    assert "openai/fake (style): cannot be reached" in str(caught.value)


def test_the_offline_rules_need_nothing():
    asyncio.run(require_routes(Settings()))
