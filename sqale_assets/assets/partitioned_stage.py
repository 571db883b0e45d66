"""The factory of every partitioned asset. All that is awkward about many partitions in one run is in here.

Done and rejected schemas are materialized as they come; the run fails at its end if any schema failed, so that Dagster
marks exactly those as failed. A schema whose fingerprint is unchanged is not computed again, but its materialization is
emitted again: a run that skipped silently and then failed would show the skipped partitions as failed.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from sqale_assets.assets.events import check_evaluations, materialization
from sqale_assets.assets.outcomes import Outcomes
from sqale_assets.assets.stage import Stage, code_version, note_unattempted, run_stage
from sqale_assets.assets.stream import Finished, NotAttempted, as_finished
from sqale_assets.assets.workers import WorkerDied, in_processes, process_count
from sqale_assets.settings import Settings
from sqale_assets.store import Manifest

SCHEMAS = dg.DynamicPartitionsDefinition(name="schema_id")
RESOURCES = {"settings", "store", "gateway", "progress"}
STOPPED = "stopped_by"  # metadata of a failed run: what kept it from going on, where something did


def partitioned_stage(stage: Stage, settings: Settings, outcomes: Outcomes | None = None) -> dg.AssetsDefinition:
    """The Dagster asset of a stage, which takes from `outcomes` what a pipeline has made, or else works itself."""
    names = [name for name, _ in stage.checks]
    specs = [
        dg.AssetCheckSpec(name, asset=stage.name, description=description, partitions_def=SCHEMAS)
        for name, description in stage.checks
    ]

    @dg.asset(
        name=stage.name,
        deps=list(stage.upstream),
        partitions_def=SCHEMAS,
        # Neighbouring stages differ in size, so that a backfill gives each stage its own runs and a
        # schema that fails in one does not keep the others of its run from going on to the next.
        backfill_policy=dg.BackfillPolicy.multi_run(settings.partitions_per_run + stage.position),
        output_required=False,
        check_specs=specs,
        code_version=code_version(stage, settings),
        group_name=stage.group,
        description=stage.description,
        kinds=set(stage.kinds),
        owners=["team:corpus"],
        required_resource_keys=RESOURCES,
    )
    def asset(context: dg.AssetExecutionContext) -> Iterator[Any]:
        resources = context.resources
        keys = list(context.partition_keys)
        failed: dict[str, str] = {}
        stopped = ""

        for finished in outcomes.finished(stage.name, keys) if outcomes else _finished(stage, keys, resources):
            manifest = finished.value
            if manifest is None:
                failed[finished.key] = f"{type(finished.error).__name__}: {finished.error}"
                if isinstance(finished.error, NotAttempted | WorkerDied):
                    note_unattempted(stage, finished.key, resources.store, finished.error)
                stopped = stopped or (str(finished.error) if finished.stops else "")
                context.log.error(f"{stage.name} of {finished.key} failed", exc_info=finished.error)
            else:
                yield materialization(manifest, resources.store, upstream_versions(stage, manifest))
                yield from check_evaluations(manifest, names, context.instance)
            resources.progress.advance(stage.name, finished.key, manifest.status if manifest else "failed")
        for spec in specs:
            yield dg.Output(None, output_name=spec.get_python_identifier())
        if failed:
            raise dg.Failure(
                description=_failure_text(stage, failed, len(keys)),
                metadata={"failed": dg.MetadataValue.json(failed), STOPPED: stopped},
                allow_retries=False,
            )

    return asset


def _finished(stage: Stage, keys: Sequence[str], resources: Any) -> Iterator[Finished[Manifest]]:
    """Each key's manifest or error, as it finishes: from worker processes where only the processor is waited for."""
    processes = process_count(stage, len(keys), resources.settings)
    if processes > 1:
        return in_processes(stage, keys, resources.settings, processes)

    async def work(schema_id: str) -> Manifest:
        return await run_stage(stage, schema_id, resources.settings, resources.store, resources.gateway)

    closing = resources.gateway.aclose if resources.gateway else None
    return as_finished(keys, work, resources.settings.schemas_in_flight, closing)


def upstream_versions(stage: Stage, manifest: Manifest) -> dict[str, str]:
    return {
        name: manifest.inputs[f"upstream:{name}"] for name in stage.upstream if f"upstream:{name}" in manifest.inputs
    }


def _failure_text(stage: Stage, failed: dict[str, str], total: int) -> str:
    sample: Sequence[str] = [f"  {key}: {error}" for key, error in sorted(failed.items())[:10]]
    return (
        f"{len(failed)} of {total} schemas failed in {stage.name}; the others are materialized. "
        f"Run it again to try only the failed ones.\n" + "\n".join(sample)
    )
