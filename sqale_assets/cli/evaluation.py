"""Measuring models: evaluate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, console, read_settings
from sqale_assets.settings import Settings

if TYPE_CHECKING:
    from sqale_assets.evaluation.figures import Figures, Share
    from sqale_assets.evaluation.items import Corpus
    from sqale_assets.evaluation.log import Evaluated
    from sqale_assets.evaluation.records import EpisodeRecord, Problem


@app.command()
def evaluate(
    model: Annotated[
        str | None,
        typer.Option(help="Any litellm model, or a folder of a trained one; else that of `evaluation.route`."),
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="SQaLe's parquet (ours or theirs), BIRD or Spider; by default the store's own.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the corpus.")] = "test",
    n: Annotated[int | None, typer.Option(min=1, help="Questions to sample.")] = None,
    style: Annotated[str | None, typer.Option(help="The phrasing to ask, such as evidence_supported.")] = None,
    tables: Annotated[
        list[str] | None, typer.Option(help="Schema size, repeatable: gold, +N (distractors) or full.")
    ] = None,
    databases: Annotated[int | None, typer.Option(min=1, help="Sample from so many databases only.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of sample and distractors.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="chat, or completion: one raw prompt that only grows.")] = None,
    opening: Annotated[str | None, typer.Option(help="What a turn begins with in a raw prompt.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Token budget of an episode.")] = None,
    parameters: Annotated[float | None, typer.Option(help="Billions of parameters; else from the name.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the episodes and the report.")] = None,
    source: SourceOption = None,
    store: StoreOption = None,
) -> None:
    """Measure a model on a corpus as the paper does: schema withheld, eight tools, six turns, execution accuracy."""
    settings = _chosen(
        read_settings(source, store, seed=seed), endpoint, opening, questions=n, style=style,
        tables=tables and tuple(name for each in tables for name in each.split(",")), databases=databases,
        episode_tokens=tokens,
    )  # fmt: skip
    from sqale_assets.evaluation.corpora import open_corpus
    from sqale_assets.evaluation.evaluate import evaluate as run
    from sqale_assets.evaluation.figures import figures
    from sqale_assets.evaluation.items import CorpusError
    from sqale_assets.evaluation.place import evaluation_folder
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.training.serving import serving

    root = out or evaluation_folder(settings)
    place = corpus or Path(settings.store) / "published"

    async def measured(name: str | None, reached: Settings):
        gateway = Gateway(reached)
        try:
            return await run(
                open_corpus(place, split, root / "databases"), reached, gateway, root / "runs", watch,
                model=name, parameters=parameters,
            )  # fmt: skip
        finally:
            await gateway.aclose()

    try:
        with Bar() as watch, serving(model, settings) as (name, reached):
            evaluated = asyncio.run(measured(name, reached))
    except ModuleNotFoundError as error:
        raise UserError(f"{model} is a folder, and {error.name} is not installed: pip install '.[train]'") from None
    except CorpusError as error:
        raise UserError(str(error)) from None
    if corpus is None:
        _report_measured(settings, evaluated, root)
    console.print(figures_table(figures(evaluated)))
    console.print(f"Episodes are in {root / 'runs'}; `sqale evaluation-report` writes the page.", soft_wrap=True)


@app.command()
def evaluation_report(
    out: Annotated[Path | None, typer.Option(help="Folder of the episodes and the report.")] = None,
    source: SourceOption = None,
    store: StoreOption = None,
) -> None:
    """Write the report over every model that was measured: tables, charts beside the paper's, episode replays."""
    settings = read_settings(source, store)
    from sqale_assets.evaluation.log import read_runs
    from sqale_assets.evaluation.place import evaluation_folder
    from sqale_assets.report.evaluation import write_report

    root = out or evaluation_folder(settings)
    try:
        runs = read_runs(root / "runs")
    except ValueError as error:
        raise UserError(str(error), 1) from None
    if not runs:
        raise UserError(f"{root / 'runs'} holds no episode yet; run `sqale evaluate` first.")
    written = write_report(runs, root, settings.quality, seed=settings.seed)
    console.print(figures_table(written.figures))
    console.print(f"The report is {written.path}.", soft_wrap=True)


def _report_measured(settings: Settings, evaluated: Evaluated, root: Path) -> None:
    """The store's own corpus was measured: the UI shall show the model."""
    from sqale_assets.assets.evaluation import report_measured
    from sqale_assets.automation.instance import open_instance

    with open_instance(settings) as instance:
        report_measured(instance, evaluated, root)


def _chosen(settings: Settings, endpoint: str | None, opening: str | None, **given: Any) -> Settings:
    """The settings with what the command line says of the evaluation."""
    route = {name: value for name, value in (("endpoint", endpoint), ("opening", opening)) if value is not None}
    given = {name: value for name, value in given.items() if value is not None}
    if route:
        given["route"] = settings.evaluation.route.model_dump() | route
    if not given:
        return settings
    return read_settings(settings.source, settings.store, seed=settings.seed, evaluation=_whole(settings, given))


def _whole(settings: Settings, given: dict[str, Any]) -> dict[str, Any]:
    return settings.evaluation.model_dump() | given


class Bar:
    """Progress of an evaluation: first over the gold queries, then over the episodes with the running accuracy."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<14}"), BarColumn(bar_width=30), MofNCompleteColumn(), TimeElapsedColumn(),
            TimeRemainingColumn(), TextColumn("{task.fields[note]}"), console=console,
        )  # fmt: skip
        self._outcomes: dict[str, list[bool]] = {}

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def sampled(self, corpus: Corpus, questions: int) -> None:
        for remark in corpus.remarks:
            self._progress.console.print(f"[yellow]{remark}")
        self._checks = self._progress.add_task("gold queries", total=questions, note="")

    def checked(self) -> None:
        self._progress.update(self._checks, advance=1)

    def prepared(self, ready: int, problems: Sequence[Problem], recorded: Sequence[EpisodeRecord], left: int) -> None:
        if problems:
            self._progress.console.print(problems_table(problems, ready + len(problems)))
        for episode in recorded:
            self._outcomes.setdefault(episode.condition, []).append(episode.correct)
        self._episodes = self._progress.add_task(
            "episodes", total=len(recorded) + left, completed=len(recorded), note=self._note()
        )

    def ended(self, episode: EpisodeRecord) -> None:
        self._outcomes.setdefault(episode.condition, []).append(episode.correct)
        self._progress.update(self._episodes, advance=1, note=self._note())

    def refused(self, problem: Problem) -> None:
        self._progress.console.print(f"{problem.database_id} / {problem.question_id}: {problem.detail}", markup=False)
        self._progress.update(self._episodes, advance=1)

    def _note(self) -> str:
        """The running accuracy, e.g. "gold 71.0%  full 64.5%"."""
        return "  ".join(f"{name} {100 * sum(seen) / len(seen):.1f}%" for name, seen in self._outcomes.items())


def problems_table(problems: Sequence[Problem], sampled: int) -> Table:
    """The sampled questions that cannot be asked, by reason, with an example each."""
    table = Table("reason", "questions", "for example", title=f"{len(problems)} of {sampled} questions cannot be asked")
    for reason in sorted({problem.reason for problem in problems}):
        alike = [problem for problem in problems if problem.reason == reason]
        first = alike[0]
        table.add_row(reason, str(len(alike)), f"{first.database_id} / {first.question_id}: {first.detail}"[:300])
    return table


def figures_table(found: Sequence[Figures]) -> Table:
    """A row per run and condition."""
    asked = ", ".join(sorted({each.style for each in found}))
    table = Table(caption=f"asked: {asked}; accuracy with its 95% interval", padding=(0, 0, 0, 1))
    for name in ("model", "tables", "n", "accuracy", "BIRD", "opened", "literals", "calls", "TFLOPs"):
        table.add_column(name, justify="left" if name in ("model", "tables") else "right", no_wrap=name != "model")
    for each in found:
        table.add_row(
            each.model, each.condition, str(each.correct.total), _with_interval(each.correct),
            f"{each.correct_bird.percent}%", _percent(each.opened_all), _percent(each.literals_seen),
            f"{each.calls:.1f}", "-" if each.tflops is None else f"{each.tflops:,.0f}",
        )  # fmt: skip
    return table


def _with_interval(share: Share) -> str:
    return f"{share.percent}% ({100 * share.low:.0f}–{100 * share.high:.0f})"


def _percent(share: Share) -> str:
    return f"{share.percent}%" if share.total else "-"
