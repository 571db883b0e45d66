"""Words: what entities are called (`names.txt`), closed vocabularies (`choices.txt`), sentences (`texts.txt`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from sqale_assets.relational.names import singular

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Naming:
    """How things of one sort are named: patterns over lists, a maker of the sandbox's `fake` ("company"),

    or a `register` of things with their official codes ("France/FR/FRA").
    """

    patterns: tuple[str, ...] = ()
    maker: str = ""
    register: str = ""

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists that the patterns draw from, in order of appearance."""
        return tuple(dict.fromkeys(slot for pattern in self.patterns for slot in _SLOT.findall(pattern)))


#: For entities that no line of the file knows; {entity} is the entity's own name.
def unknown(entity: str) -> Naming:
    return Naming((f"{{general}} {entity}", f"{{codename}} {entity}"))


@lru_cache(maxsize=8192)
def naming(words: tuple[str, ...], context: frozenset[str] = frozenset()) -> Naming | None:
    """The naming of an entity by its words (lower case): the longest ending that is known wins.

    `context` holds words of the domain: an artist of a museum is another than one of a record label.
    """
    entities, _ = _names()
    singulars = tuple(singular(word) for word in words)
    for parts in (words, singulars):
        for start in range(len(parts)):
            if (found := _in_context(entities, "_".join(parts[start:]), context)) is not None:
                return found
    return None


def _in_context(entities: dict[str, dict[str, Naming]], entity: str, context: frozenset[str]) -> Naming | None:
    known = entities.get(entity, {})
    return next((found for where, found in known.items() if where in context), known.get(""))


def words_of(name: str) -> list[str]:
    """The list of that name."""
    lists = _names()[1]
    if name not in lists and name[-2:] in ("_c", "_l"):  # the same list as it begins, or stands inside, a sentence
        change = str.upper if name.endswith("_c") else str.lower
        return [change(text[0]) + text[1:] for text in lists[name[:-2]]]
    return lists[name]


@lru_cache(maxsize=4096)
def choices(meaning: str, table_words: tuple[str, ...], file: str = "choices.txt") -> tuple[tuple[str, int], ...]:
    """(value, weight) pairs of a closed vocabulary; empty when there is none for `meaning`."""
    known = set(table_words) | {singular(word) for word in table_words}
    for tables, values in _choices(file).get(meaning, ()):
        if "*" in tables or known & set(tables):
            return values
    return ()


@lru_cache(maxsize=4096)
def sentences(meaning: str, table_words: tuple[str, ...]) -> tuple[str, ...]:
    """Templates of sentences for a meaning ("comment") in a table; empty when there are none."""
    known = set(table_words) | {singular(word) for word in table_words}
    for line in lines("texts.txt"):
        head, separator, body = line.partition(" = ")
        if separator:
            found, _, tables = head.partition(": ")
            if found == meaning and ("*" in tables.split() or known & set(tables.split())):
                return tuple(body.split(" | "))
    return ()


@lru_cache(maxsize=1)
def _names() -> tuple[dict[str, dict[str, Naming]], dict[str, list[str]]]:
    """Namings by entity and context ("" for any), and the lists."""
    entities: dict[str, dict[str, Naming]] = {}
    lists: dict[str, list[str]] = {}
    for line in lines("names.txt"):
        head, separator, body = line.partition(" = ")
        if separator:
            body = body.strip()
            if body[0] in "!@":
                named = Naming(maker=body[1:]) if body[0] == "!" else Naming(register=body[1:])
            else:
                named = Naming(tuple(pattern.strip() for pattern in body.split(" | ")))
            for word in head.split():
                context, _, entity = word.rpartition(":")
                entities.setdefault(entity, {}).setdefault(context, named)
        else:
            name, _, items = line.partition(": ")
            lists[name] = items.split(", ")
    for line in lines("texts.txt"):
        if " = " not in line:
            name, _, items = line.partition(": ")
            lists[name] = items.split(", ")
    return entities, lists


@lru_cache(maxsize=8)
def _choices(file: str) -> dict[str, list[tuple[Sequence[str], tuple[tuple[str, int], ...]]]]:
    found: dict[str, list[tuple[Sequence[str], tuple[tuple[str, int], ...]]]] = {}
    for line in lines(file):
        head, _, body = line.partition(" = ")
        meanings, _, tables = head.partition(": ")
        pairs = [item.rsplit(" ", 1) for item in body.split(", ")]
        values = tuple((value, int(weight)) for value, weight in pairs)
        for meaning in meanings.split():
            found.setdefault(meaning, []).append((tables.split(), values))
    return found


@lru_cache(maxsize=4)
def lines(file: str) -> list[str]:
    """The lines of a vocabulary file, comments and blank lines left out."""
    text = resources.files("sqale_assets.llm.offline.filling").joinpath(file).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
