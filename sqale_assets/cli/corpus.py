"""Commands on a built corpus: sql, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, console, read_settings

if TYPE_CHECKING:
    from sqale_assets.store import Store


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
    from sqale_assets.corpus.hub import PushError, push
    from sqale_assets.store import Store

    opened = Store(settings.store)
    if why := why_unfit(opened):
        raise UserError(f"{why}; nothing was pushed.", 1)
    try:
        with opened.local_copy(PUBLISHED) as folder:
            done = push(folder, repo, private=not public, dry_run=dry_run)
    except PushError as error:
        raise UserError(str(error), 1) from None
    table = Table("file", "MB", title=f"{'Would push' if dry_run else 'Pushed'} to {done.repo} at {done.endpoint}")
    for file in done.files:
        table.add_row(file.path, f"{file.bytes / 1e6:,.2f}")
    console.print(table)


def why_unfit(store: Store) -> str:
    """Why a publication may not go up: what was found out about it is missing, unreadable or bad. Empty: it may."""
    from pydantic import ValidationError

    from sqale_assets.assets.published import EXPECTATIONS, PUBLISHED, VERIFICATION
    from sqale_assets.assets.release import read_verification
    from sqale_assets.corpus.expectations import QualityRun

    expectations, verified = store.root / EXPECTATIONS, store.root / PUBLISHED / VERIFICATION
    try:
        verification = read_verification(store)
    except ValidationError:
        return f"{verified} cannot be read; run `sqale build`, which verifies the publication again"
    if verification is None:
        return f"the publication was not read back by the authors' loader ({verified} is missing); run `sqale build`"
    if not verification.passed:
        return (
            f"the publication has {verification.difference_count} differences when the authors' loader reads it back, "
            f"or gold queries that fail; see {verified} and the check loader_verification"
        )
    if not expectations.exists():
        return f"there is no quality report of this publication ({expectations} is missing); run `sqale build`"
    try:
        run = QualityRun.model_validate_json(expectations.read_bytes())
    except ValidationError:
        return f"{expectations} cannot be read; run `sqale build`, which makes the quality report again"
    failed = [f"{each.suite}.{each.group}" for each in run.results if each.blocking and not each.passed]
    return f"expectations that block publication failed ({', '.join(failed)}); see {expectations}" if failed else ""
