"""What stands beside tables and matters to them: types, domains, unique indexes, views."""

from __future__ import annotations

from sqale_assets.relational import dialect as dialects
from sqale_assets.relational.folding.columns import column_type_text, default_expression
from sqale_assets.relational.folding.draft import Draft, UserType
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable, tokenize


def fold_create_type(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Enumerations and alias types; composite types hold no value that SQLite could."""
    cursor = _cursor(statement, dialect)
    cursor.seek("TYPE")
    cursor.advance()
    _, name = cursor.qualified_name()
    if cursor.accept("AS", "ENUM"):
        inside = cursor.parenthesis()
        values = [element.string() for element in inside.elements()] if inside is not None else []
        draft.types[name.lower()] = UserType("", enum=tuple(value for value in values if value is not None))
    elif cursor.accept("FROM"):
        draft.types[name.lower()] = _alias(cursor, statement, dialect)
    else:
        draft.types[name.lower()] = UserType("text")
    return True


def fold_alter_type(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """`ALTER TYPE x ADD VALUE 'y'`."""
    cursor = _cursor(statement, dialect)
    cursor.seek("TYPE")
    cursor.advance()
    _, name = cursor.qualified_name()
    known = draft.types.get(name.lower())
    if known is None or not cursor.accept("ADD"):
        return False
    while not cursor.done and not cursor.is_string():
        cursor.advance()
    value = cursor.string()
    if value is not None:
        known.enum += (value,)
    return value is not None


def fold_create_domain(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    cursor = _cursor(statement, dialect)
    cursor.seek("DOMAIN")
    cursor.advance()
    _, name = cursor.qualified_name()
    cursor.accept("AS")
    draft.types[name.lower()] = _alias(cursor, statement, dialect)
    return True


def _alias(cursor: Cursor, statement: Statement, dialect: str | None) -> UserType:
    alias = UserType(column_type_text(cursor), dialect=dialect)
    while not cursor.done:
        if cursor.accept("NOT", "NULL"):
            alias.nullable = False
        elif cursor.accept("NULL"):
            alias.nullable = True
        elif cursor.accept("DEFAULT"):
            alias.default = default_expression(cursor)
        elif cursor.accept("CHECK"):
            inside = cursor.parenthesis()
            if inside is not None:
                alias.check = f"({alias.check}) AND ({inside.source()})" if alias.check else inside.source()
        else:
            cursor.advance()
    return alias


def fold_unique_index(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """A unique index over plain columns is a UNIQUE constraint.

    Raises:
        Unreadable: it is over expressions, or over some of the rows only.
    """
    cursor = _cursor(statement, dialect)
    cursor.seek("INDEX", "CLUSTERED INDEX", "NONCLUSTERED INDEX")
    cursor.advance()
    cursor.accept("CONCURRENTLY")
    cursor.accept("IF", "NOT", "EXISTS")
    index = None if cursor.word() == "ON" else cursor.qualified_name()[1]
    if not cursor.seek("ON"):
        raise Unreadable("an index on no table")
    cursor.advance()
    cursor.accept("ONLY")
    qualifier, name = cursor.qualified_name()
    table = draft.find(qualifier, name)
    if table is None:
        if name.lower() in draft.left_out or name.lower() in draft.views:
            return False
        raise Unreadable(f"the table {name} is not in the file")
    cursor.seek("(")
    inside = cursor.parenthesis()
    columns = []
    for element in inside.elements() if inside is not None else ():
        columns.append(element.name())
        if (element.word() == "(" and not element.is_scalar(1)) or element.word() in ("->", "->>", "||", "::"):
            raise Unreadable("a unique index over an expression")
    if cursor.seek("WHERE"):
        cursor.advance()
        condition = (cursor.parenthesis() or cursor) if cursor.word() == "(" else cursor
        filtered = condition.name()
        # UNIQUE in SQLite lets NULLs repeat, which is just what such an index says.
        if columns != [filtered] or not condition.accept("IS", "NOT", "NULL") or condition.word() in ("AND", "OR"):
            raise Unreadable("a unique index over some of the rows only")
    if not columns:
        raise Unreadable("a unique index over no columns")
    if index:
        draft.indexes[index.lower()] = columns
    table.unique.append((index, columns))
    return True


def fold_create_view(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Remember the view: a table of its name is only its stand-in (mysqldump and phpMyAdmin write such)."""
    cursor = _cursor(statement, dialect)
    cursor.seek("VIEW")
    cursor.advance()
    cursor.accept("IF", "NOT", "EXISTS")
    _, name = cursor.qualified_name()
    draft.views[name.lower()] = statement.line
    return False


def _cursor(statement: Statement, dialect: str | None) -> Cursor:
    return Cursor(statement.text, tokenize(statement.text, dialects.of_statement(statement.text, dialect)))
