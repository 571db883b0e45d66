"""What a stage is given and gives back: one schema's work, away from Dagster's contexts.

`Work` opens the doors (records, database, model); `Made` is what the asset commits to the store.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqale_assets.records import Record, SourceFile
from sqale_assets.settings import ModelStage, Settings
from sqale_assets.sqlenv.database import Database, Limits
from sqale_assets.store import DATABASE, CheckOutcome, Store

if TYPE_CHECKING:  # litellm is slow to import
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.llm.task import Llm

R = TypeVar("R", bound=Record)
SOURCE_CONTENT = "source"


@dataclass(frozen=True)
class Made:
    """A finished schema: its record, the figures and preview to show, check outcomes, files beside the record."""

    record: Record
    counts: dict[str, int | float | str] = field(default_factory=dict)
    preview: str = ""
    checks: tuple[CheckOutcome, ...] = ()
    files: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """One schema's view of the project, for the length of one stage."""

    schema_id: str
    settings: Settings
    store: Store
    gateway: Gateway
    scratch: Path

    def load(self, record_type: type[R], asset: str) -> R:
        return self.store.record(record_type, asset, self.schema_id)

    def source(self) -> tuple[SourceFile, bytes]:
        """The catalogue's entry and the bytes of the source itself."""
        entry = self.load(SourceFile, "schema_catalog")
        return entry, (self.store.folder("schema_catalog", self.schema_id) / SOURCE_CONTENT).read_bytes()

    def llm(self, stage: ModelStage) -> Llm:
        return self.gateway.for_schema(stage, self.schema_id)

    def database(self) -> contextlib.AbstractContextManager[Database]:
        """The populated database, read-only, behind the one executor."""
        return open_database(self.store, self.schema_id, Limits(seconds=self.settings.answers.query_seconds))

    @contextlib.contextmanager
    def new_database(self) -> Iterator[tuple[sqlite3.Connection, Path]]:
        """An empty writable SQLite file in the scratch folder, and its path."""
        path = self.scratch / DATABASE
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")  # the file is worthless until it is renamed
            yield connection, path


@contextlib.contextmanager
def open_database(store: Store, schema_id: str, limits: Limits = Limits()) -> Iterator[Database]:  # noqa: B008 - frozen
    """The populated database of a schema, read-only, behind the one executor."""
    with store.local_database("populated_database", schema_id) as path, Database.open(path, limits=limits) as database:
        yield database
