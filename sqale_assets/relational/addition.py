"""Reading CREATE TABLE statements that add to an existing schema, with the same folding as whole files.

The tables that the new ones refer to take part in the draft, so that keys resolve; they are given, not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from sqale_assets.relational.folding.create import fold_create_table
from sqale_assets.relational.folding.draft import Draft, DraftColumn, DraftTable
from sqale_assets.relational.folding.resolve import resolve
from sqale_assets.relational.model import Table
from sqale_assets.relational.statements import Statement, split
from sqale_assets.relational.tokens import Unreadable

_IDENTIFIER = r'"(?:[^"]|"")+"|`[^`]+`|\[[^\]]+\]|\w+'
_TARGET = re.compile(rf"\bREFERENCES\s+(?:(?:{_IDENTIFIER})\s*\.\s*)?({_IDENTIFIER})", re.IGNORECASE)
_NAME = re.compile(rf"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?({_IDENTIFIER})", re.IGNORECASE)


class Addition(NamedTuple):
    """One CREATE TABLE statement. `table` is None where it could not be read; `losses` say what went missing."""

    name: str
    statement: str
    table: Table | None
    losses: tuple[str, ...]


def read_additions(sql: str, known: Mapping[str, Table]) -> list[Addition]:
    """The CREATE TABLE statements of `sql` in order; other statements are passed over.

    `known` holds the existing tables by lower-case name. Never fails: what cannot be read is told in `losses`.
    """
    draft = Draft(rows_per_table=0)
    for name in dict.fromkeys(_bare(name).lower() for name in _TARGET.findall(sql)):
        if name in known:
            draft.add(_given(known[name]))
    statements: list[tuple[Statement, DraftTable | None]] = []
    for statement in split(sql, "sqlite"):
        if statement.kind == "create_table":
            before = len(draft.tables)
            try:
                fold_create_table(statement, draft, "sqlite")
            except (Unreadable, RecursionError) as error:
                draft.lose(statement, str(error) or "nested too deeply")
            statements.append((statement, draft.tables[-1] if len(draft.tables) > before else None))
    for _, source in statements:
        if source is not None:
            _assign_rowid(source)
    sources = list(draft.tables)
    schema, _ = resolve(draft, "sqlite")
    tables = {id(source): table for source, table in zip(sources, schema.tables, strict=True)}
    return [_addition(statement, tables.get(id(source)), draft) for statement, source in statements]


def _addition(statement: Statement, table: Table | None, draft: Draft) -> Addition:
    end = statement.line + statement.text.count("\n")
    losses = [loss for loss in draft.losses if loss.line is not None and statement.line <= loss.line <= end]
    name = table.name if table else (_bare(match[1]) if (match := _NAME.search(statement.text)) else "?")
    return Addition(name, statement.text.strip(), table, tuple(f"{loss.statement}: {loss.reason}" for loss in losses))


def _bare(identifier: str) -> str:
    """The name without its quotes."""
    if identifier[0] in '"`[':
        return identifier[1:-1].replace('""', '"')
    return identifier


def _assign_rowid(table: DraftTable) -> None:
    """In SQLite the very spelling INTEGER PRIMARY KEY makes a key that assigns itself."""
    if len(table.primary_key) == 1 and (column := table.column(table.primary_key[0])) is not None:
        column.autoincrement = column.autoincrement or column.type.strip().upper() == "INTEGER"


def _given(table: Table) -> DraftTable:
    columns = {
        column.name.lower(): DraftColumn(column.name, column.declared_type, nullable=column.nullable)
        for column in table.columns
    }
    return DraftTable(
        table.name,
        None,
        0,
        "sqlite",
        columns=columns,
        primary_key=list(table.primary_key),
        unique=[(None, list(names)) for names in table.unique],
    )
