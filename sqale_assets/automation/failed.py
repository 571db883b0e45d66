"""Failed partitions: finding them, trying them again, and saying that none is left.

What has failed is read from the store's failure notes, which count the attempts, not from the event log.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from sqale_assets.assets.partitioned_stage import SCHEMAS
from sqale_assets.assets.stages import STAGES
from sqale_assets.automation.ranges import RANGE_END, RANGE_START, ranges
from sqale_assets.store import FailureNote, Store

MAX_ATTEMPTS = 4
_SAMPLE = 20


def failures(store: Store, schema_ids: list[str]) -> dict[str, list[FailureNote]]:
    """The failure notes per stage, in pipeline order; stages without any are left out."""
    found = {
        stage.name: [note for schema_id in schema_ids if (note := store.failure(stage.name, schema_id))]
        for stage in STAGES
    }
    return {name: notes for name, notes in found.items() if notes}


def due(note: FailureNote, now: datetime) -> bool:
    """Whether a failed schema may be tried again: at most MAX_ATTEMPTS, 10 minutes apart and doubling.

    A note from the future was written before the clock was set back: it is due once that is further than its pause.
    """
    if note.attempts >= MAX_ATTEMPTS:
        return False
    pause = timedelta(minutes=10 * 2 ** max(0, note.attempts - 1))
    return abs(now - datetime.fromisoformat(note.failed_at)) >= pause


def build_retry_sensor(jobs: dict[str, Any]) -> dg.SensorDefinition:
    """A sensor (off by default) that runs the failed partitions of each stage again, range by range."""

    @dg.sensor(
        name="retry_failed_partitions",
        jobs=list(jobs.values()),
        minimum_interval_seconds=600,
        default_status=dg.DefaultSensorStatus.STOPPED,
        required_resource_keys={"store", "settings"},
        description="Runs failed partitions again, at most four attempts each, ten minutes apart and doubling.",
    )
    def retry_failed_partitions(context) -> Iterator[dg.RunRequest]:
        store, settings = context.resources.store, context.resources.settings
        order = list(context.instance.get_dynamic_partitions(SCHEMAS.name))
        now = datetime.now(UTC)
        for name, notes in failures(store, order).items():
            keys = [note.schema_id for note in notes if due(note, now)]
            for start, end in ranges(keys, order, settings.partitions_per_run):
                yield dg.RunRequest(job_name=stage_job(name), tags={RANGE_START: start, RANGE_END: end})

    return retry_failed_partitions


def stage_job(stage: str) -> str:
    """The name of the job that runs one stage."""
    return f"stage_{stage}"


def build_stage_jobs() -> dict[str, Any]:
    """One job per partitioned stage: what the retry sensor launches."""
    return {
        stage.name: dg.define_asset_job(
            stage_job(stage.name), selection=[stage.name], description=f"Run {stage.name} over a range of schemas."
        )
        for stage in STAGES
    }


def build_failed_check() -> dg.AssetChecksDefinition:
    """The check that no partition of any stage is left failed, shown at the last stage."""

    @dg.asset_check(
        asset=STAGES[-1].name,
        name="no_partition_left_failed",
        description="Schemas left failed in any stage, named with their error (bound: 0).",
        required_resource_keys={"store"},
    )
    def no_partition_left_failed(context) -> dg.AssetCheckResult:
        order = list(context.instance.get_dynamic_partitions(SCHEMAS.name))
        found = failures(context.resources.store, order)
        notes = [note for stage_notes in found.values() for note in stage_notes]
        return dg.AssetCheckResult(
            passed=not notes,
            metadata={
                "failed": len(notes),
                "bound": 0,
                "by_stage": {name: len(stage_notes) for name, stage_notes in found.items()},
                "schemas": len(order),
                "sample": [f"{note.asset} of {note.schema_id}: {note.error}"[:300] for note in notes[:_SAMPLE]],
                "what_to_do": "Run `sqale retry`, or launch a backfill of the failed partitions in the UI.",
            },
        )

    return no_partition_left_failed
