"""The grounding proof: every literal of a question is in the data or follows from it, and we can say where.

A literal counts as grounded only in a column of what the question is about: it speaks of the column, of its table, or
of a table with a key to that one. A bare number counts only in a column or table that the question mentions: with
twenty tables at hand, every small number is "in the data". Of several columns that hold a value, the proof names the
one that the words around the value speak of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from sqale_assets.records import LiteralProof
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages import dates
from sqale_assets.stages.literals import QuestionLiteral, literals
from sqale_assets.stages.value_index import (
    GroundingIndex,
    IndexedColumn,
    near_misses,
    normal_form,
    words_of,
)

__all__ = ["GroundingIndex", "Ungrounded", "ground", "literals"]

_SUMMING = frozenset(("total", "sum", "overall", "combined", "altogether", "cumulative", "together"))
_YEARS = range(1900, 2100)
#: Words that stand in every question and in many column names (accession_no, paid_on).
_SMALL = frozenset(("no", "on", "at", "in", "is", "to", "by", "of", "for", "the", "and", "or", "as", "with", "has"))


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """A literal without proof. `near_misses` say what the data holds instead, ready to show to the model."""

    literal: str
    near_misses: tuple[str, ...] = ()

    def __str__(self) -> str:
        hint = f"; similar: {', '.join(self.near_misses)}" if self.near_misses else ""
        return f"'{self.literal}' is not in the data of the tables the question is about{hint}"


def ground(
    question: str, relevant_tables: Sequence[str], database: Database | GroundingIndex
) -> tuple[tuple[LiteralProof, ...], list[Ungrounded]]:
    """Prove each literal of `question` against `relevant_tables`; what has no proof comes back second.

    Asked about many questions, make a `GroundingIndex` once and pass that: tables are read only once.
    """
    index = database if isinstance(database, GroundingIndex) else GroundingIndex(database)
    prover = _Prover(index, tuple(relevant_tables), question)
    proofs: list[LiteralProof] = []
    ungrounded: list[Ungrounded] = []
    for literal in literals(question):
        if literal.kind == "name" and prover.names_schema(literal.text):
            continue
        found = prover.prove(literal)
        proofs.extend(found)
        if not found:
            ungrounded.append(Ungrounded(literal.text, tuple(prover.near_misses(literal))))
    return tuple(proofs), ungrounded


class _Prover:
    def __init__(self, index: GroundingIndex, relevant: tuple[str, ...], question: str):
        self.index, self.relevant, self.question, self.words = index, relevant, question, words_of(question)
        self.tables = index.among(relevant)
        mentions = [(self._mention(column), column) for table in self.tables for column in table.columns]
        spoken = {column.table for mention, column in mentions if mention and not column.is_key}
        led_to = {parent for table in self.tables if table.name in spoken for parent in table.parents}
        #: Those of what the question is about, most mentioned first.
        self.columns = [
            column
            for _, column in sorted(mentions, key=lambda each: -each[0])
            if not spoken or column.table in spoken or column.table in led_to
        ]

    def names_schema(self, name: str) -> bool:
        """Whether a capitalised name is only a way of writing tables and columns ("Order Items", "GPA")."""
        words = words_of(name)
        if words and words <= self.index.vocabulary:
            return not any(normal_form(name) in column.texts for column in self.columns)
        acronym = name.isalpha() and name.isupper() and len(name) <= 5
        return acronym and not any(normal_form(name) in column.texts for column in self.columns)

    def prove(self, literal: QuestionLiteral) -> list[LiteralProof]:
        if literal.kind == "number":
            return self._number(literal)
        if literal.kind in ("date", "period"):
            return self._date(literal)
        return self._text(literal)

    def near_misses(self, literal: QuestionLiteral) -> list[str]:
        """What to tell the model: where else the literal stands, what resembles it, what a column spans."""
        if literal.kind == "number":
            measures = [c for c in self.columns if c.numbers and not c.is_key and self._column_mention(c)]
            return [f"{c.table}.{c.name} spans {c.numbers[0]:g} to {c.numbers[-1]:g}" for c in measures[:3]]
        if literal.kind in ("date", "period"):
            dated = [c for c in self.columns if c.days]
            return [f"{c.table}.{c.name} spans {c.days[0]} to {c.days[-1]}" for c in dated[:3]]
        wanted = normal_form(literal.text)
        elsewhere = (
            f"{c.texts[wanted]!r} (only in {c.table}.{c.name}, which the question is not about)"
            for c in self.index.beyond({column.table for column in self.columns})
            if wanted in c.texts
        )
        return [*islice(elsewhere, 1), *near_misses(literal.text, self.columns)]

    def _text(self, literal: QuestionLiteral) -> list[LiteralProof]:
        wanted = normal_form(literal.text)
        if literal.role != "pattern":
            found = self._first(lambda column: wanted in column.texts, literal, "exact")
            found = found or self._numeric_text(literal)
            if found := found or self._across_columns(literal, wanted):
                return found

        def contains(text: str) -> bool:
            return wanted in text and (literal.role == "pattern" or f" {_spaced(wanted)} " in f" {_spaced(text)} ")

        return self._first(lambda column: any(map(contains, column.texts)), literal, "contained")

    def _numeric_text(self, literal: QuestionLiteral) -> list[LiteralProof]:
        """A quoted number: '5' stands for the integer 5 as well as for the text."""
        try:
            number = float(literal.text.replace(",", ""))
        except ValueError:
            return []
        return self._first(lambda column: column.holds_number(number), literal, "exact")

    def _across_columns(self, literal: QuestionLiteral, wanted: str) -> list[LiteralProof]:
        """'Tuttle Gledhill' where one row holds 'Tuttle' and 'Gledhill': one proof per part."""
        parts = wanted.split(" ")
        if not 2 <= len(parts) <= 4:
            return []
        spellings = literal.text.split()
        for table in self.tables:
            for row in table.rows:
                if all(part in row for part in parts):
                    places = (table.columns[row.index(part)] for part in parts)
                    return [
                        LiteralProof(literal=spelling, table=column.table, column=column.name, how="exact")
                        for spelling, column in zip(spellings, places, strict=True)
                    ]
        return []

    def _number(self, literal: QuestionLiteral) -> list[LiteralProof]:
        number = literal.number or 0.0
        if literal.role == "limit":
            return [_derived(literal, "limit")] if self._countable(number) or "%" in literal.text else []
        if literal.role == "count":
            return [_derived(literal, "count")] if self._countable(number) else self._value(literal, number)
        if literal.role == "bound":
            return self._bound(literal, number)
        return self._value(literal, number)

    def _value(self, literal: QuestionLiteral, number: float) -> list[LiteralProof]:
        found = self._first(lambda column: self._mention(column) > 0 and column.holds_number(number), literal, "exact")
        if not found and literal.counted and self._countable(number):
            return [_derived(literal, "count")]
        if not found and number in _YEARS and literal.text.isdigit():
            span = dates.year_span(int(number))
            return self._first(lambda column: column.holds_day_in(span), literal, "period")
        return found

    def _bound(self, literal: QuestionLiteral, number: float) -> list[LiteralProof]:
        summed = bool(self.words & _SUMMING)

        def within(column: IndexedColumn) -> bool:
            if not column.numbers or (column.is_key and "id" not in self.words):
                return False
            upper = max(column.numbers[-1], column.total) if summed else column.numbers[-1]
            return column.numbers[0] <= number <= upper

        countable = literal.counted and self._countable(number)
        if countable and any(words_of(literal.counted) & table.words for table in self.tables):
            return [_derived(literal, "count")]  # "more than 2 orders", where there are orders
        found = self._first(lambda column: self._column_mention(column) > 0 and within(column), literal, "range")
        if not found and countable:
            return [_derived(literal, "count")]
        if not found and "%" in literal.text and 0 <= number <= 100:
            return [_derived(literal, "range")]
        return found or self._first(lambda column: self._mention(column) > 0 and within(column), literal, "range")

    def _date(self, literal: QuestionLiteral) -> list[LiteralProof]:
        year = float(literal.text) if literal.text.isdigit() else None
        if year and "year" in self.words and (found := self._year(literal, year, mentioned=True)):
            return found
        for span in literal.spans:
            if literal.role == "bound":
                found = self._first(lambda column, s=span: column.surrounds_span(s), literal, "range")
            else:
                how = "exact" if literal.kind == "date" else "period"
                found = self._first(lambda column, s=span: column.holds_day_in(s), literal, how)
            if found:
                return found
        # "between 1900 and 2000" may have meant numbers.
        return (self._year(literal, year) or self._number(replace(literal, number=year))) if year else []

    def _year(self, literal: QuestionLiteral, year: float, *, mentioned: bool = False) -> list[LiteralProof]:
        """A year kept as a number, in a column that says so."""
        bound = literal.role == "bound"

        def holds(column: IndexedColumn) -> bool:
            if "year" not in column.words or not column.numbers:
                return False
            if mentioned and not _likeness(column.words - {"year"} or words_of(column.table), self.words):
                return False
            return column.numbers[0] <= year <= column.numbers[-1] if bound else column.holds_number(year)

        return self._first(holds, literal, "range" if bound else "exact")

    def _countable(self, number: float) -> bool:
        """Whether so many rows exist at all in one of the tables."""
        return number == int(number) and 0 <= number <= max((table.row_count for table in self.tables), default=0)

    def _first(self, holds: Callable[[IndexedColumn], bool], literal: QuestionLiteral, how: str) -> list[LiteralProof]:
        holding = [column for column in self.columns if holds(column)]
        if not holding:
            return []
        column = holding[0]
        if len(holding) > 1:
            before, after = (words_of(text) for text in _around(self.question, literal))
            earlier = self.question[: literal.start].lower()
            column = max(
                holding,
                key=lambda each: (
                    _mention(each, before),
                    _mention(each, after),
                    max(earlier.rfind(word) for word in words_of(each.table) or (each.table,)),
                ),
            )  # of equal ones the most mentioned
        return [LiteralProof(literal=literal.text, table=column.table, column=column.name, how=how)]

    def _mention(self, column: IndexedColumn) -> int:
        return _mention(column, self.words)

    def _column_mention(self, column: IndexedColumn) -> int:
        return _column_mention(column, self.words)


def _mention(column: IndexedColumn, said: frozenset[str]) -> int:
    return 2 * _column_mention(column, said) + _likeness(words_of(column.table), said)


def _column_mention(column: IndexedColumn, said: frozenset[str]) -> int:
    """How much the words speak of the column, by its own words (those of its table left out)."""
    return _likeness(column.words - words_of(column.table) or column.words, said)


#: What parts the words around a literal from those of the next clause.
_BREAK = re.compile(r"[,;.?!](?=\s|$)|\b(?:and|but|whose|that|which|where|having|with|without|among)\b")
_AROUND = 80


def _around(question: str, literal: QuestionLiteral) -> tuple[str, str]:
    """What stands before and after a literal in its clause.

    "whose price is between 5 and 7": of the 7 the clause begins at "whose", as there is nothing but "and" before it.
    """
    end = literal.start + len(literal.text)
    before, after = question[max(0, literal.start - _AROUND) : literal.start], question[end : end + _AROUND]
    starts = [each.start() for each in _BREAK.finditer(before) if each[0] != "and" or words_of(before[each.end() :])]
    start = starts[-1] if starts else 0
    broken = _BREAK.search(after)
    return before[start:], after[: broken.start()] if broken else after


def _likeness(words: Iterable[str], others: frozenset[str]) -> int:
    """Two for each word that stands among `others`, one for each that stands there abbreviated (desc, description)."""
    beginnings = _beginnings(others)
    score = 0
    for word in words:
        if word in others:
            score += 2 * (word not in _SMALL)
        elif word[:5] in beginnings or word[:4] in others:  # creation, created; desc, description; description, desc
            score += 1
    return score


@lru_cache(maxsize=1000)
def _beginnings(words: frozenset[str]) -> frozenset[str]:
    """The first four and the first five letters of each word that has so many."""
    return frozenset(word[:length] for word in words for length in (4, 5) if len(word) >= length)


def _spaced(text: str) -> str:
    return "".join(character if character.isalnum() or character in "'." else " " for character in text)


def _derived(literal: QuestionLiteral, how: str) -> LiteralProof:
    return LiteralProof(literal=literal.text, table=None, column=None, how=how)
