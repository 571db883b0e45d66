"""The paper's Figures 4, 5 and 8 with our models in colour and the paper's in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqale_assets.evaluation.figures import Figures, size_of
from sqale_assets.evaluation.reference import Reference
from sqale_assets.statistics.charts import ACCENT, GREY, SCALE, styled

if TYPE_CHECKING:
    import altair

#: Which of Figure 4's columns stands beside a corpus of this form.
_COLUMN = {"sqale": "SQaLe test", "bird": "BIRD"}


def charts(
    found: Sequence[Figures], names: Mapping[str, str], forms: Mapping[str, str], paper: Reference
) -> dict[str, altair.Chart]:
    """Every chart by name. `names` and `forms` map a run's fingerprint to its label and its corpus' form."""
    shown = {
        "accuracy": accuracy(found, names, forms, paper),
        "schema_size": schema_size(found, names, paper),
        "literals": literals(found, names, paper),
        "breakdown": breakdown(found, names),
        "endings": endings(found, names),
    }
    if any(each.tflops for each in found):
        shown["cost"] = cost(found, names, paper)
    return shown


def accuracy(
    found: Sequence[Figures], names: Mapping[str, str], forms: Mapping[str, str], paper: Reference
) -> altair.Chart:
    """Figure 4: accuracy on the whole schema with its interval; the paper's models as lines across."""
    import altair as alt

    columns = {_COLUMN.get(forms[each.run]) for each in found} - {None}
    column = columns.pop() if len(columns) == 1 else _COLUMN["sqale"]
    values = [
        {"model": names[each.run], "accuracy": each.correct.percent, "low": 100 * each.correct.low,
         "high": 100 * each.correct.high, "n": each.correct.total}
        for each in largest(found)
    ]  # fmt: skip
    order = [value["model"] for value in values]
    lines = [{"paper": model, "accuracy": row[column]} for model, row in paper.figure_4.items()]
    y = alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X(
        "accuracy:Q",
        title=f"execution accuracy, %; dashed: the paper's models on {column}",
        scale=alt.Scale(domain=[0, 100]),
    )
    ours = alt.Chart(alt.Data(values=values)).encode(y=y)
    bars = ours.mark_bar(color=ACCENT, cornerRadiusEnd=2, height=14).encode(
        x=x, tooltip=["model:N", "accuracy:Q", "low:Q", "high:Q", "n:Q"]
    )
    errors = ours.mark_rule(color="#888", strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q")
    reference = alt.Chart(alt.Data(values=lines))
    rules = reference.mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="accuracy:Q", tooltip=["paper:N", "accuracy:Q"])
    labels = reference.mark_text(angle=270, align="left", baseline="bottom", dx=2, color=GREY, fontSize=10).encode(
        x="accuracy:Q", y=alt.value(-2), text="paper:N"
    )
    return styled((bars + errors + rules + labels).properties(width=520, height=max(50, 34 * len(order))))


def cost(found: Sequence[Figures], names: Mapping[str, str], paper: Reference) -> altair.Chart:
    """Figure 5: accuracy against TFLOPs per question; the size of a point is the model's."""
    import altair as alt

    values: list[dict[str, Any]] = [
        {"model": point.model, "accuracy": point.accuracy, "tflops": point.tflops, "parameters": point.parameters,
         "whose": "the paper's"}
        for point in paper.figure_5
    ] + [
        {"model": names[each.run], "accuracy": each.correct.percent, "tflops": round(each.tflops, 1),
         "parameters": each.parameters, "whose": "measured here"}
        for each in largest(found) if each.tflops
    ]  # fmt: skip
    points = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("tflops:Q", title="TFLOPs per question (log)", scale=alt.Scale(type="log")),
        y=alt.Y("accuracy:Q", title="execution accuracy, %", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color(
            "whose:N",
            title=None,
            scale=alt.Scale(domain=list(_WHOSE), range=[ACCENT, GREY]),
            legend=alt.Legend(orient="top"),
        ),
    )
    circles = points.mark_circle(opacity=0.8).encode(
        size=alt.Size("parameters:Q", title="billions of parameters", scale=alt.Scale(range=[30, 400])),
        tooltip=["model:N", "accuracy:Q", "tflops:Q", "parameters:Q"],
    )
    labels = points.mark_text(align="left", dx=8, fontSize=9).encode(text="model:N")
    return styled((circles + labels).properties(width=560, height=320))


def schema_size(found: Sequence[Figures], names: Mapping[str, str], paper: Reference) -> altair.Chart:
    """Figure 8, top: accuracy, and the share of episodes that opened every gold table, by how much there was."""
    import altair as alt

    values = []
    for model, row in paper.figure_8.items():
        for condition, shares in row.items():
            for measure, share in zip(_MEASURES, shares, strict=True):
                values.append(
                    {"model": model, "condition": condition, "measure": measure, "share": share, "ours": False}
                )
    for each in found:
        for measure, share in zip(_MEASURES, (each.correct, each.opened_all), strict=True):
            if share.total:
                values.append(
                    {"model": names[each.run], "condition": each.condition, "measure": measure,
                     "share": share.percent, "ours": True}
                )  # fmt: skip
    order = sorted({value["condition"] for value in values}, key=size_of)
    ours = list(dict.fromkeys(value["model"] for value in values if value["ours"]))
    theirs = list(dict.fromkeys(value["model"] for value in values if not value["ours"]))
    colours = [*(SCALE[at % len(SCALE)] for at in range(len(ours))), *_GREYS[: len(theirs)]]
    lines = (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("condition:N", sort=order, title="tables in the database", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="%", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color(
                "model:N", title=None, scale=alt.Scale(domain=[*ours, *theirs], range=colours),
                legend=alt.Legend(orient="bottom", columns=3, labelLimit=260),
            ),
            strokeDash=alt.condition(alt.datum.ours, alt.value([1, 0]), alt.value([4, 3])),
            tooltip=["model:N", "condition:N", "measure:N", "share:Q"],
        )
        .properties(width=270, height=240)
    )  # fmt: skip
    return styled(lines.facet(facet=alt.Facet("measure:N", title=None, sort=list(_MEASURES)), columns=2))


def literals(found: Sequence[Figures], names: Mapping[str, str], paper: Reference) -> altair.Chart:
    """Figure 8, bottom: the string literals that a model saw before it answered."""
    import altair as alt

    values = [
        {"model": names[each.run], "seen": each.literals_seen.percent, "whose": "measured here"}
        for each in largest(found)
        if each.literals_seen.total
    ] + [{"model": model, "seen": seen, "whose": "the paper's"} for model, seen in paper.literals_seen.items()]
    bars = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            y=alt.Y("model:N", sort=[value["model"] for value in values], title=None, axis=alt.Axis(labelLimit=260)),
            x=alt.X("seen:Q", title="string literals of the gold query seen, %", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color(
                "whose:N", title=None, scale=alt.Scale(domain=list(_WHOSE), range=[ACCENT, GREY]), legend=None
            ),
            tooltip=["model:N", "seen:Q"],
        )
        .properties(width=420, height=22 * len(values))
    )
    return styled(bars)


def breakdown(found: Sequence[Figures], names: Mapping[str, str]) -> altair.Chart:
    """Accuracy on the whole schema by difficulty, tables needed, size of the schema, and domain."""
    import altair as alt

    values = [
        {"model": names[each.run], "by": by, "group": group, "accuracy": share.percent, "low": 100 * share.low,
         "high": 100 * share.high, "n": share.total, "place": place}
        for each in largest(found)
        for by, groups in each.by.items()
        for place, (group, share) in enumerate(groups.items())
    ]  # fmt: skip
    order = list(dict.fromkeys(value["group"] for value in sorted(values, key=lambda value: value["place"])))
    models = list(dict.fromkeys(value["model"] for value in values))
    base = alt.Chart().encode(
        x=alt.X("group:N", sort=order, title=None, axis=alt.Axis(labelAngle=-20)),
        xOffset=alt.XOffset("model:N", sort=models),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        y=alt.Y("accuracy:Q", title="accuracy, %", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color(
            "model:N", title=None, scale=alt.Scale(domain=models, range=list(SCALE)),
            legend=alt.Legend(orient="bottom", columns=3, labelLimit=260) if len(models) > 1 else None,
        ),
        tooltip=["model:N", "by:N", "group:N", "accuracy:Q", "n:Q"],
    )  # fmt: skip
    errors = base.mark_rule(color="#888").encode(y="low:Q", y2="high:Q")
    layered = alt.layer(bars, errors, data=alt.Data(values=values)).properties(width=250, height=150)
    panels = layered.facet(facet=alt.Facet("by:N", title=None, sort=list(found[0].by)), columns=2)
    return styled(panels.resolve_scale(x="independent", xOffset="independent"))


def endings(found: Sequence[Figures], names: Mapping[str, str]) -> altair.Chart:
    """How the episodes ended, per run and condition."""
    import altair as alt

    values = [
        {"run": f"{names[each.run]} · {each.condition}", "ending": ending.replace("_", " "), "episodes": count}
        for each in found
        for ending, count in each.endings.items()
    ]
    order = list(dict.fromkeys(value["run"] for value in values))
    bars = (
        alt.Chart(alt.Data(values=values))
        .mark_bar()
        .encode(
            y=alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=300)),
            x=alt.X("episodes:Q", stack="normalize", title="share of the episodes", axis=alt.Axis(format="%")),
            color=alt.Color(
                "ending:N", title=None, scale=alt.Scale(range=list(SCALE)), legend=alt.Legend(orient="top")
            ),
            tooltip=["run:N", "ending:N", "episodes:Q"],
        )
        .properties(width=420, height=24 * len(order))
    )
    return styled(bars)


def largest(found: Sequence[Figures]) -> list[Figures]:
    """Of each run the condition with the most tables: the whole schema where it was met."""
    kept: dict[str, Figures] = {}
    for each in found:
        if each.run not in kept or size_of(each.condition) > size_of(kept[each.run].condition):
            kept[each.run] = each
    return list(kept.values())


_WHOSE = ("measured here", "the paper's")
_MEASURES = ("execution accuracy", "every gold table opened")
_GREYS = ("#78716c", "#a8a29e", "#d6d3d1")
