"""Column definitions: a name, a type, and attributes in any order."""

from __future__ import annotations

import re

from sqale_assets.relational.folding.constraints import column_list, fold_check, references
from sqale_assets.relational.folding.draft import Draft, DraftColumn, DraftTable
from sqale_assets.relational.folding.words import COLUMN_ATTRIBUTES
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable
from sqale_assets.relational.types import is_known_type

#: Attributes without a meaning for what SQLite stores; the number tells how many words or parentheses follow.
_IGNORED = {
    "COLLATE": 1, "CHARSET": 1, "ROWGUIDCOL": 0, "SPARSE": 0, "ENABLE": 0, "DISABLE": 0, "VISIBLE": 0, "INVISIBLE": 0,
    "STORAGE": 1, "COMPRESSION": 1, "FIRST": 0, "AFTER": 1, "PERSISTED": 0, "VIRTUAL": 0, "STORED": 0, "HIDDEN": 0,
    "SRID": 1, "FILESTREAM": 0, "VALIDATE": 0, "NOVALIDATE": 0, "RELY": 0, "NORELY": 0, "DEFERRABLE": 0, "INITIALLY": 1,
    "MATCH": 1, "COLUMN_FORMAT": 1, "ENCODE": 1, "SORTKEY": 0, "DISTKEY": 0, "TABLESPACE": 1, "ENFORCED": 0,
    "CLUSTERED": 0, "NONCLUSTERED": 0, "IMMEDIATE": 0, "DEFERRED": 0, "KEY": 0, "CHARACTER": 2, "CHARACTER SET": 1,
    "ASC": 0, "DESC": 0, "BINARY": 0, "UNSIGNED": 0, "ZEROFILL": 0, "MASKED": 0, "PERMANENT": 0, "ASCII": 0,
    "UNICODE": 0,
}  # fmt: skip


def fold_column(cursor: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> DraftColumn:
    """The column definition under the cursor; constraints beside it go to the table.

    Stops before the end where another column starts because the comma between them was forgotten.
    """
    offset = cursor.offset()
    column = DraftColumn(
        cursor.name(), "", dialect=table.dialect, line=statement.line + statement.text.count("\n", 0, offset)
    )
    column.type = column_type_text(cursor)
    column.comment = cursor.trailing_comment()
    name: str | None = None
    while not cursor.done:
        if cursor.accept("CONSTRAINT"):
            name = cursor.name()
            continue
        if not _fold_attribute(cursor, column, name, table, draft, statement):
            if _starts_column(cursor):
                break
            draft.lose(statement, f"unknown column attribute {cursor.word() or cursor.source()[:20]!r}", offset)
            cursor.skip()
        name = None
    return column


def _starts_column(cursor: Cursor) -> bool:
    """Whether a name and a well-known type come next."""
    following = cursor.word(1)
    return following.isidentifier() and following not in COLUMN_ATTRIBUTES and is_known_type(following)


def column_type_text(cursor: Cursor) -> str:
    """The source text of the type at the cursor: everything up to the first attribute."""
    begin = cursor.index
    if cursor.word() == "IDENTITY":  # H2's type, elsewhere an attribute
        cursor.advance()
    while not cursor.done:
        word = cursor.word()
        if word in COLUMN_ATTRIBUTES and not (word == "CHARACTER" and cursor.word(1) != "SET"):
            break
        if word == "WITH" and cursor.word(1) not in ("TIME", "LOCAL"):
            break
        if cursor.is_string() and cursor.index > begin:
            break
        cursor.skip()
    return cursor.source(begin, min(cursor.index, cursor.end))


def default_expression(cursor: Cursor) -> str:
    """The source text of the default at the cursor: one operand at least, then up to the next attribute."""
    begin = cursor.index
    cursor.accept_any("-", "+")
    cursor.skip()
    while not cursor.done:
        word = cursor.word()
        if word in COLUMN_ATTRIBUTES or (word == "WITH" and cursor.word(1) != "TIME") or word in ("UPDATE", "FOR"):
            break
        cursor.skip()
    return cursor.source(begin, min(cursor.index, cursor.end))


def _fold_attribute(
    cursor: Cursor, column: DraftColumn, name: str | None, table: DraftTable, draft: Draft, statement: Statement
) -> bool:
    """Fold the attribute at the cursor into the column or the table; False where it is unknown."""
    word = cursor.word()
    if cursor.accept("NOT", "NULL"):
        column.nullable = False
    elif cursor.accept("NULL"):
        column.nullable = True
    elif cursor.accept("PRIMARY KEY") or (word == "PRIMARY" and cursor.accept("PRIMARY")):
        columns = column_list(cursor) if cursor.word() == "(" else [column.name]  # the comma before it was forgotten
        # Two columns may each call themselves the primary key: together they are it.
        table.primary_key = [*(name for name in table.primary_key if name not in columns), *columns]
        table.primary_key_name = name
    elif cursor.accept("UNIQUE"):
        cursor.accept("KEY")
        while cursor.accept_any("NULLS", "CLUSTERED", "NONCLUSTERED") or cursor.accept("NOT", "DISTINCT"):
            pass
        table.unique.append((name, column_list(cursor) if cursor.word() == "(" else [column.name]))
    elif cursor.accept("DEFAULT"):
        cursor.accept("ON", "NULL")
        column.default = default_expression(cursor)
    elif word == "CHECK":
        cursor.advance()
        while cursor.word() not in ("(", ""):  # NOT FOR REPLICATION
            cursor.advance()
        fold_check(cursor, name, table, statement)
        cursor.accept("NO", "INHERIT")
    elif cursor.accept("REFERENCES") or cursor.accept("FOREIGN KEY", "REFERENCES"):
        table.foreign_keys.append(references(cursor, [column.name], name, statement))
    elif cursor.accept("FOREIGN KEY"):  # a table constraint whose comma was forgotten
        columns = column_list(cursor)
        if not cursor.accept("REFERENCES"):
            raise Unreadable("a foreign key without REFERENCES")
        table.foreign_keys.append(references(cursor, columns, name, statement))
    elif cursor.accept("COMMENT"):
        cursor.accept("=")
        column.remark = cursor.string()
    elif cursor.accept_any("AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY"):
        column.autoincrement = True
        cursor.parenthesis()
        while cursor.accept_any("START", "INCREMENT", "WITH", "BY", "ORDER", "NOORDER") or cursor.is_scalar():
            cursor.index += cursor.is_scalar()
    elif word == "COMPUTED" and cursor.word(1) == "BY":
        cursor.advance(2)
        _fold_computed(cursor, column, draft, statement)
    elif word == "FOR" and cursor.word(2) == "DATA":  # Db2's FOR BIT DATA
        cursor.advance(3)
    elif cursor.accept("WITH", "DEFAULT"):
        column.default = (
            default_expression(cursor) if not cursor.done and cursor.word() not in COLUMN_ATTRIBUTES else None
        )
    elif word == "GENERATED" or (word == "AS" and not cursor.done):
        _fold_generated(cursor, column, draft, statement)
    elif word == "ON" and cursor.word(1) in ("UPDATE", "CONFLICT", "DELETE"):
        cursor.advance(2)
        cursor.skip()
        cursor.parenthesis()
    elif word == "NOT" and cursor.word(1) in ("FOR", "DEFERRABLE", "VALID", "VISIBLE", "ENFORCED", "HIDDEN"):
        cursor.advance(3 if cursor.word(1) == "FOR" else 2)
    elif word in ("USING", "WITH", "OPTIONS", "ENCRYPTED"):
        cursor.seek(*(COLUMN_ATTRIBUTES - {"USING", "OPTIONS", "ENCRYPTED", "ON"}))
    elif word in _IGNORED:
        cursor.advance()
        for _ in range(_IGNORED[word]):
            cursor.skip()
        cursor.parenthesis()
    elif word == ")" or word == ";":
        cursor.advance()
    else:
        return False
    return True


_ARITHMETIC = re.compile(r"[*/+-]")


def _fold_generated(cursor: Cursor, column: DraftColumn, draft: Draft, statement: Statement) -> None:
    """IDENTITY columns assign themselves; computed ones become plain, for their values are kept as data."""
    cursor.accept("GENERATED")
    cursor.accept_any("ALWAYS") or cursor.accept("BY", "DEFAULT")
    cursor.accept("ON", "NULL")
    if not cursor.accept("AS"):
        return
    if cursor.accept("IDENTITY"):
        cursor.parenthesis()
        column.autoincrement = True
    elif cursor.accept("ROW"):
        cursor.accept_any("START", "END")
    else:
        _fold_computed(cursor, column, draft, statement)


def _fold_computed(cursor: Cursor, column: DraftColumn, draft: Draft, statement: Statement) -> None:
    """The expression of a computed column; its values are kept as data, its type guessed where it has none."""
    column.computed = True
    draft.lose(statement, f"computed column {column.name} kept without its expression", cursor.offset())
    begin = cursor.index
    cursor.skip()
    if not column.type and _ARITHMETIC.search(expression := cursor.source(begin, cursor.index)):
        column.type = "" if "'" in expression else "numeric"
    cursor.parenthesis()
