"""Identifiers as people write them: their words, their case, singular and plural.

Pure string functions, no schema in here. Words are lower case; an identifier's case is one of `CASES`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import inflection

Case = Literal[
    "snake_case",
    "UPPER_SNAKE_CASE",
    "PascalCase",
    "camelCase",
    "Pascal_Snake_Case",
    "Capital_snake_case",
    "lowercase",
    "UPPERCASE",
    "Title Case",
]
CASES: tuple[Case, ...] = get_args(Case)

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_SEPARATORS = re.compile(r"[^\w]|_")

#: Words that inflection's rules get wrong, or that have no other number.
_ENDS_LIKE_A_PLURAL = """
    access address alias analysis atlas axis basis bias bonus bus business campus canvas census chassis class
    consensus corpus crisis cross data diagnosis dress emphasis equipment feedback focus gas glass
    goods gps grass hypothesis information lens loss mass media metadata news nexus pass plus premises press
    process progress radius series sms species status stress success synopsis tax taxis thesis virus vis
"""
_SINGULAR_AS_IS = frozenset(_ENDS_LIKE_A_PLURAL.split())
_UNCOUNTED = """
    data media metadata feedback equipment information news series species goods sms gps premises progress
    access staff inventory history personnel stock content traffic
"""
_SAME_IN_PLURAL = frozenset(_UNCOUNTED.split())
_PLURALS = {"virus": "viruses", "lens": "lenses", "gas": "gases", "bonus": "bonuses", "campus": "campuses"} | {
    "canvas": "canvases",
    "census": "censuses",
    "curve": "curves",
    "drive": "drives",
    "reserve": "reserves",
    "leaf": "leaves",
    "index": "indexes",
    "atlas": "atlases",
    "criterion": "criteria",
    "stadium": "stadiums",
    "matrix": "matrices",
}
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()} | {"indices": "index", "leaves": "leave"}


@lru_cache(maxsize=65536)
def words(identifier: str) -> tuple[str, ...]:
    """The words of an identifier, lower case: `OrderItem_ID` gives order, item, id."""
    return tuple(word.lower() for word in _WORD.findall(identifier))


def join(parts: Sequence[str], case: Case) -> str:
    """The identifier that `parts` (lower-case words) make in `case`."""
    match case:
        case "snake_case":
            return "_".join(parts)
        case "UPPER_SNAKE_CASE":
            return "_".join(parts).upper()
        case "PascalCase":
            return "".join(part.capitalize() for part in parts)
        case "camelCase":
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        case "Pascal_Snake_Case":
            return "_".join(part.capitalize() for part in parts)
        case "Capital_snake_case":
            return "_".join(parts).capitalize()
        case "lowercase":
            return "".join(parts)
        case "UPPERCASE":
            return "".join(parts).upper()
        case "Title Case":
            return " ".join(part.capitalize() for part in parts)


def cases_of(identifier: str) -> frozenset[Case]:
    """Every case the identifier fits: `name` fits snake_case, camelCase and lowercase alike; none for a mixture."""
    if not identifier:
        return frozenset()
    has_underscore, has_space = "_" in identifier.strip("_"), " " in identifier
    parts = [part for part in _SEPARATORS.split(identifier) if part]
    letters = "".join(parts)
    found: set[Case] = set()
    if has_space:
        return (
            frozenset({"Title Case"}) if all(part[0].isupper() or part[0].isdigit() for part in parts) else frozenset()
        )
    if letters == letters.lower():
        found.add("snake_case")
        if not has_underscore:
            found |= {"camelCase", "lowercase"}
    elif letters == letters.upper():
        found.add("UPPER_SNAKE_CASE")
        if not has_underscore:
            found.add("UPPERCASE")
            if len(letters) <= 3:  # ID
                found |= {"PascalCase"}
    elif all(part[0].isupper() or part[0].isdigit() for part in parts):
        if has_underscore:
            found.add("Pascal_Snake_Case")
        else:
            found.add("PascalCase")
            if len(words(identifier)) == 1:
                found |= {"Pascal_Snake_Case", "Capital_snake_case", "Title Case"}
    elif letters[0].isupper() and letters[1:] == letters[1:].lower():
        found.add("Capital_snake_case")
    elif not has_underscore and letters[0].islower():
        found.add("camelCase")
    return frozenset(found)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case English word; words that are no plural come back unchanged."""
    if word in _SINGULAR_AS_IS or len(word) < 3 or not word.isascii():
        return word
    if word in _SINGULARS:
        return _SINGULARS[word]
    # inflection takes any -a for a Latin plural: consulta, venta
    if word.endswith(("ss", "us", "a")) and word not in ("menus",):
        return word
    return inflection.singularize(word)


@lru_cache(maxsize=65536)
def plural(word: str) -> str:
    """The plural of a lower-case English word in the singular."""
    if word in _SAME_IN_PLURAL or not word.isalpha() or not word.isascii():
        return word
    return _PLURALS.get(word) or inflection.pluralize(word)


def singular_words(parts: Sequence[str]) -> tuple[str, ...]:
    """The words with the last one in the singular, as an entity is named: order items gives order item."""
    return (*parts[:-1], singular(parts[-1])) if parts else ()


def plural_words(parts: Sequence[str]) -> tuple[str, ...]:
    """The words with the last one in the plural."""
    return (*parts[:-1], plural(singular(parts[-1]))) if parts else ()


def is_plural(word: str) -> bool | None:
    """Whether a lower-case word is a plural; None where both numbers look the same."""
    if word in _SAME_IN_PLURAL:
        return None
    return singular(word) != word
