"""Whether the constants of a query come from somewhere: the question, or the data that they are compared with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.names import quote
from sqale_assets.sqlenv.sqlfacts import Constant

# fmt: off
_NUMBER_WORDS = {
    "zero": 0, "one": 1, "once": 1, "single": 1, "two": 2, "twice": 2, "both": 2, "pair": 2, "three": 3, "thrice": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
    "thousand": 1_000, "million": 1_000_000, "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6,
    "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}
# fmt: on
#: Counts that need no mention: "any", "none", "more than once", "at least two".
_COMMON_COUNTS = frozenset({0, 1, 2})
#: Words that ask for the first place without saying a number.
_SUPERLATIVE = re.compile(
    r"\b(most|least|first|last|top|\w{3,}est|best|worst|latest|earliest|maximum|minimum|max|min|next|previous)\b"
)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


class Words:
    """A question as literals are looked up in it: folded text, its numbers, its years."""

    def __init__(self, text: str, known: Iterable[str] = ()):
        self.folded = _fold(text)
        self.known = frozenset(_fold(each) for each in known)
        self.numbers = {float(each.replace(",", "")) for each in _NUMBER.findall(text)}
        self.numbers |= {abs(number) for number in self.numbers}
        tokens = re.findall(r"[a-z]+", text.lower())
        self.numbers |= {float(_NUMBER_WORDS[token]) for token in tokens if token in _NUMBER_WORDS}
        self.superlative = bool(_SUPERLATIVE.search(text.lower()))

    def mention(self, value: int | float | str, *, part: bool = False) -> bool:
        """Whether the question names the value, in words, digits, or as a period that it begins or ends.

        With `part` the value may stand inside a word, as in a LIKE pattern.
        """
        if isinstance(value, int | float):
            # Percentages are asked for as 20% and filtered as 0.2.
            return float(value) in self.numbers or value * 100 in self.numbers or _fold(str(value)) in self.known
        folded = _fold(value.strip("%_*"))
        if folded in self.known or (folded in self.folded if part else f" {folded} " in f" {self.folded} "):
            return True
        if re.fullmatch(r"-?\d+(\.\d+)?", value):
            return float(value) in self.numbers
        # A date or time stands for a period: "in 2020", "since March".
        date = re.match(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", value)
        return bool(date) and float(date.group(1)) in self.numbers


def uses(sql: str, value: str) -> bool:
    """Whether a query says `value`, whatever its case and spaces; a number as one equal to it, or as its hundredth."""
    if number := _NUMBER.fullmatch(value.strip()):
        wanted = float(number.group().replace(",", ""))
        return any(float(each) in (wanted, wanted / 100) for each in re.findall(r"-?\d+(?:\.\d+)?", sql))
    return _fold(value) in _fold(sql.replace("''", "'"))


def ungrounded(
    constants: Iterable[Constant], words: Words, tables: Iterable[str], database: Database
) -> Constant | None:
    """The first constant that neither the question names nor the data of `tables`, those of the query, holds."""
    tables = list(tables)
    return next((each for each in constants if not _grounded(each, words, tables, database)), None)


def _grounded(constant: Constant, words: Words, tables: list[str], database: Database) -> bool:
    value = constant.value
    if value == "" or words.mention(value, part=constant.use == "pattern"):
        return True
    if constant.use == "limit":
        return value in (0, 1) and words.superlative
    columns = list(_columns(constant, tables, database))
    if not isinstance(value, str) and (constant.use == "range" or not columns):
        return value in _COMMON_COUNTS  # compared with a count, a rank or another expression
    if constant.use == "range":
        return False
    return any(_holds(database, table, column, value) for table, column in columns)


def _columns(constant: Constant, tables: list[str], database: Database) -> Iterator[tuple[str, str]]:
    """Where the constant may be stored: the column it is compared with, or all of that name where it is not clear."""
    for name in [constant.table] if constant.table else tables:
        table = database.schema.table(name)
        column = table.column(constant.column) if table and constant.column else None
        if table and column:
            yield table.name, column.name


def _holds(database: Database, table: str, column: str, value: int | float | str) -> bool:
    literal, operator = (f"'{value.replace(chr(39), chr(39) * 2)}'", "LIKE") if isinstance(value, str) else (value, "=")
    try:
        found = database.execute(f"SELECT 1 FROM {quote(table)} WHERE {quote(column)} {operator} {literal} LIMIT 1")
    except QueryError:
        return False
    return bool(found.rows)


def _fold(text: str) -> str:
    """Lower case, letters and digits only, one blank between words."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
