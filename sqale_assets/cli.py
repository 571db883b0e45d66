"""`sqale`: a thin command line over the same definitions, store and instance that the Dagster UI shows.

Every command ends with exit code 0, or 1 when something it was asked for failed, or 2 when it was asked wrongly;
an error is one message that says what, where and what to do.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from sqale_assets.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
console, errors = Console(), Console(stderr=True)

SourceOption = Annotated[
    Path | None, typer.Option(help="SchemaPile .json/.json.gz, one .sql, or a folder of .sql files.")
]
StoreOption = Annotated[str | None, typer.Option(help="Where artefacts go: a path or any fsspec URL.")]


class UserError(Exception):
    """Ends the command with its message. `code` 1: it failed; 2: it was asked wrongly."""

    def __init__(self, message: str, code: int = 2):
        super().__init__(message)
        self.code = code


def read_settings(source: Path | None = None, store: str | None = None, **overrides: Any) -> Settings:
    """Settings of this command; what was given goes into the environment too, for the processes it starts."""
    given = {"source": source and str(source.resolve()), "store": store, **overrides}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        chosen = Settings(**given)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise UserError(f"settings: {problems}. They come from SQALE_* variables and sqale.yaml.") from None
    os.environ["SQALE_SOURCE"], os.environ["SQALE_STORE"] = str(chosen.source), chosen.store
    return chosen


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
    from sqale_assets.terminal import Bars

    bars = Bars(console)
    with open_instance(settings) as instance, bars.progress:
        try:
            failed = run_build(settings, instance, bars, select=select, publish=publish)
        except BuildFailed as error:
            raise UserError(
                f"{error}\nWhat was finished is kept in {settings.store}; run the command again.", 1
            ) from None
    console.print(summary(settings))
    if failed:
        console.print(status_of(settings))
        raise UserError(f"some schemas failed in {', '.join(failed)}; run the command again to try only those.", 1)


@app.command()
def status(source: SourceOption = None, store: StoreOption = None) -> None:
    """Per stage: schemas done, rejected, failed and missing, with the reasons."""
    console.print(status_of(read_settings(source, store)))


@app.command()
def retry(source: SourceOption = None, store: StoreOption = None) -> None:
    """Run only the schemas that failed, through the stages that they failed in and those after."""
    settings = read_settings(source, store)
    from sqale_assets.automation.failed import failures
    from sqale_assets.store import Store

    opened = Store(settings.store)
    _, accepted, _ = _catalogued(opened)
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
    from sqale_assets.store import Store
    from sqale_assets.terminal import Bars

    opened = Store(settings.store)
    names, accepted, _ = _catalogued(opened)
    bars = Bars(console)
    with open_instance(settings) as instance, bars.progress:
        for name in names:
            bars.begin(name, len(accepted))
        reported = run_reconcile(opened, instance, bars)
    console.print(f"{reported:,} materializations reported from {settings.store}.")


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
    from sqale_assets.store import Store
    from sqale_assets.store.summary import summarise
    from sqale_assets.terminal import corpus_table

    store = Store(settings.store)
    names, accepted, refused = _catalogued(store)
    return corpus_table(summarise(store, names, accepted), refused, {}, settings.store)


def status_of(settings: Settings):
    from sqale_assets.store import Store
    from sqale_assets.store.summary import summarise
    from sqale_assets.terminal import status_table

    store = Store(settings.store)
    names, accepted, _ = _catalogued(store)
    return status_table(summarise(store, names, accepted))


def _catalogued(store) -> tuple[list[str], list[str], int]:
    """The partitioned assets, the accepted schemas, and how many were refused."""
    from sqale_assets.assets.schema_catalog import read_entries
    from sqale_assets.assets.stages import STAGES

    entries = read_entries(store)
    if not entries:
        raise UserError(f"{store.root} holds no catalogue yet; run `sqale build` first.")
    accepted = [entry.schema_id for entry in entries if entry.accepted]
    return [stage.name for stage in STAGES], accepted, len(entries) - len(accepted)


def main() -> None:
    """The console script: turns expected errors into one message and an exit code."""
    try:
        app()
    except UserError as error:
        errors.print(f"[bold red]sqale:[/] {error}", highlight=False, soft_wrap=True)
        sys.exit(error.code)
    except KeyboardInterrupt:
        errors.print("[bold red]sqale:[/] interrupted; what was finished is kept, run the command again.")
        sys.exit(130)


if __name__ == "__main__":
    main()
