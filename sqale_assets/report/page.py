"""The page: figures, charts, comparison, funnel, cost, quality and example records in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from sqale_assets.corpus.card import known_issues
from sqale_assets.report.examples import Example
from sqale_assets.report.parts import asset, drawing, embedded, template
from sqale_assets.statistics.charts import charts
from sqale_assets.statistics.comparison import FIGURE_3, FIGURES, OURS, Comparison
from sqale_assets.statistics.corpus import DEFINITIONS, CorpusStatistics

if TYPE_CHECKING:
    from sqale_assets.corpus.card import Release
    from sqale_assets.corpus.expectations import QualityRun
    from sqale_assets.stages.calibration import JudgeCalibration


class Headline(BaseModel):
    """A figure at the top of the page, beside what it is measured against."""

    label: str
    value: str
    beside: str = ""


def report(
    release: Release,
    comparison: Comparison,
    examples: Sequence[Example],
    *,
    quality: QualityRun | None = None,
    calibration: Mapping[str, JudgeCalibration] | None = None,
    date: str = "",
) -> str:
    """The page as HTML. It holds everything itself and opens without network.

    `calibration` holds the judge's figures by labelled set; `date` is shown as given.
    """
    from sqale_assets.stages.calibration import REFERENCE  # brings the judge with it, which the page does not need

    drawn = {name: drawing(chart) for name, chart in charts(release.statistics, comparison).items()}
    records = [example.model_dump(mode="json") for example in examples]
    return template("page.html.j2").render(
        ours=OURS,
        release=release,
        figures=release.statistics,
        comparison=comparison,
        headlines=headlines(release, comparison),
        schema_figures=FIGURE_3,
        query_figures=[figure for figure in FIGURES if figure not in FIGURE_3],
        titles=FIGURES,
        all_figures=all_figures(release.statistics, comparison.definitions),
        leak_reports={"test, in train": release.leaks, **release.held_out} if release.leaks else release.held_out,
        charts=drawn,
        issues=known_issues(release),
        quality=quality,
        calibration=calibration or {},
        judge_reference=REFERENCE,
        date=date,
        style=asset("style.css"),
        script=asset("chooser.js") + asset("browse.js"),
        records=embedded(records),
    )


def headlines(release: Release, comparison: Comparison) -> list[Headline]:
    """The figures that a reader wants first, each beside the published SQaLe's where there is one."""
    figures = release.statistics
    others = {row.corpus: row for row in comparison.rows}

    def beside(figure: str) -> str:
        cell = others["SQaLe"].cell(figure) if "SQaLe" in others else ""
        return f"SQaLe {cell}{'%' if figure.endswith('_pct') else ''}" if cell else ""

    found = [
        Headline(label="questions with gold SQL", value=f"{figures.records:,}", beside=beside("records")),
        Headline(
            label="phrasings", value=f"{figures.phrasings:,}", beside=f"{figures.placeholder_phrasings} placeholders"
        ),
        Headline(label="databases", value=f"{figures.schemas.schemas:,}", beside=beside("schemas")),
        Headline(label="median tables", value=f"{figures.schemas.tables_median:g}", beside=beside("tables_median")),
        Headline(label="rows", value=_compact(figures.schemas.rows_total or 0)),
        Headline(label="nested queries", value=f"{figures.sql.nested_pct:g}%", beside=beside("nested_pct")),
        Headline(
            label="of joining queries join several times",
            value=f"{figures.sql.multi_join_of_join_pct:g}%",
            beside=beside("multi_join_of_join_pct"),
        ),
        Headline(
            label="use five tables or more", value=f"{figures.sql.tables_ge5_pct:g}%", beside=beside("tables_ge5_pct")
        ),
    ]
    if check := release.verification:
        found.append(
            Headline(
                label="score of the gold queries, run again",
                value=f"{check.gold_score:.3f}",
                beside=f"with the authors' loader, {check.loader}",
            )
        )
    return found


def all_figures(figures: CorpusStatistics, reference: Mapping[str, str]) -> dict[str, list[tuple[str, str, str]]]:
    """(name, value, definition) of every figure, by what it is measured on."""
    ours = {"records", "phrasings", "placeholder_phrasings", "grounded_literals_pct", "literals_per_question",
            "relevant_tables_median", "relevant_tables_histogram", "domains", "licences"}  # fmt: skip
    parts = {
        "Corpus": (figures.model_dump(include=ours), DEFINITIONS),
        "Schemas": (figures.schemas.model_dump(), {**reference, **DEFINITIONS}),
        "SQL": (figures.sql.model_dump(), {**DEFINITIONS, **reference}),
        "Questions": (figures.questions.model_dump(), {**DEFINITIONS, **reference}),
    }
    parts |= {
        f"Phrasings, {style.replace('_', ' ')}": (each.model_dump(), DEFINITIONS)
        for style, each in figures.styles.items()
    }
    return {
        title: [(name, _shown(value), definitions[name]) for name, value in values.items() if value is not None]
        for title, (values, definitions) in parts.items()
    }


def _shown(value: object, most: int = 30) -> str:
    """A figure, a distribution or a list as a reader takes it."""
    if isinstance(value, Mapping):
        pairs = [f"{key}: {_shown(count)}" for key, count in value.items()]
        return ", ".join(pairs[:most]) + (f" and {len(pairs) - most:,} more" if len(pairs) > most else "")
    if isinstance(value, list):
        return f"from {min(value):,} to {max(value):,}" if value else "none"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _compact(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:.1f}{letter}"
    return f"{value:g}"
