"""Dagster's run launcher for one machine, with dead workers found out. For `dagster.yaml`.

A run's process belongs to a code server. Where a code server outlives it, Dagster notes that the run died; where both
died (the machine did, or was switched off), Dagster's own launcher goes on believing the run alive, for ever.
"""

from __future__ import annotations

import dagster as dg
import grpc
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import deserialize_value


class LocalRunLauncher(DefaultRunLauncher):
    """A run whose code server is gone, or no longer has it, is failed, and starts again under `run_retries`."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        client = self._get_grpc_client_for_termination(run.run_id)
        if client is None:  # it has ended meanwhile, or was not launched yet
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        try:
            answer = client.can_cancel_execution(CanCancelExecutionRequest(run_id=run.run_id))
        except DagsterUserCodeUnreachableError as error:
            if _too_slow(error):
                return CheckRunHealthResult(WorkerStatus.RUNNING)
            return CheckRunHealthResult(WorkerStatus.FAILED, "the code server that had this run is gone")
        if deserialize_value(answer, CanCancelExecutionResult).can_cancel:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.FAILED, "its code server no longer has this run; its process died")


def _too_slow(error: DagsterUserCodeUnreachableError) -> bool:
    """Whether the code server is there, but too busy to answer in time."""
    cause = error.__cause__
    return isinstance(cause, grpc.RpcError) and cause.code() is grpc.StatusCode.DEADLINE_EXCEEDED
