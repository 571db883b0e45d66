"""What a store holds, in figures: counted from the manifests, so it is right whatever the event log says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from sqale_assets.store.manifest import Manifest
from sqale_assets.store.store import Store


class StageSummary(BaseModel):
    """One stage over the catalogue's schemas. `missing` ones have neither an artefact nor a failure.

    `stale` ones are done or rejected, but would be computed again, as code, a prompt, a setting or an input changed.
    """

    asset: str
    done: int = 0
    rejected: int = 0
    failed: int = 0
    missing: int = 0
    stale: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    checks: int = 0
    checks_passed: int = 0
    #: counts summed over the schemas, e.g. {"tables": 1012}
    totals: dict[str, float] = {}
    #: rejection reason -> schemas that this stage itself rejected
    reasons: dict[str, int] = {}
    #: failed schema -> error
    failures: dict[str, str] = {}


def summarise(store: Store, assets: Sequence[str], schema_ids: Sequence[str]) -> list[StageSummary]:
    """One summary per asset, in the order given."""
    return [_stage(store, asset, schema_ids) for asset in assets]


def _stage(store: Store, asset: str, schema_ids: Sequence[str]) -> StageSummary:
    summary = StageSummary(asset=asset)
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for schema_id in schema_ids:
        failure = store.failure(asset, schema_id)
        manifest = store.manifest(asset, schema_id)
        if failure:
            summary.failed += 1
            summary.failures[schema_id] = failure.error
        elif manifest is None:
            summary.missing += 1
        elif manifest.status == "rejected":
            summary.rejected += 1
            if manifest.rejection and manifest.rejection.stage == asset:
                reasons[manifest.rejection.reason] += 1
        else:
            summary.done += 1
            _add(summary, totals, manifest)
    summary.totals, summary.reasons = dict(totals), dict(reasons.most_common())
    return summary


def _add(summary: StageSummary, totals: Counter[str], manifest: Manifest) -> None:
    summary.seconds += manifest.seconds
    summary.cost += manifest.usage.cost
    summary.checks += len(manifest.checks)
    summary.checks_passed += sum(check.passed for check in manifest.checks)
    for name, value in manifest.counts.items():
        if isinstance(value, (int, float)):
            totals[name] += value
