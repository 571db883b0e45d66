"""The one schema model: what every reader produces and every later stage works on.

Here belong the nouns of a relational schema (schema, table, column, keys) and questions that can be
answered from them alone. Reading, writing, style and graph walks live in their own modules.

Names keep the spelling of the source; SQLite compares identifiers without regard to case, so look
tables and columns up through `Schema.table` and `Table.column`, which do the same.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Affinity = Literal["INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB"]

#: What a value of the column is, independent of dialect. `affinity` says how SQLite stores it.
Kind = Literal[
    "integer", "decimal", "real", "boolean", "text", "enum", "date", "time", "datetime", "json", "uuid", "binary"
]
Action = Literal["CASCADE", "RESTRICT", "SET NULL", "SET DEFAULT", "NO ACTION"]

#: A value as SQLite holds it and JSON can carry it (no BLOBs, no NaN or infinity), and a row of them.
Value = int | float | str | None
Row = tuple[Value, ...]

#: Where a table or key comes from: the source file, inference over it, or the extension stage.
Origin = Literal["original", "inferred", "added"]


class Model(BaseModel):
    """Frozen value object: equal content is equal, unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(Model):
    """A column. `declared_type` is a type name that SQLite accepts, close to the source's spelling.

    `nullable` is None where the source does not say (SchemaPile); the writer then emits no NOT NULL.
    `default` is SQL text that SQLite accepts as a default (a literal, or CURRENT_TIMESTAMP and its kin).
    """

    name: str
    declared_type: str
    kind: Kind
    affinity: Affinity
    nullable: bool | None = None
    default: str | None = None
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    enum: tuple[str, ...] = ()
    autoincrement: bool = False
    comment: str | None = None


class ForeignKey(Model):
    """A foreign key. `columns` and `target_columns` correspond by position and have equal length."""

    columns: tuple[str, ...]
    target_table: str
    target_columns: tuple[str, ...]
    name: str | None = None
    on_delete: Action | None = None
    on_update: Action | None = None
    origin: Origin = "original"
    #: 1.0 for declared keys; what inference believes of an inferred one.
    confidence: float = 1.0


class Table(Model):
    """A table. `unique` holds one tuple of column names per UNIQUE constraint, the primary key not repeated.

    `checks` are SQL expressions that SQLite accepts.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[str, ...] = ()
    comment: str | None = None
    origin: Origin = "original"

    def column(self, name: str) -> Column | None:
        """The column of that name in any case, or None."""
        lowered = name.lower()
        return next((column for column in self.columns if column.name.lower() == lowered), None)


class Schema(Model):
    """A database schema. `dialect` is the source's sqlglot dialect name, or None where unknown."""

    tables: tuple[Table, ...]
    dialect: str | None = None

    def table(self, name: str) -> Table | None:
        """The table of that name in any case, or None."""
        lowered = name.lower()
        return next((table for table in self.tables if table.name.lower() == lowered), None)

    @property
    def column_count(self) -> int:
        return sum(len(table.columns) for table in self.tables)

    @property
    def foreign_key_count(self) -> int:
        return sum(len(table.foreign_keys) for table in self.tables)
