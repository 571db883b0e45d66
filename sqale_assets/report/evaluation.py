"""The evaluation's page: figures per model and schema size, the paper's charts, tests, and episodes to replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from sqale_assets.evaluation.charts import charts
from sqale_assets.evaluation.figures import Figures, Pair, figures, label, pairs
from sqale_assets.evaluation.log import Evaluated
from sqale_assets.evaluation.reference import Reference, load_reference
from sqale_assets.evaluation.replay import sample_replays
from sqale_assets.files import write_whole
from sqale_assets.report.examples import highlighted
from sqale_assets.report.parts import asset, drawing, embedded, template
from sqale_assets.statistics.charts import render

PAGE, SUMMARY = "report.html", "report.json"


class Summary(BaseModel):
    """All figures of the report, for programs."""

    figures: list[Figures]
    pairs: list[Pair]


class Written(NamedTuple):
    """The page and what is on it. `pictures` are its charts as PNG, by name."""

    path: Path
    figures: list[Figures]
    pairs: list[Pair]
    pictures: dict[str, bytes]


def write_report(runs: Sequence[Evaluated], folder: Path, quality: Path, *, seed: int = 0) -> Written:
    """Write page, figures and charts of `runs` into `folder`. `quality` holds the paper's figures."""
    paper = load_reference(quality)
    found = [each for run in runs for each in figures(run)]
    tests = pairs(runs)
    names = {run.run.fingerprint: label(run, runs) for run in runs}
    forms = {run.run.fingerprint: run.run.form for run in runs}
    drawn = charts(found, names, forms, paper)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "charts").mkdir(exist_ok=True)
    pictures = {name: render(chart) for name, chart in drawn.items()}
    for name, picture in pictures.items():
        write_whole(folder / "charts" / f"{name}.png", picture)
    write_whole(folder / SUMMARY, Summary(figures=found, pairs=tests).model_dump_json(indent=1).encode())
    drawings = {name: drawing(chart) for name, chart in drawn.items()}
    write_whole(folder / PAGE, _page(runs, found, tests, names, drawings, paper, seed).encode())
    return Written(folder / PAGE, found, tests, pictures)


def _page(
    runs: Sequence[Evaluated],
    found: Sequence[Figures],
    tests: Sequence[Pair],
    names: dict[str, str],
    drawings: dict[str, str],
    paper: Reference,
    seed: int,
) -> str:
    replays = [replay.model_dump(mode="json") for replay in sample_replays(runs, names, seed=seed)]
    for replay in replays:
        replay["gold_html"] = highlighted(replay.pop("gold_sql"))
        replay["sql_html"] = highlighted(replay["sql"]) if replay["sql"] else ""
    return template("evaluation.html.j2").render(
        runs=runs,
        figures=found,
        pairs=tests,
        names=names,
        charts=drawings,
        paper=paper,
        problems={run.run.fingerprint: Counter(problem.reason for problem in run.problems) for run in runs},
        episodes=sum(len(run.episodes) for run in runs),
        style=asset("style.css") + asset("replays.css"),
        script=asset("chooser.js") + asset("replays.js"),
        records=embedded(replays),
    )
