"""One element of a table: a column definition or a constraint, from CREATE's list or after ALTER's ADD."""

from __future__ import annotations

from sqale_assets.relational.folding.columns import default_expression, fold_column
from sqale_assets.relational.folding.constraints import (
    column_list,
    fold_check,
    index_name,
    is_index,
    key_columns,
    references,
)
from sqale_assets.relational.folding.draft import Draft, DraftColumn, DraftTable
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable


def fold_element(cursor: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> None:
    """Add the column or constraint under the cursor to the table.

    Raises:
        Unreadable: the element is neither; the caller records the loss.
    """
    name = _constraint_name(cursor)
    if _fold_constraint(cursor, name, table, draft, statement):
        return
    if name is not None:
        raise Unreadable(f"constraint of unknown kind {cursor.word() or cursor.source()[:20]!r}")
    column = fold_column(cursor, table, draft, statement)
    if not table.add_column(column):
        raise Unreadable(f"a second column of the name {column.name}")
    if not cursor.done:
        fold_element(cursor.part(cursor.index, cursor.end), table, draft, statement)


def _constraint_name(cursor: Cursor) -> str | None:
    if cursor.word() != "CONSTRAINT":
        return None
    cursor.advance()
    if cursor.word() in ("PRIMARY KEY", "FOREIGN KEY", "CHECK", "UNIQUE"):
        return ""
    name = cursor.name()
    while cursor.accept("."):
        name = cursor.name()
    return name


def _fold_constraint(cursor: Cursor, name: str | None, table: DraftTable, draft: Draft, statement: Statement) -> bool:
    """Whether the element is a table constraint or an index, which then has been folded."""
    word = cursor.word()
    if word == "PRIMARY KEY":
        cursor.advance()
        table.primary_key = key_columns(cursor, draft)
        table.primary_key_name = name
    elif word == "UNIQUE" and is_index(cursor, 1):
        cursor.advance()
        table.unique.append((index_name(cursor) or name, key_columns(cursor, draft)))
    elif word == "FOREIGN KEY":
        cursor.advance()
        if cursor.word() != "(":
            name = cursor.name() or name  # MySQL's FOREIGN KEY index_name (...)
        columns = column_list(cursor)
        if not cursor.accept("REFERENCES"):
            raise Unreadable("a foreign key without REFERENCES")
        table.foreign_keys.append(references(cursor, columns, name or None, statement))
    elif word == "CHECK" and cursor.word(1) in ("(", "NOT"):
        cursor.advance()
        while cursor.word() not in ("(", ""):  # NOT FOR REPLICATION
            cursor.advance()
        fold_check(cursor, name or None, table, statement)
    elif (word == "DEFAULT" and name is not None) or (word == "DEFAULT" and cursor.word(1) == "("):
        _fold_default_for(cursor, table)
    elif word in ("KEY", "INDEX", "FULLTEXT", "SPATIAL", "CLUSTERED INDEX", "NONCLUSTERED INDEX") and is_index(
        cursor, 1
    ):
        draft.kinds["index"] += 1
    elif word == "EXCLUDE" and cursor.word(1) in ("USING", "("):
        draft.lose(statement, "SQLite has no exclusion constraints", cursor.offset())
    elif word == "LIKE":
        cursor.advance()
        fold_like(cursor, table, draft)
    elif (
        (word == "FAMILY" and "(" in (cursor.word(1), cursor.word(2)))
        or (word == "PERIOD" and cursor.word(1) == "FOR")
        or (word == "SUPPLEMENTAL" and cursor.word(1) == "LOG")
    ):  # CockroachDB's groups of columns
        draft.kinds["table_option"] += 1
    else:
        return False
    return True


def _fold_default_for(cursor: Cursor, table: DraftTable) -> None:
    """T-SQL's `ADD CONSTRAINT x DEFAULT (0) FOR column`."""
    cursor.advance()
    expression = default_expression(cursor)
    if not cursor.accept("FOR"):
        raise Unreadable("a default for no column")
    name = cursor.name()
    column = table.column(name)
    if column is None:
        raise Unreadable(f"a default for the unknown column {name}")
    column.default, column.dialect = expression, table.dialect


def fold_like(cursor: Cursor, table: DraftTable, draft: Draft) -> None:
    """PostgreSQL's and MySQL's LIKE: the columns of another table, and its keys where indexes are included."""
    qualifier, name = cursor.qualified_name()
    other = draft.find(qualifier, name)
    if other is None:
        raise Unreadable(f"like the table {name}, which is not in the file")
    copy_structure(other, table)
    rest = " ".join(cursor.words[cursor.index : cursor.end])
    if not rest or "INCLUDING ALL" in rest or "INCLUDING INDEXES" in rest:
        table.primary_key = list(other.primary_key)
        table.unique += [(None, list(names)) for _, names in other.unique]
        table.checks += other.checks


def copy_structure(source: DraftTable, target: DraftTable) -> None:
    """Give `target` the columns of `source`."""
    for column in source.columns.values():
        target.add_column(
            DraftColumn(
                column.name,
                column.type,
                column.nullable,
                column.default,
                column.autoincrement,
                column.comment,
                column.dialect,
                column.line,
                column.remark,
            )
        )
