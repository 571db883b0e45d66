"""The shape of the result: as many columns as were asked for, a row per what was asked for, in the order asked for."""

from __future__ import annotations

import re

from sqlglot import exp

from sqale_assets.llm.offline.judging.case import Case, Objection

_VERBS = (
    "show|list|give|report|return|display|provide|present|retrieve|find|look up|get|pull up|fetch|compute|calculate"
    "|determine|i need|i would like|we need|i want to see|please give me|(?:state|add)(?= the | its | their )"
)
_VERB = re.compile(rf"(?:^|[.,;:?!] |\b(?:and|then) )(?:please )?(?:(?:{_VERBS})(?: me)?|what (?:is|are)) ")
#: Where the list of what is to be shown ends and something else is said.
_ENDS = (
    "whose|where|with|without|having|that|for which|of which|which|marked|flagged|not|sorted|ordered|in case|including"
    "|keeping|listing|taking|counting|preferring|found|occurring|occur|but only|shared|in each|per|for (?:every|each)"
    "|if several|zero included|as they|ignoring|leaving|going|proceeding|in order by"
)
_END = re.compile(
    rf"[.;?]| (?:of|for|among|across|over|to) (?:every|each|all|those|the (?:first )?\d)\b|,? (?:{_ENDS})\b"
)
_FIGURE = re.compile(
    r"\b(?:number|count|how many|how often|that figure|figure|total|sum|combined|overall|average|mean|highest|largest"
    r"|greatest|maximum|lowest|smallest|minimum|percentage|share|rank|place|difference|cumulative|running)\b"
)
_STARTS_WITH_FIGURE = re.compile(
    r"(?:how many|count|tally|(?:what is|compute|calculate|determine|find|show|give me|report) the (?:exact |total )?"
    r"(?:number|count|total|combined|overall|average|mean|maximum|highest|largest|minimum|lowest|smallest)\b)"
)
_PER = re.compile(r"\b(?:for each|for every|per|by|in each group)\b|\b(?:each|every) # ha(?:s|ve)\b")
_DIRECTION = re.compile(
    r"(?P<down>descending|(?:highest|largest|latest|newest|most) to|highest first|largest first)"
    r"|(?P<up>ascending|(?:lowest|smallest|earliest|oldest|fewest|least) to|lowest first|smallest first|alphabetical)"
)
_SUPERLATIVE = re.compile(r"\b(?:(?P<down>highest|largest|greatest|most)|(?P<up>lowest|smallest|fewest|least))\b")
_FIRST = re.compile(r"\b(?:\w+est|most|first|last|top|maximum|minimum)\b")
_ORDER = "sorted|sort|ordered|order (?:the|by)|going through|proceeding|in order by|rank|lead by|come first by"


def has_rows(case: Case) -> Objection | None:
    """There is something in the result; what was not run is not held against it."""
    if case.result.get("row_count") == 0:
        return "missing_rows", "The query returns no rows."
    return None


def limit(case: Case) -> Objection | None:
    """Rows are cut off only where the question says how many it wants."""
    node = case.tree.args.get("limit")
    if node is None or float(node.expression.name or "nan") in case.numbers:
        return None
    ordered = case.tree.args.get("order") is not None and not case.says(_ORDER)
    if ordered and node.expression.name == "1" and _FIRST.search(case.plain):
        return None  # that no other row ties with it is the gates' to see
    return "missing_rows", "The query cuts the result to a number of rows that the question does not name."


def order(case: Case) -> Objection | None:
    """The rows are in the order that was asked for, in its directions."""
    # A column may be called "sort" or "order": a whole sentence about the order is meant all the same.
    asks = case.says(_ORDER) or re.search(r"\b(?:(?:sort|order) (?:the|them)|(?:sorted|ordered) by)\b", case.text)
    if asks and not case.has(exp.Order):
        return "wrong_order", "The question asks for an order, and the query has none."
    outer = case.tree.args.get("order")
    if outer is None:
        return None
    if not (asks or case.says("highest|largest|greatest|lowest|smallest|most|fewest|least|first|last|top")):
        return "wrong_order", "The query sorts the result, which the question does not ask for."
    given = [bool(key.args.get("desc")) for key in outer.expressions if isinstance(key, exp.Ordered)]
    said = [match["down"] is not None for match in _DIRECTION.finditer(case.plain)]
    if not said and case.tree.args.get("limit") and (match := _SUPERLATIVE.search(case.plain)):
        said = [match["down"] is not None]
    if said and given[: len(said)] != said[: len(given)]:
        return "wrong_order", "The order is reversed."
    return None


def grain(case: Case) -> Objection | None:
    """One row per what was asked for, and each once where different ones were asked for."""
    tree = case.tree
    distinct = case.has(exp.Distinct, exp.Group, exp.SetOperation)
    if case.says("different|distinct|without repeats") and not distinct:
        return "wrong_grain", "The question asks for different values, and the query may repeat them."
    each = case.says("each|every|per|by")
    if re.match(r"(?:how many|what is the (?:total )?number of|count)\b", case.plain) and not each:
        rows = case.result.get("row_count")
        if rows is not None and rows != 1:
            return "wrong_grain", f"The question asks for one number, and the query returns {rows} rows."
    grouped = tree.args.get("group") is not None
    if grouped and not case.says("each|every|per|by|which|what"):
        return "wrong_grain", "The query groups, and the question does not ask for a figure per anything."
    if isinstance(tree, exp.Select) and not grouped:
        bare = [node for node in tree.selects if isinstance(node.unalias(), exp.Column)]
        sums = [node for node in tree.selects if _own_aggregate(node)]
        if sums and (bare or (each and len(tree.selects) > 1)):
            return "wrong_grain", "The query gives one figure for all, and the question asks for one per group."
    return None


def _own_aggregate(node: exp.Expression) -> bool:
    """Whether a shown figure sums up the rows of the query itself, not of a subquery or window."""
    return any(
        not isinstance(found.parent, exp.Window) and found.find_ancestor(exp.Subquery) is None
        for found in node.find_all(exp.AggFunc)
    )


def columns_asked(case: Case) -> Objection | None:
    """Each column that the result shows must be spoken of, or be a figure."""
    for select in case.tree.selects if isinstance(case.tree, exp.Select) else ():
        node = select.unalias()
        phrases = case.called.get(node.name.lower(), set()) if isinstance(node, exp.Column) else set()
        if phrases and not any(re.search(rf"\b{re.escape(phrase)}\b", case.text) for phrase in phrases):
            return "extra_column", f"The result shows {node.name}, which was not asked for."
    return None


def columns_shown(case: Case) -> Objection | None:
    """The result has as many columns as the question lists."""
    wanted = asked_items(case.plain)
    if re.search(r"\b(?:average|mean) (?:number of|total)\b", case.text):
        wanted = 1  # over things that are told after "per", which is no column
    if wanted > len(case.shown) and not any(each.is_star for each in case.shown):
        return "missing_column", f"The question asks for {wanted} things, and the result shows {len(case.shown)}."
    return None


def asked_items(plain: str) -> int:
    """How many columns a question asks for at least, names written as #; 0 where that cannot be told."""
    text, _, besides_it = re.sub(r"\bwith (?=their|its)", "together with ", plain).partition(" together with ")
    text, _, along = text.partition(" along with ")
    starts = [match.end() for match in _VERB.finditer(text)]
    rest = text[starts[-1] :] if starts else ""
    listed = [item for part in (rest, along, besides_it) for item in _items(part)]
    if not all("#" in item or _FIGURE.search(item) for item in listed):
        return 0
    if re.search(r"\bshared by more than\b", text):
        return 2
    ending = re.split(r"[.;?]", rest)[0]
    asks_figure = _STARTS_WITH_FIGURE.match(text) is not None
    only_figures = bool(listed) and all(_FIGURE.search(item) for item in listed)
    besides = re.search(r"\b(?:too|as well)\b", ending) is not None
    first_is_list = bool(starts) and starts[-1] <= 40 and asks_figure
    if besides:
        return len(listed) + 1
    if asks_figure and (not listed or first_is_list):
        return max(len(listed), 1) + bool(_PER.search(text))
    per_group = re.match(r"break|group", text) or (only_figures and re.match(r"for (?:each|every)|for which", text))
    return len(listed) + bool(listed and per_group)


def _items(text: str) -> list[str]:
    """The items of a list up to where conditions begin; the things themselves (all #) are none."""
    end = _END.search(text)
    part = re.sub(r"^both ", "", text[: end.start()] if end else text)
    return [item for item in re.split(r",? and (?:both )?|, ", part) if item.strip() and not re.match(r"all\b", item)]
