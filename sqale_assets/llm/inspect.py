"""What a person may want to see of the gateway, as rich renderables: routes, cache, forecast, a prompt as sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text as RichText

from sqale_assets.llm.backend import estimate_tokens
from sqale_assets.llm.cache import CacheEntry
from sqale_assets.llm.check import RouteStatus
from sqale_assets.llm.estimate import LINES, Forecast, StageFigures
from sqale_assets.llm.prices import price
from sqale_assets.llm.prompts import Prompt, load_prompt
from sqale_assets.llm.routing import StageRoute
from sqale_assets.llm.task import Llm, LlmWrapper, Message, Reply, Task
from sqale_assets.settings import ModelStage, Settings


def models_table(routes: dict[ModelStage, StageRoute], statuses: Iterable[RouteStatus] = ()) -> Group:
    """The effective routing; with `statuses`, whether each target answered and how fast, and below what is wrong."""
    found = {status.target: status for status in statuses}
    columns = ("base URL", "key from", "$ in / out per M", "temperature", "max tokens")
    rows = []
    for stage, route in routes.items():
        for place, target in enumerate(route.targets):
            prices = price(target)
            rows.append(
                (
                    stage if place == 0 else "  fallback",
                    target.model,
                    _state(found.get(target)),
                    target.api_base or "",
                    target.api_key_env or "",
                    "unknown" if prices is None else f"{prices[0] * 1e6:g} / {prices[1] * 1e6:g}",
                    _override(route.temperature),
                    _override(route.max_tokens),
                )
            )
    shown = [number for number in range(len(columns) + 3) if number < 3 or any(row[number] for row in rows)]
    table = Table(*(("stage", "model", "state", *columns)[number] for number in shown))
    for column in table.columns[:2]:
        column.overflow = "fold"  # a model's name is there to be copied
    for row in rows:
        table.add_row(*(row[number] for number in shown))
    return Group(table, *(_problem(status) for status in found.values() if status.problem))


def _override(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _state(status: RouteStatus | None) -> RichText:
    if status is None:
        return RichText("not tried", style="dim")
    if status.problem:
        return RichText("see below", style="red")
    return RichText("ok" if status.seconds is None else f"ok, {status.seconds:.1f} s", style="green")


def _problem(status: RouteStatus) -> RichText:
    return RichText(f"{status.target.model} ({', '.join(status.stages)}): {status.problem}", style="red")


def cache_table(entries: Iterable[CacheEntry]) -> Table:
    """What the response cache holds, by model and task."""
    table = Table("model", "task", "replies", "megabytes", "tokens", "paid once, in $")
    for column in table.columns[2:]:
        column.justify = "right"
    for entry in entries:
        table.add_row(
            entry.model,
            entry.task,
            f"{entry.replies:,}",
            f"{entry.bytes / 1e6:,.1f}",
            f"{entry.tokens:,}",
            f"{entry.saved:,.2f}",
        )
    return table


def forecast_table(made: Forecast, taken: Forecast | None = None) -> Table:
    """A forecast per stage; beside it, in each cell, what the runs took so far."""
    table = Table("stage", "model", "calls", "tokens in", "tokens out", "$", "hours", title=_title(made, taken))
    for column in table.columns[2:]:
        column.justify = "right"
    for stage in LINES:
        after = taken.stages.get(stage) if taken else None
        table.add_row(stage, made.stages[stage].model, *_cells(made.stages[stage], after))
    after = _total(taken.stages.values()) if taken and taken.stages else None
    table.add_section()
    table.add_row("total", "", *_cells(_total(made.stages.values()), after), style="bold")
    return table


def _title(made: Forecast, taken: Forecast | None) -> str:
    measured = f"measured here: {', '.join(made.measured)}" if made.measured else "averages of the sample"
    title = f"Forecast for {made.schemas:,} schemas ({measured})"
    return f"{title}; below it the actual figures of {taken.schemas:,} schemas" if taken and taken.stages else title


def _cells(before: StageFigures, after: StageFigures | None) -> Iterable[str]:
    for name, form in (
        ("calls", ",d"),
        ("tokens_in", ",d"),
        ("tokens_out", ",d"),
        ("dollars", ",.2f"),
        ("hours", ",.2f"),
    ):
        cells = [getattr(figures, name) for figures in (before, after) if figures]
        yield "\n".join("?" if cell is None else _figure(cell, form) for cell in cells)


def _figure(cell: float, form: str) -> str:
    """Small amounts to the first figures that tell something, not as 0.00."""
    return f"{cell:.2g}" if form.endswith("f") and 0 < cell < 0.095 else format(cell, form)


def _total(figures: Iterable[StageFigures]) -> StageFigures:
    """Sums; the stages of a schema run one after the other, so hours add up too."""
    figures = list(figures)
    prices = [stage.dollars for stage in figures]
    return StageFigures(
        model="",
        calls=sum(stage.calls for stage in figures),
        tokens_in=sum(stage.tokens_in for stage in figures),
        tokens_out=sum(stage.tokens_out for stage in figures),
        dollars=None if None in prices else sum(prices),
        hours=sum(stage.hours for stage in figures),
    )


@dataclass(frozen=True, slots=True)
class Rendered:
    """A task's messages exactly as they would be sent, and the prompt file they came from."""

    prompt: Prompt
    messages: list[Message]


async def render_first(
    task: str, stage: Callable[[Llm], Awaitable[Any]], llm: Llm, settings: Settings
) -> Rendered | None:
    """What `stage` would send for its first call of `task`; None if it makes none. `llm` answers the other tasks."""
    try:
        await stage(_Stopper(task, llm, settings))
    except _Stop as stop:
        return stop.rendered
    return None


class _Stop(Exception):
    def __init__(self, rendered: Rendered):
        self.rendered = rendered


class _Stopper(LlmWrapper):
    """An `Llm` that stops the stage at the first call of one task."""

    def __init__(self, task: str, llm: Llm, settings: Settings):
        super().__init__(llm)
        self._task, self._settings = task, settings

    async def ask(self, task: Task[Any], *, sample: int = 0) -> Reply[Any]:
        if task.prompt != self._task:
            return await super().ask(task, sample=sample)
        prompt = load_prompt(task.prompt, self._settings.prompts)
        raise _Stop(Rendered(prompt, prompt.render(task)))


def prompt_panels(rendered: Rendered) -> Group:
    """The messages of a rendered prompt, with its version, parameters and size above."""
    prompt = rendered.prompt
    head = (
        f"{prompt.task} {prompt.label}, stage {prompt.stage}, temperature {prompt.temperature}, "
        f"max tokens {prompt.max_tokens}, about {estimate_tokens(rendered.messages):,} tokens"
    )
    panels = (
        Panel(RichText(message["content"]), title=message["role"], title_align="left") for message in rendered.messages
    )
    return Group(RichText(head, style="bold"), *panels)
