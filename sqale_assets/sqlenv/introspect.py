"""Reading the schema model back from a SQLite database, through its own catalogue."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.types import affinity, column_type

_TABLES = """
    SELECT name FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
"""
_COLUMNS = """
    SELECT m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
    FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY m.rowid, c.cid
"""
_FOREIGN_KEYS = """
    SELECT m.name, k.id, k."from", k."table", k."to", k.on_delete, k.on_update
    FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table'
    ORDER BY m.rowid, k.id DESC, k.seq
"""
_UNIQUE = """
    SELECT m.name, i.name, c.name
    FROM sqlite_master AS m, pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
    WHERE m.type = 'table' AND i.origin = 'u' AND NOT i.partial ORDER BY m.rowid, i.seq DESC, c.seqno
"""


def read_schema(connection: sqlite3.Connection) -> Schema:
    """The tables of `connection` in the order of their creation. CHECKs and views are left out."""
    columns: dict[str, list[Column]] = defaultdict(list)
    primary: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for table, name, declared, notnull, default, position in connection.execute(_COLUMNS):
        # What SQLite makes of the declaration counts, not what a reader of other dialects would make of it.
        meaning = column_type(declared)
        columns[table].append(
            Column(
                name=name,
                declared_type=declared,
                kind=meaning.kind,
                affinity=affinity(declared),
                nullable=not notnull,
                default=default,
                length=meaning.length,
                precision=meaning.precision,
                scale=meaning.scale,
            )
        )
        if position:
            primary[table].append((position, name))
    keys = {table: tuple(name for _, name in sorted(names)) for table, names in primary.items()}

    unique: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for table, index, name in connection.execute(_UNIQUE):
        if name is not None:  # an expression
            unique[table][index].append(name)

    foreign: dict[str, dict[int, list[tuple]]] = defaultdict(lambda: defaultdict(list))
    for table, number, *rest in connection.execute(_FOREIGN_KEYS):
        foreign[table][number].append(tuple(rest))

    lowered = {name.lower(): name for name in columns}
    return Schema(
        dialect="sqlite",
        tables=tuple(
            Table(
                name=name,
                columns=tuple(columns[name]),
                primary_key=keys.get(name, ()),
                unique=tuple(tuple(names) for names in unique[name].values()),
                foreign_keys=tuple(_foreign_key(parts, lowered, keys) for parts in foreign[name].values()),
            )
            for (name,) in connection.execute(_TABLES)
        ),
    )


def _foreign_key(parts: list[tuple], names: dict[str, str], keys: dict[str, tuple[str, ...]]) -> ForeignKey:
    columns = tuple(part[0] for part in parts)
    target = names.get(parts[0][1].lower(), parts[0][1])
    # REFERENCES without columns means the primary key; without one either, say the same name as here.
    implied = keys.get(target, ())
    implied = implied if len(implied) == len(columns) else columns
    return ForeignKey(
        columns=columns,
        target_table=target,
        target_columns=tuple(part[2] or default for part, default in zip(parts, implied, strict=True)),
        on_delete=None if parts[0][3] == "NO ACTION" else parts[0][3],
        on_update=None if parts[0][4] == "NO ACTION" else parts[0][4],
    )
