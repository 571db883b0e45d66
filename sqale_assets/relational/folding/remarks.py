"""COMMENT ON and T-SQL's extended properties: what people wrote about tables and columns."""

from __future__ import annotations

from sqale_assets.relational import dialect as dialects
from sqale_assets.relational.folding.draft import Draft, UserType
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable, tokenize


def fold_comment_on(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """COMMENT ON TABLE and COLUMN; comments on anything else are no part of the model."""
    cursor = Cursor(statement.text, tokenize(statement.text, dialects.of_statement(statement.text, dialect)))
    cursor.accept("COMMENT", "ON")
    kind = cursor.accept_any("TABLE", "COLUMN")
    if not kind:
        return False
    names = [cursor.name()]
    while cursor.accept("."):
        names.append(cursor.name())
    if not cursor.accept("IS"):
        raise Unreadable("a comment without IS")
    text = cursor.string()
    column = names.pop() if kind == "COLUMN" and len(names) > 1 else None
    return _remark(draft, names[-2] if len(names) > 1 else None, names[-1], column, text)


def fold_exec(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """The two stored procedures that say something about a schema: descriptions and alias types."""
    lowered = statement.text[:400].lower()
    if "sp_addextendedproperty" not in lowered and "sp_addtype" not in lowered:
        return False
    cursor = Cursor(statement.text, tokenize(statement.text, dialect or "tsql"))
    name = ""
    while not cursor.done and not name.startswith("sp_"):
        name = cursor.tokens[cursor.index].text.lower()
        cursor.advance()
    values = [_argument(element) for element in cursor.elements()]
    if name == "sp_addtype":
        return _alias_type(values, draft)
    described = [value.upper() for value in values]
    if "MS_DESCRIPTION" not in described or "TABLE" not in described:
        return False
    at = described.index("TABLE", 2)
    column = values[at + 3] if described[at + 2 : at + 3] == ["COLUMN"] and len(values) > at + 3 else None
    return _remark(draft, values[at - 1], values[at + 1], column, values[1])


def _argument(element: Cursor) -> str:
    """The value of an argument, positional or named: `N'x'`, `x`, `@value = N'x'`."""
    if element.word() == "@":
        element.advance(2)
        element.accept("=")
    return element.tokens[element.index].text if not element.done else ""


def _alias_type(values: list[str], draft: Draft) -> bool:
    if len(values) < 2:
        return False
    null = values[2].upper() if len(values) > 2 else ""
    draft.types[values[0].lower()] = UserType(values[1], nullable={"NOT NULL": False, "NULL": True}.get(null))
    return True


def _remark(draft: Draft, qualifier: str | None, table_name: str, column_name: str | None, text: str | None) -> bool:
    """Whether there was something to attach the text to.

    Raises:
        Unreadable: the table or column is not in the file.
    """
    table = draft.find(qualifier, table_name)
    if table is None:
        if table_name.lower() in draft.left_out or table_name.lower() in draft.views:
            return False
        raise Unreadable(f"a comment on {table_name}, which is not a table of the file")
    if column_name is None:
        table.comment = text
        return True
    column = table.column(column_name)
    if column is None:
        raise Unreadable(f"a comment on the column {column_name}, which {table_name} does not have")
    column.remark = text
    return True
