"""Numbers within what a column may hold, and variables of a row that other cells are computed from."""

from __future__ import annotations

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script


def like_originals(column: ColumnFacts) -> str:
    low, high = column.range or (0, 0)
    if column.kind == "integer":
        top = max(high, low + 2)
        return f"int(rng.triangular({int(low)}, {int(top) + 1}, {int(low + (top - low) * 0.35)}))"
    top = high if high > low else low + max(1.0, abs(low))
    return f"round(rng.triangular({low}, {top}, {low + (top - low) * 0.35:.6g}), {column.decimals})"


def limited(column: ColumnFacts, expression: str) -> str:
    if column.kind == "integer" and "round(" in expression:
        expression = f"int({expression})"
    if column.kind in ("decimal", "real") and column.decimals < 2 and "round(" in expression:
        expression = f"round({expression}, {column.decimals})"
    if column.low is not None and column.low > 1:
        expression = f"{column.low:.12g} + {expression}"
    elif column.low is not None and column.low > 0:
        expression = f"max({expression}, {column.low:.12g})"
    if column.high is not None and column.high < 10 and column.kind != "integer":
        low = max(0, column.low or 0)
        likeliest = low + (column.high - low) * 0.4
        return f"round(rng.triangular({low:g}, {column.high:.12g}, {likeliest:.6g}), {column.decimals})"
    if column.high is not None and column.high < 1_000_000:
        expression = f"min({expression}, {column.high:.12g})"
    return expression


def variable(script: Script, name: str, column: ColumnFacts, expression: str) -> str:
    """The row's variable of that sort; a second column of the same sort draws its own."""
    return (
        script.once(name, limited(column, expression)) if name not in script.variables else limited(column, expression)
    )
