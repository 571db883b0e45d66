"""Dates as people write them in questions and as databases hold them, as spans of ISO days.

A span is (first day, last day), both included, as `YYYY-MM-DD` strings, which compare as dates do.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[str, str]

MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}

_MONTH = "(?P<name>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_YEAR = r"(?P<year>(?:1[89]|20)\d{2})"

_DAYS = (
    re.compile(rf"\b{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?\b"),
    re.compile(rf"\b(?P<first>\d{{1,2}})[-/.](?P<second>\d{{1,2}})[-/.]{_YEAR}\b"),
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b", re.IGNORECASE),
)
_PERIODS = (
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\bQ(?P<quarter>[1-4])\s+(?:of\s+)?{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_YEAR}[-/](?P<month>0[1-9]|1[0-2])\b(?![-/]\d)"),
)
#: A bare number is a year only where the word before it says so: "in 2023", but not "order 2023".
_BARE_YEAR = re.compile(
    r"\b(?:in|during|since|until|till|before|after|from|through|throughout|by|between|to|and|year)"
    rf"\s+(?:the\s+)?(?:calendar\s+)?(?:year\s+)?{_YEAR}\b(?![\d,.]*\d|\s?%|[-/]\d)",
    re.IGNORECASE,
)
_CELL = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text. `spans` holds one span per reading (03/04/2023 has two)."""

    text: str
    start: int
    end: int
    spans: tuple[Span, ...]

    @property
    def is_day(self) -> bool:
        return self.spans[0][0] == self.spans[0][1]


def find(text: str) -> Iterator[FoundDate]:
    """The dates, months, quarters and years of an English text, the most specific readings first."""
    for form in (*_DAYS, *_PERIODS, _BARE_YEAR):
        for match in form.finditer(text):
            spans = _spans({name: value for name, value in match.groupdict().items() if value is not None})
            if spans:
                start, end = match.span("year") if form is _BARE_YEAR else match.span()
                yield FoundDate(text[start:end], start, end, spans)


def year_span(year: int) -> Span:
    """The days of a year."""
    return _months(year, 1, 12)


def cell_day(value: str) -> str | None:
    """The ISO day of a stored date or timestamp, or None. Day and month are told apart where they can be."""
    match = _CELL.fullmatch(value)
    if not match:
        return None
    year, month, day, first, second, late_year = match.groups()
    if year:
        return _day(int(year), int(month), int(day))
    return _day(int(late_year), int(first), int(second)) or _day(int(late_year), int(second), int(first))


def _spans(parts: dict[str, str]) -> tuple[Span, ...]:
    year = int(parts["year"])
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        readings = dict.fromkeys((_day(year, first, second), _day(year, second, first)))
        return tuple((day, day) for day in readings if day)
    if "quarter" in parts:
        last = 3 * int(parts["quarter"])
        return (_months(year, last - 2, last),)
    month = MONTHS[parts["name"].lower()] if "name" in parts else int(parts.get("month", 0))
    if "day" in parts:
        day = _day(year, month, int(parts["day"]))
        return ((day, day),) if day else ()
    return (_months(year, month or 1, month or 12),)


def _months(year: int, first: int, last: int) -> Span:
    return f"{year:04}-{first:02}-01", f"{year:04}-{last:02}-{calendar.monthrange(year, last)[1]:02}"


def _day(year: int, month: int, day: int) -> str | None:
    if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(max(year, 1), month)[1]:
        return f"{year:04}-{month:02}-{day:02}"
    return None
