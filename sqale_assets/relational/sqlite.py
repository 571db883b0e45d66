"""The one writer: from the schema model to SQLite DDL.

What is written must survive readers less careful than SQLite: the published loader splits DDL at every `;`, so
none occurs inside a literal or a comment; and a name is quoted only where some parser would stumble over it.

Not every model has a spelling in SQLite. `canonical` gives the nearest one that has, which is what the writer
writes and what reading its DDL gives back: `read(create(schema)) == canonical(schema)`.
"""

from __future__ import annotations

import re
import sqlite3

from sqale_assets.relational.graph import creation_order
from sqale_assets.relational.model import Column, ForeignKey, Schema, Table

# Words that SQLite 3.40 or sqlglot 30 misread as a bare table or column name (tried one by one in DDL, SELECT,
# GROUP BY and joins), and the join words that they accept only by grace of position.
_RESERVED_WORDS = """
    add all alter and any as autoincrement between case cast check collate commit constraint create cross
    current_date current_time current_timestamp current_user default deferrable delete describe distinct drop else
    escape except exists false fetch filter for foreign from full glob grant group having if ilike in index inner
    insert intersect into is isnull join lateral left like limit natural not nothing notnull null offset on or order
    outer over primary qualify raise references regexp returning right rlike rollback select set table tablesample
    then to transaction true union unique update using values when where window with xor
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())

_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_STRING = re.compile(r"'(?:[^']|'')*'")
_BARE_DEFAULT = re.compile(
    r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?|[+-]?\.\d+([eE][+-]?\d+)?|'(?:[^']|'')*'|x'[0-9a-fA-F]*'"
    r"|NULL|TRUE|FALSE|CURRENT_TIMESTAMP|CURRENT_DATE|CURRENT_TIME",
    re.IGNORECASE,
)


def quote(name: str) -> str:
    """The name as it must stand in SQL: bare where that is safe, else in double quotes."""
    if _BARE_NAME.match(name) and name.lower() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """The text as a SQL string, without a `;` in the SQL: `'a' || char(59) || 'b'` stands for `'a;b'`."""
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split(";")]
    return " || char(59) || ".join(parts)


def without_semicolons(expression: str) -> str:
    """The same SQL expression with every string literal that holds a `;` spelled as `literal` does."""

    def spell(match: re.Match[str]) -> str:
        text = match[0][1:-1].replace("''", "'")
        return f"({literal(text)})" if ";" in text else match[0]

    return _STRING.sub(spell, expression)


def canonical_schema(schema: Schema) -> Schema:
    """The schema with every table in its canonical form."""
    return schema.model_copy(update={"tables": tuple(canonical(table) for table in schema.tables)})


def canonical(table: Table) -> Table:
    """The table as SQLite can hold it.

    Primary-key columns are NOT NULL, though SQLite would forgive it. `INTEGER PRIMARY KEY` is kept for keys that the
    source assigns by itself, for in SQLite that very spelling assigns them; other integer keys are declared `INT`.
    UNIQUE constraints that repeat each other or the primary key go, as do repeated foreign keys and checks.
    """
    primary = {name.lower() for name in table.primary_key}
    return table.model_copy(
        update={
            "columns": tuple(_canonical_column(column, primary) for column in table.columns),
            "unique": _canonical_unique(table),
            "foreign_keys": _canonical_keys(table),
            "checks": tuple(dict.fromkeys(without_semicolons(check) for check in table.checks)),
            "comment": _comment_text(table.comment),
        }
    )


def create_table(table: Table) -> str:
    """The CREATE TABLE statement of a table, without a closing semicolon."""
    return create_canonical(canonical(table))


def create_canonical(table: Table) -> str:
    """`create_table` of a table that is in its canonical form already."""
    lines = [_column_line(column, table) for column in table.columns]
    lines += [(constraint, "") for constraint in _constraints(table)]
    last = len(lines) - 1
    body = "".join(f"    {text}{remark}{'' if index == last else ','}\n" for index, (text, remark) in enumerate(lines))
    return f"CREATE TABLE {quote(table.name)} ({_remark(table.comment)}\n{body})"


def create_statements(schema: Schema) -> dict[str, str]:
    """DDL by table name, tables after those they reference as far as cycles allow."""
    return {table.name: create_table(table) for table in creation_order(schema).tables}


def open_memory(schema: Schema) -> sqlite3.Connection:
    """An in-memory database with the schema's empty tables and foreign keys enforced.

    Raises:
        sqlite3.Error: SQLite does not accept a table; a model from our readers never raises this.
    """
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    for statement in create_statements(schema).values():
        connection.execute(statement)
    return connection


def _canonical_column(column: Column, primary: set[str]) -> Column:
    update: dict[str, object] = {"comment": _comment_text(column.comment)}
    if column.default is not None:
        update["default"] = without_semicolons(column.default)
    if column.name.lower() in primary:
        update["nullable"] = False
    alone = primary == {column.name.lower()} and column.kind == "integer"
    if column.autoincrement and alone:
        update |= {"declared_type": "INTEGER", "affinity": "INTEGER", "precision": None, "scale": None}
        update["default"] = None
    else:
        update["autoincrement"] = False
        if alone and column.declared_type.upper() == "INTEGER":
            update["declared_type"] = "INT"
    changed = {name: value for name, value in update.items() if getattr(column, name) != value}
    return column.model_copy(update=changed) if changed else column


def _canonical_unique(table: Table) -> tuple[tuple[str, ...], ...]:
    """Single columns first, in column order, as the writer puts those beside their columns."""
    seen = {frozenset(name.lower() for name in table.primary_key)}
    kept: list[tuple[str, ...]] = []
    for names in table.unique:
        key = frozenset(name.lower() for name in names)
        if key not in seen:
            seen.add(key)
            kept.append(names)
    position = {column.name.lower(): index for index, column in enumerate(table.columns)}
    single = sorted((names for names in kept if len(names) == 1), key=lambda names: position[names[0].lower()])
    return (*single, *(names for names in kept if len(names) > 1))


def _canonical_keys(table: Table) -> tuple[ForeignKey, ...]:
    seen: dict[tuple[object, ...], ForeignKey] = {}
    for key in table.foreign_keys:
        identity = (
            tuple(name.lower() for name in key.columns),
            key.target_table.lower(),
            tuple(name.lower() for name in key.target_columns),
        )
        seen.setdefault(identity, key)
    return tuple(seen.values())


def _column_line(column: Column, table: Table) -> tuple[str, str]:
    """The column's definition, and the remark that follows it."""
    parts = [quote(column.name), column.declared_type]
    names = tuple(name.lower() for name in table.primary_key)
    alone = names == (column.name.lower(),)
    if column.nullable is False and not (alone and column.autoincrement):
        parts.append("NOT NULL")
    if alone:
        parts.append("PRIMARY KEY")
    if any(len(unique) == 1 and unique[0].lower() == column.name.lower() for unique in table.unique):
        parts.append("UNIQUE")
    if column.default is not None:
        bare = _BARE_DEFAULT.fullmatch(column.default)
        parts.append(f"DEFAULT {column.default if bare else f'({column.default})'}")
    if column.enum:
        parts.append(f"CHECK ({quote(column.name)} IN ({', '.join(map(literal, column.enum))}))")
    return " ".join(parts), _remark(column.comment)


def _constraints(table: Table) -> list[str]:
    lines = [f"PRIMARY KEY ({_list(table.primary_key)})"] if len(table.primary_key) > 1 else []
    lines += [f"UNIQUE ({_list(names)})" for names in table.unique if len(names) > 1]
    lines += [f"CHECK ({check})" for check in table.checks]
    lines += [_foreign_key(key) for key in table.foreign_keys]
    return lines


def _foreign_key(key: ForeignKey) -> str:
    name = f"CONSTRAINT {quote(key.name)} " if key.name else ""
    actions = "".join(
        f" ON {event} {action}" for event, action in (("DELETE", key.on_delete), ("UPDATE", key.on_update)) if action
    )
    columns, target = _list(key.columns), quote(key.target_table)
    return f"{name}FOREIGN KEY ({columns}) REFERENCES {target} ({_list(key.target_columns)}){actions}"


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(quote(name) for name in names)


def _comment_text(comment: str | None) -> str | None:
    """One line that neither ends the comment it will stand in nor splits the statement; None where it says nothing."""
    if comment is None:
        return None
    text = " ".join("".join(c if c.isprintable() else " " for c in comment).replace(";", ",").split())
    text = re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)", " ", text)
    return text if any(character.isalnum() for character in text) else None


def _remark(comment: str | None) -> str:
    return f" /* {comment} */" if comment else ""
