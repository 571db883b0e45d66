"""Words: what entities are called (`names.txt`), closed vocabularies (`choices.txt`), sentences (`texts.txt`).

The files are English; `languages/` holds the same for other languages, which is looked up first and need not be whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import takewhile

from sqale_assets.relational.names import singular

ENGLISH = "en_US"
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


def unknown(entity: str, language: str = ENGLISH) -> Naming:
    """For entities that no line of the file knows; {entity} is the entity's own name."""
    local = _names(language)[0].get("unknown", {}).get("")
    if local is not None:
        return Naming(tuple(pattern.replace("{entity}", entity) for pattern in local.patterns))
    return Naming((f"{{general}} {entity}", f"{{codename}} {entity}"))


@lru_cache(maxsize=8192)
def naming(words: tuple[str, ...], context: frozenset[str] = frozenset(), language: str = ENGLISH) -> Naming | None:
    """The naming of an entity by its words (lower case): the longest ending that is known wins.

    `context` holds words of the domain: an artist of a museum is another than one of a record label.
    """
    singulars = tuple(singular(word) for word in words)
    for spoken in dict.fromkeys((language, ENGLISH)):
        entities = _names(spoken)[0]
        for parts in (words, singulars):
            for start in range(len(parts)):
                if (found := _in_context(entities, "_".join(parts[start:]), context)) is not None:
                    return found
    return None


def _in_context(entities: dict[str, dict[str, Naming]], entity: str, context: frozenset[str]) -> Naming | None:
    known = entities.get(entity, {})
    return next((found for where, found in known.items() if where in context), known.get(""))


def words_of(name: str, language: str = ENGLISH) -> list[str]:
    """The list of that name."""
    if (local := _names(language)[1].get(name)) is not None:
        return local
    lists = _names(ENGLISH)[1]
    if name not in lists and name[-2:] in ("_c", "_l"):  # the same list as it begins, or stands inside, a sentence
        change = str.upper if name.endswith("_c") else str.lower
        return [change(text[0]) + text[1:] for text in lists[name[:-2]]]
    return lists[name]


@lru_cache(maxsize=4096)
def choices(
    meaning: str, table_words: tuple[str, ...], language: str = ENGLISH, file: str = "choices.txt"
) -> tuple[tuple[str, int], ...]:
    """(value, weight) pairs of a closed vocabulary; empty when there is none for `meaning`."""
    known = set(table_words) | {singular(word) for word in table_words}
    for spoken in dict.fromkeys((language, ENGLISH)):
        for tables, values in _choices(file, spoken).get(meaning, ()):
            if "*" in tables or known & set(tables):
                return values
    return ()


@lru_cache(maxsize=4096)
def sentences(meaning: str, table_words: tuple[str, ...], language: str = ENGLISH) -> tuple[str, ...]:
    """Templates of sentences for a meaning ("comment") in a table; empty when there are none."""
    known = set(table_words) | {singular(word) for word in table_words}
    for line in (line for spoken in dict.fromkeys((language, ENGLISH)) for line in lines("texts.txt", spoken)):
        head, separator, body = line.partition(" = ")
        if separator:
            found, _, tables = head.partition(": ")
            if found == meaning and ("*" in tables.split() or known & set(tables.split())):
                return tuple(body.split(" | "))
    return ()


@lru_cache(maxsize=16)
def _names(language: str) -> tuple[dict[str, dict[str, Naming]], dict[str, list[str]]]:
    """Namings by entity and context ("" for any), and the lists."""
    entities: dict[str, dict[str, Naming]] = {}
    lists: dict[str, list[str]] = {}
    for line in lines("names.txt", language):
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
    for line in lines("texts.txt", language):
        if " = " not in line:
            name, _, items = line.partition(": ")
            lists[name] = items.split(", ")
    return entities, lists


@lru_cache(maxsize=32)
def _choices(file: str, language: str) -> dict[str, list[tuple[Sequence[str], tuple[tuple[str, int], ...]]]]:
    found: dict[str, list[tuple[Sequence[str], tuple[tuple[str, int], ...]]]] = {}
    for line in lines(file, language):
        head, _, body = line.partition(" = ")
        meanings, _, tables = head.partition(": ")
        pairs = [item.rsplit(" ", 1) for item in body.split(", ")]
        values = tuple((value, int(weight)) for value, weight in pairs)
        for meaning in meanings.split():
            found.setdefault(meaning, []).append((tables.split(), values))
    return found


@lru_cache(maxsize=64)
def lines(file: str, language: str = ENGLISH) -> list[str]:
    """The lines of a vocabulary file, comments and blank lines left out.

    For a language other than English, those of the section of that name in `languages/<language>.txt`; none where
    there is no such file.
    """
    folder = resources.files("sqale_assets.llm.offline.filling")
    path = folder.joinpath(file if language == ENGLISH else f"languages/{language}.txt")
    if not path.is_file():
        return []
    kept = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [line for line in kept if line and not line.startswith("#")]
    if language == ENGLISH:
        return kept
    section = f"[{file.removesuffix('.txt')}]"
    if section not in kept:
        return []
    start = kept.index(section) + 1
    return list(takewhile(lambda line: not line.startswith("["), kept[start:]))
