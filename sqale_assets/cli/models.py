"""Commands about language models: models, estimate, cache, prompt."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer
from upath import UPath

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, console, read_settings


@app.command()
def models(
    call: Annotated[bool, typer.Option(help="Test each route with one short call.")] = True,
) -> None:
    """The effective routing of every stage, and whether each route can be asked."""
    settings = read_settings()
    from sqale_assets.llm.check import check_routes
    from sqale_assets.llm.inspect import models_table
    from sqale_assets.llm.routing import stage_routes

    statuses = asyncio.run(check_routes(settings, call=call))
    console.print(models_table(stage_routes(settings), statuses))
    if any(status.problem for status in statuses):
        raise UserError("some routes cannot be asked; see the table.", 1)


@app.command()
def estimate(source: SourceOption = None, store: StoreOption = None) -> None:
    """Calls, tokens, money and hours that a build of the source will take; after a run, beside what it took."""
    settings = read_settings(source, store)
    from sqale_assets.llm.estimate import actual, forecast, keep_first
    from sqale_assets.llm.inspect import forecast_table
    from sqale_assets.stages.catalog import catalog
    from sqale_assets.store.sources import SourceError, open_source

    try:
        found = catalog(open_source(settings.source), settings=settings.catalog)
        schemas = sum(entry.accepted for entry, _ in found)
    except SourceError as error:
        raise UserError(str(error)) from None
    root = UPath(settings.store)
    made = keep_first(forecast(settings, schemas, root / "ledger"), root / "forecast.json")
    taken = actual(settings, root / "ledger")
    console.print(forecast_table(made, taken if taken.stages else None))


@app.command()
def cache(
    source: SourceOption = None,
    store: StoreOption = None,
    clear: Annotated[bool, typer.Option(help="Drop the replies (of --model and --task, where given).")] = False,
    model: Annotated[str | None, typer.Option(help="Only this model's replies.")] = None,
    task: Annotated[str | None, typer.Option(help="Only this task's replies.")] = None,
) -> None:
    """What the response cache holds, by model and task; with --clear, drop it."""
    settings = read_settings(source, store)
    from sqale_assets.llm.cache import ResponseCache, cache_path
    from sqale_assets.llm.inspect import cache_table

    opened = ResponseCache(cache_path(settings.store), megabytes=settings.cache_megabytes)
    try:
        if clear:
            console.print(f"{opened.clear(model=model, task=task):,} replies dropped.")
        else:
            console.print(cache_table(opened.entries()))
    finally:
        opened.close()


prompts = typer.Typer(no_args_is_help=True, help="Prompt files as they are sent.")
app.add_typer(prompts, name="prompt")


@prompts.command()
def render(
    task: Annotated[str, typer.Argument(help="Name of a prompt file, e.g. write_questions.")],
    schema_id: Annotated[str, typer.Argument(help="A schema of the catalogue.")],
    source: SourceOption = None,
    store: StoreOption = None,
) -> None:
    """Exactly what would be sent first for TASK on SCHEMA_ID, whose upstream stages have been built.

    Into a pipe or a file the messages go as JSON, without frames and line breaks of ours.
    """
    settings = read_settings(source, store)
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.assets.work import Work
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.llm.inspect import prompt_panels, render_first
    from sqale_assets.store import Store

    stage = next((stage for stage in STAGES if task in stage.prompts), None)
    if stage is None:
        known = ", ".join(sorted(name for each in STAGES for name in each.prompts))
        raise UserError(f"no stage sends a prompt named {task!r}; there are: {known}.")
    opened, gateway = Store(settings.store), Gateway(settings)

    class Only:
        """A gateway that gives every stage the same view."""

        def __init__(self, llm):
            self.for_schema = lambda stage, schema_id: llm

    async def first(scratch):
        llm = gateway.for_schema(stage.models[0], schema_id)

        async def build(stopper):
            return await stage.build(Work(schema_id, settings, opened, Only(stopper), scratch))

        return await render_first(task, build, llm, settings)

    with opened.scratch(stage.name, schema_id) as scratch:
        rendered = asyncio.run(first(scratch))
    if rendered is None:
        raise UserError(f"{stage.name} of {schema_id} makes no call of {task}.", 1)
    if console.is_terminal:
        console.print(prompt_panels(rendered))
    else:
        typer.echo(json.dumps(rendered.messages, ensure_ascii=False, indent=1))
