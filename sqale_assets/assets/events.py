"""Manifests as Dagster events. The one place that knows how a partition looks in the UI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData

from sqale_assets.store import Manifest, Store

CODE_VERSION, DATA_VERSION = "dagster/code_version", "dagster/data_version"
INPUT_DATA_VERSION = "dagster/input_data_version"


def materialization(manifest: Manifest, store: Store, upstream: Mapping[str, str]) -> dg.AssetMaterialization:
    """The materialization of a manifest; `upstream` maps upstream asset names to their fingerprints.

    The version tags let the UI show a partition as stale after a prompt or an upstream partition has changed.
    """
    metadata: dict[str, dg.MetadataValue | str | float | int] = {"status": manifest.status}
    if manifest.rejection:
        metadata |= {
            "rejected_by": manifest.rejection.stage,
            "rejection_reason": manifest.rejection.reason,
            "rejection_evidence": manifest.rejection.evidence,
        }
    metadata |= manifest.counts
    metadata["seconds"] = round(manifest.seconds, 3)
    if manifest.usage.calls:
        metadata |= {
            "llm_calls": manifest.usage.calls,
            "tokens_in": manifest.usage.tokens_in,
            "tokens_out": manifest.usage.tokens_out,
            "cost_usd": round(manifest.usage.cost, 6),
            "models": ", ".join(manifest.usage.models),
        }
    if manifest.preview:
        metadata["preview"] = dg.MetadataValue.md(manifest.preview)
    metadata["artefact"] = dg.MetadataValue.path(str(store.folder(manifest.asset, manifest.schema_id)))
    tags = {CODE_VERSION: manifest.inputs.get("code", ""), DATA_VERSION: manifest.fingerprint}
    tags |= {f"{INPUT_DATA_VERSION}/{name}": version for name, version in upstream.items()}
    return dg.AssetMaterialization(asset_key=manifest.asset, partition=manifest.schema_id, metadata=metadata, tags=tags)


def check_evaluations(
    manifest: Manifest, names: Sequence[str], instance: dg.DagsterInstance
) -> Iterator[dg.AssetCheckEvaluation]:
    """One evaluation per check name. A rejected schema passes: there is nothing of it to hold against.

    Each names the partition's latest materialization in `instance`, which is to be that of the manifest: the UI counts
    a check as made only where it was made of the latest one.
    """
    outcomes = {outcome.name: outcome for outcome in manifest.checks}
    target = _latest(manifest, instance) if names else None
    for name in names:
        outcome = outcomes.get(name)
        yield dg.AssetCheckEvaluation(
            asset_key=dg.AssetKey(manifest.asset),
            check_name=name,
            partition=manifest.schema_id,
            passed=outcome.passed if outcome else True,
            target_materialization_data=target,
            severity=_severity(outcome.severity if outcome else "error"),
            metadata=outcome.metadata if outcome else {"status": "not applicable: the schema was rejected"},
        )


def _latest(manifest: Manifest, instance: dg.DagsterInstance) -> AssetCheckEvaluationTargetMaterializationData | None:
    wanted = dg.AssetRecordsFilter(dg.AssetKey(manifest.asset), asset_partitions=[manifest.schema_id])
    for record in instance.fetch_materializations(wanted, limit=1).records:
        return AssetCheckEvaluationTargetMaterializationData(
            storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
        )
    return None


def _severity(name: str) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if name == "error" else dg.AssetCheckSeverity.WARN
