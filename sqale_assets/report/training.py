"""The page of training runs: the paper's Figure 7, reward, accuracy and length over the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqale_assets.files import write_whole
from sqale_assets.report.parts import asset, drawing, template
from sqale_assets.statistics.charts import render
from sqale_assets.training.charts import charts
from sqale_assets.training.metrics import FIGURES, summary

PAGE = "report.html"


class Written(NamedTuple):
    """The page, and its charts as PNG by name."""

    path: Path
    pictures: dict[str, bytes]


def write_report(runs: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> Written:
    """Write page and charts into `folder`. `runs` maps a run's name to its steps, at least one each."""
    drawn = charts(runs)
    pictures = {name: render(chart) for name, chart in drawn.items()}
    for name, picture in pictures.items():
        write_whole(folder / "charts" / f"{name}.png", picture)
    page = template("training.html.j2").render(
        runs={name: summary(steps) for name, steps in runs.items()},
        figures=FIGURES,
        charts={name: drawing(chart) for name, chart in drawn.items()},
        style=asset("style.css"),
    )
    write_whole(folder / PAGE, page.encode())
    return Written(folder / PAGE, pictures)
