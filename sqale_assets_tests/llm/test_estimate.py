from __future__ import annotations

import asyncio
import io

import pytest
from rich.console import Console
from upath import UPath

from sqale_assets.llm.check import RouteStatus
from sqale_assets.llm.estimate import actual, forecast, keep_first
from sqale_assets.llm.inspect import cache_table, forecast_table, models_table, prompt_panels, render_first
from sqale_assets.llm.ledger import Ledger
from sqale_assets.llm.routing import stage_routes
from sqale_assets.settings import Settings
from sqale_assets_tests.doubles import OfflineLlm
from sqale_assets_tests.llm.conftest import GOOD_NAMES, Echo, ListNames
from sqale_assets_tests.llm.test_cache import REPLY, cache, key  # noqa: F401 - a fixture
from sqale_assets_tests.llm.test_ledger import row


def written(renderable) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(renderable)
    return console.file.getvalue()


@pytest.fixture(autouse=True)
def _no_models(monkeypatch):
    monkeypatch.delenv("SQALE_MODEL", raising=False)


@pytest.fixture
def ledger(tmp_path):
    """Four schemas of 10 style calls each: 1,000 tokens in, 100 out, 2 s, a dollar; one of them cached."""
    ledger = Ledger(UPath(tmp_path))
    for schema in range(4):
        for call in range(10):
            cached = schema == 0 and call == 0
            ledger.add(
                row(
                    schema_id=f"s{schema}", tokens_in=1000, tokens_out=100, seconds=2.0, cost=0.0 if cached else 1.0,
                    cached=cached, outcome="invalid" if call == 1 else "ok",
                )
            )  # fmt: skip
    ledger.add(row(outcome="unavailable"))
    ledger.flush()
    return UPath(tmp_path)


def test_what_was_measured_wins_over_the_sample(ledger):
    prices = {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-5}
    settings = Settings(models={"style": {"model": "openai/m", "extra": prices}}, concurrency=10)
    made = forecast(settings, 1000, ledger)
    style = made.stages["style"]
    assert made.measured == ("style",)
    assert (style.calls, style.tokens_in, style.tokens_out) == (9_750, 9_750_000, 975_000)
    assert style.dollars == pytest.approx(19.5)
    assert style.hours == pytest.approx(9_750 * 2.0 / 10 / 3600)


def test_the_stages_own_model_counts_before_another(ledger):
    more = Ledger(ledger)
    for schema in range(9):
        more.add(row(schema_id=f"s{schema}", model="openai/other", tokens_in=7))
    more.close()
    calls = {
        model: forecast(Settings(models={"style": {"model": model}}), 1000, ledger).stages["style"].calls
        for model in ("openai/m", "openai/other", "openai/new")
    }
    assert calls == {"openai/m": 9_750, "openai/other": 1_000, "openai/new": 1_000}


def test_calibration_is_a_line_of_its_own(tmp_path):
    quality = tmp_path / "quality"
    (quality / "judge").mkdir(parents=True)
    (quality / "judge" / "sample.jsonl").write_text("{}\n" * 30)
    settings = Settings(models={"judge": {"model": "openai/m"}}, quality=quality)
    taken = Ledger(UPath(tmp_path / "ledger"))
    for schema_id in ("s1", "calibration_sample", "calibration_sample"):
        taken.add(row(stage="judge", schema_id=schema_id))
    taken.close()
    made, found = forecast(settings, 10, taken.folder), actual(settings, taken.folder)
    assert made.stages["calibration"].calls == 30
    assert (found.schemas, found.stages["judge"].calls, found.stages["calibration"].calls) == (1, 1, 2)


def test_sizes_decide_the_number_of_calls(tmp_path):
    small = forecast(Settings(extension={"extra_tables": 0}, questions={"per_schema": 5}), 10, UPath(tmp_path))
    large = forecast(Settings(extension={"extra_tables": 100}, questions={"per_schema": 20}), 10, UPath(tmp_path))
    assert small.stages["extend"].calls == 0 < large.stages["extend"].calls
    assert large.stages["answer"].calls == pytest.approx(4 * small.stages["answer"].calls, rel=0.01)
    assert large.stages["populate"].calls > 5 * small.stages["populate"].calls
    assert small.stages["domain"].calls == 10


def test_the_offline_rules_are_free_and_a_model_without_a_price_is_said_to_be_one(tmp_path):
    made = forecast(Settings(models={"answer": {"model": "openai/home-made"}}), 10, UPath(tmp_path))
    assert (made.stages["domain"].dollars, made.stages["domain"].hours) == (0.0, 0.0)
    assert made.stages["answer"].dollars is None and made.stages["answer"].hours > 0
    assert "?" in written(forecast_table(made))


def test_the_actual_figures_are_what_was_paid_for(ledger):
    taken = actual(Settings(models={"style": {"model": "openai/m"}}, concurrency=10), ledger)
    style = taken.stages["style"]
    assert (taken.schemas, style.calls, style.tokens_in, style.dollars) == (4, 39, 39_000, 39.0)
    assert actual(Settings(), ledger).stages == {}


def test_the_first_forecast_is_kept_until_models_or_source_change(tmp_path, ledger):
    settings = Settings(models={"style": {"model": "openai/m"}})
    path = UPath(tmp_path / "forecast.json")
    before = keep_first(forecast(settings, 100, UPath(tmp_path / "empty")), path)
    after = forecast(settings, 100, ledger)
    assert after != before
    assert keep_first(after, path) == before
    assert keep_first(forecast(settings, 101, ledger), path).schemas == 101


def test_forecast_and_actual_stand_in_one_table(ledger):
    settings = Settings(models={"style": {"model": "openai/m"}})
    text = written(forecast_table(forecast(settings, 100, ledger), actual(settings, ledger)))
    assert "975" in text and "39.00" in text and "measured here: style" in text


def test_routes_are_shown_with_price_and_state():
    settings = Settings(
        model="openai/gpt-4o-mini", models={"judge": {"model": "opnai/x", "fallbacks": ["offline/rules"]}}
    )
    routes = stage_routes(settings)
    bad, _ = routes["judge"].targets
    text = written(
        models_table(
            routes, [RouteStatus(routes["style"].targets[0], ("style",), None, 0.5), RouteStatus(bad, ("judge",), "no")]
        )
    )
    assert "0.15 / 0.6" in text and "ok, 0.5 s" in text and "fallback" in text and "unknown" in text
    assert text.count("opnai/x (judge): no") == 1 and "base URL" not in text


def test_the_cache_is_shown_by_model_and_task(cache):  # noqa: F811
    cache.put(key(), "openai/m", "echo", REPLY)
    assert "openai/m" in written(cache_table(cache.entries()))


def test_a_prompt_is_shown_as_it_would_be_sent(settings):
    asked = []

    async def stage(llm):
        await llm.ask(ListNames(topic="computing"))
        asked.append("names")
        await llm.ask(Echo(text="[bold]not markup[/bold]"))
        asked.append("echo")

    llm = OfflineLlm(lambda messages: GOOD_NAMES, prompts=settings().prompts)
    rendered = asyncio.run(render_first("echo", stage, llm, settings()))
    assert asked == ["names"]
    assert rendered.messages[1]["content"] == "[bold]not markup[/bold]"
    text = written(prompt_panels(rendered))
    assert "[bold]not markup[/bold]" in text and rendered.prompt.label in text
    assert asyncio.run(render_first("write_poem", stage, llm, settings())) is None
