"""ALTER TABLE and DROP TABLE: columns and constraints that come, change and go after CREATE."""

from __future__ import annotations

from sqale_assets.relational import dialect as dialects
from sqale_assets.relational.folding.columns import column_type_text, default_expression, fold_column
from sqale_assets.relational.folding.draft import Draft, DraftTable
from sqale_assets.relational.folding.elements import fold_element
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Cursor, Unreadable, tokenize

_VERBS = frozenset({"ADD", "DROP", "MODIFY", "CHANGE", "ALTER", "RENAME", "ATTACH", "DETACH", "SET", "COMMENT"})
_COLUMN_WORD = ("COLUMN", "COLUMNS")


def fold_alter_table(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Apply every action of the statement; True where at least one changed the schema."""
    dialect = dialects.of_statement(statement.text, dialect)
    cursor = Cursor(statement.text, tokenize(statement.text, dialect))
    cursor.seek("TABLE")
    cursor.advance()
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    qualifier, name = cursor.qualified_name()
    cursor.accept("*")
    table = draft.find(qualifier, name)
    if table is None and name.lower() in draft.left_out:
        return False
    if table is None and "ADD" in cursor.words:
        return _defer(statement, draft, dialect)
    changed = False
    verb = ""
    for action in _actions(cursor):
        if action.word() == "WITH" and action.word(1) in ("CHECK", "NOCHECK"):
            action.advance(2)
        verb = action.accept_any(*_VERBS) or (verb if verb in ("ADD", "DROP") else "")
        if not verb:
            continue
        try:
            changed |= _apply(verb, action, table, name, draft, statement)
        except Unreadable as error:
            draft.lose(statement, str(error), action.offset())
    return changed


def _defer(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Try again at the end of the file, for some files add keys before they create the table."""
    if draft.at_end:
        raise Unreadable("it alters a table that is not in the file")

    def again() -> None:
        try:
            fold_alter_table(statement, draft, dialect)
        except Unreadable as error:
            draft.lose(statement, str(error))

    draft.deferred.append(again)
    return True


def fold_drop_table(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Take the tables away for now; `resolve` decides whether the whole script was a tear-down."""
    cursor = Cursor(statement.text, tokenize(statement.text, dialects.of_statement(statement.text, dialect)))
    cursor.seek("TABLE")
    cursor.advance()
    cursor.accept("IF", "EXISTS")
    dropped = False
    for element in cursor.elements():
        table = draft.find(*element.qualified_name())
        if table is not None:
            draft.drop(table)
            dropped = True
    return dropped


def _actions(cursor: Cursor) -> list[Cursor]:
    """The comma-separated actions; Oracle's `ADD (a ..., b ...)` and `MODIFY (...)` become one each."""
    actions: list[Cursor] = []
    for part in cursor.elements():
        verb_at = part.index
        if part.word() in ("ADD", "MODIFY"):
            opening = part.word(1) == "(" or (part.word(1) in _COLUMN_WORD and part.word(2) == "(")
            if opening:
                verb = part.word()
                part.advance(1 if part.word(1) == "(" else 2)
                inside = part.parenthesis()
                assert inside is not None
                actions += [_Action(verb, element) for element in inside.elements()]
                continue
        part.index = verb_at
        actions.append(part)
    return actions


class _Action(Cursor):
    """An element of a parenthesised list, which knows the verb that stood before the list."""

    __slots__ = ("verb",)

    def __init__(self, verb: str, element: Cursor):
        super().__init__(element.text, element.tokens, element.words, element.start, element.end)
        self.verb = verb

    def accept_any(self, *words: str) -> str:
        if self.verb in words:
            verb, self.verb = self.verb, ""
            return verb
        return super().accept_any(*words)


def _apply(verb: str, action: Cursor, table: DraftTable | None, name: str, draft: Draft, statement: Statement) -> bool:
    """Whether the action changed the schema.

    Raises:
        Unreadable: it should have, but could not be understood or its table is unknown.
    """
    if verb in ("SET", "DETACH") or (verb == "DROP" and table is None):
        return False
    if table is None:
        if verb == "ALTER" or (verb == "ADD" and action.word() in ("PARTITION", "INDEX", "KEY", "FULLTEXT")):
            return False
        raise Unreadable(f"the table {name} is not in the file")
    if verb == "ADD":
        return _add(action, table, draft, statement)
    if verb in ("MODIFY", "CHANGE"):
        return _modify(verb, action, table, draft, statement)
    if verb == "ALTER":
        return _alter_column(action, table, draft, statement)
    if verb == "DROP":
        return _drop(action, table)
    if verb == "RENAME":
        return _rename(action, table, draft)
    if verb == "COMMENT":
        action.accept("=")
        table.comment = action.string() or table.comment
        return True
    return _attach(action, draft, statement)


def _add(action: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> bool:
    if action.word() == "PARTITION":
        return False
    if action.accept_any(*_COLUMN_WORD):
        action.accept("IF", "NOT", "EXISTS")
    elif action.word() == "CONSTRAINT" and action.word(1) == "IF":
        action.advance(4)
        action = action.part(action.index, action.end)
    before = draft.kinds["index"]
    fold_element(action, table, draft, statement)
    return draft.kinds["index"] == before


def _modify(verb: str, action: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> bool:
    """MySQL's MODIFY and CHANGE restate the column; Oracle's MODIFY may give only what changes."""
    if action.word() in ("CONSTRAINT", "PRIMARY KEY", "PARTITION"):
        return False
    action.accept_any(*_COLUMN_WORD)
    action.accept("IF", "EXISTS")
    if verb == "CHANGE":
        old = action.name()
    else:
        mark = action.index
        old = action.name()
        action.index = mark
    known = table.column(old)
    if known is None:
        raise Unreadable(f"the column {old} is not in the table {table.name}")
    column = fold_column(action, table, draft, statement)
    if column.name.lower() != old.lower():
        table.rename_column(old, column.name)
    if not column.type:
        column.type = known.type
        column.default = column.default or known.default
        column.nullable = known.nullable if column.nullable is None else column.nullable
    elif table.dialect == "oracle":  # gives only what changes
        column.nullable = known.nullable if column.nullable is None else column.nullable
        column.default = column.default or known.default
    column.remark = column.remark or known.remark
    column.comment = known.comment
    table.columns[column.name.lower()] = column
    return True


def _alter_column(action: Cursor, table: DraftTable, draft: Draft, statement: Statement) -> bool:
    if action.word() in ("INDEX", "CONSTRAINT", "CHECK"):
        return False
    action.accept_any(*_COLUMN_WORD)
    name = action.name()
    column = table.column(name)
    if column is None:
        raise Unreadable(f"the column {name} is not in the table {table.name}")
    if action.accept("SET", "DEFAULT"):
        column.default, column.dialect = default_expression(action), table.dialect
    elif action.accept("DROP", "DEFAULT"):
        column.default = None
    elif action.accept("SET", "NOT", "NULL"):
        column.nullable = False
    elif action.accept("DROP", "NOT", "NULL"):
        column.nullable = True
    elif action.accept("ADD", "GENERATED"):
        column.autoincrement = True
    elif action.accept("SET", "DATA", "TYPE") or action.accept("TYPE"):
        column.type = column_type_text(action)
    elif action.word() in ("SET", "RESET", "ADD", "DROP", "RESTART"):
        return False  # statistics, storage, masking
    else:  # T-SQL restates the column
        action.index -= 1
        restated = fold_column(action.part(action.index, action.end), table, draft, statement)
        column.type, column.nullable = restated.type or column.type, restated.nullable
    return True


def _drop(action: Cursor, table: DraftTable) -> bool:
    if action.accept("PRIMARY KEY"):
        table.primary_key = []
        return True
    kind = action.accept_any("CONSTRAINT", "FOREIGN KEY", "INDEX", "KEY", "CHECK", *_COLUMN_WORD, "PARTITION")
    if kind == "PARTITION":
        return False
    action.accept("IF", "EXISTS")
    name = action.name().lower()
    if kind in ("", *_COLUMN_WORD):
        known = table.column(name) is not None
        table.drop_column(name)
        return known
    table.unique = [(index, names) for index, names in table.unique if (index or "").lower() != name]
    table.foreign_keys = [key for key in table.foreign_keys if (key.name or "").lower() != name]
    table.checks = [check for check in table.checks if (check.name or "").lower() != name]
    if (table.primary_key_name or "").lower() == name:
        table.primary_key = []
    return True


def _rename(action: Cursor, table: DraftTable, draft: Draft) -> bool:
    if action.accept_any("CONSTRAINT", "INDEX", "KEY"):
        return False
    if action.accept_any("TO", "AS") or action.part(action.index, action.end).end - action.index == 1:
        _, name = action.qualified_name()
        draft.rename(table, name)
        return True
    action.accept_any(*_COLUMN_WORD)
    old = action.name()
    if not action.accept_any("TO", "AS") or table.column(old) is None:
        raise Unreadable(f"renaming {old} of {table.name}")
    new = action.name()
    table.rename_column(old, new)
    for key in draft.keys_to(table):
        key.target_columns = [new if name.lower() == old.lower() else name for name in key.target_columns]
    return True


def _attach(action: Cursor, draft: Draft, statement: Statement) -> bool:
    """PostgreSQL's ATTACH PARTITION: what was created as a table is a partition of this one."""
    if action.accept("PARTITION"):
        partition = draft.find(*action.qualified_name())
        if partition is not None:
            draft.remove(partition)
            draft.left_out.add(partition.name.lower())
            draft.note(statement, f"{partition.name} is a partition of another table")
    return False
