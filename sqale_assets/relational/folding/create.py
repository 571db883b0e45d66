"""CREATE TABLE."""

from __future__ import annotations

from sqale_assets.relational import dialect as dialects
from sqale_assets.relational.folding.draft import Draft, DraftTable
from sqale_assets.relational.folding.elements import copy_structure, fold_element, fold_like
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable, tokenize


def fold_create_table(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Add the table to the draft; False where it is none of the schema's (temporary, a partition, a stand-in)."""
    dialect = dialects.of_statement(statement.text, dialect)
    cursor = Cursor(statement.text, tokenize(statement.text, dialect))
    head = set()
    while not cursor.done and cursor.word() != "TABLE":
        head.add(cursor.word())
        cursor.advance()
    cursor.advance()
    cursor.accept("IF", "NOT", "EXISTS")
    qualifier, name = cursor.qualified_name()
    reason = _left_out(statement, head, name, cursor)
    if reason:
        draft.note(statement, reason)
        draft.left_out.add(name.lower())
        return False
    if draft.exact(qualifier, name) is not None:
        raise Unreadable(f"a table of the name {name} is there already")

    table = DraftTable(name, qualifier, statement.line, dialect)
    if cursor.accept("LIKE"):
        fold_like(cursor, table, draft)
    elif cursor.word() == "(":
        inside = cursor.parenthesis()
        assert inside is not None
        if inside.word() in ("SELECT", "WITH"):
            raise Unreadable("its columns are those of a query")
        table.comment = _remark_behind(inside)
        _fold_elements(inside, table, draft, statement)
        own = bool(table.columns)
        _fold_options(cursor, table, draft, statement)
        if table.columns and not own:
            draft.note(statement, "a partition of another table, by inheritance")
            draft.left_out.add(name.lower())
            return False
    else:
        raise Unreadable("its columns are those of a query" if cursor.seek("AS", "SELECT") else "it has no columns")
    if not table.columns:
        raise Unreadable("none of its columns could be read")
    draft.add(table)
    return True


def _left_out(statement: Statement, head: set[str], name: str, cursor: Cursor) -> str | None:
    """Why the statement makes no table of the schema, or None."""
    if head & {"TEMP", "TEMPORARY"} or (name.startswith("#") and not name.startswith("#__")):  # Joomla's prefix
        return "a temporary table"
    if "VIRTUAL" in head:
        return "a virtual table: its columns are its module's"
    if statement.versioned:
        return "a stand-in for a view"
    if cursor.word() == "PARTITION" and cursor.word(1) == "OF":
        return "a partition of another table"
    if name.lower().startswith("sqlite_"):
        return "one of SQLite's own tables"
    return None


def _remark_behind(inside: Cursor) -> str | None:
    """The writer's own way to keep a table's comment: a remark behind the opening parenthesis."""
    if inside.start == 0:
        return None
    comments = inside.tokens[inside.start - 1].comments
    return " ".join(" ".join(comments).split()) or None


def _fold_elements(inside: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> None:
    for element in inside.elements():
        try:
            fold_element(element, table, draft, statement)
        except Unreadable as error:
            draft.lose(statement, str(error), element.offset())


def _fold_options(cursor: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> None:
    """What follows the columns: a comment, inheritance; the rest (engine, storage, partitioning) says nothing."""
    while cursor.seek("COMMENT", "INHERITS"):
        if cursor.accept("COMMENT"):
            cursor.accept("=")
            table.comment = cursor.string() or table.comment
            continue
        cursor.advance()
        parents = cursor.parenthesis()
        for parent in parents.elements() if parents is not None else ():
            qualifier, name = parent.qualified_name()
            other = draft.find(qualifier, name)
            if other is None:
                draft.lose(statement, f"inherits from {name}, which is not in the file")
                continue
            own = table.columns
            table.columns = {}
            copy_structure(other, table)
            table.columns |= own
