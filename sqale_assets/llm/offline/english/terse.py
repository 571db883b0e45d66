"""Compact questions with a note behind them, as the sentences that the grammar knows.

"Among orders with total over 5, what is the number?, evidence: ..." asks what "Count the orders with a total over 5."
does. Each way to put it gives a sentence; those that cannot be read, or mean the same, fall away in reading. The note
says in other words what the data tells as well, and is not read.
"""

from __future__ import annotations

import re

#: What parts a question from its note (seed, "Fields of ...-Queries").
_NOTE = re.compile(r"[,;.?]*\s+\(?evidence:\s", re.IGNORECASE)
_THINGS_FIRST = re.compile(
    r"(?:in short, )?(?:among|for|given|out of|taking|looking at|considering)\s+(?P<things>.+?)"
    r"(?::|,\s+(?:what (?:is|are)|report|find))\s+(?P<asked>.+)$",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:report|get|look up|retrieve|what is|what are)\s+", re.IGNORECASE)
#: Breaking ties of a list's end; the other remark says what the average is over.
_LOWEST = re.compile(
    r",\s+(?:the (?:lower|smaller) (?P<tie>.+?) (?:first|winning) in a tie"
    r"|(?:break ties by|in case of ties take) the (?:lowest|smallest) (?P<by>.+))$"
)
_WITHOUT = re.compile(r",\s+(?:ignoring|leaving out|counting only|considering only) those\b.*$")
_OVER = re.compile(r",\s+only where there are more than (?P<over>\d+)$")
#: Things told by a comparison that the grammar only knows as a request of its own -> that request.
_PATTERNS = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (
            r"(?P<things>.+?) with (?:more (?P<more>.+?)) than (?:the )?average (?:among|of) those with any$",
            "Which {things} have more {more} than the average among those with any? Give their {asked}.",
        ),
        (
            r"(?P<things>.+?) with number of (?P<more>.+?) (?:is )?above (?:the )?average for those with any$",
            "Which {things} have more {more} than the average among those with any? Give their {asked}.",
        ),
        (
            r"(?P<things>.+?) with (?:the )?(?:most|(?:largest|highest|greatest) number of) (?P<most>.+)$",
            "Which {things} have the most {most}? Give their {asked}.",
        ),
        (
            r"(?P<things>.+) with (?:the )?(?P<best>\w+ [\w ]+ among those with (?:the )?same .+)$",
            "Which {things} have the {best}? Give their {asked}.",
        ),
        (r"(?P<things>.+) shared with (?P<others>.+)$", "Which {asked} do {things} share with {others}?"),
        (
            r"(?P<things>.+?) (?P<joint>but not|or) among (?P<others>.+?)(?:, (?:each listed once|without repeats))?$",
            "Which {asked} occur among {things} {joint} among {others}?",
        ),
        (
            r"(?P<things>.+?) and (?:also )?among (?P<others>.+)$",
            "Which {asked} occur both among {things} and among {others}?",
        ),
        (
            r"(?P<things>.+?) with those of (?P<others>.+?)(?:, .+)?$",
            "Combine the {asked} of {things} with those of {others}, dropping repeats.",
        ),
    )
)
_TIES = re.compile(r",?\s+(?:ties included|with ties)$")
_SORTED = re.compile(r",?\s+(?:sorted|ordered)\s+(?P<order>by\s.+)$")
_OF = re.compile(r"\s(?:of|for)\s")
_NUMBER = re.compile(r"(?:the\s+)?(?:total\s+)?(?:number|count)$")
_GROUPED = re.compile(r"(?P<rest>.+?)\s+per\s+(?P<group>.+)$")
_DETERMINER = re.compile(r"(?P<determiner>each|every|all|the)\s+", re.IGNORECASE)


def has_note(question: str) -> bool:
    """Whether a note on what the question means stands behind it."""
    return _NOTE.search(question) is not None


def without_note(question: str) -> str:
    return _NOTE.split(question, maxsplit=1)[0]


def full_forms(question: str) -> list[str]:
    """The sentences of the controlled English that a compact question may stand for, its own words first."""
    text = without_note(question).rstrip("?. ")
    text, sorting = _cut(_SORTED, text)
    text, over = _cut(_OVER, _WITHOUT.sub("", _TIES.sub("", text)))
    text, lowest = _cut(_LOWEST, text)
    asked_first = _LEAD.sub("", text, count=1)
    parted = [(match["asked"], match["things"]) for match in [_THINGS_FIRST.match(text)] if match]
    # Any "of" may part what is asked from the things.
    parted += [(asked_first[: match.start()], asked_first[match.end() :]) for match in _OF.finditer(asked_first)]
    order, bound = sorting["order"] if sorting else "", over["over"] if over else ""
    found = [text.removeprefix("In short, ")]
    found += [each for asked, things in parted for each in _sentences(asked, things, bound, order)]
    if lowest:
        return [f"{each.rstrip('.?')}; break ties by the lowest {lowest['tie'] or lowest['by']}." for each in found]
    behind = f" Sort the result {order}." if order else ""
    return [each if each.startswith("Sort ") else f"{each}{behind}" for each in dict.fromkeys(found)]


def _sentences(asked: str, things: str, over: str, order: str) -> list[str]:
    """Ways to ask for `asked` of `things`; `over` bounds the groups' sizes, `order` says how the things are sorted."""
    group = ""
    if match := _GROUPED.match(asked):
        asked, group = match["rest"], match["group"]
    elif match := _GROUPED.match(things):
        things, group = match["rest"], match["group"]
    asked = re.sub(r"(?<![\w'])the\s+", "", asked).replace("count of ", "number of ")
    match = _DETERMINER.match(things)
    bare = things[match.end() :] if match else things
    if _NUMBER.match(asked):
        if group and over:
            return [f"For each {group} with more than {over} {bare}, show how many there are."]
        kinds = f"What is the number of {bare}?"
        return [f"How many {bare} are there per {group}?"] if group else [f"Count {bare}.", kinds]
    if share := re.match(r"percentage of those (?P<condition>.+)", asked):
        return [f"What percentage of {bare} are those {share['condition']}?"]
    if group:
        return [
            f"What is the {asked} of {bare} per {group}?",
            f"For each {group}, find the {bare}, with ties, and give its {asked}.",
        ]
    for pattern, sentence in _PATTERNS:
        if match_whole := pattern.match(bare):
            return [sentence.format(asked=asked, **match_whole.groupdict())]
    if (first := re.match(r"first (?P<number>\d+) (?P<things>.+)", bare)) and order:
        return [f"Sort {first['things']} {order}, and show the {asked} of the first {first['number']}."]
    if asked.startswith("average "):
        return [f"What is the {asked} per {bare}, ignoring those without any?", f"What is the {asked} of {bare}?"]
    each = "all" if match and match["determiner"] == "all" else "each"
    return [
        f"For each {bare}, show the {asked}.",
        f"Show the {asked} of {each} {bare}.",
        f"What is the {asked} of {bare}?",
        f"Show the {asked} of the {bare}.",
        f"Show the {asked} of the {bare}, with ties.",
    ]


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, re.Match[str] | None]:
    """The text before the pattern's first match, and the match."""
    match = pattern.search(text)
    return (text[: match.start()] if match else text), match
