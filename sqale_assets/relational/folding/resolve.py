"""From the draft to the schema: names settled, types read, keys checked, expressions in SQLite's words.

Whatever of the draft SQLite cannot hold truthfully becomes a loss here. What leaves this module can be written
and created as it is.
"""

from __future__ import annotations

from sqale_assets.relational.expressions import accepted, check_sql, default_sql
from sqale_assets.relational.fidelity import Loss
from sqale_assets.relational.folding.draft import Draft, DraftColumn, DraftTable, UserType
from sqale_assets.relational.folding.foreign_keys import resolve_keys
from sqale_assets.relational.folding.seeds import seed_rows
from sqale_assets.relational.model import Column, Row, Schema, Table
from sqale_assets.relational.sqlite import canonical, create_canonical
from sqale_assets.relational.tokens import Unreadable
from sqale_assets.relational.types import ColumnType, column_type, counted_column


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
    resolve_keys(draft, tables, names)
    written, rows, gone = [], {}, set()
    for draft_table in draft.tables:
        declared = tables[id(draft_table)]
        table = _creatable(declared, draft, draft_table)
        if table is None:
            gone.add(declared.name)
            continue
        written.append(table)
        if draft_table.rows:
            rows[declared.name] = seed_rows(draft_table, declared)
    return Schema(tables=_without_keys_to(gone, written), dialect=dialect), rows


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
            columns[key] = counted_column(columns[key])
            if source.dialect == "sqlite" and source.columns[key].type.upper() == "INTEGER":
                # SQLite's own rule: a key of just this spelling is the rowid, which counts by itself.
                columns[key] = columns[key].model_copy(update={"autoincrement": True})
        if source.dialect != "sqlite":  # where a BLOB is what the author meant
            for key in self.keyed(primary, unique):
                columns[key] = _readable_key(columns[key])
        return Table(
            name=name,
            columns=tuple(columns.values()),
            primary_key=primary,
            unique=tuple(names for names in unique if names),
            checks=tuple(checks),
            comment=source.comment or None,
        )

    def keyed(self, primary: tuple[str, ...], unique: list[tuple[str, ...]]) -> set[str]:
        """The columns that take part in a key, in lower case."""
        foreign = (names for key in self.source.foreign_keys for names in key.columns)
        names = {name.lower() for name in (*primary, *(name for key in unique for name in key), *foreign)}
        return names & self.spelling.keys()

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
        binary = frozenset(name for name, column in columns.items() if column.kind == "binary")
        sources = [(None, check.expression, check.dialect, check.line) for check in self.source.checks]
        sources += [(name, text, dialect, self.source.line) for name, text, dialect in self.domain_checks]
        for value, text, dialect, line in sources:
            try:
                check = check_sql(text, dialect, self.spelling, binary=binary, value=value)
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


def _readable_key(column: Column) -> Column:
    """A binary key (`binary(16)`, `bytea`) as text, which holds its hexadecimal digits: rows carry no BLOBs."""
    if column.kind != "binary":
        return column
    return column.model_copy(update={**dict(column_type("text")), "default": None})


def _creatable(table: Table, draft: Draft, source: DraftTable) -> Table | None:
    """The canonical table; without checks and defaults where SQLite refuses them; None where it refuses it still."""
    table = canonical(table)
    if accepted(create_canonical(table)):
        return table
    plain = table.model_copy(
        update={"checks": (), "columns": tuple(column.model_copy(update={"default": None}) for column in table.columns)}
    )
    taken = accepted(create_canonical(plain))
    reason = "SQLite refuses the table" + (" with its checks and defaults" if taken else "")
    draft.losses.append(Loss(line=source.line, statement=f"CREATE TABLE {source.name}", reason=reason))
    return plain if taken else None


def _without_keys_to(gone: set[str], tables: list[Table]) -> tuple[Table, ...]:
    """The tables without the foreign keys to tables that did not make it."""
    if not gone:
        return tuple(tables)
    return tuple(
        table.model_copy(update={"foreign_keys": tuple(k for k in table.foreign_keys if k.target_table not in gone)})
        for table in tables
    )
