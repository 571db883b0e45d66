"""The curves of training runs: the paper's Figure 7, and what else a run is watched by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any

from sqale_assets.statistics.charts import GREY, SCALE, styled

if TYPE_CHECKING:
    import altair

#: Points of a curve: a point is the mean of the steps that it stands for, and its line of all around it.
POINTS = 200
#: Figure 7 in words (seed, "Training on SQaLe"): first step, last step, least and most per episode.
PAPER = {
    "rounds": ((1, 1_658, 5.6, 6.8),),
    "tool_calls": ((1, 800, 5.5, 6.5), (1_300, 1_658, 18.8, 19.8)),
}

#: Chart -> its panels: metric -> title.
PANELS: dict[str, dict[str, str]] = {
    "figure_7": {"rounds": "rounds per episode", "tool_calls": "tool calls per episode"},
    "reward": {"reward": "reward", "accuracy": "accuracy", "executes": "runs, but is wrong"},
    "length": {
        "written_tokens": "tokens written per episode",
        "episode_tokens": "tokens per episode, with what was told",
    },
}


def charts(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, altair.Chart]:
    """The charts by name. `runs` maps a run's name to its steps as `metrics.read_metrics` gives them.

    A metric that no run has gets no panel.
    """
    known = {metric for steps in runs.values() for step in steps for metric in step}
    shown = {name: {metric: panels[metric] for metric in panels if metric in known} for name, panels in PANELS.items()}
    return {name: curves(runs, panels) for name, panels in shown.items() if panels}


def curves(runs: Mapping[str, Sequence[Mapping[str, Any]]], panels: Mapping[str, str]) -> altair.Chart:
    """A panel per metric, a curve per run; what the paper says of a metric as a grey band, as far as the runs go."""
    import altair as alt

    last = max((step["step"] for steps in runs.values() for step in steps), default=1)
    legend = alt.Legend(orient="top", symbolOpacity=1, symbolStrokeWidth=2)
    colour = alt.Color("run:N", sort=None, title=None, scale=alt.Scale(range=list(SCALE)), legend=legend)
    drawn = []
    for metric, title in panels.items():
        values = [
            {"run": run, "step": step, "value": value, "smooth": smooth}
            for run, steps in runs.items()
            for step, value, smooth in points(steps, metric)
        ]
        x = alt.X("step:Q", title="step", scale=alt.Scale(domain=[0, last], nice=False))
        y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True))
        base = alt.Chart(alt.Data(values=values)).encode(x=x, color=colour)
        layers = [
            *_bands(metric, last),
            base.mark_line(strokeWidth=1, opacity=0.3).encode(y=y),
            base.mark_line(strokeWidth=2).encode(y=alt.Y("smooth:Q", title=title)),
        ]
        drawn.append(alt.layer(*layers).properties(width=300, height=190))
    return styled(alt.hconcat(*drawn))


def points(steps: Sequence[Mapping[str, Any]], metric: str) -> list[tuple[int, float, float]]:
    """A curve as at most `POINTS` points: the step, the mean of the steps that it stands for, and a running mean.

    The running mean takes a tenth of the curve, half before a point and half after it.
    """
    known = [(step["step"], step[metric]) for step in steps if metric in step]
    count = min(len(known), POINTS)
    bounds = [round(part * len(known) / count) for part in range(count + 1)] if count else []
    parts = [known[start:end] for start, end in pairwise(bounds)]
    means = [fmean(value for _, value in part) for part in parts]
    reach = len(means) // 20
    return [
        (part[-1][0], mean, fmean(means[max(0, at - reach) : at + reach + 1]))
        for at, (part, mean) in enumerate(zip(parts, means, strict=True))
    ]


def _bands(metric: str, last: int) -> list[altair.Chart]:
    import altair as alt

    bands = [
        {"from": start, "to": min(end, last), "least": least, "most": most}
        for start, end, least, most in PAPER.get(metric, ())
        if start < last
    ]
    if not bands:
        return []
    chart = alt.Chart(alt.Data(values=bands)).mark_rect(color=GREY, opacity=0.35)
    return [chart.encode(x="from:Q", x2="to:Q", y="least:Q", y2="most:Q")]
