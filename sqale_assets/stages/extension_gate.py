"""The gate of the extension stage: what a proposed table must withstand before it joins the schema.

Existing tables are never touched. Each proposed one is checked against the model (names, keys, types, style),
then created in a real SQLite database on top of all others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.names import singular, words
from sqale_assets.relational.sqlite import canonical, create_canonical, open_memory, quote
from sqale_assets.relational.style import StyleProfile, conformity, deviations
from sqale_assets.relational.style_patterns import entity_of

#: A table that keeps to the style less than this goes back.
MIN_CONFORMITY = 0.6
#: Own columns and targets that overlap this much make two tables the same thing under two names.
SAME_COLUMNS = 0.9
MIN_COLUMNS = 2


class Refusal(NamedTuple):
    """Why a table was refused: a stable code, and a sentence for the model."""

    reason: str
    evidence: str


class Gate:
    """The schema so far, and the decision about each table that wants to join it."""

    def __init__(self, schema: Schema, profile: StyleProfile):
        self.profile = profile
        self.tables: dict[str, Table] = {}
        self._scores: dict[str, float] = {}
        self._entities: dict[str, str] = {}
        self._signatures: dict[frozenset[str], list[tuple[str, frozenset[str]]]] = {}
        self._connection = open_memory(schema)
        for table in schema.tables:
            self._remember(table)

    @property
    def conformities(self) -> list[float]:
        """The style scores of the tables that were added."""
        return list(self._scores.values())

    def close(self) -> None:
        self._connection.close()

    def admit(self, table: Table) -> Refusal | None:
        """Add the table to the schema (canonical, origin "added"), or say why not."""
        table = canonical(table.model_copy(update={"origin": "added"}))
        if refusal := next(self._refusals(table), None):
            return refusal
        score = conformity(table, self.profile, {**self.tables, table.name.lower(): table})
        if score < MIN_CONFORMITY:
            told = "; ".join(deviations(table, self.profile, self.tables))
            return Refusal("style", f"it does not keep to the style: {told}")
        if error := self._create(table):
            return Refusal("not_executable", f"SQLite refuses it: {error}")
        self._scores[table.name] = score
        self._remember(table)
        return None

    def expel(self, name: str) -> None:
        """Remove a table that was admitted; nothing may refer to it."""
        table = self.tables.pop(name.lower())
        del self._scores[table.name]
        self._connection.execute(f"DROP TABLE {quote(table.name)}")
        self._entities.pop(self._entity(table), None)
        self._signatures[_targets(table)].remove((table.name, _own_columns(table)))

    def _refusals(self, table: Table) -> Iterator[Refusal]:
        if table.name.lower() in self.tables:
            yield Refusal("name_taken", f"a table {self.tables[table.name.lower()].name} exists already")
        if len(table.columns) < MIN_COLUMNS:
            yield Refusal("too_few_columns", f"it has {len(table.columns)} column")
        if not table.primary_key:
            yield Refusal("no_primary_key", "it has no PRIMARY KEY")
        for key in table.foreign_keys:
            yield from self._key_refusals(table, key)
        if other := self._same_thing(table):
            yield Refusal("duplicate", f"it repeats the existing table {other} under another name")

    def _key_refusals(self, table: Table, key: ForeignKey) -> Iterator[Refusal]:
        told = f"FOREIGN KEY ({', '.join(key.columns)})"
        target = table if key.target_table.lower() == table.name.lower() else self.tables.get(key.target_table.lower())
        if target is None:
            yield Refusal("foreign_key_target", f"{told}: there is no table {key.target_table}")
            return
        wanted = {name.lower() for name in key.target_columns}
        keys = [{name.lower() for name in names} for names in (target.primary_key, *target.unique) if names]
        if wanted not in keys:
            where = f"{target.name} ({', '.join(key.target_columns)})"
            known = ", ".join(target.primary_key) or "none"
            yield Refusal("foreign_key_target", f"{told}: {where} is no PRIMARY KEY or UNIQUE; its key is: {known}")
            return
        for name, target_name in zip(key.columns, key.target_columns, strict=True):
            column, other = table.column(name), target.column(target_name)
            if column is None or other is None:
                yield Refusal("foreign_key_target", f"{told}: no column {name if column is None else target_name}")
            elif _sort(column) != _sort(other):
                yield Refusal(
                    "foreign_key_type",
                    f"{told}: {name} is {column.declared_type}, but {target.name}.{target_name} {other.declared_type}",
                )

    def _same_thing(self, table: Table) -> str | None:
        if (other := self._entities.get(self._entity(table))) is not None:
            return other
        own = _own_columns(table)
        for name, columns in self._signatures.get(_targets(table), ()):
            union = own | columns
            if (
                union
                and len(own & columns) / len(union) >= SAME_COLUMNS
                and (len(own) > 2 or len(table.foreign_keys) > 1)
            ):
                return name
        return None

    def _create(self, table: Table) -> str | None:
        """SQLite's error with a canonical table, if any. Compiling an INSERT makes it look at the keys' targets too."""
        try:
            self._connection.execute(create_canonical(table))
        except sqlite3.Error as error:
            return str(error)
        try:
            self._connection.execute(f"EXPLAIN INSERT INTO {quote(table.name)} DEFAULT VALUES")
        except sqlite3.Error as error:
            self._connection.execute(f"DROP TABLE {quote(table.name)}")
            return str(error)
        return None

    def _remember(self, table: Table) -> None:
        self.tables[table.name.lower()] = table
        self._entities.setdefault(self._entity(table), table.name)
        self._signatures.setdefault(_targets(table), []).append((table.name, _own_columns(table)))

    def _entity(self, table: Table) -> str:
        """The words a table is named by, in any order, singular: order_items and ItemOrder are one thing."""
        return " ".join(sorted(singular(word) for word in entity_of(table.name, self.profile.affix)))


def _sort(column: Column) -> str:
    """What must agree between a foreign key and its target: whole numbers, texts, or the very kind."""
    if column.kind == "integer" or (column.kind == "decimal" and not column.scale):
        return "whole number"
    return "text" if column.kind in ("text", "enum", "uuid") else column.kind


def _targets(table: Table) -> frozenset[str]:
    return frozenset(key.target_table.lower() for key in table.foreign_keys)


def _own_columns(table: Table) -> frozenset[str]:
    """The columns that say what a table is about: without keys; lower-case words run together."""
    keys: Sequence[str] = (*table.primary_key, *(name for key in table.foreign_keys for name in key.columns))
    lowered = {name.lower() for name in keys}
    return frozenset("".join(words(column.name)) for column in table.columns if column.name.lower() not in lowered)
