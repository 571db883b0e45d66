"""Dagster's event log in one SQLite file, written for runs over many partitions. For `dagster.yaml`.

Dagster's own keeps a file per run, stores every event of an asset in two of them, and opens, commits and closes each
file anew for every statement: at 10,000 schemas 2.4 GB, and more processor than the stages themselves. Here an event is
stored once, in one transaction on a connection that stays open. The log mirrors the manifests and `sqale reconcile`
makes it anew, so a commit does not wait for the disk: a power cut may cost the last events, never the file.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import sqlalchemy as sa
from dagster import AssetCheckKey, DynamicPartitionsDefinition, Field, PartitionsDefinition, StringSource
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from dagster._core.storage.asset_check_state import AssetCheckState
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._core.storage.event_log.polling_event_watcher import SqlPollingEventWatcher
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData

from sqale_assets.automation.check_states import check_states

#: An event takes 1 to 4 kB: on pages of 4 kB a third of the file would be empty, on pages of 8 kB a sixth.
PAGE_BYTES = 16_384
_FOLDER = "TEMPORARY_DAGSTER_EVENT_LOG"
CheckKeys: TypeAlias = Sequence[tuple[AssetCheckKey, PartitionsDefinition | None]]


class LocalEventLog(ConsolidatedSqliteEventLogStorage):
    """The log `event_log.db` in `base_dir`, by default $DAGSTER_HOME, for the processes of one machine."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None):
        self._batch = threading.local()
        self._engine: sa.Engine | None = None
        self._tables: set[str] = set()
        Path(base_dir).mkdir(parents=True, exist_ok=True)
        with (Path(base_dir) / "event_log.lock").open("w") as lock:  # web server and daemon start at the same time
            fcntl.flock(lock, fcntl.LOCK_EX)
            super().__init__(base_dir, inst_data)
        self._watcher = SqlPollingEventWatcher(self)

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return {"base_dir": Field(StringSource, is_required=False)}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, str]) -> Self:
        return cls(config_value.get("base_dir") or os.environ.get("DAGSTER_HOME") or _temporary(), inst_data)

    def _init_db(self) -> None:
        with contextlib.closing(sqlite3.connect(self.get_db_path())) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
        super()._init_db()

    @contextlib.contextmanager
    def _connect(self) -> Iterator[sa.Connection]:
        batch = getattr(self._batch, "connection", None)
        if batch is not None:
            yield batch
            return
        with self._connections.begin() as connection:
            yield connection

    @property
    def _connections(self) -> sa.Engine:
        if self._engine is None:
            arguments = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False}
            self._engine = sa.create_engine(self._conn_string, connect_args=arguments, max_overflow=-1)
            sa.event.listen(self._engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous = NORMAL"))
        return self._engine

    def store_event(self, event: EventLogEntry) -> None:
        self.store_event_batch([event])

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Store events with all that is noted of them, in one transaction."""
        with self._connections.begin() as connection:
            self._batch.connection = connection
            try:
                for event in events:
                    super().store_event(_lean(event))
            finally:
                self._batch.connection = None

    def _store_asset_check_evaluation_planned(self, event: EventLogEntry, event_id: int | None) -> None:
        """A row per partition, without the event: that names all partitions, so rows would grow with their square."""
        planned = event.get_dagster_event().asset_check_planned_data
        subset = planned.partitions_subset
        row = {
            "asset_key": planned.asset_key.to_string(),
            "check_name": planned.check_name,
            "run_id": event.run_id,
            "execution_status": AssetCheckExecutionRecordStatus.PLANNED.value,
            "evaluation_event_timestamp": self._event_insert_timestamp(event),
            "evaluation_event_storage_id": event_id,
        }
        keys = subset.get_partition_keys() if subset else [None]
        with self.index_connection() as connection:
            connection.execute(AssetCheckExecutionsTable.insert(), [row | {"partition": key} for key in keys])

    def get_asset_check_state(self, keys: CheckKeys) -> Mapping[AssetCheckKey, AssetCheckState]:
        ours = [(key, parts) for key, parts in keys if isinstance(parts, DynamicPartitionsDefinition) and parts.name]
        others = [each for each in keys if each not in ours]
        states = super().get_asset_check_state(others) if others else {}
        return {**states, **check_states(self._instance, ours)}

    def has_table(self, table_name: str) -> bool:
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def _has_asset_key_col_on_connection(self, conn: sa.Connection, column_name: str) -> bool:
        return True  # the file was made by this version of Dagster or migrated to it

    def watch(self, run_id, cursor, callback) -> None:
        # Dagster's waits for the file to change, which a connection that stays open does seldom.
        self._watcher.watch_run(run_id, cursor, callback)

    def end_watch(self, run_id, handler) -> None:
        self._watcher.unwatch_run(run_id, handler)

    def vacuum(self) -> None:
        """Give the pages of deleted runs back to the disk; where others read or write, the next time does."""
        with (
            contextlib.suppress(sqlite3.OperationalError),
            contextlib.closing(sqlite3.connect(self.get_db_path())) as connection,
        ):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def dispose(self) -> None:
        self._watcher.close()
        self._connections.dispose()


def _temporary() -> str:
    """A folder for a plain `dagster dev`, gone when it ends; its processes find it by the variable."""
    if _FOLDER not in os.environ:
        os.environ[_FOLDER] = folder = tempfile.mkdtemp(prefix="sqale_event_log_")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return os.environ[_FOLDER]


def _lean(event: EventLogEntry) -> EventLogEntry:
    """An asset's event without what it says twice: job, step, run and op, a third of a check's evaluation."""
    inner = event.dagster_event
    if inner is None or inner.event_type not in ASSET_EVENTS | ASSET_CHECK_EVENTS:
        return event
    return event._replace(dagster_event=inner._replace(logging_tags={}, node_handle=None, step_handle=None))
