"""Commands on one file: read a dump, ask a database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.syntax import Syntax
from rich.table import Table

from sqale_assets.cli.app import UserError, app, console, read_settings
from sqale_assets.cli.terminal import turn_panel


@app.command()
def read(
    file: Annotated[Path, typer.Argument(help="A .sql file in any dialect.")],
    ddl: Annotated[bool, typer.Option(help="Show the resulting SQLite DDL, too.")] = False,
) -> None:
    """Read a SQL file into the schema model: what was kept, what was lost and why."""
    from sqale_assets.relational import report
    from sqale_assets.relational.reader import read_sql

    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}.") from None
    reading = read_sql(content)
    console.print(report.fidelity_report(file.name, reading))
    if ddl:
        console.print(report.ddl(reading))
    if not reading.schema.tables:
        raise UserError(f"{file}: no table could be read.", 1)


@app.command()
def ask(
    database: Annotated[Path, typer.Argument(help="Any SQLite file; it is opened read-only.")],
    question: Annotated[str, typer.Argument(help="A question in English.")],
) -> None:
    """Let the answering agent explore a database, round by round, and show its SQL and the result."""
    settings = read_settings()
    from sqale_assets.evaluation.agent import agent_of, evaluation_route
    from sqale_assets.evaluation.harness import answer_settings
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.sqlenv.database import Database
    from sqale_assets.stages.episodes import ask_database

    if not database.is_file():
        raise UserError(f"{database}: no such file.")
    if database.read_bytes()[:16] not in (b"SQLite format 3\x00", b""):
        raise UserError(f"{database}: not a SQLite database.")

    def watch(role: str, content: str) -> None:
        console.print(turn_panel(role, content))

    gateway = Gateway(settings)
    try:
        with Database.open(database) as opened:
            llm = agent_of(gateway, evaluation_route(settings), database.stem)
            bounds, tokens = answer_settings(settings), settings.evaluation.episode_tokens
            answer = asyncio.run(ask_database(opened, question, llm, bounds, watch, tokens=tokens))
    finally:
        gateway.close()
    if answer.sql is None or answer.result is None:
        raise UserError(f"no answer after {answer.rounds} rounds ({answer.ended_by}).", 1)
    console.print(Syntax(answer.sql, "sql", word_wrap=True))
    table = Table(*map(str, answer.result.columns))
    for row in answer.result.rows[:50]:
        table.add_row(*("NULL" if value is None else str(value) for value in row))
    console.print(table)
    console.print(f"rows: {len(answer.result.rows)}, rounds: {answer.rounds}, tokens read: {llm.usage.tokens_in:,}")
