"""`sqale build`: the whole graph, stage by stage, over the same definitions and instance that the UI shows.

Every run is an ordinary Dagster run of the implicit asset job over a range of partitions. Stages run in order; a
schema that failed in one is reported and left out by the later ones, the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import dagster as dg

from sqale_assets.assets.partitioned_stage import SCHEMAS
from sqale_assets.assets.schema_catalog import CATALOG
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stages import STAGES
from sqale_assets.automation.jobs import PUBLICATION, REPORTS
from sqale_assets.automation.ranges import RANGE_END, RANGE_START, ranges
from sqale_assets.definitions import build_defs
from sqale_assets.resources import Progress
from sqale_assets.settings import Settings


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
    defs = build_defs(settings, progress=progress)
    job = defs.resolve_implicit_global_asset_job_def()

    def run(assets: Sequence[str], tags: dict[str, str] | None = None) -> dg.ExecuteInProcessResult:
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
            raise BuildFailed(failure_message(result))

    run_global([CATALOG])
    keys = [key for key in instance.get_dynamic_partitions(SCHEMAS.name) if not select or key in set(select)]
    failed = [stage.name for stage in STAGES if not _run_stage(stage, keys, settings, instance, progress, run)]
    if publish:
        run_global(PUBLICATION)
        run_global(REPORTS)
    return failed


def _run_stage(
    stage: Stage,
    keys: Sequence[str],
    settings: Settings,
    instance: dg.DagsterInstance,
    progress: BuildProgress,
    run: Callable[..., dg.ExecuteInProcessResult],
) -> bool:
    progress.begin(stage.name, len(keys))
    success = True
    for start, end in ranges(keys, instance.get_dynamic_partitions(SCHEMAS.name), settings.partitions_per_run):
        success &= run([stage.name], {RANGE_START: start, RANGE_END: end}).success
    progress.end(stage.name)
    return success


def failure_message(result: dg.ExecuteInProcessResult) -> str:
    """What the failed steps of a run say, without tracebacks."""
    messages = []
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            own = data.user_failure_data and data.user_failure_data.description
            messages.append(own or _innermost(data.error))
    return "\n".join(messages) or "the run failed; see it in the Dagster UI"


def _innermost(error) -> str:
    while error and error.cause:
        error = error.cause
    return error.message.strip() if error else "unknown error"
