"""Schedules: every morning, what is failed, and how good the corpus is. Both run while a daemon does."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from sqale_assets.assets.published import DATASETS, PUBLISHED

DAILY = {"cron_schedule": "0 6 * * *", "default_status": dg.DefaultScheduleStatus.RUNNING}


def build_schedules(jobs: Mapping[str, Any]) -> list[dg.ScheduleDefinition]:
    @dg.schedule(
        name="daily_quality_report",
        job=jobs["report"],
        required_resource_keys={"store"},
        description="Every day at six: how good the corpus is that was last published.",
        **DAILY,
    )
    def daily_quality_report(context) -> dg.RunRequest | dg.SkipReason:
        if not (context.resources.store.root / PUBLISHED / DATASETS).exists():
            return dg.SkipReason("Nothing has been published yet.")
        return dg.RunRequest()

    return [
        daily_quality_report,
        dg.ScheduleDefinition(
            name="daily_failed_check",
            job=jobs["failed_check"],
            description="Every day at six: is any partition of any stage left failed?",
            **DAILY,
        ),
    ]
