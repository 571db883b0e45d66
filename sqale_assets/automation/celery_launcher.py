"""Dagster's Celery run launcher, with dead workers found out. For `deploy/dagster.yaml`; needs the `cluster` extra.

Celery goes on calling a task STARTED when the machine that ran it is gone, so Dagster's own health check would wait for
that run for ever. Here the live workers are asked whether one of them has it.
"""

from __future__ import annotations

import dagster as dg
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher as Base
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

#: Seconds that the workers have to answer.
PATIENCE = 5.0


class CeleryRunLauncher(Base):
    """Runs are Celery tasks. A run that no live worker has is failed, and starts again under `run_retries`."""

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        health = super().check_run_worker_health(run)
        if health.status is not WorkerStatus.RUNNING:
            return health
        active = self.celery.control.inspect(timeout=PATIENCE).active()
        if active is None:  # nobody answers: the broker may be away, and a later look will tell
            return health
        tasks = {task["id"] for worker in active.values() for task in worker}
        if run.tags.get(DAGSTER_CELERY_TASK_ID_TAG) in tasks:
            return health
        return CheckRunHealthResult(WorkerStatus.FAILED, "no live Celery worker has this run; the one that had it died")
