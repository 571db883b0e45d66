"""The literals of a question: what it says that must come from the data or follow from the wording.

Here belongs reading English alone (quotes, numbers, dates, names and the words around them); whether the
data holds what was read is the business of `grounding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from sqale_assets.stages import dates

#: text: a quoted string. name: an unquoted proper name or code. date: a day. period: a year, quarter or month.
Kind = OneOf["text", "name", "number", "date", "period"]

#: value: equals something. pattern: part of something. bound: a threshold. limit: how many to show. count: how many
#: there are.
Role = OneOf["value", "pattern", "bound", "limit", "count"]


@dataclass(frozen=True, slots=True)
class QuestionLiteral:
    """A literal as written (`text`, without quotes), with where it starts in the question.

    `number` is set for numbers; `spans` for dates and periods: first and last day as ISO strings, one span
    per reading of an ambiguous date. `counted` is the plural noun that follows a whole number ("orders").
    """

    text: str
    kind: Kind
    role: Role
    start: int
    number: float | None = None
    spans: tuple[tuple[str, str], ...] = ()
    counted: str = ""


NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip

_QUOTED = re.compile(
    r"""(?<!\w)"(?P<double>[^"\n]+)"|“(?P<curly>[^”\n]+)”|‘(?P<single_curly>[^\n]+?)’(?!\w)|`(?P<tick>[^`\n]+)`"""
    # An apostrophe inside a word ('O'Brien') does not end the string.
    r"""|(?<!\w)'(?P<single>(?:[^'\n]|'(?=\w))+)'(?!\w)"""
)
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
_CODE = re.compile(r"\b(?=[\w-]*\d)[A-Za-z][A-Za-z]*[\w]*(?:[-_]\w+)*\b|\b[A-Z]{2,}(?:[_-][A-Z0-9]+)+\b")
_ORDINAL = re.compile(r"\b(?P<number>\d+)(?:st|nd|rd|th)\b")
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\s?(?P<number>-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(?P<percent>\s?%)?")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'’.&-]*(?:\s+(?:(?:of|de|del|la|van|von|der|&)\s+)?[A-Z][\w'’.&-]*)*")
#: What stands before a word that is capitalised for its place, not for being a name.
_SENTENCE_START = re.compile(r"(?:^|[.?!:;•\n]|\n\s*[-*]|^\s*[-*]|\d[.)])\s*[\"“'(]*$")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NOT_NAMES = frozenset(
    ("i", "i'm", "i'd", "i've", "id", "ids", "sql", "ok", "hey", "hi", "english", "please", *dates.MONTHS, *_WEEKDAYS)
)

_SUPERLATIVE = r"(?:most|least|fewest|best|worst|top|bottom|\w+est)"
_LIMIT_BEFORE = re.compile(rf"\b(?:{_SUPERLATIVE}|first|last|next|recent|limit(?:ed)? to|limit)\s+$", re.IGNORECASE)
_LIMIT_AFTER = re.compile(
    rf"^\s*(?:{_SUPERLATIVE}\b"
    rf"|(?:[\w-]+\s+){{1,3}}(?:with|by|having|that have|who have|showing)\s+the\s+{_SUPERLATIVE}\b)",
    re.IGNORECASE,
)
_FILLER = r"(?:(?:a|an|the|total|value|score|rating|of|or equal to|equal to|than|date|year)\s+)*[$€£]?$"
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:\w+er than|more than|less than|over|above|below|under|exceed(?:s|ed|ing)?|at least|at most|minimum of"
    r"|maximum of|up to|between|before|after|since|until|till|from|through|within|starting|prior to|surpass(?:es|ing)?"
    r"|beyond|no later than|no earlier than|as of|not exceeding|or)|[<>]=?|≥|≤)\s+" + _FILLER,
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:between\s+(?:\S+\s+){1,3}?and|from\s+(?:\S+\s+){1,3}?(?:to|through|until|till))\s+" + _FILLER, re.IGNORECASE
)
_BOUND_AFTER = re.compile(
    r"^(?:\+|\s*[\w-]*\s*(?:or|and)\s+(?:more|fewer|less|higher|lower|above|below|greater|older|younger|later|earlier"
    r"|over|under|longer|shorter|up|beyond|better|worse)\b)",
    re.IGNORECASE,
)
_COUNT_BEFORE = re.compile(r"\b(?:exactly|precisely|only|just)\s+$", re.IGNORECASE)
_PLURAL_AFTER = re.compile(
    r"^\s+(?!(?:among|across|of|for|per|by|and|or|but|that|whose|with|where|is|has)\b)(?:[a-z-]+\s+){0,2}?"
    r"(?:[a-z-]*[^s\W]s|people|children|men|women|staff)\b"
)
_PATTERN_BEFORE = re.compile(
    r"\b(?:contain(?:s|ing|ed)?|includ(?:e|es|ing)|(?:start|begin|end)(?:s|ning|ing)?\s+with|like|match(?:es|ing)?"
    r"|mention(?:s|ing|ed)?|refer(?:s|ring)?\s+to|prefix(?:ed)?|suffix)\s+(?:[a-z]+\s+){0,3}$",
    re.IGNORECASE,
)


def literals(question: str) -> list[QuestionLiteral]:
    """The literals of an English question, in the order in which they stand.

    A stretch of text is read once: what is quoted is not searched for numbers, a date's year is not a number.
    """
    taken = bytearray(len(question))
    found: list[QuestionLiteral] = []
    for reader in (_quoted, _dated, _coded, _numbered, _worded, _named):
        for literal, start, end in reader(question, taken):
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(literal)
    return sorted(found, key=lambda literal: literal.start)


_Reading = Iterator[tuple[QuestionLiteral, int, int]]


def _quoted(question: str, taken: bytearray) -> _Reading:
    for match in _QUOTED.finditer(question):
        text = next(group for group in match.groups() if group is not None).strip()
        # American style puts the sentence's comma inside the quotes.
        text = text.rstrip(",") if match.group("double") or match.group("curly") else text
        if text.strip(".?!"):
            role: Role = "pattern" if _PATTERN_BEFORE.search(question[: match.start()]) else "value"
            yield QuestionLiteral(text, "text", role, match.start()), match.start(), match.end()


def _dated(question: str, taken: bytearray) -> _Reading:
    for found in dates.find(question):
        before, after = question[: found.start], question[found.end :]
        bound = _is_bound(before, after)
        kind: Kind = "date" if found.is_day else "period"
        literal = QuestionLiteral(found.text, kind, "bound" if bound else "value", found.start, spans=found.spans)
        yield literal, found.start, found.end
    for match in _TIME.finditer(question):
        bound = _is_bound(question[: match.start()], question[match.end() :])
        role: Role = "bound" if bound else "pattern"
        yield QuestionLiteral(match.group(), "text", role, match.start()), match.start(), match.end()


def _coded(question: str, taken: bytearray) -> _Reading:
    """Codes as they stand in data: SHM-204, PRIORITY_INTL, B2B."""
    for match in _CODE.finditer(question):
        yield QuestionLiteral(match.group(), "name", "value", match.start()), match.start(), match.end()


def _numbered(question: str, taken: bytearray) -> _Reading:
    for match in _ORDINAL.finditer(question):
        yield _number(question, match, float(match["number"]), "limit"), match.start(), match.end()
    for match in _NUMBER.finditer(question):
        if re.match(r"[.)]\s", question[match.end() :]) and _SENTENCE_START.search(question[: match.start()]):
            continue  # the number of a list item
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        yield _number(question, match, float(match["number"].replace(",", "")), None), start, match.end()


def _worded(question: str, taken: bytearray) -> _Reading:
    """Number words, where the words around them make them a limit, a bound or a count ("top three")."""
    for match in _NUMBER_WORD.finditer(question):
        literal = _number(question, match, float(NUMBER_WORDS[match.group().lower()]), None)
        if literal.role != "value" and not (literal.role == "bound" and not literal.counted):
            yield literal, match.start(), match.end()


def _number(question: str, match: re.Match[str], number: float, role: Role | None) -> QuestionLiteral:
    before, after = question[: match.start()], question[match.end() :]
    if role is None:
        # Bounds first: "at least 2" is no superlative.
        if _is_bound(before, after):
            role = "bound"
        elif _LIMIT_BEFORE.search(before) or _LIMIT_AFTER.match(after) or _leads(before, after):
            role = "limit"
        else:
            role = "count" if _COUNT_BEFORE.search(before) else "value"
    plural = _PLURAL_AFTER.match(after) if number == int(number) else None
    counted = plural.group().strip() if plural else ""
    return QuestionLiteral(match.group().strip(), "number", role, match.start(), number=number, counted=counted)


def _named(question: str, taken: bytearray) -> _Reading:
    """Unquoted proper names: capitalised words that do not merely begin a sentence."""
    for match in _NAME.finditer(question):
        start, words = match.start(), match.group()
        if _SENTENCE_START.search(question[:start]):
            first, _, rest = words.partition(" ")
            start, words = start + len(first) + 1, rest
        words = re.sub(r"(?:['’]s|['’]|[.&-])+$", "", words)
        if words and words[0].isupper() and words.lower() not in _NOT_NAMES:
            yield QuestionLiteral(words, "name", "value", start), start, start + len(words)


def _leads(before: str, after: str) -> bool:
    """Which 5 orders come first by ...?"""
    return bool(
        re.search(r"\bwhich\s+$", before, re.IGNORECASE) and re.match(r"[^?]*\b(?:come first|lead) by\b", after)
    )


def _is_bound(before: str, after: str) -> bool:
    return bool(_BOUND_BEFORE.search(before) or _BETWEEN.search(before) or _BOUND_AFTER.match(after))
