"""The short styles: the intent alone, or less than that."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import re
from random import Random

from sqale_assets.llm.offline.english.words import plural
from sqale_assets.llm.offline.restyling.compact import bare, capitalised, compact, fragment
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.llm.offline.restyling.phrases import Request, asked_of, chunks, per_group, things, wanted

_LEADS = ("", "", "Show ", "List ", "Get ", "Find ", "I need ", "Overview: ", "Give ", "Looking for ", "Summarise ")


def short_high_level(request: Request, parts: Parts, rng: Random) -> str:
    """The most of the question that is still clearly shorter than it."""
    words = len(request.question.split())
    # A version that was refused was too much like another: say less.
    shares = (0.3, 0.4) if "short_high_level" in request.refused else (0.5, 0.6, 0.7)
    room = max(3, int(words * rng.choice(shares)))
    if parts.kind == "whole":
        kept = chunks(request)
        while len(" ".join(kept).split()) > room and len(kept) > 1:
            kept.pop()
        return capitalised(", ".join(kept)) + rng.choice(("?", ", please.") if words > 9 else ("?",))
    figures_first = sorted(parts.what, key=lambda each: not _FIGURE.search(each))
    kept = Parts(parts.kind, parts.entity, what=figures_first[:2], group=parts.group)
    articles, turned = rng.random() < 0.4, rng.random() < 0.4
    for name in ("conditions", "extras", "what", "order"):
        for each in getattr(parts, name):
            if each in getattr(kept, name):
                continue
            getattr(kept, name).append(each)
            if len(_said_shortly(kept, articles, turned).split()) > room:
                getattr(kept, name).remove(each)
    text = _said_shortly(kept, articles, turned)
    if len(text.split()) >= words:
        text = _barest(parts)
    fitting = [lead for lead in _LEADS if len(f"{lead}{text}".split()) < words and not (":" in lead and turned)]
    if len(text.split()) == 1:
        fitting = [lead for lead in fitting if lead] or ["Which "]
    lead = rng.choice(fitting or [""])
    return capitalised(f"{lead}{text}") + ("." if lead else rng.choice((".", "?")))


_FIGURE = re.compile(r"\b(?:number|count|average|mean|total|percentage|rank)\b")


def _barest(parts: Parts) -> str:
    """The figure that is asked for, or else the things alone."""
    figure = re.match(r"(?:the )?([\w ]*?\b(?:percentage|average|mean|total)\b)", parts.what[0]) if parts.what else None
    if parts.kind == "count":
        return f"{bare(parts.entity)} count"
    return f"{figure[1] if figure else ''} of {bare(parts.entity)}".removeprefix(" of ") + per_group(parts)


def _said_shortly(parts: Parts, articles: bool, turned: bool) -> str:
    asked = wanted(parts, articles=articles)
    turned_round = f"{things(parts)}: {asked}{per_group(parts)}"
    text = turned_round if asked and turned else asked_of(parts, articles=articles)
    return compact(" ".join([text, *parts.order]), articles=articles)


#: A condition -> how somebody says it who does not say how much, when or which. What fits none of them is left out.
_VAGUE_CONDITIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), wordings)
    for pattern, wordings in (
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?)(?: is)? (?:above|over|(?:greater|higher|more) than|at least|of at least"
         r"|no less than) (?:the .*|[\d.]+(?: and .*)?)$", ("with a high {what}", "with a larger {what}", "that are up there in {what}")),
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?)(?: is)? (?:below|under|(?:less|lower) than|at most|of at most"
         r"|no more than) (?:the .*|[\d.]+(?: and .*)?)$", ("with a low {what}", "with a smaller {what}", "that are down in {what}")),
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?) (?:is|lies|between|from)\b.*\d.* (?:and|to) .*\d.*$",
         ("with a middling {what}", "with an ordinary {what}")),
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?)(?: is| falls)? (?:on or after|no earlier than) .+$",
         ("with a recent {what}", "with a newer {what}", "with a later {what}")),
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?)(?: is| falls)? (?:before|earlier than) .+$",
         ("with an old {what}", "with an earlier {what}")),
        (r"(?:whose|with an?|where|that ha(?:ve|s) an?) (?:the )?(?P<what>[^\"]+?)(?: is| falls| lies)? in (?:the year )?(?:[A-Z]\w+ )?\d{4}$",
         ("with a {what} around then", "of that {what}", "with a {what} back then", "by {what}")),
        (r"(?P<what>named|called|titled|entitled) .+$", ("of that name", "by that name")),
        (r"(?:last )?(?P<what>\w+ed|due|born|paid|starting|ending|expiring) (?:in|during|before|on or after|no earlier than|earlier than) .+$",
         ("{what} back then", "{what} around then", "{what} at that time")),
        (r"(?:whose|where|for which|with|having) (?:the |\"[^\"]*\"(?: or \"[^\"]*\")? as (?:the |their |its )?)?(?P<what>[a-z' ]+?)"
         r"(?: (?:is|equals|contains|includes|mentions|starts with|begins with).*| \"[^\"]*\"(?: or .*)?)?$",
         ("with that {what}", "with a certain {what}", "with the {what} we talked about", "of one {what}")),
        (r"(?:that (?:have|has)|with) the (?:highest|largest|greatest|maximum|lowest|smallest|minimum) (?P<what>[a-z ]+?)(?: among\b.*)?$",
         ("that lead in {what}", "at the end of the {what} range", "by {what}")),
        (r"(?:that (?:have|has)|with|having) (?:some|(?:at least|more than|exactly) (?:one|\d+)) (?P<what>[a-z ]+?)(?: (?:whose|where|with|in)\b.*)?$",
         ("with {whats}", "that have {whats}", "with enough {whats}")),
        (r"(?:that (?:have|has) (?:one or more|no)|without any|that do not have any|for which (?:at least one|no)) "
         r"(?P<what>[a-z ]+?)(?: (?:whose|where|with|in|exists?|is recorded)\b.*)?$",
         ("as far as {whats} go", "by their {whats}", "going by {whats}")),
    )
)  # fmt: skip
_AMBIGUOUS_COUNTS = (
    "How many {things} are we talking about?", "What is our count of {things}?",
    "The number for {things}?", "How many {things} would that be?", "Count up {things} for me.", "Any number on {things}?",
    "{things}: how many?", "How many {things}?", "What do {things} come to, in number?", "How many {things} matter here?",
)  # fmt: skip
_AMBIGUOUS_ROWS = (
    "What is the {asked} for {things}?", "Let me see the {asked} for {things}.", "The {asked} on {things}, please.",
    "Pick out {things} by {asked}.", "Which {things} stand out, by {asked}?", "How does the {asked} look for {things}?",
    "{things}: what about the {asked}?", "Check the {asked} of {things}.", "Bring up {things} with the {asked}.",
    "What {asked} do we have for {things}?", "Where are we with the {asked} of {things}?", "Sort out the {asked} of {things}.",
    "Map out {things} and their {asked}.", "Update me on the {asked} of {things}.", "Anything on the {asked} of {things}?",
    "Narrow down {things}, with {asked}.", "Those {things} again, with {asked}.", "The usual {asked} for {things}?",
    "Track down {things} and the {asked}.", "How do {things} stand on {asked}?", "What {asked} for {things}?",
    "{things}, by {asked}?",
)  # fmt: skip
_AMBIGUOUS_GROUPS = (
    "How do {things} look by {asked}?", "Break {things} down by {asked}.", "{things} by {asked}, please.",
    "What about {things} per {asked}?", "How do {things} split by {asked}?", "Compare {things} across each {asked}.",
    "{things}, one {asked} after the other.", "Where are we with {things}, {asked} by {asked}?", "{things} by {asked}?",
    "Give me {things} for every {asked}.", "What is behind {things} for each {asked}?", "Lay out {things} by {asked}.",
)  # fmt: skip
_AMBIGUOUS_THINGS = (
    "Which {things} are they?", "Let me see {things}.", "Pick out {things}.", "The relevant {things}, please.",
    "Which {things} fit?", "Bring up {things}.", "Track down {things}.", "Those {things} again, please.",
)  # fmt: skip


def short_ambiguous(request: Request, parts: Parts, rng: Random) -> tuple[str, tuple[str, ...]]:
    """What the question is about and one thing it asks, with the rest unsaid; and what is unsaid."""
    room = len(request.question.split())
    entity = _entity(request, parts)
    conditions = [*parts.conditions, *(match[1] for each in parts.what if (match := _OF_THOSE.search(each)))]
    rng.shuffle(conditions)
    hints = next((found for each in conditions if (found := _vague(each, rng))), [""])
    nouns = [
        noun
        for each in parts.what
        if (noun := _noun(each)) not in entity and noun != "number of times" and not _FIGURE_ALONE.fullmatch(noun)
    ]
    group = _noun(parts.group) if parts.group else ""
    asked = [noun for noun in nouns if noun not in hints[0]][:2] or [group]
    chosen = rng.choice(asked)
    for hint, noun in (*((hint, chosen) for hint in hints), ("", chosen), *((hint, "") for hint in hints), ("", "")):
        templates = (
            _AMBIGUOUS_GROUPS if noun and noun == group else _AMBIGUOUS_COUNTS if parts.kind == "count"
            else _AMBIGUOUS_ROWS if noun else _AMBIGUOUS_THINGS
        )  # fmt: skip
        subject = f"{entity} {hint}".strip()
        texts = [capitalised(template.format(things=subject, asked=noun)) for template in templates]
        fitting = [text for text in texts if len(text.split()) < max(room, 4)]
        if fitting:
            text = rng.choice(fitting)
            return text, _left_out(request, parts, text)
    return capitalised(f"{entity}?"), _left_out(request, parts, entity)


_OF_THOSE = re.compile(r"\bof those (.+)$")


def _left_out(request: Request, parts: Parts, text: str) -> tuple[str, ...]:
    """What the text does not say of the question, as fragments; every value that it lacks is in one of them."""
    unsaid = [fragment(each) for each in [*parts.conditions, *parts.extras, *parts.what, *parts.order]]
    unsaid += [f"per {bare(parts.group)}"] if parts.group else []
    unsaid += [parts.entity] if re.search(r"\d|\"", parts.entity) else []
    found = [each for each in unsaid if bare(each).lower() not in text.lower()]
    named = " ; ".join(found)
    found += [value for value, _ in request.values if value not in named and value not in text]
    return tuple(dict.fromkeys(found or ["which of them, and how they are told apart"]))


def _vague(condition: str, rng: Random) -> list[str]:
    """Ways to say the condition without its value, the shortest last; none where it cannot be said so."""
    for pattern, wordings in _VAGUE_CONDITIONS:
        if match := pattern.match(condition):
            what = _DONE.sub("", match["what"].removesuffix(" is").strip())
            if 0 < len(what.split()) <= 4 and not re.search(r"\d|\"|\b(?:marked|flagged|set|not)\b", what):
                texts = [
                    re.sub(r"\ba (?=[aeiou])", "an ", each.format(what=what, whats=plural(what))) for each in wordings
                ]
                first = rng.choice(texts)
                return [first, *sorted((each for each in texts if each != first), key=len, reverse=True)]
    match = re.search(r"\b([a-z]+s)(?: in \d{4})?$", condition)
    if match and match[1] not in _NO_NOUNS:
        return [f"as far as {match[1]} go", f"going by {match[1]}"]
    return []


#: What was done with things, behind their noun.
_DONE = re.compile(r"(?<=\w) (?:last )?(?:\w+ed|due|born|paid|starting|ending|expiring)$")
_NO_NOUNS = frozenset(
    [
        "falls",
        "lies",
        "equals",
        "contains",
        "includes",
        "mentions",
        "starts",
        "begins",
        "exists",
        "times",
        "is",
        "has",
        "ties",
    ]
)
#: A figure without what it is of.
_FIGURE_ALONE = re.compile(r"(?:minimum|maximum|highest|lowest|largest|smallest|average|mean|total|combined|overall)")


def _noun(phrase: str) -> str:
    """What a wanted item is called, without article, owner or conditions: the name of its customer gives customer name."""
    phrase = re.sub(r"^(?:every |each )?(?:distinct|different) ", "", bare(phrase))
    head, _, owner = re.split(r" (?:whose|where|with|that|which) ", phrase)[0].removesuffix(" of").partition(" of ")
    owner = re.sub(r"^(?:the|its|their|those|all|each)\s*", "", owner.split(" of ")[0])
    if re.search(r"\b(?:number|average|total|percentage|count)\b", head):
        return f"{head} of {owner}".removesuffix(" of ")
    return f"{owner.split()[-1]} {head}" if owner and owner.split()[-1] not in head else head


#: Different values that are counted: "different statuses among paper submissions".
_KINDS = re.compile(r"(?:different|distinct) (?P<what>[\w ]+?) (?:among|across|of) (?P<of>[\w ]+)$")


def _entity(request: Request, parts: Parts) -> str:
    """The things a question is about, in at most three words."""
    if parts.kind == "whole":
        return plural(request.subjects[0]) if request.subjects else "the records"
    if kinds := _KINDS.match(parts.entity):
        return f"{kinds['what']} of {' '.join(kinds['of'].split()[:3])}"
    named = re.split(
        r" (?:in|of|for|with|on|from|to|by|at|among|(?:\w+ing|\w+ed)(?= (?:in|on|by|to|as|at|before|during|for))) ",
        re.sub(r"^(?:first )?\d+ ", "", parts.entity),
    )
    *first, last = named[0].split()[-3:]
    return " ".join([*first, plural(last) if last.islower() else last])
