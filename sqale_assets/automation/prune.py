"""Delete old runs from Dagster's instance, which Dagster itself never does, without losing what its UI shows.

A run's event log holds the materializations of its partitions, so deleting it would make finished partitions look
missing. What went with a run is reported again from the manifests afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log.sqlite import SqliteEventLogStorage

from sqale_assets.automation.event_log import LocalEventLog
from sqale_assets.automation.reconcile import reconcile
from sqale_assets.resources import Progress
from sqale_assets.store import Store

ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


@dataclass(frozen=True)
class Pruned:
    """What pruning did. `kept` old runs hold the latest materialization of an unpartitioned asset."""

    runs: int
    kept: int
    reported: int


def prune(store: Store, instance: dg.DagsterInstance, before: datetime, progress: Progress) -> Pruned:
    """Delete the runs that were created before `before` and have ended; report what they had materialized again."""
    needed = _latest_runs(instance)
    records = instance.get_run_records(dg.RunsFilter(statuses=ENDED, created_before=before))
    old = [record.dagster_run.run_id for record in records]
    for run_id in old:
        if run_id not in needed:
            instance.delete_run(run_id)
            _drop_shard(instance, run_id)
    deleted = [run_id for run_id in old if run_id not in needed]
    reported = reconcile(store, instance, progress, only_missing=True) if deleted else 0
    if isinstance(instance.event_log_storage, LocalEventLog):
        instance.event_log_storage.vacuum()
    return Pruned(len(deleted), len(old) - len(deleted), reported)


def _latest_runs(instance: dg.DagsterInstance) -> set[str]:
    """Runs that unpartitioned assets were last materialized in. The partitioned ones are known from manifests."""
    events = (instance.get_latest_materialization_event(key) for key in instance.all_asset_keys())
    return {
        event.run_id
        for event in events
        if event and event.asset_materialization and event.asset_materialization.partition is None
    }


def _drop_shard(instance: dg.DagsterInstance, run_id: str) -> None:
    """In Dagster's own SQLite storage every run has a file of its own, which Dagster empties and leaves behind."""
    storage = instance.event_log_storage
    if isinstance(storage, SqliteEventLogStorage):
        shard = Path(storage.path_for_shard(run_id))
        for path in (shard, shard.with_name(f"{shard.name}-wal"), shard.with_name(f"{shard.name}-shm")):
            path.unlink(missing_ok=True)
