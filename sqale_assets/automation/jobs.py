"""Jobs: named selections of assets that schedules and people launch."""

from typing import Any

import dagster as dg

REPORTS = (
    "dataset_statistics", "dataset_comparison", "dataset_card", "judge_calibration", "quality_report",
    "corpus_database", "quarantine",
)  # fmt: skip
PUBLICATION = ("schema_clusters", "published_schemas", "published_queries", "published_provenance")
#: The check of `automation/failed.py`.
FAILED_CHECK = dg.AssetCheckKey(dg.AssetKey("gold_queries"), "no_partition_left_failed")


def build_jobs() -> dict[str, Any]:
    """The jobs by name."""
    jobs = (
        dg.define_asset_job(
            "publish",
            selection=dg.AssetSelection.assets(*PUBLICATION, *REPORTS),
            description="Export the corpus as it stands, verify it by re-execution, and report on it.",
        ),
        dg.define_asset_job(
            "report",
            selection=dg.AssetSelection.assets(*REPORTS),
            description="Statistics, comparison, card, quality report, DuckDB views.",
        ),
        dg.define_asset_job(
            "failed_check",
            selection=dg.AssetSelection.checks(FAILED_CHECK),
            description="Is any partition of any stage left failed?",
        ),
    )
    return {job.name: job for job in jobs}
