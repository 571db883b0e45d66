"""What a writer knows of a part of a database: its definitions, figures and stories, and what columns are good for."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from sqale_assets.llm.offline.english import words
from sqale_assets.llm.offline.english.lexicon import Lexicon, noun_of
from sqale_assets.llm.offline.english.meaning import Day, Link, Ref, Value
from sqale_assets.relational.model import Column
from sqale_assets.relational.names import singular
from sqale_assets.sqlenv.introspect import read_schema

#: key: identifies. label: tells a row. category: few values. flag, measure, date. text: long or else.
Use = Literal["key", "label", "category", "flag", "measure", "date", "text", "none"]

_LABEL_TEXT = "name title label username login subject code email description reference slug"
_LABELS = _LABEL_TEXT.split()
#: Words of numbers that order, identify or classify instead of measuring.
_NOT_MEASURES_TEXT = """
    id key uuid code number no nr year month day phone telephone fax zip postal latitude longitude order sort
    position index version port sequence line type status state level flag category class mode hash pin
    account serial isbn barcode mobile house floor reference by date time at rank priority parent to from of
    on in by for
"""
_NOT_MEASURES = frozenset(_NOT_MEASURES_TEXT.split())
#: Words of measures that make sense when added up.
_ADDITIVE_TEXT = """
    amount quantity total price cost count hours minutes points salary size duration fee payment balance budget
    revenue sales units stock distance weight discount tax score bytes votes likes views value income expense seats
    capacity population area volume
"""
_ADDITIVE = frozenset(_ADDITIVE_TEXT.split())
#: Nouns of things that are counted or measured. A whole number called after another thing ("project") refers to one.
_MEASURABLE_TEXT = """
    age allowance amount area attempt balance bid bonus budget capacity charge commission cost count coverage credit
    debt deduction degree deposit discount distance duration expense factor fee fine fund goal grade height hour hours
    income interest length like limit loss margin mark measurement minute money month mortgage number payment penalty
    percentage point population premium price prize quantity quota rate rating ratio reading return revenue reward
    salary sale sample score seat second shift size speed stock storage supply tax temperature term threshold time total
    unit usage value view visit volume vote wage weight width year result estimate pay
"""
_MEASURABLE = frozenset(_MEASURABLE_TEXT.split())
#: Nouns that begin so cannot be told from what a question says about them ("no actions").
_MISLEADING = frozenset(["no", "not", "all", "any", "each", "every", "most", "more", "same", "the", "other"])
_KEY = re.compile(r"[a-z]{0,2}ids?\Z")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?\Z")
_BAD_TEXT = re.compile(r'["“”…<>{}\[\]\\\n\r\t%_]|\A\W*\Z|\A(?:null|none|n/a|todo|test)\Z', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Known:
    """A column as the writer sees it. `values` lists (value, count) where there are few."""

    table: str
    column: Column
    phrase: str
    use: Use
    rows: int
    distinct: int
    nulls: int
    least: Value | None
    most: Value | None
    values: tuple[tuple[Any, int], ...] = ()

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def unique(self) -> bool:
        return self.distinct == self.rows and self.nulls == 0

    @property
    def additive(self) -> bool:
        return self.use == "measure" and bool(_ADDITIVE & set(self.phrase.split()))


class Picture:
    """A part of a database: `tables` by name in the lexicon, `facts` and `stories` as in the prompt."""

    def __init__(self, ddl: str, facts: dict[str, Any], stories: list[dict[str, dict[str, Any]]]):
        connection = sqlite3.connect(":memory:")
        try:
            connection.executescript(ddl)
            self.schema = read_schema(connection)
        finally:
            connection.close()
        self.lexicon = Lexicon(self.schema)
        self.facts, self.stories = facts, stories
        self.columns: dict[str, tuple[Known, ...]] = {
            table.name: tuple(self._known(table.name, column) for column in table.columns)
            for table in self.schema.tables
            if facts.get(table.name, {}).get("rows", 0) > 0 and noun_of(table.name).split()[0] not in _MISLEADING
        }

    @property
    def tables(self) -> list[str]:
        return list(self.columns)

    def rows(self, table: str) -> int:
        return self.facts[table]["rows"]

    def of(self, table: str, *uses: Use) -> list[Known]:
        return [column for column in self.columns[table] if column.use in uses]

    def known(self, table: str, name: str) -> Known:
        return next(column for column in self.columns[table] if column.name == name)

    def label(self, table: str) -> Known | None:
        """The column that tells the table's rows best: a name, else what is most nearly unique."""
        labels = self.of(table, "label") or [c for c in self.of(table, "text", "category") if c.distinct > 1]
        best = sorted(labels, key=lambda c: (self._label_rank(c), -c.distinct))
        return best[0] if best else None

    def identifier(self, table: str) -> Known | None:
        """The single column that is the table's primary key."""
        primary = self.lexicon.tables[table].primary_key
        return self.known(table, primary[0]) if len(primary) == 1 else None

    def shown(self, table: str) -> Known | None:
        """The column to show when a row is to be told: its label, else its key."""
        return self.label(table) or self.identifier(table)

    @staticmethod
    def _label_rank(column: Known) -> int:
        last = column.phrase.split()[-1]
        return _LABELS.index(last) if last in _LABELS else len(_LABELS)

    # --- keys

    @cached_property
    def links(self) -> list[Link]:
        return [
            link
            for table in self.tables
            for link in self.lexicon.links_out(table)
            if link.parent in self.columns and self._tells_one(link)
        ]

    def _tells_one(self, link: Link) -> bool:
        """Whether the key leads to one row: what it references is unique, as far as one column shows."""
        if len(link.parent_columns) > 1:
            return set(link.parent_columns) == set(self.lexicon.tables[link.parent].primary_key)
        return self.known(link.parent, link.parent_columns[0]).unique

    def links_out(self, table: str) -> list[Link]:
        return [link for link in self.links if link.child == table]

    def links_in(self, table: str) -> list[Link]:
        return [link for link in self.links if link.parent == table]

    def chains(self, table: str, longest: int = 4) -> list[tuple[Link, ...]]:
        """Every way along keys from the table to others, each table at most once on it (a self-reference counts)."""

        def walk(at: str, way: tuple[Link, ...], seen: frozenset[str]) -> Iterator[tuple[Link, ...]]:
            for link in self.links_out(at):
                if link.parent == link.child and not way:
                    yield (link,)
                elif link.parent not in seen and len(way) < longest:
                    yield (*way, link)
                    yield from walk(link.parent, (*way, link), seen | {link.parent})

        return list(walk(table, (), frozenset([table])))

    def optional(self, link: Link) -> bool:
        """Whether some rows leave the key empty."""
        return any(self.known(link.child, column).nulls for column in link.columns)

    def fan_out(self, link: Link) -> tuple[float, int]:
        """Average number of children of the parents that have any, and the number of parents without."""
        column = self.known(link.child, link.columns[0])
        referenced = max(column.distinct, 1)
        return (column.rows - column.nulls) / referenced, self.rows(link.parent) - column.distinct

    # --- stories

    def value(self, story: dict[str, dict[str, Any]], table: str, ref: Ref) -> Any:
        """What the story says for a column of the table's row, None where the chain does not lead through it."""
        row = story.get(table)
        for link in ref.chain:
            parent = story.get(link.parent)
            if row is None or parent is None or not _joined(link, row, parent):
                return None
            row = parent
        return None if row is None else row.get(ref.column)

    def joined(self, story: dict[str, dict[str, Any]], link: Link) -> bool:
        """Whether the story's rows of the two tables belong together."""
        child, parent = story.get(link.child), story.get(link.parent)
        return child is not None and parent is not None and _joined(link, child, parent)

    # --- columns

    def _known(self, table: str, column: Column) -> Known:
        facts = self.facts[table]["columns"].get(column.name, {})
        rows = self.facts[table]["rows"]
        phrase = self.lexicon.column(table, column.name)
        known = Known(
            table=table, column=column, phrase=phrase, use="none", rows=rows, distinct=facts.get("distinct", 0),
            nulls=facts.get("nulls", 0), least=facts.get("min"), most=facts.get("max"),
            values=tuple((value, count) for value, count in facts.get("values", ())),
        )  # fmt: skip
        return Known(**{**{name: getattr(known, name) for name in Known.__slots__}, "use": self._use(known)})

    def _use(self, known: Known) -> Use:
        table = self.lexicon.tables[known.table]
        spoken = known.phrase.split()
        if known.distinct == 0 or len(self.lexicon.columns_called(known.table, known.phrase)) > 1:
            return "none"
        keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
        if (
            known.name in keys
            or words.names_doer(known.name)
            or _KEY.match(spoken[-1])
            or spoken[-1] in ("id", "uuid", "key", "guid", "hash", "token", "password", "salt")
        ):
            return "key"
        if not all(words.is_readable(word) for word in spoken) or known.column.kind in ("json", "binary", "uuid"):
            return "none"
        if spoken[-1] == "flag":
            return "flag" if known.distinct == 2 and known.values else "none"
        if isinstance(known.least, str):
            return self._text_use(known, spoken)
        if known.column.kind in ("date", "datetime", "time"):
            return "none"  # stored as a number
        named = any(noun.split()[-1] == spoken[-1] for noun in self.lexicon.nouns)
        if (
            known.distinct >= 4
            and not named
            and not (
                known.column.affinity == "INTEGER" and words.is_noun(spoken[-1]) and not self._measurable(spoken[-1])
            )
            and not _NOT_MEASURES & set(spoken)
            and isinstance(known.most, int | float)
        ):
            return "measure"
        return "none"

    @staticmethod
    def _measurable(word: str) -> bool:
        return bool({word, singular(word)} & (_MEASURABLE | _ADDITIVE))

    def _text_use(self, known: Known, spoken: list[str]) -> Use:
        assert isinstance(known.least, str)
        if _ISO_DAY.match(known.least) and _ISO_DAY.match(str(known.most)):
            return "date" if known.column.affinity != "INTEGER" else "none"
        if known.column.affinity in ("INTEGER", "REAL") or not isinstance(known.most, str):
            return "none"
        if known.values and all(isinstance(value, str) and good_text(value) for value, _ in known.values):
            return "category" if known.distinct > 1 else "none"
        if spoken[-1] in _LABELS and known.distinct > 1 and spoken[-1] != "description":
            return "label"
        return "text"


def good_text(value: Any) -> bool:
    """Whether a stored text can stand in a question as it is."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= 60
        and value == value.strip()
        and not _BAD_TEXT.search(value)
        and "  " not in value
    )


def day(value: Any) -> Day | None:
    """The day of a stored date or timestamp."""
    return Day(value[:10]) if isinstance(value, str) and _ISO_DAY.match(value) else None


def _joined(link: Link, child: dict[str, Any], parent: dict[str, Any]) -> bool:
    return all(
        child.get(mine) is not None and child.get(mine) == parent.get(theirs)
        for mine, theirs in zip(link.columns, link.parent_columns, strict=True)
    )
