"""The one module that Dagster loads. `build_defs` makes a fresh set, for the UI, the command line and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from sqale_assets.assets.corpus_database import corpus_database
from sqale_assets.assets.dataset_card import dataset_card_asset
from sqale_assets.assets.documentation import documented
from sqale_assets.assets.evaluation import evaluation_episodes, evaluation_report
from sqale_assets.assets.judge_calibration import judge_calibration
from sqale_assets.assets.outcomes import Outcomes
from sqale_assets.assets.partitioned_stage import partitioned_stage
from sqale_assets.assets.published import published
from sqale_assets.assets.quality_report import build_quality_report
from sqale_assets.assets.quarantine import quarantine
from sqale_assets.assets.reports import dataset_comparison, dataset_statistics
from sqale_assets.assets.schema_catalog import schema_catalog
from sqale_assets.assets.schema_clusters import schema_clusters
from sqale_assets.assets.stages import STAGES
from sqale_assets.assets.training import build_training
from sqale_assets.automation.failed import build_failed_check, build_retry_sensor, build_stage_jobs
from sqale_assets.automation.jobs import build_jobs
from sqale_assets.automation.schedules import build_schedules
from sqale_assets.checks.published import PUBLISHED_CHECKS
from sqale_assets.resources import Progress, build_resources
from sqale_assets.settings import Settings
from sqale_assets.settings import settings as current_settings

GLOBAL_ASSETS = (
    schema_clusters, published, dataset_statistics, dataset_comparison, dataset_card_asset, corpus_database,
    judge_calibration, quarantine,
)  # fmt: skip


def build_defs(
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
    outcomes: Outcomes | None = None,
    resource_overrides: Mapping[str, Any] | None = None,
) -> dg.Definitions:
    """A fresh Definitions object over `settings` (default: those of the environment).

    With `outcomes` the partitioned stages report what a pipeline makes and need no gateway of their own.
    """
    chosen = settings or current_settings()
    jobs, stage_jobs = build_jobs(), build_stage_jobs()
    return dg.Definitions(
        assets=documented(
            [
                schema_catalog,
                *(partitioned_stage(stage, chosen, outcomes) for stage in STAGES),
                *GLOBAL_ASSETS,
                evaluation_episodes,
                evaluation_report,
                *build_training(chosen),
                build_quality_report(chosen),
            ],
            chosen,
        ),
        asset_checks=[*PUBLISHED_CHECKS, build_failed_check()],
        jobs=[*jobs.values(), *stage_jobs.values()],
        schedules=build_schedules(jobs),
        sensors=[build_retry_sensor(stage_jobs)],
        resources={**build_resources(chosen, progress), **(resource_overrides or {})},
        executor=dg.in_process_executor,
    )


defs = build_defs()
