"""The fidelity report: what of a source survived the reading, and what did not and why."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from sqale_assets.relational.model import Model, Row, Schema


class Loss(Model):
    """Something of the source that the model does not hold. `line` is 1-based in the source file."""

    line: int | None
    statement: str
    reason: str


class Fidelity(Model):
    """How faithfully a source was read. `kinds` counts statements by kind ("create_table": 12).

    The gains are set where a raw file was read in place of a SchemaPile record: what it holds beyond the record.
    """

    dialect: str | None
    encoding: str | None
    statements: int
    kept: int
    skipped: int
    kinds: dict[str, int] = Field(default_factory=dict)
    losses: tuple[Loss, ...] = ()
    #: What is no loss but good to know: tables rightly left out (stand-ins for views, temporary ones, partitions),
    #: constraints that a foreign key implies.
    notes: tuple[Loss, ...] = ()
    gained_tables: int | None = None
    gained_foreign_keys: int | None = None


class Reading(NamedTuple):
    """What a reader makes of one source. `rows` are in column order of their table; tables without rows are left out.

    `fidelity` tells what was lost on the way.
    """

    schema: Schema
    rows: dict[str, tuple[Row, ...]]
    fidelity: Fidelity
