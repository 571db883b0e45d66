"""In which state a check is of each partition, for its page in the UI, in time that grows with the partitions.

Dagster's own asks of each partition by itself whether it exists, and copies the set of those before it: with 10,000
partitions 2.4 seconds, with twice as many four times that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import dagster as dg
from dagster._core.asset_graph_view.serializable_entity_subset import SerializableEntitySubset
from dagster._core.storage.asset_check_execution_record import (
    AssetCheckExecutionRecordStatus,
    AssetCheckExecutionResolvedStatus,
    AssetCheckPartitionInfo,
)
from dagster._core.storage.asset_check_state import AssetCheckState

_MADE = {
    AssetCheckExecutionRecordStatus.SUCCEEDED: AssetCheckExecutionResolvedStatus.SUCCEEDED,
    AssetCheckExecutionRecordStatus.FAILED: AssetCheckExecutionResolvedStatus.FAILED,
}
_ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def check_states(
    instance: dg.DagsterInstance, keys: Sequence[tuple[dg.AssetCheckKey, dg.DynamicPartitionsDefinition]]
) -> Mapping[dg.AssetCheckKey, AssetCheckState]:
    """The states of checks over named dynamic partitions. A check of an earlier materialization counts as not made."""
    infos: dict[dg.AssetCheckKey, list[AssetCheckPartitionInfo]] = defaultdict(list)
    for info in instance.event_log_storage.get_asset_check_partition_info([key for key, _ in keys]):
        infos[info.check_key].append(info)
    planned = {info.latest_planned_run_id for each in infos.values() for info in each if _is_planned(info)}
    runs = instance.get_runs(dg.RunsFilter(run_ids=sorted(planned), statuses=_ENDED)) if planned else ()
    ended = {run.run_id: run.status for run in runs}
    return {key: _state(key, partitions, infos[key], ended, instance) for key, partitions in keys}


def _state(
    key: dg.AssetCheckKey,
    partitions: dg.DynamicPartitionsDefinition,
    infos: Iterable[AssetCheckPartitionInfo],
    ended: Mapping[str, dg.DagsterRunStatus],
    instance: dg.DagsterInstance,
) -> AssetCheckState:
    existing = set(instance.get_dynamic_partitions(str(partitions.name)))
    states = AssetCheckExecutionResolvedStatus
    found: dict[AssetCheckExecutionResolvedStatus, set[str]] = {state: set() for state in states}
    running: dict[str, set[str]] = defaultdict(set)
    latest = 0
    for info in infos:
        latest = max(latest, info.latest_check_event_storage_id, info.latest_materialization_storage_id or 0)
        if info.partition_key not in existing:
            continue
        if not _is_planned(info):
            if info.is_current:
                found[_MADE[info.latest_execution_status]].add(info.partition_key)
            continue
        run = info.latest_planned_run_id
        if run not in ended:
            running[run].add(info.partition_key)
            found[states.IN_PROGRESS].add(info.partition_key)
        elif ended[run] == dg.DagsterRunStatus.FAILURE:
            found[states.EXECUTION_FAILED].add(info.partition_key)
        else:
            found[states.SKIPPED].add(info.partition_key)

    def subset(names: set[str]) -> SerializableEntitySubset[dg.AssetCheckKey]:
        return SerializableEntitySubset(key, partitions.subset_with_partition_keys(names))

    return AssetCheckState(
        latest_storage_id=latest,
        subsets={status: subset(names) for status, names in found.items()},
        in_progress_runs={run: subset(names) for run, names in running.items()},
    )


def _is_planned(info: AssetCheckPartitionInfo) -> bool:
    return info.latest_execution_status == AssetCheckExecutionRecordStatus.PLANNED
