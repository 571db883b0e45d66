"""Reading a SQL file of any dialect: bytes in; schema, rows and a fidelity report out.

    reading = read_sql(path.read_bytes())
    reading.schema.tables, reading.rows["customer"], reading.fidelity.losses

Text is decoded, its dialect detected, the statements split and folded one by one into a draft, the draft resolved.
Nothing goes missing silently: a statement is kept, or counted by its kind as irrelevant, or it is a loss.
"""

from __future__ import annotations

from collections.abc import Callable

from sqale_assets.relational.dialect import detect
from sqale_assets.relational.fidelity import Fidelity, Reading
from sqale_assets.relational.folding.alter import fold_alter_table, fold_drop_table
from sqale_assets.relational.folding.create import fold_create_table
from sqale_assets.relational.folding.draft import Draft
from sqale_assets.relational.folding.objects import (
    fold_alter_type,
    fold_create_domain,
    fold_create_type,
    fold_create_view,
    fold_unique_index,
)
from sqale_assets.relational.folding.remarks import fold_comment_on, fold_exec
from sqale_assets.relational.folding.resolve import resolve
from sqale_assets.relational.folding.rows import fold_copy, fold_insert
from sqale_assets.relational.nested import unfold
from sqale_assets.relational.statements import Statement, split
from sqale_assets.relational.text import decode
from sqale_assets.relational.tokens import Unreadable

Fold = Callable[[Statement, Draft, str | None], bool]

_FOLDS: dict[str, Fold] = {
    "create_table": fold_create_table,
    "alter_table": fold_alter_table,
    "drop_table": fold_drop_table,
    "create_type": fold_create_type,
    "alter_type": fold_alter_type,
    "create_domain": fold_create_domain,
    "create_unique_index": fold_unique_index,
    "create_view": fold_create_view,
    "comment_on": fold_comment_on,
    "exec": fold_exec,
    "insert": fold_insert,
    "copy": fold_copy,
}

#: Kinds of statements that may hold part of a schema; all others are counted as not relevant.
FOLDED_KINDS = frozenset(_FOLDS)


def read_sql(data: bytes, *, rows_per_table: int = 200) -> Reading:
    """Read a SQL file. Never fails: what cannot be read is in the fidelity report."""
    text, encoding = decode(data)
    dialect = detect(text)
    draft = Draft(rows_per_table)
    statements = kept = 0
    for outer in split(text, dialect):
        for statement in unfold(outer, dialect):
            statements += 1
            draft.kinds[statement.kind] += 1
            kept += _fold(statement, draft, dialect)
    schema, rows = resolve(draft, dialect)
    fidelity = Fidelity(
        dialect=dialect,
        encoding=encoding,
        statements=statements,
        kept=kept,
        skipped=statements - kept,
        kinds=dict(draft.kinds.most_common()),
        losses=tuple(sorted(draft.losses, key=lambda loss: loss.line or 0)),
        notes=tuple(draft.notes),
    )
    return Reading(schema, rows, fidelity)


def _fold(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    fold = _FOLDS.get(statement.kind)
    if fold is None:
        return False
    try:
        return fold(statement, draft, dialect)
    except Unreadable as error:
        draft.lose(statement, str(error))
    except RecursionError:
        draft.lose(statement, "nested too deeply")
    return False
