"""One element of a table: a column definition or a constraint, from CREATE's list or after ALTER's ADD."""

from __future__ import annotations

import re

from sqale_assets.relational.folding.draft import Draft, DraftCheck, DraftColumn, DraftKey, DraftTable
from sqale_assets.relational.model import Action
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable
from sqale_assets.relational.types import is_known_type

_ATTRIBUTE_WORDS = """
    NOT NULL DEFAULT CONSTRAINT PRIMARY UNIQUE CHECK REFERENCES COLLATE CHARACTER CHARSET COMMENT AUTO_INCREMENT
    AUTOINCREMENT IDENTITY GENERATED AS ON ROWGUIDCOL SPARSE ENABLE DISABLE VISIBLE INVISIBLE STORAGE COMPRESSION FIRST
    AFTER PERSISTED VIRTUAL STORED MASKED HIDDEN SRID FILESTREAM VALIDATE NOVALIDATE RELY NORELY USING DEFERRABLE
    INITIALLY MATCH KEY COLUMN_FORMAT SERIAL_DEFAULT ENCRYPTED ENCODE OPTIONS FOR SORTKEY DISTKEY TABLESPACE ENFORCED
"""
#: Words that end a column's type, and its default expression.
_ATTRIBUTES = frozenset(_ATTRIBUTE_WORDS.split()) | {"PRIMARY KEY", "FOREIGN KEY"}

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
    if not table.add_column(column) and table.column(column.name) is not column:
        raise Unreadable(f"a second column of the name {column.name}")


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


def _fold_constraint(
    cursor: Cursor, name: str | None, table: DraftTable, draft: Draft, statement: Statement
) -> bool:  # fmt: skip
    """Whether the element is a table constraint or an index, which then has been folded."""
    word = cursor.word()
    if word == "PRIMARY KEY":
        cursor.advance()
        table.primary_key = _key_columns(cursor, draft)
        table.primary_key_name = name
    elif word == "UNIQUE" and _is_index(cursor, 1):
        cursor.advance()
        table.unique.append((_index_name(cursor) or name, _key_columns(cursor, draft)))
    elif word == "FOREIGN KEY":
        cursor.advance()
        if cursor.word() != "(":
            name = cursor.name() or name  # MySQL's FOREIGN KEY index_name (...)
        columns = _columns(cursor)
        if not cursor.accept("REFERENCES"):
            raise Unreadable("a foreign key without REFERENCES")
        table.foreign_keys.append(_references(cursor, columns, name or None, statement))
    elif word == "CHECK" and cursor.word(1) in ("(", "NOT"):
        cursor.advance()
        while cursor.word() not in ("(", ""):  # NOT FOR REPLICATION
            cursor.advance()
        fold_check(cursor, name or None, table, statement)
    elif (word == "DEFAULT" and name is not None) or (word == "DEFAULT" and cursor.word(1) == "("):
        _fold_default_for(cursor, table)
    elif word in ("KEY", "INDEX", "FULLTEXT", "SPATIAL", "CLUSTERED INDEX", "NONCLUSTERED INDEX") and _is_index(
        cursor, 1
    ):
        draft.kinds["index"] += 1
    elif word == "EXCLUDE" and cursor.word(1) in ("USING", "("):
        draft.lose(statement, "SQLite has no exclusion constraints", cursor.offset())
    elif word == "LIKE":
        cursor.advance()
        fold_like(cursor, table, draft)
    elif (word == "PERIOD" and cursor.word(1) == "FOR") or (word == "SUPPLEMENTAL" and cursor.word(1) == "LOG"):
        draft.kinds["table_option"] += 1
    else:
        return False
    return True


_COLUMN_ONLY = _ATTRIBUTES - {"USING", "KEY", "NOT", "ON"}


def _is_index(cursor: Cursor, ahead: int) -> bool:
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


def _index_name(cursor: Cursor) -> str | None:
    """Step over KEY, a name, USING BTREE and the like, up to the columns; the name if there is one."""
    name = None
    cursor.accept_any("KEY", "INDEX", "CLUSTERED INDEX", "NONCLUSTERED INDEX")
    while not cursor.done and cursor.word() not in ("(", "USING"):
        if cursor.accept_any("CLUSTERED", "NONCLUSTERED", "NULLS", "NOT", "DISTINCT"):
            continue
        name = cursor.name()
    return name


def _key_columns(cursor: Cursor, draft: Draft) -> list[str]:
    """The columns of a primary or unique key: in parentheses, or those of the index that it uses."""
    while not cursor.done and cursor.word() != "(":
        if cursor.accept("USING", "INDEX"):
            names = draft.indexes.get(cursor.name().lower())
            if names is None:
                raise Unreadable("a key over an index that is not in the file")
            return names
        cursor.advance()
    return _columns(cursor)


def _columns(cursor: Cursor) -> list[str]:
    """Column names in parentheses, without their lengths, orders and operator classes.

    Raises:
        Unreadable: there are none, or one is an expression.
    """
    inside = cursor.parenthesis()
    if inside is None:
        raise Unreadable("a list of columns is missing")
    names = []
    for element in inside.elements():
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


def _references(cursor: Cursor, columns: list[str], name: str | None, statement: Statement) -> DraftKey:
    """The key behind REFERENCES, with its actions."""
    line = statement.line + statement.text.count("\n", 0, cursor.offset())
    qualifier, target = cursor.qualified_name()
    key = DraftKey(columns, qualifier, target, [], line, name)
    if cursor.word() == "(":
        key.target_columns = _columns(cursor)
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
                column.name, column.type, column.nullable, column.default, column.autoincrement, column.comment,
                column.dialect, column.line, column.remark,
            )
        )  # fmt: skip


# --- columns --------------------------------------------------------------------------------------


def fold_column(cursor: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> DraftColumn:
    """The column definition under the cursor; constraints beside it go to the table."""
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
            if _starts_column(cursor):  # the comma before it was forgotten
                table.add_column(column)
                fold_element(cursor.part(cursor.index, cursor.end), table, draft, statement)
                break
            draft.lose(statement, f"unknown column attribute {cursor.word() or cursor.source()[:20]!r}", offset)
            cursor.skip()
        name = None
    return column


def _starts_column(cursor: Cursor) -> bool:
    """Whether a name and a well-known type come next."""
    following = cursor.word(1)
    return following.isidentifier() and following not in _ATTRIBUTES and is_known_type(following)


def column_type_text(cursor: Cursor) -> str:
    """The source text of the type at the cursor: everything up to the first attribute."""
    begin = cursor.index
    while not cursor.done:
        word = cursor.word()
        if word in _ATTRIBUTES and not (word == "CHARACTER" and cursor.word(1) != "SET"):
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
    if cursor.accept_any("-", "+"):
        pass
    cursor.skip()
    while not cursor.done:
        word = cursor.word()
        if word in _ATTRIBUTES or (word == "WITH" and cursor.word(1) != "TIME") or word in ("UPDATE", "FOR"):
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
        columns = _columns(cursor) if cursor.word() == "(" else [column.name]  # the comma before it was forgotten
        # Two columns may each call themselves the primary key: together they are it.
        table.primary_key = [*(name for name in table.primary_key if name not in columns), *columns]
        table.primary_key_name = name
    elif cursor.accept("UNIQUE"):
        cursor.accept("KEY")
        while cursor.accept_any("NULLS", "CLUSTERED", "NONCLUSTERED", "NOT DISTINCT"):
            pass
        table.unique.append((name, _columns(cursor) if cursor.word() == "(" else [column.name]))
    elif cursor.accept("DEFAULT"):
        cursor.accept("ON", "NULL")
        column.default = default_expression(cursor)
    elif word == "CHECK":
        cursor.advance()
        while cursor.word() not in ("(", ""):  # NOT FOR REPLICATION
            cursor.advance()
        fold_check(cursor, name, table, statement)
    elif cursor.accept("REFERENCES") or cursor.accept("FOREIGN KEY", "REFERENCES"):
        table.foreign_keys.append(_references(cursor, [column.name], name, statement))
    elif cursor.accept("FOREIGN KEY"):  # a table constraint whose comma was forgotten
        columns = _columns(cursor)
        if not cursor.accept("REFERENCES"):
            raise Unreadable("a foreign key without REFERENCES")
        table.foreign_keys.append(_references(cursor, columns, name, statement))
    elif cursor.accept("COMMENT"):
        cursor.accept("=")
        column.remark = cursor.string()
    elif cursor.accept_any("AUTO_INCREMENT", "AUTOINCREMENT"):
        column.autoincrement = True
    elif cursor.accept("IDENTITY"):
        column.autoincrement = True
        cursor.parenthesis()
    elif word == "GENERATED" or (word == "AS" and not cursor.done):
        _fold_generated(cursor, column, draft, statement)
    elif word == "ON" and cursor.word(1) in ("UPDATE", "CONFLICT", "DELETE"):
        cursor.advance(2)
        cursor.skip()
        cursor.parenthesis()
    elif word == "NOT" and cursor.word(1) in ("FOR", "DEFERRABLE", "VALID", "VISIBLE", "ENFORCED", "HIDDEN"):
        cursor.advance(3 if cursor.word(1) == "FOR" else 2)
    elif word in ("USING", "WITH", "OPTIONS", "ENCRYPTED"):
        cursor.seek(*(_ATTRIBUTES - {"USING", "OPTIONS", "ENCRYPTED", "ON"}))
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
        column.computed = True
        draft.lose(statement, f"computed column {column.name} kept without its expression", cursor.offset())
        begin = cursor.index
        cursor.skip()
        if not column.type and _ARITHMETIC.search(expression := cursor.source(begin, cursor.index)):
            column.type = "" if "'" in expression else "numeric"
        cursor.parenthesis()
