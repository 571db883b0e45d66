"""What a populated database holds, each table indexed once so that many questions' literals can be looked up in it.

Here belongs finding values; what a found value proves about a literal is decided in `grounding`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from sqale_assets.relational import names
from sqale_assets.relational.model import Row
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages import dates

_NUMERIC = re.compile(r"[$€£]?\s?-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d{1,15}(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


@dataclass(slots=True)
class IndexedColumn:
    """A column's distinct values. `texts` maps the normal form to one stored spelling; lists are sorted."""

    table: str
    name: str
    words: frozenset[str]
    texts: dict[str, str] = field(default_factory=dict)
    numbers: list[float] = field(default_factory=list)
    days: list[str] = field(default_factory=list)
    total: float = 0.0

    @property
    def is_key(self) -> bool:
        """Whether the name says that numbers in it identify something instead of measuring it."""
        return bool(self.words & {"id", "key", "uuid", "fk", "pk"}) or self.name.lower().endswith("id")

    def holds_number(self, number: float) -> bool:
        return _holds(self.numbers, number)

    def holds_day_in(self, span: dates.Span) -> bool:
        position = bisect_left(self.days, span[0])
        return position < len(self.days) and self.days[position] <= span[1]

    def surrounds_span(self, span: dates.Span) -> bool:
        """Whether a threshold at the span parts the column's days, or touches its first or last."""
        return bool(self.days) and self.days[0] <= span[1] and span[0] <= self.days[-1]


@dataclass
class IndexedTable:
    """A table with its rows as they are `stored`."""

    name: str
    words: frozenset[str]
    columns: list[IndexedColumn]
    #: Tables that its keys lead to.
    parents: frozenset[str]
    stored: list[Row]

    @property
    def row_count(self) -> int:
        return len(self.stored)

    @cached_property
    def rows(self) -> list[tuple[str | None, ...]]:
        """Each row's texts in normal form, for literals that span columns of one row."""
        return [tuple(normal_form(value) if isinstance(value, str) else None for value in row) for row in self.stored]


class GroundingIndex:
    """All values of one database. A table is read when it is first asked for: questions are about a few of many."""

    def __init__(self, database: Database):
        self._database = database
        self._names = {table.name.lower(): table.name for table in database.schema.tables}
        self._known: dict[str, IndexedTable] = {}
        #: The words of all its tables and columns.
        self.vocabulary = frozenset(
            word
            for table in database.schema.tables
            for words in (words_of(table.name), *(_called(column.name) for column in table.columns))
            for word in words
        )

    def among(self, names: Iterable[str]) -> list[IndexedTable]:
        """The tables of these names in any case, in the order given; unknown names are left out."""
        lowered = dict.fromkeys(name.lower() for name in names)
        return [self._table(name) for name in lowered if name in self._names]

    def beyond(self, names: Iterable[str]) -> Iterator[IndexedColumn]:
        """The columns of all other tables."""
        lowered = {name.lower() for name in names}
        return (column for name in self._names if name not in lowered for column in self._table(name).columns)

    def _table(self, lowered: str) -> IndexedTable:
        if lowered not in self._known:
            self._known[lowered] = _indexed(self._database, self._names[lowered])
        return self._known[lowered]


def normal_form(text: str) -> str:
    """Text as it is compared: case, runs of whitespace and typographic quotes do not matter."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate({0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(text.casefold().split())


@lru_cache(maxsize=10_000)
def words_of(name: str) -> frozenset[str]:
    """The words of an identifier or a text in lower case and singular: `OrderItems` -> {order, item}."""
    return frozenset(names.singular(word) for word in names.words(name))


def readable(identifier: str) -> str:
    """An identifier as words: `OrderItems` -> order items."""
    return " ".join(names.words(identifier))


def as_number(text: str) -> float | None:
    """The number that a stored text spells ("1,200.50", "$5"), or None."""
    return float(text.replace(",", "").lstrip("$€£ ")) if _NUMERIC.fullmatch(text) else None


def near_misses(text: str, columns: Iterable[IndexedColumn], limit: int = 3) -> list[str]:
    """Stored texts that resemble `text`, each as `'value' (table.column)`, the most alike first."""
    wanted = normal_form(text)
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    scored: list[tuple[float, str]] = []
    for column in columns:
        for normal, stored in column.texts.items():
            if not 0.5 <= len(normal) / len(wanted) <= 2:  # cannot reach the ratio; saves most of the time
                continue
            matcher.set_seq1(normal)
            if matcher.real_quick_ratio() > 0.6 and matcher.quick_ratio() > 0.6 and matcher.ratio() > 0.6:
                scored.append((-matcher.ratio(), f"{stored!r} ({column.table}.{column.name})"))
    return [label for _, label in sorted(scored)[:limit]]


def _indexed(database: Database, name: str) -> IndexedTable:
    titles, stored = _read(database, name)
    columns = [IndexedColumn(name, title, _called(title)) for title in titles]
    for column, values in zip(columns, zip(*stored, strict=True), strict=False):
        _fill(column, values)
    table = database.schema.table(name)
    parents = frozenset(key.target_table for key in table.foreign_keys) if table else frozenset()
    return IndexedTable(name, words_of(name), columns, parents, stored)


def _called(column: str) -> frozenset[str]:
    """The words of a column's name; created_at and paid_on are dates."""
    return words_of(column) | ({"date"} if names.words(column)[-1:] in (("at",), ("on",)) else frozenset())


def _read(database: Database, table: str) -> tuple[tuple[str, ...], list[Row]]:
    """A whole table, in pages of as many rows as one query may return."""
    quoted = '"' + table.replace('"', '""') + '"'
    rows: list[Row] = []
    while True:
        page = database.execute(f"SELECT * FROM {quoted} LIMIT {database.limits.rows} OFFSET {len(rows)}")
        rows.extend(page.rows)
        if len(page.rows) < database.limits.rows:
            return page.columns, rows


def _fill(column: IndexedColumn, values: Iterable[object]) -> None:
    numbers: set[float] = set()
    days: set[str] = set()
    for value in values:
        if isinstance(value, int | float):
            numbers.add(float(value))
            column.total += value
        elif isinstance(value, str):
            column.texts.setdefault(normal_form(value), value)
    for text in column.texts.values():
        if (day := dates.cell_day(text)) is not None:
            days.add(day)
        elif (number := as_number(text)) is not None:
            numbers.add(number)
    column.numbers, column.days = sorted(numbers), sorted(days)


def _holds(ordered: list[float], number: float) -> bool:
    position = bisect_left(ordered, number)
    neighbours = ordered[max(0, position - 1) : position + 1]
    return any(abs(value - number) <= 1e-9 * max(1.0, abs(number)) for value in neighbours)
