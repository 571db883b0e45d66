"""Commands on a built corpus: sql, publish."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, console, read_settings


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help='DuckDB SQL; "SHOW TABLES" lists what there is.')],
    source: SourceOption = None,
    store: StoreOption = None,
    limit: Annotated[int, typer.Option(help="Show at most so many rows.")] = 100,
) -> None:
    """Run a query over everything: schemas, queries, provenance, checks, ledger, quarantine."""
    settings = read_settings(source, store)
    import duckdb

    from sqale_assets.resources import duckdb_path

    path = duckdb_path(settings)
    try:
        with duckdb.connect(path, read_only=True) as connection:
            result = connection.execute(query)
            table = Table(*(column[0] for column in result.description or ()))
            rows = result.fetchmany(limit)
    except duckdb.IOException as error:
        raise UserError(f"{path} cannot be opened ({error}); build the corpus first.") from None
    except duckdb.Error as error:
        raise UserError(str(error)) from None
    for row in rows:
        table.add_row(*("NULL" if value is None else str(value) for value in row))
    console.print(table)


@app.command()
def publish(
    repo: Annotated[str, typer.Option(help="Dataset repository on the Hugging Face hub, owner/name.")],
    source: SourceOption = None,
    store: StoreOption = None,
    dry_run: Annotated[bool, typer.Option(help="Show what would go, and send nothing.")] = False,
    public: Annotated[bool, typer.Option(help="Make a new repository public.")] = False,
) -> None:
    """Push the published data sets, card and metadata (token in HF_TOKEN, another endpoint in HF_ENDPOINT)."""
    settings = read_settings(source, store)
    from sqale_assets.assets.published import PUBLISHED
    from sqale_assets.assets.quality_report import REPORT
    from sqale_assets.assets.release import read_release
    from sqale_assets.corpus.expectations import QualityRun
    from sqale_assets.corpus.hub import PushError, push
    from sqale_assets.store import Store

    opened = Store(settings.store)
    checked = opened.root / REPORT / "results.json"
    if not checked.exists():
        raise UserError("there is no quality report yet; run `sqale build` first.", 1)
    if not QualityRun.model_validate_json(checked.read_bytes()).passed:
        raise UserError(f"the quality report has failed expectations that block publication; see {checked}.", 1)
    verification = read_release(settings, opened).verification
    if verification is None or not verification.passed:
        said = "was not verified" if verification is None else f"has {verification.difference_count} differences"
        raise UserError(f"the publication {said} when it was read back by the authors' loader; run `sqale build`.", 1)
    try:
        with opened.local_copy(PUBLISHED) as folder:
            done = push(folder, repo, private=not public, dry_run=dry_run)
    except PushError as error:
        raise UserError(str(error), 1) from None
    table = Table("file", "MB", title=f"{'Would push' if dry_run else 'Pushed'} to {done.repo} at {done.endpoint}")
    for file in done.files:
        table.add_row(file.path, f"{file.bytes / 1e6:,.2f}")
    console.print(table)
