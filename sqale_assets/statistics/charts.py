"""The figures drawn: Vega-Lite charts, for the report as specifications and for metadata as pictures.

Colours: ours in the accent, everybody else in grey, so that a chart is read before its legend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sqale_assets.statistics.comparison import FIGURES, OURS, Comparison
from sqale_assets.statistics.corpus import CorpusStatistics

if TYPE_CHECKING:
    import altair

ACCENT, GREY = "#0f766e", "#a8a29e"
SCALE = ("#0f766e", "#d97706", "#7c3aed", "#0369a1", "#be123c", "#65a30d")
_FONT = "Inter, 'Segoe UI', 'DejaVu Sans', sans-serif"


def charts(ours: CorpusStatistics, comparison: Comparison) -> dict[str, altair.Chart]:
    """Every chart of a corpus by name, in the order in which a report shows them."""
    return {
        "schema_size": compared(comparison, ("tables_median", "columns_median")),
        "sql_features": compared(comparison, ("nested_pct", "multi_join_of_join_pct", "tables_ge5_pct", "tables_mean")),
        "tables_per_query": bars(ours.sql.tables_histogram, "tables in the gold SQL", "queries"),
        "tables_per_schema": histogram(ours.schemas.tables_per_schema, "tables per schema", "schemas"),
        "rows_per_table": bars(ours.schemas.rows_per_table, "rows", "tables", sort=None),
        "column_types": bars(ours.schemas.column_types, "kind", "columns", sort=None, flat=True),
        "difficulty": difficulty(ours),
        "functions": bars(_functions(ours.sql.function_counts), "SQL function", "queries", sort=None, flat=True),
        "words_per_style": bars(
            {style.replace("_", " "): each.words_mean for style, each in ours.styles.items()},
            "style",
            "words, mean",
            sort=None,
            flat=True,
        ),
        "domains": bars(_first(ours.domains, 20), "domain", "schemas", sort=None, flat=True),
        "funnel": funnel(ours),
    }


def compared(comparison: Comparison, figures: Sequence[str]) -> altair.Chart:
    """One panel per figure, one bar per corpus; a published value where there is one, else ours computed."""
    import altair as alt

    values = [
        {
            "corpus": row.corpus,
            "figure": FIGURES[figure],
            "value": row.figures[figure][0].value,
            "source": row.figures[figure][0].source,
        }
        for figure in figures
        for row in comparison.rows
        if row.figures.get(figure)
    ]
    order = [row.corpus for row in comparison.rows]
    bar = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            y=alt.Y("corpus:N", sort=order, title=None),
            x=alt.X("value:Q", title=None),
            color=alt.condition(alt.datum.corpus == OURS, alt.value(ACCENT), alt.value(GREY)),
            tooltip=["corpus:N", "value:Q", "source:N"],
        )
        .properties(width=680 // len(figures), height=19 * len(order))
    )
    panel = alt.Facet("figure:N", title=None, sort=[FIGURES[figure] for figure in figures])
    return styled(bar.facet(facet=panel, columns=4).resolve_scale(x="independent"))


def bars(
    counts: Mapping[Any, float], of: str, measure: str, *, sort: str | None = "ascending", flat: bool = False
) -> altair.Chart:
    """One bar per key; `flat` lays the bars on their side, which long names need."""
    import altair as alt

    values = [{"key": key, "count": count} for key, count in counts.items()]
    keys = alt.EncodingSortField(field="key", order=sort) if sort else [value["key"] for value in values]
    kind, step = "O", 1 if all(isinstance(count, int) for count in counts.values()) else 0
    position, length = ("y", "x") if flat else ("x", "y")
    channel = {"x": alt.X, "y": alt.Y}
    level = all(len(str(key)) <= 3 for key in counts)  # longer labels would run into each other
    axis = alt.Axis(labelLimit=200) if flat else alt.Axis(labelAngle=0 if level else -35)
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(color=ACCENT, cornerRadiusEnd=2)
        .encode(
            **{
                position: channel[position](f"key:{kind}", title=of if not flat else None, sort=keys, axis=axis),
                length: channel[length]("count:Q", title=measure, axis=alt.Axis(tickMinStep=step)),
            },
            tooltip=[alt.Tooltip("key:N", title=of), alt.Tooltip("count:Q", title=measure)],
        )
        .properties(width=420, height=max(60, 18 * len(values)) if flat else 200)
    )
    return styled(chart)


def histogram(values: Sequence[float], of: str, measure: str) -> altair.Chart:
    """How a number is distributed, in about thirty bins."""
    import altair as alt

    chart = (
        alt.Chart(alt.Data(values=[{"value": value} for value in values]))
        .mark_bar(color=ACCENT)
        .encode(
            x=alt.X("value:Q", bin=alt.Bin(maxbins=30, minstep=1), title=of, axis=alt.Axis(format="d")),
            y=alt.Y("count()", title=measure, axis=alt.Axis(tickMinStep=1)),
            tooltip=[alt.Tooltip("count()", title=measure)],
        )
        .properties(width=420, height=200)
    )
    return styled(chart)


def difficulty(ours: CorpusStatistics) -> altair.Chart:
    """What was asked for beside what the gold SQL turned out to be."""
    import altair as alt

    values = [
        {"difficulty": name, "as": label, "questions": count}
        for label, counts in (
            ("asked for", ours.process.difficulty_asked),
            ("measured on the gold SQL", ours.process.difficulty_measured),
        )
        for name, count in counts.items()
    ]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("difficulty:N", sort=None, title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("as:N", sort=None),
            y=alt.Y("questions:Q"),
            color=alt.Color("as:N", title=None, scale=alt.Scale(range=[GREY, ACCENT]), legend=alt.Legend(orient="top")),
            tooltip=["difficulty:N", "as:N", "questions:Q"],
        )
        .properties(width=420, height=200)
    )
    return styled(chart)


def funnel(ours: CorpusStatistics) -> altair.Chart:
    """What each stage let through, and why it refused the rest: schemas in one panel, questions in the other."""
    import altair as alt

    values = []
    for step in ours.process.funnel:
        named = sum(step.rejected.values())
        parts = {"passed": step.passed, **step.rejected, "not answered here": step.entered - step.passed - named}
        values += [
            {"stage": step.stage.replace("_", " "), "of": f"{step.unit}s", "outcome": outcome.replace("_", " "),
             "count": count, "order": number}
            for number, (outcome, count) in enumerate(parts.items())
            if count > 0
        ]  # fmt: skip
    panels = [
        alt.Chart(alt.Data(values=[value for value in values if value["of"] == of]))
        .mark_bar()
        .encode(
            y=alt.Y("stage:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
            x=alt.X("count:Q", title=of, axis=alt.Axis(tickMinStep=1, format=",d")),
            order="order:Q",
            color=alt.condition(alt.datum.outcome == "passed", alt.value(ACCENT), alt.value(GREY)),
            tooltip=["stage:N", "outcome:N", "count:Q"],
        )
        .properties(width=350, height=26 * len({value["stage"] for value in values if value["of"] == of}))
        for of in ("schemas", "questions")
    ]
    return styled(alt.hconcat(*panels, spacing=40))


def render(chart: altair.Chart, form: Literal["png", "svg"] = "png", *, scale: float = 2) -> bytes:
    """The chart as a picture, drawn without a browser or network."""
    import vl_convert

    spec = chart.to_json()
    if form == "svg":
        return vl_convert.vegalite_to_svg(spec).encode()
    return vl_convert.vegalite_to_png(spec, scale=scale)


def styled(chart: altair.Chart) -> altair.Chart:
    """The chart in the house's dress."""
    return (
        chart.configure_view(stroke=None)
        .configure_axis(grid=False, labelFont=_FONT, titleFont=_FONT, titleFontWeight="normal", tickSize=3)
        .configure_header(labelFont=_FONT, labelFontWeight=600, labelAnchor="start")
        .configure_legend(labelFont=_FONT)
    )


def _functions(counts: Mapping[str, int]) -> dict[str, int]:
    """The commonest functions as SQLite calls them; sqlglot has a name of its own for these."""
    names = {"TIME_TO_STR": "STRFTIME", "IF": "CASE, IIF"}
    return {names.get(name, name): count for name, count in _first(counts, 20).items()}


def _first(counts: Mapping[str, int], most: int) -> dict[str, int]:
    return dict(list(counts.items())[:most])
