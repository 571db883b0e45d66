"""The grammar of requests: how a whole question is put, one section per kind."""

from __future__ import annotations

from sqale_assets.llm.offline.english.clauses import CLAUSES, of_entity
from sqale_assets.llm.offline.english.grammar import (
    Fields,
    Grammar,
    Production,
    compile_template,
    only_when,
    production,
)
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    BestPerPeer,
    Combine,
    Count,
    CountDistinct,
    Extreme,
    GroupBy,
    Listing,
    MostChildren,
    PeerAverage,
    PerParent,
    Rank,
    Ref,
    Running,
    Share,
    Side,
    Top,
)

_SHOW = "(Show|List|Give|Return|Display|Provide|Report|Present|Retrieve|Find)"
_SORTED = "(sorted|ordered)"


def _listings() -> list[Production]:
    made: list[Production] = []
    for template in (
        f"{_SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}}",
        f"{_SHOW} the {{refs:ref,}} (of|for) all {{entity:entity.many}}",
        "For (every|each) {entity:entity.one}, (show|give|list|report|return) {refs:the_ref,}",
        "(For all|Of all|Taking all) {entity:entity.many}, (show|give|list|report|return) {refs:the_ref,}",
        "What IS the {refs:ref,} of (every|each) {entity:entity.one}",
        "(Identify|Look up|Pick out) all {entity:entity.many} and (show|give|list|report) {refs:its_ref.many,}",
        f"{_SHOW} all {{entity:entity.many}} (together with|along with|with) {{refs:its_ref.many,}}",
        "(Look up|Find|Get|Pull up|Fetch) {refs:the_ref,} for (every|each) {entity:entity.one}",
        "(I need|I would like|We need|Please give me|I want to see) {refs:the_ref,} of all {entity:entity.many}",
    ):
        mark = "?" if template.startswith("What") else "."
        sort = f"{mark} Sort (the result|the list|them) {{order:order}}."
        for ending in (mark, f", {_SORTED} {{order:order}}{mark}", sort):
            if mark == ".":
                made.append(production("request", Listing, template + ending))
                continue
            for verb, several in (("is", False), ("are", True)):
                each = production("request", Listing, template.replace("IS", verb) + ending)
                made.append(only_when(each, lambda found, several=several: (len(found["refs"]) > 1) == several))
    for template in (
        "(Which|What) (different|distinct) {refs:plural_own,} (occur|appear|are found) among {entity:entity.many}?",
        f"{_SHOW} (every distinct|each different) {{refs:ref,}} (found|occurring|that occurs) among {{entity:entity.many}}.",
        f"{_SHOW} the distinct {{refs:plural_own,}} of {{entity:entity.many}}.",
        "What are the distinct {refs:plural_own,} of all {entity:entity.many}?",
    ):
        made.append(production("request", Listing, template, distinct=True))
    return made


def _tops() -> list[Production]:
    made: list[Production] = []
    for descending, most, direction in (
        (True, "(highest|largest|greatest)", "descending"),
        (False, "(lowest|smallest)", "ascending"),
    ):
        for template in (
            f"{_SHOW} the {{refs:ref,}} of the {{number:number}} {{entity:entity.many}} with the {most} {{key:ref}}; "
            "(break ties by|in case of ties take) the (lowest|smallest) {tie:ref} (first|).",
            f"Which {{number:number}} {{entity:entity.many}} (come first when sorted|lead when sorted) by {{key:the_ref}} "
            f"in {direction} order and then by {{tie:the_ref}} in ascending order? (Show|Give|List) {{refs:its_ref.many,}}.",
            f"Sort {{entity:entity.many}} by {{key:the_ref}} in {direction} order, then by {{tie:the_ref}} in ascending "
            "order, and (show|list|return) {refs:the_ref,} of the first {number:number}.",
            f"What are the {{refs:plural_ref,}} of the {{number:number}} {{entity:entity.many}} that have the {most} "
            "{key:ref}, (taking|preferring) the (lower|smaller) {tie:ref} where values tie?",
        ):
            made.append(production("request", Top, template, descending=descending))
    return made


def _counts() -> list[Production]:
    noun, conditions = "{table:noun.many}", "{conditions:condition.many,}"
    return [
        of_entity("request", Count, template)
        for template in (
            f"How many {noun} are there {conditions}?",
            f"How many {noun} {conditions} (are there|exist|are on record)?",
            f"(Find out|Determine|Tell me|Work out) how many {noun} there are {conditions}.",
            f"(Count|Count all|Tally) {noun} {conditions}.",
            f"(Give me|Find|Report|Determine) the (total|) number of {noun} {conditions}.",
            f"What is the (count|number) of {noun} {conditions}?",
            f"I need to know how many {noun} there are {conditions}.",
            f"How many {noun} are there?",
            f"(Count|Count all|Tally) {noun}.",
            f"(Give me|Find|Report|Determine) the (total|) number of {noun}.",
            f"What is the (total|) number of {noun}?",
        )
    ] + [
        production("request", CountDistinct, template)
        for template in (
            "How many (different|distinct) {ref:plural_ref} (occur|appear|are there) among {entity:entity.many}?",
            "Count the (different|distinct) {ref:plural_ref} (among|of) {entity:entity.many}.",
            "What is the number of (different|distinct) {ref:plural_ref} (among|across) {entity:entity.many}?",
        )
    ]


_FUNCTIONS = {
    "sum": "(total|combined|overall)",
    "avg": "(average|mean)",
    "max": "(maximum|highest|largest)",
    "min": "(minimum|lowest|smallest)",
}


def _aggregates() -> list[Production]:
    made: list[Production] = []
    for function, words in _FUNCTIONS.items():
        for template in (
            f"What is the {words} {{ref:ref}} (of|across|over|among) all {{entity:entity.many}}?",
            f"(Compute|Calculate|Determine|Find|Work out) the {words} {{ref:ref}} (of|across|over) {{entity:entity.many}}.",
            f"(Considering|Taking) all {{entity:entity.many}}, what is the {words} {{ref:ref}}?",
            f"(Tell me|Give me|Report) the {words} {{ref:ref}} for {{entity:entity.many}}.",
        ):
            made.append(production("request", Aggregate, template, function=function))
    for first, second in (("min", "max"), ("avg", "max"), ("sum", "avg"), ("avg", "min")):
        for template in (
            "What are the FIRST and the SECOND {ref:ref} (of|across|among) all {entity:entity.many}?",
            "(Report|Show|Compute) both the FIRST and the SECOND {ref:ref} (of|for) {entity:entity.many}.",
        ):
            filled = template.replace("FIRST", _FUNCTIONS[first]).replace("SECOND", _FUNCTIONS[second])
            made.append(production("request", Aggregate, filled, function=first, second=second))
    return made


def _shares() -> list[Production]:
    return [
        production("request", Share, template)
        for template in (
            "What percentage of all {entity:entity.many} are (ones|those) {condition:condition.many}?",
            "(Among|Of) all {entity:entity.many}, what percentage are those {condition:condition.many}?",
            "(Considering|Looking at) all {entity:entity.many}, (compute|calculate|determine) the percentage of those {condition:condition.many}.",
            "How large, in percent, is the share of those {condition:condition.many} among all {entity:entity.many}?",
        )
    ]  # fmt: skip


def _extremes() -> list[Production]:
    made: list[Production] = []
    all_tied = "(If several tie, list all of them|Include all of them in case of a tie|List every one that ties)"
    for descending, most in ((True, "(highest|largest|greatest|maximum)"), (False, "(lowest|smallest|minimum)")):
        for template in (
            f"Which {{entity:entity.one}} has the {most} {{key:column}}? (Show|Give|Report) {{refs:its_ref.one,}}. {all_tied}.",
            f"{_SHOW} {{refs:the_ref,}} of the {{entity:entity.one}} with the {most} {{key:column}}, (including|keeping) all ties.",
            f"Find the {{entity:entity.many}} whose {{key:column}} (equals|is equal to) the {most} {{key:column}} (among them|of all of them) and "
            "(show|list|return) {refs:its_ref.many,}.",
            f"Of all {{entity:entity.many}}, which have the {most} {{key:column}}? (List|Show|Give) {{refs:its_ref.many,}}.",
        ):
            made.append(production("request", Extreme, template, descending=descending))
    return made


def _groups() -> list[Production]:
    made: list[Production] = []
    counting = (
        "How many {entity:entity.many} are there (for each|per) {group:ref}?",
        "(Count|Tally) {entity:entity.many} (for each|per|by) {group:ref}.",
        "For each {group:ref}, (show|give|report) the number of {entity:entity.many}.",
        "(Group|Break down) {entity:entity.many} by {group:the_ref} and (show|give|report) the (number|count) in each group.",
        "What is the number of {entity:entity.many} for (every|each) {group:ref}?",
    )
    made += _ordered("request", GroupBy, counting, function="count")
    for function, words in _FUNCTIONS.items():
        figures = (
            f"What is the {words} {{column:column}} of {{entity:entity.many}} (for each|per) {{group:ref}}?",
            f"For each {{group:ref}}, (show|compute|give|report) the {words} {{column:column}} of {{entity:entity.many}}.",
            f"(Compute|Calculate|Show) the {words} {{column:column}} of {{entity:entity.many}} (for each|per) {{group:ref}}.",
            f"(Group|Break down) {{entity:entity.many}} by {{group:the_ref}} and (show|give|report) the {words} {{column:column}} in each group.",
        )
        made += _ordered("request", GroupBy, figures, function=function)
        for template in (
            f"For which {{group:ref}} is the {words} {{column:column}} of {{entity:entity.many}} (above|over|more than) "
            "{over:number}? (Show|Give|Report) that figure (too|as well).",
            f"{_SHOW} each {{group:ref}} of {{entity:entity.many}} together with the {words} {{column:column}}, but only "
            "where that figure is (above|over|more than) {over:number}.",
        ):
            made.append(production("request", GroupBy, template, function=function))
    for template in (
        "(Which|What) {group:plural_own} (occur|appear) more than {over:several} times among {entity:entity.many}? (Show|Give) (how often|the number of times) too.",
        f"{_SHOW} each {{group:ref}} shared by more than {{over:several}} {{entity:entity.many}}, (with|together with) (their|the) number.",
        "For each {group:ref} with more than {over:several} {entity:entity.many}, (show|report|give) how many there are.",
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
            "For (every|each) {entity:entity.one}, (show|list|give) {refs:the_ref,} and the number of {children:children.many}.",
            f"{_SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}} (together with|along with|and) the number of "
            "{children:children.many} (it has|belonging to it|linked to it), (counting zero where there are none|zero included).",
            "How many {children:children.many} does (every|each) {entity:entity.one} have? (Show|Give|List) {refs:the_ref,} (too|as well).",
        ),
        function="count",
    )
    for template in (
        "Which {entity:entity.many} have more than {over:several} {children:children.many}? (Show|Give|List) {refs:its_ref.many,} and the number.",
        f"{_SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}} with more than {{over:several}} {{children:children.many}}, (and|together with) the exact number.",
    ):
        made.append(production("request", PerParent, template, function="count"))
    for function, words in _FUNCTIONS.items():
        made += _ordered(
            "request",
            PerParent,
            (
                f"For (every|each) {{entity:entity.one}} with at least one of the {{children:children.many}}, (show|give|list) "
                f"{{refs:the_ref,}} and the {words} {{column:column}} of those.",
                f"What is the {words} {{column:column}} of the {{children:children.many}} of each {{entity:entity.one}} (that has any|that has some)? "
                "(Show|Give|List) {refs:the_ref,} (too|as well).",
            ),
            function=function,
        )
    return made


def _most_children() -> list[Production]:
    made = [
        production("request", MostChildren, template)
        for template in (
            "Which {entity:entity.one} has the most {children:children.many}? (Show|Give|Report) {refs:its_ref.one,}, (listing all|keeping all) in case of a tie.",
            f"{_SHOW} {{refs:the_ref,}} of the {{entity:entity.one}} with the (largest|highest|greatest) number of {{children:children.many}}, (including|keeping) all ties.",
        )
    ]
    made += [
        production("request", AboveAverageChildren, template)
        for template in (
            "Which {entity:entity.many} have more {children:children.many} than average, where the average covers only those with at least one? (Show|Give|List) {refs:its_ref.many,}.",
            f"{_SHOW} {{refs:the_ref,}} of all {{entity:entity.many}} whose number of {{children:children.many}} is above the average number over those that have any.",
        )
    ]
    for template in (
        "On average, how many {children:children.many} does each {entity:entity.one} have, (counting only|considering only) those that have any?",
        "What is the average number of {children:children.many} per {entity:entity.one}, (ignoring|leaving out) those without any?",
    ):
        made.append(production("request", AverageChildren, template))
    for template in (
        "What is the average total {column:column} of the {children:children.many} per {entity:entity.one}, (ignoring|leaving out) those without any?",
        "(Add up|Sum) the {column:column} of the {children:children.many} for each {entity:entity.one} that has any; what is the average of these totals?",
    ):
        made.append(production("request", AverageChildren, template))
    return made


def _combinations() -> list[Production]:
    made: list[Production] = []
    for op, templates in {
        "both": (
            "(Which|What) {column:columns} (occur|appear|are found) both among {left:entity.many} and among {right:entity.many}?",
            f"{_SHOW} every distinct {{column:column}} that (occurs|appears) among {{left:entity.many}} and also among {{right:entity.many}}.",
            "(Which|What) {column:columns} do {left:entity.many} (share|have in common) with {right:entity.many}?",
        ),
        "minus": (
            "(Which|What) {column:columns} (occur|appear|are found) among {left:entity.many} but not among {right:entity.many}?",
            f"{_SHOW} every distinct {{column:column}} that (occurs|appears) among {{left:entity.many}} but never among {{right:entity.many}}.",
        ),
        "either": (
            "(Which|What) {column:columns} (occur|appear|are found) among {left:entity.many} or among {right:entity.many}, (without repeats|each listed once)?",
            f"(Combine|Merge) the {{column:columns}} of {{left:entity.many}} with those of {{right:entity.many}}, (dropping repeats|listing each only once).",
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
            "Rank {entity:entity.many} (within each|separately for each) {peer:peer} by {key:column} from DIRECTION and (show|give) {refs:the_ref,} and the rank; equal values share a rank.",
            "For (every|each) {entity:entity.one}, (show|give) {refs:the_ref,} and its rank by {key:column} from DIRECTION among those with the same {peer:peer}, giving equal values the same rank.",
        ):
            made.append(production("request", Rank, template.replace("DIRECTION", direction), descending=descending))
    for descending, most in ((True, "(highest|largest|greatest)"), (False, "(lowest|smallest)")):
        for template in (
            f"For each {{peer:peer}}, (find|show|list) the {{entity:entity.one}} with the {most} {{key:column}}, (including|keeping) all ties, and (give|report) {{refs:its_ref.one,}}.",
            f"Which {{entity:entity.many}} have the {most} {{key:column}} among those with the same {{peer:peer}}? (List|Show|Give) {{refs:its_ref.many,}}, (including|with) ties.",
        ):
            made.append(production("request", BestPerPeer, template, descending=descending))
    for template in (
        "(Show|List|Give) {refs:the_ref,} of (every|each) {entity:entity.one} together with the running total of {column:column}, (going|proceeding|in order) by {by:the_ref} and then by {tie:the_ref}.",
        "Going through {entity:entity.many} by {by:the_ref} and then by {tie:the_ref}, (show|list|report) {refs:the_ref,} and the cumulative {column:column} so far.",
    ):
        made.append(production("request", Running, template))
    for template in (
        "For (every|each) {entity:entity.one}, (show|give|list) {refs:the_ref,} next to the average {column:column} of those with the same {peer:peer}.",
        "(Compare|Contrast) (every|each) {entity:entity.one} with its peers: (show|list|give) {refs:the_ref,} and the average {column:column} over those with the same {peer:peer}.",
    ):
        made.append(production("request", PeerAverage, template))
    return made


def _plurals() -> list[Production]:
    return [
        production("plural_own", Ref, "{column:columns}"),
        production("plural_ref", Ref, "{column:columns}"),
        production("plural_ref", Ref, "{column:columns} of the {chain:chain_of}"),
    ]


GRAMMAR = Grammar.of(
    [
        *CLAUSES,
        *_plurals(),
        *_listings(),
        *_tops(),
        *_counts(),
        *_aggregates(),
        *_shares(),
        *_extremes(),
        *_groups(),
        *_per_parents(),
        *_most_children(),
        *_combinations(),
        *_windows(),
    ]
)
