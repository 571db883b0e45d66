"""Concepts: what a table could be about, read from the vocabulary (its README tells the notation)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

from sqale_assets.relational.model import Kind

Shape = Literal["entity", "lookup", "junction"]

#: Stands for the table a dependent concept hangs on.
BASE = "*"
#: Lists of `classes.txt` that are no classes of their own: some persons are also one of these.
CLIENTS, CONSUMERS = "client", "consumer"

_VOCABULARY = "sqale_assets.llm.offline.vocabulary"
_TOKEN = re.compile(
    r"(?:(?P<role>[\w]+)?@(?P<reference>\*|\w+)|(?P<name>[\w]+))"
    r"(?P<unique>\*)?(?:=(?P<enum>[^\s?:]+))?(?::(?P<kind>\w+))?(?P<nullable>\?)?$"
)
_LENGTH = re.compile(r"code(\d)$")

_DATE_ENDS = frozenset(["on", "date", "from", "to", "until"])
_EXCEPTIONS: dict[tuple[str, ...], Kind] = {
    ("opening", "hours"): "text",
    ("focus", "area"): "text",
    ("strength",): "text",
    ("license", "level"): "text",
}
_LENGTHS = {
    **dict.fromkeys(("code", "status", "color", "unit"), 20),
    **dict.fromkeys(("number", "phone"), 30),
    **dict.fromkeys(("city", "label", "key"), 80),
    **dict.fromkeys(("title", "email", "address"), 150),
    **dict.fromkeys(("reason", "subject", "url", "path"), 255),
    "barcode": 50, "iban": 34, "ip": 45, "hash": 128, "street": 120, "message": 500, "question": 300,
}  # fmt: skip
_DEFAULT_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ConceptColumn:
    """A column, or with `reference` a foreign key to that concept (`BASE`, "self"); `words` is its name or role."""

    words: tuple[str, ...]
    kind: Kind | Literal["long"] = "text"
    length: int | None = None
    enum: tuple[str, ...] = ()
    unique: bool = False
    nullable: bool = False
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """A table before style: `words` is its name in the singular, with `BASE` for the table it hangs on."""

    words: tuple[str, ...]
    shape: Shape
    columns: tuple[ConceptColumn, ...]

    @property
    def name(self) -> str:
        return "_".join(self.words)

    @property
    def references(self) -> tuple[ConceptColumn, ...]:
        return tuple(column for column in self.columns if column.reference)


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain's vocabulary. `keywords` are words of table names and descriptions that speak for it."""

    name: str
    keywords: frozenset[str]
    related: tuple[str, ...]
    concepts: tuple[Concept, ...]


@cache
def domains() -> dict[str, Domain]:
    """Every domain by name, sorted."""
    folder = resources.files(_VOCABULARY) / "domains"
    names = sorted(item.name.removesuffix(".txt") for item in folder.iterdir() if item.name.endswith(".txt"))
    return {name: _domain(name, (folder / f"{name}.txt").read_text()) for name in names}


@cache
def business() -> tuple[Concept, ...]:
    """Concepts that any organisation's database may hold."""
    return tuple(map(read_concept, _lines("business.txt")))


@cache
def dependents() -> dict[str, tuple[Concept, ...]]:
    """Concepts that hang on another table, by the class of that table ("any" suits all)."""
    found: dict[str, list[Concept]] = {}
    for line in _lines("dependents.txt"):
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        else:
            section.append(read_concept(line))
    return {name: tuple(concepts) for name, concepts in found.items()}


@cache
def classes() -> dict[str, str]:
    """The class of things that a noun names: customer -> person, invoice -> money."""
    named = {name: nouns for name, nouns in _lists("classes.txt").items() if name not in (CLIENTS, CONSUMERS)}
    return {noun: name for name, nouns in named.items() for noun in nouns}


@cache
def clients() -> frozenset[str]:
    """The persons whom an organisation serves, who do not keep its records."""
    return frozenset(_lists("classes.txt")[CLIENTS])


@cache
def consumers() -> frozenset[str]:
    """The persons who buy or use something; of the others there is more to keep, such as skills and absences."""
    return frozenset(_lists("classes.txt")[CONSUMERS])


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """For a concept, the nouns under which a schema may already have it, likeliest first."""
    return {name: tuple(nouns) for name, nouns in _lists("synonyms.txt").items()}


@cache
def every_concept() -> dict[str, tuple[Concept, ...]]:
    """Concepts by name, for what a chosen concept needs: the business ones first, then by domain."""
    found: dict[str, list[Concept]] = {}
    for concept in (*business(), *(concept for domain in domains().values() for concept in domain.concepts)):
        found.setdefault(concept.name, []).append(concept)
    return {name: tuple(concepts) for name, concepts in found.items()}


@cache
def _kinds() -> dict[str, frozenset[str]]:
    return {name: frozenset(nouns) for name, nouns in _lists("kinds.txt").items()}


def read_concept(line: str) -> Concept:
    """One line of the vocabulary. Raises ValueError where it breaks the notation."""
    name, colon, columns = line.partition(":")
    if not colon:
        raise ValueError(f"no columns: {line!r}")
    shape: Shape = "lookup" if name.startswith("~") else "junction" if name.startswith("&") else "entity"
    return Concept(tuple(name.lstrip("~&").split()), shape, tuple(_column(token) for token in columns.split()))


def _column(token: str) -> ConceptColumn:
    match = _TOKEN.match(token)
    if match is None:
        raise ValueError(f"not a column: {token!r}")
    nullable = bool(match["nullable"])
    if reference := match["reference"]:
        role = tuple(match["role"].split("_")) if match["role"] else ()
        return ConceptColumn(role, "integer", nullable=nullable or reference == "self", reference=reference)
    words = tuple(match["name"].split("_"))
    enum = tuple(match["enum"].split("|")) if match["enum"] else ()
    kind = match["kind"]
    length = _length(words, kind, enum)
    if kind is None:
        kind = "enum" if enum else kind_of(words)
    elif _LENGTH.match(kind):
        kind = "text"
    elif kind == "int":
        kind = "integer"
    elif kind not in ("long", *get_args(Kind)):
        raise ValueError(f"not a kind: {token!r}")
    return ConceptColumn(words, kind, length, enum, bool(match["unique"]), nullable)  # type: ignore[arg-type]


def kind_of(words: tuple[str, ...]) -> Kind | Literal["long"]:
    """What a column of that name holds, as its words tell: paid_on a date, unit_price a decimal."""
    first, last = words[0], words[-1]
    kinds = _kinds()
    if last == "at":
        return "datetime"
    if words in _EXCEPTIONS:
        return _EXCEPTIONS[words]
    if last in ("from", "to") and first in ("salary", "weight", "amount"):
        return "decimal"
    if last == "value" and first not in kinds["measured"]:
        return "text"
    if last == "version":
        return "text"
    if last in _DATE_ENDS and (len(words) > 1 or last == "date"):
        return "date"
    if last == "time":
        return "time"
    if first in ("is", "has", "can", "includes", "requires", "was", "allows"):
        return "boolean"
    if last == "number" and first not in kinds["counted"]:
        return "text"
    for kind in ("real", "integer", "decimal", "long"):
        if last in kinds[kind]:
            return kind  # type: ignore[return-value]
    return "text"


def _length(words: tuple[str, ...], kind: str | None, enum: tuple[str, ...]) -> int | None:
    if kind and (match := _LENGTH.match(kind)):
        return int(match[1])
    if enum:
        return max(20, *(len(value) for value in enum))
    return _LENGTHS.get(words[-1]) or _LENGTHS.get(words[0]) or _DEFAULT_LENGTH


def _domain(name: str, text: str) -> Domain:
    fields: dict[str, str] = {}
    concepts = []
    for line in filter(None, map(str.strip, text.splitlines())):
        label, _, rest = line.partition(":")
        if label in ("keywords", "related"):
            fields[label] = rest
        else:
            concepts.append(read_concept(line))
    related = tuple(fields["related"].split())
    return Domain(name, frozenset(fields["keywords"].split()), related, tuple(concepts))


def _lines(file: str) -> list[str]:
    text = (resources.files(_VOCABULARY) / file).read_text()
    return [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]


def _lists(file: str) -> dict[str, list[str]]:
    return {name: nouns.split() for name, _, nouns in (line.partition(":") for line in _lines(file))}
