"""From a concept whose references are resolved to a CREATE TABLE statement in the schema's style."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sqale_assets.llm.offline.extension.concepts import Concept, ConceptColumn
from sqale_assets.llm.offline.extension.request import KnownTable
from sqale_assets.llm.offline.extension.spelling import Speller
from sqale_assets.relational.sqlite import literal, quote

#: Columns that a table may have beyond its concept's, when the schema's tables are wide.
_EXTRAS = (
    ConceptColumn(("description",), "long", nullable=True),
    ConceptColumn(("is", "active"), "boolean"),
    ConceptColumn(("remarks",), "long", nullable=True),
    ConceptColumn(("sort", "order"), "integer", nullable=True),
    ConceptColumn(("created", "at"), "datetime"),
    ConceptColumn(("updated", "at"), "datetime", nullable=True),
    ConceptColumn(("external", "reference"), "text", 50, nullable=True),
)
_MAX_EXTRAS = 3
#: Own columns that a table keeps in any case, where its concept has them.
_MIN_OWN = 2
#: The share of NOT NULL columns that the vocabulary has by itself.
_NATURAL_NOT_NULL = 0.7
#: An audit column that so many tables carry is on every new one.
_AUDIT_RULE = 0.8


@dataclass(frozen=True)
class Draft:
    """A concept with its entity's words and its references resolved, in the concept's order of columns."""

    concept: Concept
    entity: tuple[str, ...]
    targets: dict[ConceptColumn, KnownTable]


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    definition: str


def known(draft: Draft, speller: Speller) -> KnownTable:
    """The table that `draft` will be, for others to refer to."""
    key = None if draft.concept.shape == "junction" and _composite(speller) else speller.primary_key(draft.entity)
    return KnownTable(speller.table(draft.entity), draft.entity, key, speller.key_type)


def create_statement(draft: Draft, speller: Speller, columns: int, rng: random.Random) -> str:
    """The CREATE TABLE statement, with about `columns` columns."""
    table = known(draft, speller)
    lines: dict[str, _Line] = {}
    keys: list[tuple[str, KnownTable, bool]] = []

    def add(name: str, definition: str) -> bool:
        if name.lower() in lines:
            return False
        lines[name.lower()] = _Line(name, definition)
        return True

    if table.key:
        add(table.key, f"{speller.key_type}{'' if speller.key_type == 'INTEGER' else ' NOT NULL'} PRIMARY KEY")
    audits = _audit_columns(draft, speller, rng)
    taken = {name.lower() for name, _ in audits}
    for column in _fitted(draft, columns - len(lines) - len(audits), rng):
        if column.reference:
            target = draft.targets[column]
            name = speller.foreign_key(target, column.words)
            if name.lower() in taken:
                continue
            nullable = column.nullable or target.name == table.name
            if add(name, f"{target.key_type}{'' if nullable else ' NOT NULL'}"):
                keys.append((name, target, nullable))
        elif (name := speller.column(column.words)).lower() not in taken:
            add(name, _definition(column, name, speller, rng))
    for name, declared in audits:
        add(name, declared)
    body = [f"{quote(line.name)} {line.definition}" for line in lines.values()]
    if table.key is None:
        body.append(f"PRIMARY KEY ({', '.join(quote(name) for name, _, _ in keys)})")
    body += [_foreign_key(name, target, nullable, speller) for name, target, nullable in keys]
    return f"CREATE TABLE {quote(table.name)} (\n    " + ",\n    ".join(body) + "\n);"


def _composite(speller: Speller) -> bool:
    habit = speller.profile.junction_key
    return habit is None or habit.value == "composite"


def _fitted(draft: Draft, wanted: int, rng: random.Random) -> list[ConceptColumn]:
    """The concept's columns: optional ones left out or extra ones added until about `wanted` remain."""
    kept = [column for column in draft.concept.columns if not column.reference or column in draft.targets]
    optional = [column for column in kept if column.nullable and column.reference in (None, "self")]
    rng.shuffle(optional)
    while len(kept) > wanted and optional and sum(not column.reference for column in kept) > _MIN_OWN:
        kept.remove(optional.pop())
    if draft.concept.shape != "junction":
        names = {column.words for column in kept}
        extras = [column for column in _EXTRAS if column.words not in names]
        rng.shuffle(extras)
        kept += extras[: max(0, min(wanted - len(kept), _MAX_EXTRAS))]
    return kept


def _audit_columns(draft: Draft, speller: Speller, rng: random.Random) -> list[tuple[str, str]]:
    if draft.concept.shape == "junction":
        return []
    return [
        (habit.value, habit.examples[0])
        for habit in speller.profile.audit_columns
        if habit.share >= _AUDIT_RULE or rng.random() < habit.share
    ]


def _definition(column: ConceptColumn, name: str, speller: Speller, rng: random.Random) -> str:
    parts = [speller.type_of(column.kind, column.length)]
    if _not_null(column, speller, rng):
        parts.append("NOT NULL")
    if column.unique:
        parts.append("UNIQUE")
    if column.kind == "boolean":
        parts.append(f"DEFAULT {int(column.words[-1] in ('active', 'enabled', 'available', 'visible'))}")
    elif column.kind == "integer" and column.words[-1] == "count":
        parts.append("DEFAULT 0")
    if column.enum:
        if column.words == ("status",):
            parts.append(f"DEFAULT {literal(column.enum[0])}")
        parts.append(f"CHECK ({quote(name)} IN ({', '.join(map(literal, column.enum))}))")
    return " ".join(parts)


def _not_null(column: ConceptColumn, speller: Speller, rng: random.Random) -> bool:
    """NOT NULL as often as the schema has it, and first where a value is always known."""
    share = speller.profile.not_null
    if share is None or column.unique:
        return not column.nullable
    if column.nullable:
        return rng.random() < max(0.0, (share - _NATURAL_NOT_NULL) / (1 - _NATURAL_NOT_NULL)) * 0.9
    return rng.random() < share / _NATURAL_NOT_NULL


def _foreign_key(name: str, target: KnownTable, nullable: bool, speller: Speller) -> str:
    habit = speller.profile.foreign_key_action
    action = habit.value if habit and habit.strength > 0 and habit.value != "none" else ""
    if action == "SET NULL" and not nullable:
        action = ""
    clause = f" ON DELETE {action}" if action else ""
    return f"FOREIGN KEY ({quote(name)}) REFERENCES {quote(target.name)} ({quote(target.key or '')}){clause}"
