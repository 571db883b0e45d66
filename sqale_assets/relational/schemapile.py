"""The reader of SchemaPile: one record into the schema model.

Both shapes are read: Zenodo's, whose `TABLES` and `COLUMNS` are objects, and the list shape of the Hugging Face copy,
where they are lists whose entries carry their names. The files themselves are read in `schemapile_file`.

What a record says is taken at its word only where it can be: `NULLABLE: null` is unknown, types are AST names
without length, a composite UNIQUE marks each of its columns, and the values are those of the last INSERT alone, with
personal data replaced by placeholders. (Döhmen et al., SchemaPile, SIGMOD 2024; data: Zenodo 10931803 and 12682521.)
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqale_assets.relational.expressions import Check, accepted, check_sql, default_sql
from sqale_assets.relational.fidelity import Fidelity, Loss, Reading
from sqale_assets.relational.model import Action, Column, ForeignKey, Row, Schema, Table
from sqale_assets.relational.schemapile_file import bare_name, foreign_keys, named
from sqale_assets.relational.sqlite import literal, quote
from sqale_assets.relational.tokens import Unreadable
from sqale_assets.relational.types import column_type, counted_column
from sqale_assets.relational.values import typed

_ACTIONS: dict[str, Action] = {
    "cascade": "CASCADE",
    "restrict": "RESTRICT",
    "setnull": "SET NULL",
    "setdefault": "SET DEFAULT",
    "noaction": "NO ACTION",
}
_TIMES = ("CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME")
#: What the anonymiser left where it found personal data: <PERSON>, <EMAIL_ADDRESS>, <IP_ADDRESS>, ...
PLACEHOLDER = re.compile(r"<[A-Z]{2,}(?:_[A-Z]+)*>")


def read_schemapile(record: dict[str, Any]) -> Reading:
    """The record as a schema with rows. What cannot be kept is a loss; nothing in a record makes this fail."""
    losses: list[Loss] = []
    entries = named(_storable(record.get("TABLES")), "TABLE_NAME")
    names = _plain_names([name for name, _ in entries])
    tables: dict[str, Table] = {}
    sources: dict[str, dict[str, Any]] = {}
    rows: dict[str, tuple[Row, ...]] = {}
    for full_name, source in entries:
        name = names[full_name]
        if name.lower() in sources:
            losses.append(_loss(full_name, "a table of that name came before"))
            continue
        table = _table(name, source, losses)
        if not table.columns:
            losses.append(_loss(full_name, "no columns"))
            continue
        tables[name], sources[name.lower()] = table, source
    for name, table in tables.items():
        keys = _resolved_keys(table, sources[name.lower()], names, tables, losses)
        tables[name] = _counted(table.model_copy(update={"foreign_keys": keys}))
    targets: dict[str, set[tuple[str, ...]]] = {}
    for key in (key for table in tables.values() for key in table.foreign_keys):
        targets.setdefault(key.target_table, set()).add(key.target_columns)
    for name, table in tables.items():
        source, referenced = sources[name.lower()], targets.get(name, set())
        kept = _rows(table, source, losses)
        if kept:
            rows[name] = kept
        primary_key = table.primary_key or _referenced_key(table, referenced, kept, losses)
        table = table.model_copy(update={"primary_key": primary_key})
        table = table.model_copy(update={"unique": _unique(table, source, referenced, kept, losses)})
        tables[name] = _with_checks(table, source, losses)
    fidelity = Fidelity(
        dialect=None,
        encoding=None,
        statements=len(entries),
        kept=len(tables),
        skipped=len(entries) - len(tables),
        kinds={"create_table": len(entries)},
        losses=tuple(losses),
    )
    return Reading(Schema(tables=tuple(tables.values())), rows, fidelity)


def _storable(value: Any) -> Any:
    """The value without what no SQL text can hold: NUL characters and halves of surrogate pairs."""
    if isinstance(value, str):
        return value if value.isprintable() else value.replace("\0", "").encode("utf-8", "ignore").decode()
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _loss(statement: str, reason: str) -> Loss:
    return Loss(line=None, statement=statement, reason=reason)


def _plain_names(names: list[str]) -> dict[str, str]:
    """Each table's name without its schema, where that leaves it unlike the others; else joined by underscores."""
    parts = {
        name: [bare_name(part) for part in name.split(".") if bare_name(part)] or [bare_name(name)] for name in names
    }
    last = Counter(part[-1].lower() for part in parts.values())
    return {name: part[-1] if last[part[-1].lower()] == 1 else "_".join(part) for name, part in parts.items()}


def _table(name: str, source: dict[str, Any], losses: list[Loss]) -> Table:
    columns: dict[str, Column] = {}
    for column_name, entry in named(source.get("COLUMNS"), "NAME"):
        bare = bare_name(column_name)
        if bare.lower() in columns:
            losses.append(_loss(f"{name}.{column_name}", "a column of that name came before"))
            continue
        columns[bare.lower()] = _column(name, bare, entry, losses)
    keys = _strings(source.get("PRIMARY_KEYS")) or _strings(source.get("PRIMARY_KEY"))
    found = [columns[key.lower()].name for key in map(bare_name, keys) if key.lower() in columns]
    if len(found) < len(keys):
        losses.append(_loss(name, f"primary key ({', '.join(keys)}) names columns that the table does not have"))
        found = []
    comment = source.get("COMMENT")
    return Table(
        name=name,
        columns=tuple(columns.values()),
        primary_key=tuple(dict.fromkeys(found)),
        comment=comment if isinstance(comment, str) and comment.strip() else None,
    )


def _column(table: str, name: str, entry: dict[str, Any], losses: list[Loss]) -> Column:
    declared = entry.get("TYPE")
    typed = column_type(declared if isinstance(declared, str) else "")
    nullable, comment = entry.get("NULLABLE"), entry.get("COMMENT")
    column = Column(
        name=name,
        **typed.model_dump(),
        nullable=nullable if isinstance(nullable, bool) else None,
        comment=comment if isinstance(comment, str) and comment.strip() else None,
    )
    default = entry.get("DEFAULT")
    if default is None:
        return column
    text = _default(column, default)
    if text is None:
        losses.append(_loss(f"{table}.{name}", f"default {default!r} does not suit {column.declared_type}"))
    return column.model_copy(update={"default": text})


def _default(column: Column, value: Any) -> str | None:
    """SQL text of a default, None where it does not suit. The records keep strings only, without their quotes."""
    text = str(value).strip()
    if column.kind in ("integer", "decimal", "real", "boolean") and typed(value, column.kind) is None:
        return None
    try:
        return default_sql(text if text.upper() in _TIMES else literal(str(value)), None, column.kind).sql
    except Unreadable:
        return None


def _resolved_keys(
    table: Table,
    source: dict[str, Any],
    names: dict[str, str],
    tables: dict[str, Table],
    losses: list[Loss],
) -> tuple[ForeignKey, ...]:
    by_name = {name.lower(): name for name in tables}
    by_name |= {full.lower(): name for full, name in names.items() if name in tables}
    kept = []
    for entry in foreign_keys(source):
        columns, referred = _strings(entry.get("COLUMNS")), _strings(entry.get("REFERRED_COLUMNS"))
        wanted = str(entry.get("FOREIGN_TABLE") or "")
        statement = f"{table.name} ({', '.join(columns)}) -> {wanted} ({', '.join(referred)})"
        target_name = by_name.get(wanted.lower()) or by_name.get(bare_name(wanted.rsplit(".", 1)[-1]).lower())
        if target_name is None:
            losses.append(_loss(statement, "foreign key to a table that is not in the record"))
            continue
        target = tables[target_name]
        own = [table.column(bare_name(name)) for name in columns]
        other = [target.column(bare_name(name)) for name in referred or target.primary_key]
        if not own or len(own) != len(other) or None in own or None in other:
            losses.append(_loss(statement, "foreign key whose columns are not in the record"))
            continue
        kept.append(
            ForeignKey(
                columns=tuple(column.name for column in own if column),
                target_table=target.name,
                target_columns=tuple(column.name for column in other if column),
                on_delete=_ACTIONS.get(str(entry.get("ON_DELETE")).lower()),
                on_update=_ACTIONS.get(str(entry.get("ON_UPDATE")).lower()),
            )
        )
    return tuple(kept)


def _counted(table: Table) -> Table:
    """The table with its single key, and the columns that refer to others, as numbers that count."""
    counted = {name for key in table.foreign_keys for name in key.columns}
    if len(table.primary_key) == 1:
        counted.update(table.primary_key)
    columns = tuple(counted_column(column) if column.name in counted else column for column in table.columns)
    return table.model_copy(update={"columns": columns})


def _referenced_key(
    table: Table, referenced: set[tuple[str, ...]], rows: tuple[Row, ...], losses: list[Loss]
) -> tuple[str, ...]:
    """The primary key of a table whose own was lost: the columns that every foreign key to it references.

    A key added by ALTER TABLE is often missing from a record, while the foreign keys that need it are there.
    """
    if len(referenced) != 1:
        return ()
    (columns,) = referenced
    if _repeats(table, columns, rows):
        return ()
    losses.append(_loss(table.name, f"no primary key recorded: taken to be ({', '.join(columns)}), as referenced"))
    return columns


def _repeats(table: Table, names: tuple[str, ...], rows: tuple[Row, ...]) -> bool:
    positions = [index for index, column in enumerate(table.columns) if column.name in names]
    values = [tuple(row[position] for position in positions) for row in rows]
    values = [value for value in values if None not in value]
    return len(set(values)) < len(values)


def _unique(
    table: Table,
    source: dict[str, Any],
    referenced: set[tuple[str, ...]],
    rows: tuple[Row, ...],
    losses: list[Loss],
) -> tuple[tuple[str, ...], ...]:
    """UNIQUE constraints. A composite one marks each of its columns, so several marks are read as the weaker, joint
    constraint where one of the columns is a foreign key or repeats a value; a column that others reference is unique.
    """
    entries = {bare_name(name).lower(): entry for name, entry in named(source.get("COLUMNS"), "NAME")}
    marked = [column.name for column in table.columns if entries[column.name.lower()].get("UNIQUE") is True]
    marked = [name for name in marked if name not in table.primary_key]
    unique = [(name,) for name in marked if (name,) in referenced]
    others = [name for name in marked if (name,) not in referenced]
    key_columns = {name for key in table.foreign_keys for name in key.columns}
    repeating = {name for name in others if _repeats(table, (name,), rows)}
    if len(others) > 1 and (repeating or not key_columns.isdisjoint(others)):
        losses.append(_loss(f"{table.name} ({', '.join(others)})", "UNIQUE marks read as one constraint over all"))
        return (*unique, tuple(others))
    return (*unique, *((name,) for name in others if name not in repeating))


def _with_checks(table: Table, source: dict[str, Any], losses: list[Loss]) -> Table:
    """The table with the checks that SQLite can express; a check that lists a column's values makes it an enum."""
    found = [check for _, entry in named(source.get("COLUMNS"), "NAME") for check in _strings(entry.get("CHECKS"))]
    columns = {column.name.lower(): column for column in table.columns}
    names = ", ".join(quote(column.name) for column in table.columns)
    kept = []
    for text in dict.fromkeys((*found, *_strings(source.get("CHECKS")))):
        check = next((check for check in _readings(text, columns) if _expressible(check, names)), None)
        column = columns.get((check.column or "").lower()) if check else None
        if check is None:
            losses.append(_loss(f"{table.name}: CHECK ({text})", "SQLite has no like of this check"))
        elif column is not None and check.enum and column.kind == "text":
            columns[column.name.lower()] = column.model_copy(update={"kind": "enum", "enum": check.enum})
        else:
            kept.append(check.sql)
    return table.model_copy(update={"columns": tuple(columns.values()), "checks": tuple(kept)})


def _readings(text: str, columns: dict[str, Column]) -> Iterator[Check]:
    """The check as each dialect understands it whose functions differ; a record does not tell its own."""
    spelling = {key: column.name for key, column in columns.items()}
    for dialect in (None, "postgres"):
        with contextlib.suppress(Unreadable):
            yield check_sql(text, dialect, spelling)


def _expressible(check: Check, names: str) -> bool:
    return bool(check.sql) and accepted(f"CREATE TABLE trial ({names}, CHECK ({check.sql}))")


def _rows(table: Table, source: dict[str, Any], losses: list[Loss]) -> tuple[Row, ...]:
    """Rows from the columns' VALUES, where every column has equally many; those with placeholders are dropped."""
    entries = {bare_name(name).lower(): entry for name, entry in named(source.get("COLUMNS"), "NAME")}
    values = [entries[column.name.lower()].get("VALUES") for column in table.columns]
    if not any(isinstance(column, list) and column for column in values):
        return ()
    lengths = {len(column) if isinstance(column, list) else 0 for column in values}
    if len(lengths) > 1:
        losses.append(_loss(table.name, "columns have differently many values: no rows can be made of them"))
        return ()
    rows = tuple(zip(*values, strict=True))
    public = [row for row in rows if not any(isinstance(value, str) and PLACEHOLDER.search(value) for value in row)]
    if len(public) < len(rows):
        losses.append(_loss(table.name, f"{len(rows) - len(public)} rows hold placeholders of personal data"))
    kinds = [column.kind for column in table.columns]
    required = [index for index, column in enumerate(table.columns) if column.nullable is False]
    kept = [tuple(map(typed, row, kinds)) for row in public]
    full = tuple(row for row in kept if not any(row[index] is None for index in required))
    if len(full) < len(kept):
        losses.append(_loss(table.name, f"{len(kept) - len(full)} rows lack a value that a column requires"))
    return full
