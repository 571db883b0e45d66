"""The grammar of requests for rows and single figures: lists, top lists, extremes, counts, aggregates, shares."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

from sqale_assets.llm.offline.english.clauses import of_entity
from sqale_assets.llm.offline.english.grammar import Production, only_when, production
from sqale_assets.llm.offline.english.meaning import Aggregate, Count, CountDistinct, Extreme, Listing, Share, Top

SHOW = "(Show|List|Give|Return|Display|Provide|Report|Present|Retrieve|Find)"
_SORTED = "(sorted|ordered)"
FUNCTIONS = {
    "sum": "(total|combined|overall)",
    "avg": "(average|mean)",
    "max": "(maximum|highest|largest)",
    "min": "(minimum|lowest|smallest)",
}


def _listings() -> list[Production]:
    made: list[Production] = []
    for template in (
        f"{SHOW} the {{refs:ref,}} of (every|each) {{entity:entity.one}}",
        f"{SHOW} the {{refs:ref,}} (of|for) (all|) {{entity:entity.many}}",
        "For (every|each) {entity:entity.one}, (show|give|list|report|return|display|name|state|provide) the {refs:ref,}",
        "(For all|Of all|Taking all) {entity:entity.many}, (show|give|list|report|return|display|name|state|provide) the {refs:ref,}",
        "What IS the {refs:ref,} of (every|each) {entity:entity.one}",
        "(Identify|Look up|Pick out) (all|) {entity:entity.many} and (show|give|list|report|name|present) their {refs:ref,}",
        f"{SHOW} all {{entity:entity.many}} (together with|along with|with) their {{refs:ref,}}",
        "(Look up|Find|Get|Pull up|Fetch) the {refs:ref,} for (every|each) {entity:entity.one}",
        "(I need|I would like|We need|Please give me|I want to see) the {refs:ref,} of {entity:entity.many}",
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
        f"{SHOW} (every distinct|each different) {{refs:ref,}} (found|occurring|that occurs) among {{entity:entity.many}}.",
        f"{SHOW} the distinct {{refs:plural_own,}} of {{entity:entity.many}}.",
        "What are the distinct {refs:plural_own,} of {entity:entity.many}?",
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
            f"{SHOW} the {{refs:ref,}} of the {{number:number}} {{entity:entity.many}} with the {most} {{key:ref}}; "
            "(break ties by|in case of ties take) the (lowest|smallest) {tie:ref}.",
            f"Which {{number:number}} {{entity:entity.many}} (come first|lead) by {direction} {{key:ref}} and then by "
            "ascending {tie:ref}? (Show|Give|List|Name|Report) their {refs:ref,}.",
            f"Sort {{entity:entity.many}} by {direction} {{key:ref}}, then by ascending {{tie:ref}}, and "
            "(show|list|return|name|report) the {refs:ref,} of the first {number:number}.",
            f"What are the {{refs:ref,}} of the {{number:number}} {{entity:entity.many}} that have the {most} "
            "{key:ref}, the (lower|smaller) {tie:ref} (first|winning) in a tie?",
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


def _aggregates() -> list[Production]:
    made: list[Production] = []
    for function, words in FUNCTIONS.items():
        for template in (
            f"What is the {words} {{ref:ref}} (of|across|over|among) (all|) {{entity:entity.many}}?",
            f"(Compute|Calculate|Determine|Find|Work out) the {words} {{ref:ref}} (of|across|over) {{entity:entity.many}}.",
            f"(Considering|Taking|For) (all|) {{entity:entity.many}}, what is the {words} {{ref:ref}}?",
            f"(Tell me|Give me|Report) the {words} {{ref:ref}} for {{entity:entity.many}}.",
        ):
            made.append(production("request", Aggregate, template, function=function))
    for first, second in (("min", "max"), ("avg", "max"), ("sum", "avg"), ("avg", "min")):
        for template in (
            "What are the FIRST and SECOND {ref:ref} (of|across|among) {entity:entity.many}?",
            "(Report|Show|Compute) both the FIRST and SECOND {ref:ref} (of|for) {entity:entity.many}.",
        ):
            filled = template.replace("FIRST", FUNCTIONS[first]).replace("SECOND", FUNCTIONS[second])
            made.append(production("request", Aggregate, filled, function=first, second=second))
    return made


def _shares() -> list[Production]:
    return [
        production("request", Share, template)
        for template in (
            "What percentage of (all|) {entity:entity.many} are (ones|those) {condition:condition.many}?",
            "(Among|Of) {entity:entity.many}, what percentage are those {condition:condition.many}?",
            "(Compute|Calculate|Determine) the percentage of those {condition:condition.many} among {entity:entity.many}.",
            "What share of {entity:entity.many}, in percent, are those {condition:condition.many}?",
        )
    ]  # fmt: skip


def _extremes() -> list[Production]:
    made: list[Production] = []
    all_tied = "(If several tie, list all of them|Include all of them in case of a tie|List every one that ties|Ties all count|Keep ties)"
    for descending, most in ((True, "(highest|largest|greatest|maximum)"), (False, "(lowest|smallest|minimum)")):
        for template in (
            f"Which {{entity:entity.one}} has the {most} {{key:column}}? (Show|Give|Report|List|Name|State) its {{refs:ref,}}. {all_tied}.",
            f"Which {{entity:entity.many}} have the {most} {{key:column}}? (List|Show|Give|Name|Report) their {{refs:ref,}}.",
            f"{SHOW} the {{refs:ref,}} of the {{entity:entity.one}} with the {most} {{key:column}}, (including all ties|keeping all ties|ties included|with ties).",
            f"Find the {{entity:entity.many}} whose {{key:column}} (equals|is equal to) the {most} {{key:column}} (among them|of all of them) and "
            "(show|list|return|name|report) their {refs:ref,}.",
            f"Of all {{entity:entity.many}}, which have the {most} {{key:column}}? (List|Show|Give|Name|Report) their {{refs:ref,}}.",
        ):
            made.append(production("request", Extreme, template, descending=descending))
    return made


ROWS: tuple[Production, ...] = (*_listings(), *_tops(), *_counts(), *_aggregates(), *_shares(), *_extremes())
