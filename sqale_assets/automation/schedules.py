"""Schedules: the daily quality report."""

from collections.abc import Mapping
from typing import Any

import dagster as dg


def build_schedules(jobs: Mapping[str, Any]) -> list[dg.ScheduleDefinition]:
    return [
        dg.ScheduleDefinition(
            name="daily_quality_report",
            job=jobs["report"],
            cron_schedule="0 6 * * *",
            description="Every day at six: how good the corpus is that was last published.",
        )
    ]
