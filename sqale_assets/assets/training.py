"""training_selection, grpo_run and training_report: models trained on a corpus, a partition per settings file.

Training is a process of its own, started over Dagster Pipes: it may need another machine's launcher or another Python,
and it outlives nothing, since whatever ends it, the next attempt goes on from its last checkpoint.
"""

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.errors import DagsterPipesExecutionError  # exported nowhere else

from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.pictures import picture
from sqale_assets.assets.published import PUBLISHED
from sqale_assets.evaluation.items import CorpusError
from sqale_assets.settings import Settings
from sqale_assets.training.place import FINAL, METRICS, TASKS, run_files, training_folder

SELECTION, GRPO, REPORT = "training_selection", "grpo_run", "training_report"
#: The command's exit code when it was asked wrongly: trying again would not help.
_ASKED_WRONGLY = "code 2"


def build_training(settings: Settings) -> list[dg.AssetsDefinition]:
    """The three assets over the settings files of `settings.training.runs`."""
    files = run_files(settings.training.runs)
    partitions = dg.StaticPartitionsDefinition(list(files))
    root = training_folder(settings)

    @dg.asset(
        name=SELECTION,
        deps=["published_schemas", "published_queries", "published_provenance"],
        partitions_def=partitions,
        group_name="training",
        kinds={"python"},
        owners=["team:corpus"],
        description="The tasks of a training run: what is taken from its corpus, and why the rest is not.",
        required_resource_keys=RESOURCES,
    )
    def training_selection(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        from sqale_assets.training.config import read_run
        from sqale_assets.training.run import select_into

        with context.resources.store.local_copy(PUBLISHED) as published, _no_retry():
            folder = root / context.partition_key / "selection"
            found = select_into(folder, read_run(files[context.partition_key]), published)
        spreads = {name: getattr(found, name) for name in ("schema_tables", "tokens", "discrimination")}
        return dg.MaterializeResult(
            metadata={
                "tasks": found.kept,
                "questions": found.questions,
                "databases": found.databases,
                "held_out_databases": found.held_out_databases,
                "near_held_out": len(found.near_held_out),
                "answers_that_cannot_be_copied": found.telling,
                "left_out": _table("reason", found.dropped | {"not_needed": found.not_needed}),
                "difficulties": _table("difficulty", found.difficulties),
                "styles": _table("style", found.styles),
                "tables": _table("tables in the gold SQL", found.tables),
                "spread": dg.MetadataValue.json({name: each and each.model_dump() for name, each in spreads.items()}),
                "file": dg.MetadataValue.path(str(folder / TASKS)),
            }
        )

    @dg.asset(
        name=GRPO,
        deps=[SELECTION],
        partitions_def=partitions,
        group_name="training",
        kinds={"python", "pytorch"},
        owners=["team:corpus"],
        description="A model trained with GRPO, by a process of its own; its steps are observations as they come.",
        retry_policy=dg.RetryPolicy(max_retries=settings.training.retries, delay=settings.training.retry_seconds),
        pool="training",
        required_resource_keys=RESOURCES,
    )
    def grpo_run(context: dg.AssetExecutionContext) -> Iterator[Any]:
        from sqale_assets.training.config import read_run
        from sqale_assets.training.run import identity

        name = context.partition_key
        tasks = root / name / "selection" / TASKS
        if not tasks.exists():
            raise dg.Failure(f"{tasks} is missing: materialize {SELECTION} of {name}.", allow_retries=False)
        with _no_retry():
            output = root / name / identity(read_run(files[name]), tasks)
        command = [*(settings.training.launcher or (sys.executable, "-m", "sqale_assets.cli")), "train"]
        command += [str(files[name]), "--output", str(output), "--tasks", str(tasks)]
        context.log.info(shlex.join(command))
        client = dg.PipesSubprocessClient(message_reader=_Streaming(_observer(context)))
        try:
            yield from client.run(context=context, command=command).get_results()
        except DagsterPipesExecutionError as error:
            raise dg.Failure(
                f"{name}: {error}; its own message is in this run's output. Checkpoints are in {output}.",
                allow_retries=not str(error).endswith(_ASKED_WRONGLY),
            ) from None

    @dg.asset(
        name=REPORT,
        deps=[GRPO],
        group_name="training",
        kinds={"python", "altair"},
        owners=["team:corpus"],
        description="The curves of all training runs: rounds and tool calls (Figure 7), reward, accuracy, length.",
        required_resource_keys=RESOURCES,
    )
    def training_report() -> dg.MaterializeResult:
        from sqale_assets.report.training import write_report
        from sqale_assets.training.metrics import read_metrics, summary

        folders = sorted(path.parent for path in root.glob(f"*/*/{METRICS}"))
        runs = {_label(folder, folders): read_metrics(folder / METRICS) for folder in folders}
        runs = {name: steps for name, steps in runs.items() if steps}
        if not runs:
            raise dg.Failure(f"No model has been trained yet: materialize {GRPO}.", allow_retries=False)
        written = write_report(runs, root / "report")
        return dg.MaterializeResult(
            metadata={
                "runs": dg.MetadataValue.json({name: summary(steps) for name, steps in runs.items()}),
                "finished": sum((folder / FINAL).exists() for folder in folders),
                "report": dg.MetadataValue.path(str(written.path)),
                **{name: picture(name, png) for name, png in written.pictures.items()},
            }
        )

    return [training_selection, grpo_run, training_report]


class _Streaming(dg.PipesTempFileMessageReader):
    """Hands the metrics that a trainer sends on as they come; the client itself would keep them to the end."""

    def __init__(self, observe: Callable[[Mapping[str, Any]], None]):
        super().__init__()
        self._observe = observe

    @contextmanager
    def read_messages(self, handler: dg.PipesMessageHandler) -> Iterator[Any]:
        inner, observe = handler.handle_message, self._observe

        def handle(message: Any) -> None:
            if message["method"] == "report_custom_message":
                observe(message["params"]["payload"])
            else:
                inner(message)

        handler.handle_message = handle
        with super().read_messages(handler) as params:
            yield params


def _observer(context: dg.AssetExecutionContext) -> Callable[[Mapping[str, Any]], None]:
    """Writes a step into the event log at once: a step's own events would only be written when it ends."""
    instance, key, partition, run_id = context.instance, context.asset_key, context.partition_key, context.run.run_id

    def observe(metrics: Mapping[str, Any]) -> None:
        instance.report_runless_asset_event(
            dg.AssetObservation(key, partition=partition, metadata={**metrics, "run": run_id})
        )

    return observe


@contextmanager
def _no_retry() -> Iterator[None]:
    """What is wrong with settings or corpus stays wrong."""
    try:
        yield
    except (CorpusError, ValueError) as error:
        raise dg.Failure(str(error), allow_retries=False) from None


def _label(folder: Path, folders: list[Path]) -> str:
    """A run's name, with its folder's where the name was trained more than once."""
    name = folder.parent.name
    return name if sum(each.parent.name == name for each in folders) == 1 else f"{name} · {folder.name[:6]}"


def _table(head: str, counts: Mapping[str, int]) -> dg.MarkdownMetadataValue:
    rows = [f"| {name} | {count} |" for name, count in counts.items()]
    return dg.MetadataValue.md("\n".join([f"| {head} | questions |", "|---|--:|", *rows]))
