"""Figures: counts, averages, extremes and comparisons with them, each asked for and each used."""

from __future__ import annotations

import re

from sqlglot import exp

from sqale_assets.llm.offline.judging.case import Case, Objection, looks_out
from sqale_assets.llm.offline.judging.values import COMPARED

_ORDERED = r"from (?:highest|largest|lowest|smallest) to (?:highest|largest|lowest|smallest)"
_HIGH = r"highest|largest|greatest|biggest|maximum|max|most|top|best|latest|newest|longest|oldest|last|richest|heaviest"
_LOW = r"lowest|smallest|fewest|least|minimum|min|worst|earliest|shortest|youngest|first|cheapest|slowest|fastest"
_MORE = r"above|over|exceeds?|exceeding|beyond|(?:higher|greater|more|larger|longer|later|better)\b[^.?]*? than"
_LESS = r"below|under|(?:lower|less|fewer|smaller|shorter|earlier|worse)\b[^.?]*? than"


def figures(case: Case) -> Objection | None:
    """Counts, percentages, averages and sums, as the question asks for them."""
    counted = case.says("how many|number of|count|how often|occur more than|the most")
    if counted and not case.has(exp.Count) and not case.says("that figure"):
        return "wrong_aggregate", "The question asks for a number of things, and the query counts nothing."
    if case.says("percentage|percent") and not any(node.this in ("100", "100.0") for node in case.nodes(exp.Literal)):
        return "wrong_aggregate", "The question asks for a percentage."
    asks_average = case.says("average|mean")
    if asks_average and not case.has(exp.Avg):
        return "wrong_aggregate", "The question asks for an average, and the query computes none."
    if not asks_average and case.has(exp.Avg) and not re.search(r"\b(?:average|mean)\b", case.text):
        return "wrong_aggregate", "The query computes an average that was not asked for."
    if case.has(exp.Sum) and not case.has(exp.Case) and not re.search(
        r"\b(?:total|totals|sum|combined|overall|cumulative|add up)\b", case.text
    ):  # fmt: skip
        return "wrong_aggregate", "The query adds up values, which the question does not ask for."
    return None


def extremes(case: Case) -> Objection | None:
    """The highest is looked for where it is asked for, and not the lowest."""
    text = re.sub(_ORDERED, "", re.sub(r"\bat (?:most|least)\b", "", case.plain))
    high, low = (re.search(rf"\b(?:{pattern})\b", text) is not None for pattern in (_HIGH, _LOW))
    if (high or low) and not case.has(exp.Max, exp.Min, exp.Order, exp.Window):
        if case.says("highest|largest|greatest|lowest|smallest|maximum|minimum|the most"):
            return "wrong_aggregate", "The question asks for the highest or lowest, and the query does not look for it."
        return None
    raw = re.sub(_ORDERED, "", re.sub(r"\bat (?:most|least)\b", "", case.text))
    for kind, asked, pattern, name in ((exp.Max, high, _HIGH, "highest"), (exp.Min, low, _LOW, "lowest")):
        if case.has(kind) and not asked and not re.search(rf"\b(?:{pattern})\b", raw):
            return "wrong_aggregate", f"The query looks for the {name} value, which the question does not ask for."
    asked_high = re.search(r"\b(?:highest|largest|greatest|maximum|most)\b", text)
    if asked_high and not low and case.has(exp.Min) and not case.has(exp.Max, exp.Order):
        return "wrong_aggregate", "The question asks for the highest, and the query looks for the lowest."
    if not high and low and case.has(exp.Max) and not case.has(exp.Min, exp.Order):
        return "wrong_aggregate", "The question asks for the lowest, and the query looks for the highest."
    return None


def compared_figures(case: Case) -> Objection | None:
    """A comparison with an average or an extreme has the direction that the question says."""
    text = COMPARED.sub("", case.plain)
    for node in case.nodes(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ):
        figure = next((side for side in (node.this, node.expression) if isinstance(side, exp.Subquery)), None)
        if figure is None:
            continue
        if isinstance(node, exp.NEQ):
            return "wrong_filter", "The query leaves out just what has the figure that the question asks about."
        if figure.find(exp.Avg) is None:
            continue
        if case.says("same") and isinstance(figure.this, exp.Select) and not looks_out(figure.this):
            return "wrong_filter", "The average is over all rows, and the question asks for that of the row's peers."
        more = isinstance(node, exp.GT | exp.GTE) == (figure is node.expression)
        if re.search(rf"\b(?:{_MORE if more else _LESS})\b", text) is None:
            return "wrong_filter", f"The query keeps what is {'above' if more else 'below'} the average, not as asked."
    return None


def unused(case: Case) -> Objection | None:
    """A figure that a CTE or subquery computes is used outside of it."""
    for part in case.nodes(exp.CTE, exp.Subquery):
        inner = part.this
        if not part.alias or not isinstance(inner, exp.Select):
            continue
        others = [select for select in case.nodes(exp.Select) if select is not inner]
        if any(isinstance(each, exp.Star) for select in others for each in select.selects):
            continue
        inside = {id(column) for column in inner.find_all(exp.Column)}
        outside = {column.name.lower() for column in case.nodes(exp.Column) if id(column) not in inside}
        for each in inner.selects:
            if each.alias and each.alias.lower() not in outside and each.find(exp.AggFunc, exp.Window):
                return "wrong_filter", f"The query computes {each.alias} and does not use it."
    return None
