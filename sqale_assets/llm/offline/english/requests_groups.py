"""The grammar of requests over groups: figures per group and per thing, sets, ranks within groups."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

from sqale_assets.llm.offline.english.grammar import Fields, Production, compile_template, production
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    AverageChildren,
    BestPerPeer,
    Combine,
    GroupBy,
    MostChildren,
    PeerAverage,
    PerParent,
    Rank,
    Ref,
    Running,
    Side,
)
from sqale_assets.llm.offline.english.requests_rows import FUNCTIONS, SHOW


def _groups() -> list[Production]:
    made: list[Production] = []
    counting = (
        "How many {entity:entity.many} are there (for each|per) {group:group_ref}?",
        "(Count|Tally) {entity:entity.many} (for each|per|by) {group:group_ref}.",
        "For each {group:group_ref}, (show|give|report|compute|find|list) the number of {entity:entity.many}.",
        "(Group|Break down) {entity:entity.many} by {group:group_ref} and (show|give|report|compute|find|list) the (number|count) in each group.",
        "What is the number of {entity:entity.many} for (every|each) {group:group_ref}?",
    )
    made += _ordered("request", GroupBy, counting, function="count")
    for function, words in FUNCTIONS.items():
        figures = (
            f"What is the {words} {{column:column}} of {{entity:entity.many}} (for each|per) {{group:group_ref}}?",
            f"For each {{group:group_ref}}, (show|compute|give|report) the {words} {{column:column}} of {{entity:entity.many}}.",
            f"(Compute|Calculate|Show) the {words} {{column:column}} of {{entity:entity.many}} (for each|per) {{group:group_ref}}.",
            f"(Group|Break down) {{entity:entity.many}} by {{group:group_ref}} and (show|give|report|compute|find|list) the {words} {{column:column}} in each group.",
        )
        made += _ordered("request", GroupBy, figures, function=function)
        for template in (
            f"For which {{group:group_ref}} is the {words} {{column:column}} of {{entity:entity.many}} (above|over|more than) "
            "{over:number}? (Show|Give|Report|State|Name) that figure (too|as well).",
            f"{SHOW} each {{group:group_ref}} of {{entity:entity.many}} together with the {words} {{column:column}}, but only "
            "where that figure is (above|over|more than) {over:number}.",
        ):
            made.append(production("request", GroupBy, template, function=function))
    for template in (
        "(Which|What) {group:plural_ref} (occur|appear) more than {over:several} times among {entity:entity.many}? (Show|Give) (how often|the number of times) too.",
        f"{SHOW} each {{group:group_ref}} shared by more than {{over:several}} {{entity:entity.many}}, (with|together with) (their|the) number.",
        "For each {group:group_ref} with more than {over:several} {entity:entity.many}, (show|report|give) how many there are.",
    ):
        made.append(production("request", GroupBy, template, function="count"))
    return made


def _ordered(symbol: str, node: type, templates: tuple[str, ...], **constants: object) -> list[Production]:
    """Each template as it is, and with a sentence about the order behind it."""
    return [
        production(symbol, node, f"{template}{suffix}", **constants)
        for template in templates
        for suffix in ("", " (Sort|Order) (the result|the list|the groups|the rows) {order:order}.")
    ]


def _per_parents() -> list[Production]:
    made = _ordered(
        "request",
        PerParent,
        (
            "For (every|each) {entity:entity.one}, (show|list|give|report|name) the {refs:ref,} and the number of {children:children.many}.",
            f"{SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}} (together with|along with|and) the number of "
            "{children:plain.many} (it has|belonging to it|linked to it), (counting zero where there are none|zero included).",
            "How many {children:plain.many} does (every|each) {entity:entity.one} have? (Show|Give|List|Name|Report|Add) the {refs:ref,} (too|as well).",
        ),
        function="count",
    )
    for template in (
        "Which {entity:entity.many} have more than {over:several} {children:plain.many}? (Show|Give|List|Name|Report|Add) their {refs:ref,} and the number.",
        f"{SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}} with more than {{over:several}} {{children:plain.many}}, (and|together with) the exact number.",
    ):
        made.append(production("request", PerParent, template, function="count"))
    for function, words in FUNCTIONS.items():
        made += _ordered(
            "request",
            PerParent,
            (
                f"For (every|each) {{entity:entity.one}} with at least one of the {{children:children.many}}, (show|give|list|report|state) "
                f"the {{refs:ref,}} and the {words} {{column:column}} of those.",
                f"What is the {words} {{column:column}} of the {{children:children.many}} of each {{entity:entity.one}} (that has any|that has some)? "
                "(Show|Give|List|Name|Report|Add) the {refs:ref,} (too|as well).",
            ),
            function=function,
        )
    return made


def _most_children() -> list[Production]:
    made = [
        production("request", MostChildren, template)
        for template in (
            "Which {entity:entity.one} has the most {children:children.many}? (Show|Give|Report|State|Name) its {refs:ref,}, (ties included|with ties).",
            "Which {entity:entity.many} have the most {children:owned.many}? (Show|Give|Report|State|Name) their {refs:ref,}.",
            f"{SHOW} the {{refs:ref,}} of the {{entity:entity.one}} with the (largest|highest|greatest) number of {{children:children.many}}, (including all ties|ties included|with ties).",
        )
    ]
    made += [
        production("request", AboveAverageChildren, template)
        for template in (
            "Which {entity:entity.many} have more {children:owned.many} than the average among those with any? (Show|Give|List|Name|Report) their {refs:ref,}.",
            f"{SHOW} the {{refs:ref,}} of {{entity:entity.many}} whose number of {{children:plain.many}} is above the average for those with any.",
            "Count the {children:children.many} for each {entity:entity.one} that has any, and (show|list|report|give|name) the {refs:ref,} of those above the average count.",
        )
    ]
    for template in (
        "On average, how many {children:plain.many} does each {entity:entity.one} have, (counting only|considering only) those that have any?",
        "Count the {children:children.many} for each {entity:entity.one} that has any; what is the average of these counts?",
        "What is the average number of {children:plain.many} per {entity:entity.one}, (ignoring|leaving out) those without any?",
    ):
        made.append(production("request", AverageChildren, template))
    for template in (
        "What is the average total {column:column} of the {children:plain.many} per {entity:entity.one}, (ignoring|leaving out) those without any?",
        "(Add up|Sum) the {column:column} of the {children:children.many} for each {entity:entity.one} that has any; what is the average of these totals?",
    ):
        made.append(production("request", AverageChildren, template))
    return made


def _combinations() -> list[Production]:
    made: list[Production] = []
    for op, templates in {
        "both": (
            "(Which|What) {column:columns} (occur|appear|are found) both among {left:entity.many} and among {right:entity.many}?",
            f"{SHOW} every distinct {{column:column}} that (occurs|appears) among {{left:entity.many}} and also among {{right:entity.many}}.",
            "(Which|What) {column:columns} do {left:entity.many} (share|have in common) with {right:entity.many}?",
        ),
        "minus": (
            "(Which|What) {column:columns} (occur|appear|are found) among {left:entity.many} but not among {right:entity.many}?",
            f"{SHOW} every distinct {{column:column}} that (occurs|appears) among {{left:entity.many}} but never among {{right:entity.many}}.",
        ),
        "either": (
            "(Which|What) {column:columns} (occur|appear|are found) among {left:entity.many} or among {right:entity.many}, (without repeats|each listed once)?",
            "(Combine|Merge) the {column:columns} of {left:entity.many} with those of {right:entity.many}, (dropping repeats|listing each only once).",
        ),
    }.items():  # fmt: skip
        made += [_combination(template, op) for template in templates]
    return made


def _combination(template: str, op: str) -> Production:
    """Both sides of a set operation are told by one column phrase."""

    def build(found: Fields) -> Combine:
        ref = Ref(found["column"])
        return Combine(op, Side(ref, found["left"]), Side(ref, found["right"]))

    def parts(node: object) -> Fields | None:
        if not isinstance(node, Combine) or node.op != op or node.left.ref != node.right.ref:
            return None
        return {"column": node.left.ref.column, "left": node.left.entity, "right": node.right.entity}

    return Production("request", compile_template(template), build, parts)


def _windows() -> list[Production]:
    made: list[Production] = []
    for descending, direction in (
        (True, "(highest|largest) to (lowest|smallest)"),
        (False, "(lowest|smallest) to (highest|largest)"),
    ):
        for template in (
            "Rank {entity:entity.many} (within each|separately for each) {peer:peer} by {key:column} from DIRECTION and (show|give|list|report) the {refs:ref,} and the rank; equal values share a rank.",
            "For (every|each) {entity:entity.one}, (show|give|list|report) the {refs:ref,} and its rank by {key:column} from DIRECTION among those with the same {peer:peer}, giving equal values the same rank.",
        ):
            made.append(production("request", Rank, template.replace("DIRECTION", direction), descending=descending))
    for descending, most in ((True, "(highest|largest|greatest)"), (False, "(lowest|smallest)")):
        for template in (
            f"For each {{peer:peer}}, (find|show|list) the {{entity:entity.one}} with the {most} {{key:column}}, (ties included|with ties), and (give|report) its {{refs:ref,}}.",
            f"(Per|In each) {{peer:peer}}, which {{entity:entity.many}} have the {most} {{key:column}}? (Name|Show|Give|State) their {{refs:ref,}}.",
            f"Which {{entity:entity.many}} have the {most} {{key:column}} among those with the same {{peer:peer}}? (List|Show|Give) their {{refs:ref,}}.",
        ):
            made.append(production("request", BestPerPeer, template, descending=descending))
    for template in (
        "(Show|List|Give|Present|Report) the {refs:ref,} of (every|each) {entity:entity.one} together with the running total of {column:column}, (going|proceeding|in order) by {by:ref} and then {tie:ref}.",
        "Going through {entity:entity.many} by {by:ref} and then {tie:ref}, (show|list|report|give|name) the {refs:ref,} and the cumulative {column:column} so far.",
    ):
        made.append(production("request", Running, template))
    for template in (
        "For (every|each) {entity:entity.one}, (show|give|list|report|state) the {refs:ref,} next to the average {column:column} of those with the same {peer:peer}.",
        "(Compare|Contrast) (every|each) {entity:entity.one} with its peers: (show|list|give|report|name) the {refs:ref,} and the average {column:column} over those with the same {peer:peer}.",
    ):
        made.append(production("request", PeerAverage, template))
    return made


GROUPS: tuple[Production, ...] = (*_groups(), *_per_parents(), *_most_children(), *_combinations(), *_windows())
