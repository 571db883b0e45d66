"""From the prompt's text back to tables and words.

Words are the parts of identifiers, in the singular and in English as far as `translations.txt` goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sqale_assets.relational import names

_FENCE = r"```{}\n(?P<body>.*?)\n```"
#: Parts of table names that say what kind of object it is, or that belong to every table of some application.
AFFIXES = frozenset(
    {
        "tbl",
        "tb",
        "tab",
        "t",
        "tr",
        "table",
        "mst",
        "m",
        "r",
        "g",
        "z",
        "db",
        "dbo",
        "data",
        "info",
        "has",
        "id",
        "code",
        "now",
    }
)


_NO_PLURALS = frozenset({"has", "is", "was", "as", "this"})


@dataclass(frozen=True)
class ShownTable:
    """A table as the prompt shows it. `text` is its comment and notes."""

    name: str
    columns: tuple[str, ...]
    references: tuple[str, ...]
    text: str


def read_source(prompt: str) -> str:
    """Names of the repository and the file, as text."""
    return " ".join(line.partition(": ")[2] for line in _block(prompt, "source").splitlines())


def read_schema(prompt: str) -> list[ShownTable]:
    tables = []
    for block in re.split(r"^- ", _block(prompt, "schema"), flags=re.MULTILINE)[1:]:
        name, *lines = block.splitlines()
        fields: dict[str, list[str]] = {}
        for line in lines:
            key, _, value = line.strip().partition(": ")
            fields.setdefault(key, []).append(value)
        tables.append(
            ShownTable(
                name=name.strip(),
                columns=_names(fields, "columns"),
                references=_names(fields, "references"),
                text=" ".join(fields.get("comment", []) + fields.get("notes", [])),
            )
        )
    return tables


def words(name: str) -> list[str]:
    """The words of an identifier or a text: `tbl_OrderItems` gives table affix, order, item."""
    return [word for part in names.words(name) if not part.isdigit() for word in _english(part)]


def _names(fields: dict[str, list[str]], key: str) -> tuple[str, ...]:
    return tuple(name for value in fields.get(key, []) for name in value.split(", ") if name != "...")


def _block(prompt: str, name: str) -> str:
    match = re.search(_FENCE.format(name), prompt, re.DOTALL)
    return match["body"] if match else ""


def thing_first(name: str) -> bool:
    """Whether the identifier is in a language that puts the thing before what qualifies it."""
    return any(word in _translations(thing_first=True) for word in names.words(name))


def _english(word: str) -> Iterator[str]:
    table = _translations()
    single = word if word in _NO_PLURALS else names.singular(word)
    yield from (table.get(word) or table.get(single) or single).split("_")


@lru_cache
def _translations(thing_first: bool = False) -> dict[str, str]:
    """English by word; of the languages with the thing first alone, or of all."""
    text = (Path(__file__).parent / "translations.txt").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    wanted = True
    for line in text.splitlines():
        if line.startswith("#"):
            wanted = not thing_first or "(thing first)" in line
        elif wanted:
            found |= dict(entry.split("=", 1) for entry in line.split())
    return found
