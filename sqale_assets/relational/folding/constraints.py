"""Constraints: keys, references and checks, beside a column or on their own."""

from __future__ import annotations

from sqale_assets.relational.folding.draft import Draft, DraftCheck, DraftKey, DraftTable
from sqale_assets.relational.folding.words import COLUMN_ATTRIBUTES
from sqale_assets.relational.model import Action
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable

#: Words that show that KEY or INDEX, standing first, is a column's name.
_COLUMN_ONLY = COLUMN_ATTRIBUTES - {"USING", "KEY", "NOT", "ON"}


def is_index(cursor: Cursor, ahead: int) -> bool:
    """Whether a key's columns follow, maybe behind its name, and not a column that happens to be named KEY."""
    limit = ahead + 6
    while ahead < limit:
        word = cursor.word(ahead)
        if word == "(":
            return not (cursor.is_scalar(ahead + 1) or cursor.is_string(ahead + 1))
        if cursor.index + ahead >= cursor.end or word in _COLUMN_ONLY:
            return False
        if word == "USING" and cursor.word(ahead + 1) == "INDEX":
            return True
        ahead += 1
    return False


def index_name(cursor: Cursor) -> str | None:
    """Step over KEY, a name, USING BTREE and the like, up to the columns; the name if there is one."""
    name = None
    cursor.accept_any("KEY", "INDEX", "CLUSTERED INDEX", "NONCLUSTERED INDEX")
    while not cursor.done and cursor.word() not in ("(", "USING"):
        if cursor.accept_any("CLUSTERED", "NONCLUSTERED", "NULLS", "NOT", "DISTINCT"):
            continue
        name = cursor.name()
    return name


def key_columns(cursor: Cursor, draft: Draft) -> list[str]:
    """The columns of a primary or unique key: in parentheses, or those of the index that it uses."""
    while not cursor.done and cursor.word() != "(":
        if cursor.accept("USING", "INDEX"):
            names = draft.indexes.get(cursor.name().lower())
            if names is None:
                raise Unreadable("a key over an index that is not in the file")
            return names
        cursor.advance()
    return column_list(cursor)


def column_list(cursor: Cursor) -> list[str]:
    """Column names in parentheses, without their lengths, orders and operator classes.

    Raises:
        Unreadable: there are none, or one is an expression.
    """
    inside = cursor.parenthesis()
    if inside is None:
        raise Unreadable("a list of columns is missing")
    names = []
    for element in inside.elements():
        if element.word() == "(":
            raise Unreadable("a key over an expression, not columns")
        name = element.name()
        following = element.word()
        if following == "(" and not element.is_scalar(1):
            raise Unreadable("a key over an expression, not columns")
        if following in ("::", "||", "+", "-", "->", "->>"):
            raise Unreadable("a key over an expression, not columns")
        names.append(name)
    if not names:
        raise Unreadable("a list of columns is empty")
    return names


def references(cursor: Cursor, columns: list[str], name: str | None, statement: Statement) -> DraftKey:
    """The key behind REFERENCES, with its actions."""
    line = statement.line + statement.text.count("\n", 0, cursor.offset())
    qualifier, target = cursor.qualified_name()
    key = DraftKey(columns, qualifier, target, [], line, name)
    if cursor.word() == "(":
        key.target_columns = column_list(cursor)
    while not cursor.done:
        if cursor.accept("ON", "DELETE"):
            key.on_delete = _action(cursor)
        elif cursor.accept("ON", "UPDATE"):
            key.on_update = _action(cursor)
        elif cursor.word() == "NOT" and cursor.word(1) in ("DEFERRABLE", "VALID", "FOR", "ENFORCED"):
            cursor.advance(3 if cursor.word(1) == "FOR" else 2)
        elif cursor.accept_any("MATCH", "INITIALLY"):
            cursor.advance()
        elif not cursor.accept_any("DEFERRABLE", "ENABLE", "DISABLE", "VALIDATE", "NOVALIDATE", "RELY", "NORELY"):
            break
    return key


def _action(cursor: Cursor) -> Action | None:
    if cursor.accept_any("CASCADE"):
        return "CASCADE"
    if cursor.accept_any("RESTRICT"):
        return "RESTRICT"
    if cursor.accept("SET", "NULL"):
        return "SET NULL"
    if cursor.accept("SET", "DEFAULT"):
        return "SET DEFAULT"
    if cursor.accept("NO", "ACTION"):
        return "NO ACTION"
    return None


def fold_check(cursor: Cursor, name: str | None, table: DraftTable, statement: Statement) -> None:
    """The check whose parenthesis is at the cursor."""
    inside = cursor.parenthesis()
    if inside is None:
        raise Unreadable("a check without an expression")
    line = statement.line + statement.text.count("\n", 0, inside.offset())
    table.checks.append(DraftCheck(inside.source(), line, table.dialect, name))
