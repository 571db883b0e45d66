"""The offline judge: checks question and query against each other, word by word, without the grammar of the agent.

It looks from both sides: what the question says must have left a trace in the query (values, figures, order, negation,
things named, columns listed), and what the query does must follow from something that the question says. Each rule is a
function from a case to an objection or None; the first objection decides.
"""

from __future__ import annotations

import json
import re

from sqale_assets.llm.offline.judging import figures, joins, shape, values
from sqale_assets.llm.offline.judging.case import Case, Objection, Rule
from sqale_assets.llm.task import Message
from sqale_assets.sqlenv.sqlfacts import NotASelect

_BLOCK = re.compile(r"```(\w+)\n(.*?)\n?```", re.DOTALL)

_RULES: tuple[Rule, ...] = (
    shape.has_rows, shape.limit, values.values_used, values.values_asked, values.directions, figures.figures,
    figures.extremes, figures.compared_figures, shape.grain, figures.unused, values.negation, values.unequal,
    joins.correlation, shape.order, joins.keys, joins.things, shape.columns_shown, shape.columns_asked,
)  # fmt: skip


def respond(messages: list[Message]) -> str:
    """The verdict, as JSON."""
    blocks = dict(_BLOCK.findall(messages[1]["content"]))
    objection = judge(Case(blocks["question"], blocks["sql"], json.loads(blocks["result"]), blocks["schema"]))
    if objection is None:
        return json.dumps({"accepted": True, "category": "", "reason": ""})
    return json.dumps({"accepted": False, "category": objection[0], "reason": objection[1]}, ensure_ascii=False)


def judge(case: Case) -> Objection | None:
    """The first objection to the query, or None."""
    try:
        _ = case.tree
    except NotASelect as error:
        return "wrong_filter", f"The query cannot be read: {error}"
    return next((objection for rule in _RULES if (objection := rule(case)) is not None), None)
