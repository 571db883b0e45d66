"""Commands that build and tend a corpus: build, status, retry, reconcile, prune, dev."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from sqale_assets.cli.app import (
    SourceOption,
    StoreOption,
    UserError,
    app,
    catalogued,
    console,
    disk_message,
    read_settings,
)
from sqale_assets.settings import Settings


@app.command()
def build(
    source: SourceOption = None,
    store: StoreOption = None,
    select: Annotated[list[str] | None, typer.Option(help="Only these schema ids (repeatable).")] = None,
    publish: Annotated[bool, typer.Option(help="Publish and report when the stages are done.")] = True,
    force: Annotated[bool, typer.Option(help="Compute again even where nothing changed.")] = False,
) -> None:
    """Build the corpus: every schema of the source through every stage, then publish, verify and report."""
    settings = read_settings(source, store, force=force or None)
    check_source(settings)
    _build(settings, select or [], publish)


def _build(settings: Settings, select: list[str], publish: bool) -> None:
    from sqale_assets.automation.build import BuildFailed
    from sqale_assets.automation.build import build as run_build
    from sqale_assets.automation.instance import open_instance
    from sqale_assets.cli.terminal import Bars
    from sqale_assets.llm.check import require_routes
    from sqale_assets.store import Store
    from sqale_assets.store.lock import build_lock

    asyncio.run(require_routes(settings))
    bars = Bars(console)
    folder = Store(settings.store).local_path("") or settings.dagster_home
    with build_lock(folder), open_instance(settings) as instance, bars.progress:
        try:
            failed = run_build(settings, instance, bars, select=select, publish=publish)
        except BuildFailed as error:
            message = disk_message(error) or str(error)
            raise UserError(
                f"{message}\nWhat was finished is kept in {settings.store}; run the command again.", 1
            ) from None
    console.print(summary(settings))
    if failed:
        console.print(status_of(settings))
        raise UserError(f"some schemas failed in {', '.join(failed)}; run the command again to try only those.", 1)


@app.command()
def status(source: SourceOption = None, store: StoreOption = None) -> None:
    """Per stage: schemas done, rejected, failed, missing and stale (to be computed again), with the reasons."""
    console.print(status_of(read_settings(source, store)))


@app.command()
def retry(source: SourceOption = None, store: StoreOption = None) -> None:
    """Run only the schemas that failed, through the stages that they failed in and those after."""
    settings = read_settings(source, store)
    from sqale_assets.automation.failed import failures
    from sqale_assets.store import Store

    opened = Store(settings.store)
    _, accepted, _ = catalogued(opened)
    failed = {note.schema_id for notes in failures(opened, accepted).values() for note in notes}
    if not failed:
        console.print("No schema is left failed.")
        return
    _build(settings, sorted(failed), publish=True)


@app.command()
def reconcile(source: SourceOption = None, store: StoreOption = None) -> None:
    """Rebuild Dagster's view of the partitions from the store, after the event log was lost or moved."""
    settings = read_settings(source, store)
    from sqale_assets.automation.instance import open_instance
    from sqale_assets.automation.reconcile import reconcile as run_reconcile
    from sqale_assets.cli.terminal import Bars
    from sqale_assets.store import Store

    opened = Store(settings.store)
    names, accepted, _ = catalogued(opened)
    bars = Bars(console)
    with open_instance(settings) as instance, bars.progress:
        for name in names:
            bars.begin(name, len(accepted))
        reported = run_reconcile(opened, instance, bars)
    console.print(f"{reported:,} materializations reported from {settings.store}.")


@app.command()
def prune(
    source: SourceOption = None,
    store: StoreOption = None,
    days: Annotated[float, typer.Option(min=0, help="Runs that began longer ago than this are deleted.")] = 30,
) -> None:
    """Delete old runs from Dagster's instance. Artefacts stay, and the UI goes on showing what is materialized."""
    settings = read_settings(source, store)
    from sqale_assets.automation.instance import open_instance
    from sqale_assets.automation.prune import prune as run_prune
    from sqale_assets.resources import NoProgress
    from sqale_assets.store import Store

    opened = Store(settings.store)
    catalogued(opened)
    with open_instance(settings) as instance, console.status("Deleting old runs"):
        done = run_prune(opened, instance, datetime.now(UTC) - timedelta(days=days), NoProgress())
    console.print(
        f"{done.runs:,} runs deleted; {done.kept:,} old ones kept, they hold the latest state of an asset; "
        f"{done.reported:,} materializations reported again."
    )


@app.command()
def dev(
    source: SourceOption = None,
    store: StoreOption = None,
    port: Annotated[int, typer.Option(help="Port of the web server.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Open the Dagster UI on the store's instance (`dagster dev` with DAGSTER_HOME set)."""
    settings = read_settings(source, store)
    from sqale_assets.automation.instance import set_dagster_home
    from sqale_assets.settings import REPOSITORY

    set_dagster_home(settings)
    arguments = [sys.executable, "-m", "dagster", "dev", "-w", str(REPOSITORY / "workspace.yaml")]
    os.execv(sys.executable, [*arguments, "-h", host, "-p", str(port)])


def check_source(settings: Settings) -> None:
    """Refuse a source that cannot be read before Dagster is started."""
    from sqale_assets.store.sources import SourceError, open_source

    try:
        next(iter(open_source(settings.source)), None)
    except SourceError as error:
        raise UserError(str(error)) from None


def summary(settings: Settings):
    """The closing table of a build."""
    from sqale_assets.cli.terminal import corpus_table
    from sqale_assets.store import Store
    from sqale_assets.store.summary import summarise

    store = Store(settings.store)
    names, accepted, refused = catalogued(store)
    return corpus_table(summarise(store, names, accepted), refused, _published(store), settings.store)


def _published(store) -> dict[str, str]:
    """What was published and how it was verified, as rows of the closing table; nothing where it was not."""
    from sqale_assets.assets.published import PUBLISHED, VERIFICATION, read_datasets
    from sqale_assets.assets.quality_report import REPORT
    from sqale_assets.corpus.expectations import QualityRun
    from sqale_assets.corpus.verify import Verification

    verified, checked = store.root / PUBLISHED / VERIFICATION, store.root / REPORT / "results.json"
    if not verified.exists():
        return {}
    datasets, proof = read_datasets(store), Verification.model_validate_json(verified.read_bytes())
    schemas, queries = datasets["schemas"], datasets["queries"]
    rows = {
        "published databases, train + test": f"{schemas.rows('train'):,} + {schemas.rows('test'):,}",
        "published questions, train + test": f"{queries.rows('train'):,} + {queries.rows('test'):,}",
        f"read back by {proof.loader}": f"{proof.rows:,} rows, {proof.difference_count} differences",
        "gold queries that re-execute": f"{proof.gold_correct:,} of {proof.questions:,}",
    }
    if checked.exists():
        results = QualityRun.model_validate_json(checked.read_bytes()).results
        rows["quality expectations met"] = f"{sum(result.passed for result in results)} of {len(results)}"
    return rows


def status_of(settings: Settings):
    from sqale_assets.assets.stage import stale_schemas
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.cli.terminal import status_table
    from sqale_assets.store import Store
    from sqale_assets.store.summary import summarise

    store = Store(settings.store)
    names, accepted, _ = catalogued(store)
    stale = stale_schemas(STAGES, accepted, settings, store)
    stages = [
        stage.model_copy(update={"stale": len(stale[stage.asset])}) for stage in summarise(store, names, accepted)
    ]
    return status_table(stages)
