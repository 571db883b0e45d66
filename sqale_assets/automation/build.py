"""`sqale build`: the whole graph, stage by stage, over the same definitions and instance that the UI shows.

Every run is an ordinary Dagster run of the implicit asset job over a range of partitions. Stages run in order; where a
remote model is waited for, schemas go through all of them at once and the runs report it. A schema that failed in one
stage is reported and left out by the later ones, the others go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import dagster as dg

from sqale_assets.assets.outcomes import Outcomes
from sqale_assets.assets.partitioned_stage import SCHEMAS, STOPPED
from sqale_assets.assets.pipeline import Pipeline, largest_first, worthwhile
from sqale_assets.assets.pipeline_processes import PipelineProcesses, pipeline_count
from sqale_assets.assets.schema_catalog import CATALOG
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stages import STAGES
from sqale_assets.automation.jobs import PUBLICATION, REPORTS
from sqale_assets.automation.ranges import RANGE_END, RANGE_START, ranges
from sqale_assets.definitions import build_defs
from sqale_assets.resources import Progress
from sqale_assets.settings import Settings
from sqale_assets.store import Store

Result = dg.ExecuteInProcessResult


class BuildProgress(Progress, Protocol):
    """Told of stages beginning and ending as well as of the schemas in between."""

    def begin(self, asset: str, total: int) -> None: ...
    def end(self, asset: str) -> None: ...


class BuildFailed(Exception):
    """A global asset could not be built. The message is for the user; what was finished is kept."""


def build(
    settings: Settings,
    instance: dg.DagsterInstance,
    progress: BuildProgress,
    *,
    select: Sequence[str] = (),
    publish: bool = True,
) -> list[str]:
    """Bring every schema of the source through every stage, then publish and report.

    `select` limits the partitioned stages to these schema ids. Returns the names of assets with failed schemas.

    Raises:
        BuildFailed: the catalogue, the publication or a report could not be made.
    """
    job = build_defs(settings, progress=progress).resolve_implicit_global_asset_job_def()

    def run(assets: Sequence[str], tags: dict[str, str] | None = None, job: dg.JobDefinition = job) -> Result:
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in assets],
            tags=tags,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            raise_on_error=False,
        )

    def run_global(assets: Sequence[str]) -> None:
        progress.begin(assets[0], 1)
        result = run(assets)
        progress.end(assets[0])
        if not result.success:
            raise _failure(result)

    run_global([CATALOG])
    order = instance.get_dynamic_partitions(SCHEMAS.name)
    if unknown := sorted(set(select) - set(order)):
        raise BuildFailed(f"the catalogue has no schema {', '.join(unknown)}; it has {', '.join(order[:5])}, ...")
    keys = [key for key in order if not select or key in select]
    chunks, failed = list(ranges(keys, order, settings.partitions_per_run)), []

    def run_stage_over(stage: Stage, chunk: tuple[str, str], job: dg.JobDefinition = job) -> None:
        result = run([stage.name], {RANGE_START: chunk[0], RANGE_END: chunk[1]}, job)
        if not result.success:
            _raise_if_stopped(result)
            failed.append(stage.name)

    if worthwhile(STAGES, settings):
        outcomes = Outcomes()
        with _pipeline(keys, settings, outcomes):
            overrides = {"gateway": dg.ResourceDefinition.none_resource()}
            defs = build_defs(settings, progress=progress, outcomes=outcomes, resource_overrides=overrides)
            reporting = defs.resolve_implicit_global_asset_job_def()
            for stage in STAGES:
                progress.begin(stage.name, len(keys))
            for chunk in chunks:
                for stage in STAGES:
                    run_stage_over(stage, chunk, reporting)
            for stage in STAGES:
                progress.end(stage.name)
    else:
        for stage in STAGES:
            progress.begin(stage.name, len(keys))
            for chunk in chunks:
                run_stage_over(stage, chunk)
            progress.end(stage.name)
    if publish:
        run_global(PUBLICATION)
        run_global(REPORTS)
    return list(dict.fromkeys(failed))


def _pipeline(keys: Sequence[str], settings: Settings, ends: Outcomes) -> Pipeline | PipelineProcesses:
    from sqale_assets.llm.gateway import Gateway

    gateway, keys = Gateway(settings), largest_first(keys, settings)
    if (processes := pipeline_count(settings, len(keys))) > 1:
        return PipelineProcesses(STAGES, keys, settings, gateway, ends, processes)
    return Pipeline(STAGES, keys, settings, Store(settings.store), gateway, ends)


def _raise_if_stopped(result: dg.ExecuteInProcessResult) -> None:
    """Some schemas failed: go on. Everything would fail (provider down, budget spent, disk full, a bug): do not."""
    failures = [event.step_failure_data.user_failure_data for event in result.all_events if event.is_step_failure]
    if not failures or not all(failures):
        raise _failure(result)
    for failure in failures:
        stopped = failure.metadata.get(STOPPED)
        if stopped and stopped.value:
            raise BuildFailed(str(stopped.value))


def _failure(result: dg.ExecuteInProcessResult) -> BaseException:
    """What to raise for a run that did not succeed: what its failed steps say, without tracebacks."""
    messages, interrupted = [], False
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            own = data.user_failure_data and data.user_failure_data.description
            messages.append(own or _innermost(data.error))
            interrupted = interrupted or "InterruptedError" in str(data.error)
        interrupted = interrupted or event.event_type == dg.DagsterEventType.RUN_CANCELED
    if interrupted:
        return KeyboardInterrupt()
    return BuildFailed("\n".join(messages) or "the run ended before its steps did; see it in the Dagster UI")


def _innermost(error: Any) -> str:
    while error and error.cause:
        error = error.cause
    return error.message.strip() if error else "unknown error"
