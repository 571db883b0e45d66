"""How benchmarks draw a server's calls in flight over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def panels_over_time(
    rows: list[dict[str, Any]], panel: str, path: Path, *, color: str | None = None, **area: Any
) -> None:
    """One area chart per value of the field `panel`, one below the other, written as SVG.

    Args:
        rows: with the fields `s` (seconds), `places` (calls in flight), `panel` and, if given, `color`.
        area: further properties of the areas, as Vega-Lite names them.
    """
    import altair as alt
    import vl_convert

    colors = {"color": alt.Color(f"{color}:N", title=color)} if color else {}
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_area(**area)
        .encode(
            x=alt.X("s:Q", title="seconds"),
            y=alt.Y("places:Q", title="calls in flight", stack="zero"),
            row=alt.Row(f"{panel}:N", title=None, header=alt.Header(labelOrient="top", labelAnchor="start")),
            **colors,
        )
        .properties(width=720, height=160)
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict()))
