"""Rebuild Dagster's view of the partitions from the store, after the event log was lost or moved."""

from __future__ import annotations

import dagster as dg

from sqale_assets.assets.events import check_evaluations, materialization
from sqale_assets.assets.partitioned_stage import upstream_versions
from sqale_assets.assets.schema_catalog import read_entries, set_partitions
from sqale_assets.assets.stages import STAGES
from sqale_assets.resources import Progress
from sqale_assets.store import Store


def reconcile(store: Store, instance: dg.DagsterInstance, progress: Progress, *, only_missing: bool = False) -> int:
    """Register the catalogue's partitions and report every artefact as materialized, with its checks.

    Returns the number of materializations reported. Running it twice reports them twice, which does no harm;
    `only_missing` leaves out the partitions that Dagster already shows as materialized.
    """
    schema_ids = sorted(entry.schema_id for entry in read_entries(store) if entry.accepted)
    set_partitions(instance, schema_ids)
    reported = 0
    for stage in STAGES:
        names = [name for name, _ in stage.checks]
        shown = instance.get_materialized_partitions(dg.AssetKey(stage.name)) if only_missing else set()
        for schema_id in schema_ids:
            manifest = store.manifest(stage.name, schema_id)
            if manifest is None or schema_id in shown:
                continue
            instance.report_runless_asset_event(materialization(manifest, store, upstream_versions(stage, manifest)))
            for evaluation in check_evaluations(manifest, names, instance):
                instance.report_runless_asset_event(evaluation)
            reported += 1
            progress.advance(stage.name, schema_id, manifest.status)
    return reported
