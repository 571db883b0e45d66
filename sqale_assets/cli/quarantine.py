"""`sqale quarantine`: what was refused, and one answer played again as environment and gates see it today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.syntax import Syntax
from rich.table import Table

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, catalogued, console, read_settings
from sqale_assets.cli.terminal import turn_panel

if TYPE_CHECKING:
    from sqale_assets.assets.quarantine import Quarantined
    from sqale_assets.settings import Settings
    from sqale_assets.store import Store


@app.command()
def quarantine(
    source: SourceOption = None,
    store: StoreOption = None,
    stage: Annotated[str | None, typer.Option(help="Only items that this stage refused.")] = None,
    reason: Annotated[str | None, typer.Option(help="Only items refused for this reason.")] = None,
    schema: Annotated[str | None, typer.Option(help="Only items of this schema id.")] = None,
    limit: Annotated[int, typer.Option(help="Show at most so many items.")] = 50,
    replay: Annotated[str | None, typer.Option(help="Play the answer of this item again, by its id.")] = None,
) -> None:
    """What was refused, by which stage, why, and on what evidence; --replay ITEM shows one answer round by round."""
    settings = read_settings(source, store)
    from sqale_assets.assets.quarantine import quarantined
    from sqale_assets.store import Store

    opened = Store(settings.store)
    catalogued(opened)
    if replay:
        found = next((each for each in quarantined(opened) if each.item_id == replay), None)
        if found is None:
            raise UserError(f"the quarantine holds no item {replay}; `sqale quarantine` lists them.")
        _replay(found, opened, settings)
        return
    table = Table("id", "schema", "stage", "reason", "item", "evidence")
    shown = total = 0
    for item_id, schema_id, item in quarantined(opened):
        if (stage or item.stage) != item.stage or (reason or item.reason) != item.reason:
            continue
        if (schema or schema_id) != schema_id:
            continue
        total += 1
        if shown < limit:
            shown += 1
            cells = (item_id, schema_id, item.stage, item.reason, item.item[:200], item.evidence[:200])
            table.add_row(*map(escape, cells))
    console.print(table)
    console.print(f"{shown} of {total} items shown.")


def _replay(found: Quarantined, store: Store, settings: Settings) -> None:
    """Show the rounds of a refused answer as the agent would be told them today, and what the gates say of it now."""
    from sqale_assets.records import Questions
    from sqale_assets.sqlenv.database import Database, Limits
    from sqale_assets.stages.answers import examine_answer, question_of
    from sqale_assets.stages.episodes import replay, shown

    item = found.item
    console.print(f"[bold]{escape(item.item)}[/]\nrefused by {item.stage}: {escape(f'{item.reason}: {item.evidence}')}")
    question = None
    if item.transcript and store.manifest("questions", found.schema_id):
        question = question_of(item, store.record(Questions, "questions", found.schema_id))
    if question is None:
        raise UserError(
            f"{found.item_id} cannot be played again: only answers to questions that are still there can.", 1
        )
    limits = Limits(seconds=settings.answers.query_seconds)
    place = store.local_database("populated_database", found.schema_id)
    with place as path, Database.open(path, limits=limits) as database:
        episode = replay(database, item.transcript, settings.answers)
        for now, then in zip(episode.transcript, item.transcript, strict=False):
            changed = now["role"] != "assistant" and now["content"] != then["content"]
            told = f"{now['content']}\n(told otherwise then)" if changed else now["content"]
            console.print(turn_panel(now["role"], shown(told, now.get("tool_calls", ()))))
        if episode.sql is None:
            console.print("No query came of it, then as now.")
            return
        failure = examine_answer(episode.sql, question, database).failure
    console.print(Syntax(episode.sql, "sql", word_wrap=True))
    verdict = f"{failure.reason}: {failure.evidence}" if failure else "it passes; the judge is not asked"
    console.print(f"The gates now say: {escape(verdict)}")
