"""From the draft to the schema: names settled, types read, keys checked, expressions in SQLite's words.

Whatever of the draft SQLite cannot hold truthfully becomes a loss here. What leaves this module can be written
and created as it is.
"""

from __future__ import annotations

from sqale_assets.relational.expressions import accepted, check_sql, default_sql
from sqale_assets.relational.fidelity import Loss
from sqale_assets.relational.folding.draft import Draft, DraftColumn, DraftKey, DraftTable, UserType
from sqale_assets.relational.model import Column, ForeignKey, Row, Schema, Table, Value
from sqale_assets.relational.sqlite import canonical, create_table
from sqale_assets.relational.tokens import Unreadable
from sqale_assets.relational.types import ColumnType, column_type
from sqale_assets.relational.values import CLOCK, typed


def resolve(draft: Draft, dialect: str | None) -> tuple[Schema, dict[str, tuple[Row, ...]]]:
    """The schema and, by table name, the rows in column order; the draft's losses grow by what did not fit."""
    draft.at_end = True
    for action in draft.deferred:
        action()
    _restore_torn_down(draft)
    _remove_stand_ins(draft)
    names = _final_names(draft.tables)
    tables: dict[int, Table] = {}
    for table in draft.tables:
        tables[id(table)] = _Resolver(table, draft).table(names[id(table)])
    _resolve_keys(draft, tables, names)
    written, rows = [], {}
    for draft_table in draft.tables:
        declared = tables[id(draft_table)]
        written.append(_creatable(declared, draft, draft_table))
        if draft_table.rows:
            rows[declared.name] = _rows(draft_table, declared)
    return Schema(tables=tuple(written), dialect=dialect), rows


def _restore_torn_down(draft: Draft) -> None:
    """A script that drops every table it created ends with its tear-down: the design is what stood before."""
    if draft.tables:
        return
    for table in draft.dropped:
        if draft.exact(table.qualifier, table.name) is None:
            draft.add(table)


def _remove_stand_ins(draft: Draft) -> None:
    for table in [*draft.tables]:
        if table.name.lower() in draft.views:
            draft.remove(table)
            draft.notes.append(
                Loss(line=table.line, statement=f"CREATE TABLE {table.name}", reason="a stand-in for a view")
            )
            draft.left_out.add(table.name.lower())


def _final_names(tables: list[DraftTable]) -> dict[int, str]:
    """Names by identity: the qualifier goes where the name alone tells the table, else it becomes a prefix."""
    counts: dict[str, int] = {}
    for table in tables:
        counts[table.name.lower()] = counts.get(table.name.lower(), 0) + 1
    names: dict[int, str] = {}
    taken: set[str] = set()
    for table in tables:
        name = table.name
        if counts[name.lower()] > 1 and table.qualifier:
            name = f"{table.qualifier}_{name}"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        names[id(table)] = name
    return names


class _Resolver:
    """One table's columns and constraints."""

    def __init__(self, table: DraftTable, draft: Draft) -> None:
        self.draft, self.source = draft, table
        self.spelling = {key: column.name for key, column in table.columns.items()}
        self.domain_checks: list[tuple[str, str, str | None]] = []

    def lose(self, line: int, what: str, reason: str) -> None:
        self.draft.losses.append(Loss(line=line, statement=" ".join(what.split())[:120], reason=reason))

    def table(self, name: str) -> Table:
        source = self.source
        columns = {key: self.column(column) for key, column in source.columns.items()}
        checks = self.checks(columns)
        primary = self.spelled(source.primary_key, "primary key")
        unique = [self.spelled(names, "unique constraint") for _, names in source.unique]
        if len(primary) == 1:
            key = primary[0].lower()
            columns[key] = _counted(columns[key])
            if source.dialect == "sqlite" and source.columns[key].type.upper() == "INTEGER":
                # SQLite's own rule: a key of just this spelling is the rowid, which counts by itself.
                columns[key] = columns[key].model_copy(update={"autoincrement": True})
        return Table(
            name=name,
            columns=tuple(columns.values()),
            primary_key=primary,
            unique=tuple(names for names in unique if names),
            checks=tuple(checks),
            comment=source.comment or None,
        )

    def spelled(self, names: list[str], what: str) -> tuple[str, ...]:
        """The names as the columns spell them; () with a loss where one is no column."""
        missing = [name for name in names if name.lower() not in self.spelling]
        if missing:
            self.lose(
                self.source.line,
                f"{self.source.name} ({', '.join(names)})",
                f"a {what} over the unknown column {missing[0]}",
            )
            return ()
        return tuple(dict.fromkeys(self.spelling[name.lower()] for name in names))

    def column(self, source: DraftColumn) -> Column:
        meant, user = self.meant_type(source)
        nullable, default, dialect = source.nullable, source.default, source.dialect
        if user is not None:
            nullable = user.nullable if nullable is None else nullable
            if default is None and user.default is not None:
                default, dialect = user.default, user.dialect
            if user.check is not None:
                self.domain_checks.append((source.name, user.check, user.dialect))
        sql, assigned = None, source.autoincrement or meant.autoincrement
        if default is not None:
            try:
                sql, counted = default_sql(default, dialect, meant.kind)
                assigned = assigned or counted
            except Unreadable as error:
                self.lose(source.line, f"{source.name} DEFAULT {default}", str(error))
        fields = dict(meant)
        fields["autoincrement"] = assigned
        return Column(
            name=source.name,
            nullable=True if nullable is None else nullable,
            default=sql,
            comment=source.remark or source.comment,
            **fields,
        )

    def meant_type(self, source: DraftColumn) -> tuple[ColumnType, UserType | None]:
        """The type, through the file's own domains and aliases."""
        declared = source.type
        if source.dialect == "tsql" and declared.strip("[] ").lower() == "timestamp":
            declared = "rowversion"
        user, seen = None, set()
        while (key := _type_name(declared)) in self.draft.types and key not in seen:
            seen.add(key)
            user = self.draft.types[key]
            if user.enum:
                meant = column_type("text")
                return meant.model_copy(update={"kind": "enum", "enum": tuple(dict.fromkeys(user.enum))}), user
            declared = user.type
        return column_type(declared), user

    def checks(self, columns: dict[str, Column]) -> list[str]:
        """Checks in SQLite's words; an enumeration goes to its column instead."""
        kept: list[str] = []
        sources = [(None, check.expression, check.dialect, check.line) for check in self.source.checks]
        sources += [(name, text, dialect, self.source.line) for name, text, dialect in self.domain_checks]
        for value, text, dialect, line in sources:
            try:
                check = check_sql(text, dialect, self.spelling, value)
            except Unreadable as error:
                self.lose(line, f"CHECK ({text})", str(error))
                continue
            column = columns.get((check.column or "").lower())
            if column is not None and check.not_null:
                columns[column.name.lower()] = column.model_copy(update={"nullable": False})
            elif column is not None and check.enum and column.kind == "text" and not column.enum:
                columns[column.name.lower()] = column.model_copy(update={"kind": "enum", "enum": check.enum})
            elif column is not None and check.json and column.kind in ("text", "binary"):
                columns[column.name.lower()] = column.model_copy(update={**dict(column_type("json")), "length": None})
            elif self.accepts(check.sql):
                kept.append(check.sql)
            else:
                self.lose(line, f"CHECK ({text})", "SQLite has no like of this check")
        return kept

    def accepts(self, check: str) -> bool:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in self.spelling.values())
        return accepted(f"CREATE TABLE trial ({names}, CHECK ({check}))")


def _type_name(declared: str) -> str:
    return declared.rsplit(".", 1)[-1].strip('"`[] ').lower()


def _counted(column: Column) -> Column:
    """Oracle's bare NUMBER as a key, which in practice counts."""
    if column.declared_type == "NUMBER" and column.kind == "decimal":
        return column.model_copy(update={"kind": "integer", "declared_type": "INTEGER", "affinity": "INTEGER"})
    return column


# --- foreign keys ---------------------------------------------------------------------------------


def _resolve_keys(draft: Draft, tables: dict[int, Table], names: dict[int, str]) -> None:
    """Give every table the keys that hold; their parents get the UNIQUE that SQLite wants, where it is true."""
    for source in draft.tables:
        keys: list[ForeignKey] = []
        for key in source.foreign_keys:
            try:
                keys.append(_resolved(key, source, draft, tables, names))
            except Unreadable as error:
                what = f"{source.name} ({', '.join(key.columns)}) REFERENCES {key.target}"
                draft.losses.append(Loss(line=key.line, statement=what[:120], reason=str(error)))
        table = tables[id(source)]
        counted = {name for key in keys for name in key.columns}
        columns = tuple(_counted(column) if column.name in counted else column for column in table.columns)
        tables[id(source)] = table.model_copy(update={"foreign_keys": tuple(keys), "columns": columns})


def _resolved(
    key: DraftKey, source: DraftTable, draft: Draft, tables: dict[int, Table], names: dict[int, str]
) -> ForeignKey:
    target = draft.find(key.qualifier or source.qualifier, key.target)
    if target is None:
        raise Unreadable("a foreign key to a table that is not in the file")
    child, parent = tables[id(source)], tables[id(target)]
    target_columns = tuple(key.target_columns) or parent.primary_key
    if len(target_columns) != len(key.columns) or not target_columns:
        raise Unreadable("a foreign key whose columns do not match its target's")
    near = [child.column(name) for name in key.columns]
    far = [parent.column(name) for name in target_columns]
    if None in near or None in far:
        raise Unreadable("a foreign key over an unknown column")
    spelled = tuple(column.name for column in far if column is not None)
    if not _is_key(parent, spelled):
        if _repeat(target, parent, spelled):
            raise Unreadable("a foreign key to columns that repeat, which SQLite cannot enforce")
        tables[id(target)] = parent.model_copy(update={"unique": (*parent.unique, spelled)})
        if not _contains_key(parent, spelled):
            reason = f"UNIQUE ({', '.join(spelled)}) added to {parent.name}, as the foreign key implies"
            draft.notes.append(Loss(line=key.line, statement=f"{source.name} REFERENCES {parent.name}", reason=reason))
    return ForeignKey(
        columns=tuple(column.name for column in near if column is not None),
        target_table=names[id(target)],
        target_columns=spelled,
        name=key.name,
        on_delete=key.on_delete,
        on_update=key.on_update,
    )


def _keys(table: Table) -> list[set[str]]:
    return [{name.lower() for name in names} for names in (table.primary_key, *table.unique) if names]


def _is_key(table: Table, columns: tuple[str, ...]) -> bool:
    return {name.lower() for name in columns} in _keys(table)


def _repeat(source: DraftTable, table: Table, columns: tuple[str, ...]) -> bool:
    """Whether there is evidence that the columns repeat, so that UNIQUE over them would be untrue.

    A foreign key says that they identify a row: every database but MySQL and SQLite refuses it otherwise. Those two
    take it at DDL time, so look at what else the file says: a wider key that needs the other columns too, or rows.
    """
    wanted = {name.lower() for name in columns}
    if any(wanted < key for key in _keys(table)):
        return True
    seen = set()
    for names, values in source.rows:
        row = dict(zip((name.lower() for name in names), values, strict=True))
        value = tuple(row.get(name) for name in sorted(wanted))
        if None not in value and value in seen:
            return True
        seen.add(value)
    return False


def _contains_key(table: Table, columns: tuple[str, ...]) -> bool:
    wanted = {name.lower() for name in columns}
    return any(key <= wanted for key in _keys(table))


# --- the last word is SQLite's --------------------------------------------------------------------


def _creatable(table: Table, draft: Draft, source: DraftTable) -> Table:
    """The canonical table; without checks and defaults where SQLite refuses it because of them."""
    table = canonical(table)
    if accepted(create_table(table)):
        return table
    plain = table.model_copy(
        update={"checks": (), "columns": tuple(column.model_copy(update={"default": None}) for column in table.columns)}
    )
    reason = "SQLite refuses the table with its checks and defaults"
    draft.losses.append(Loss(line=source.line, statement=f"CREATE TABLE {source.name}", reason=reason))
    return plain


def _rows(source: DraftTable, table: Table) -> tuple[Row, ...]:
    """The kept rows in column order, typed; columns that a row does not name are NULL."""
    plans: dict[tuple[str, ...], list[int | None]] = {}
    counters = {index: 0 for index, column in enumerate(table.columns) if column.autoincrement}
    defaults = [_plain_default(column) for column in table.columns]
    rows: list[Row] = []
    for names, values in source.rows:
        if names not in plans:
            position = {name.lower(): index for index, name in enumerate(names)}
            plans[names] = [position.get(column.name.lower()) for column in table.columns]
        row = [
            default if index is None else _held(values[index], column)
            for column, index, default in zip(table.columns, plans[names], defaults, strict=True)
        ]
        for index, last in counters.items():  # as the database would have counted, for other rows refer to it
            given = row[index]
            row[index] = given if isinstance(given, int) else last + 1
            counters[index] = max(last, row[index])
        rows.append(tuple(row))
    return tuple(rows)


def _plain_default(column: Column) -> Value:
    """What a row holds that does not name the column: its default where that is a literal or the clock, else NULL."""
    if column.default is not None and column.default[0] in "'+-.0123456789":
        text = column.default[1:-1].replace("''", "'") if column.default[0] == "'" else column.default
        return typed(text, column.kind)
    return _held(CLOCK if (column.default or "").startswith("CURRENT_") else None, column)


def _held(value: object, column: Column) -> Value:
    """The value in the column; "" in a binary one that must hold something, for rows cannot carry BLOBs."""
    held = typed(value, column.kind)
    return "" if held is None and column.kind == "binary" and column.nullable is False else held
