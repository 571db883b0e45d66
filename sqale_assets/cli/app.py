"""What every command shares: the app, the consoles, settings with what the command line says, errors as messages."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from sqale_assets.files import disk_trouble
from sqale_assets.settings import Settings

if TYPE_CHECKING:
    from sqale_assets.store import Store

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Real database schemas in, a published and verified text-to-SQL corpus out.",
)
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
        # what has its default from a setting that is wrong is not wrong itself
        wrong = [item for item in error.errors() if item["type"] != "default_factory_not_called"]
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in wrong)
        raise UserError(f"settings: {problems}. They come from SQALE_* variables and sqale.yaml.") from None
    os.environ["SQALE_SOURCE"], os.environ["SQALE_STORE"] = str(chosen.source), chosen.store
    return chosen


def catalogued(store: Store) -> tuple[list[str], list[str], int]:
    """The partitioned assets, the accepted schemas, and how many sources were refused."""
    from sqale_assets.assets.schema_catalog import read_entries
    from sqale_assets.assets.stages import STAGES

    entries = read_entries(store)
    if not entries:
        raise UserError(f"{store.root} holds no catalogue yet; run `sqale build` first.")
    accepted = [entry.schema_id for entry in entries if entry.accepted]
    return [stage.name for stage in STAGES], accepted, len(entries) - len(accepted)


#: What Typer ends with on Ctrl-C, without a word.
INTERRUPTED = 130


def main() -> None:
    """The console script: turns expected errors into one message and an exit code."""
    from sqale_assets.llm.prompts import PromptError
    from sqale_assets.llm.task import GatewayUnavailable
    from sqale_assets.store import StoreError

    own = os.dup(1), os.dup(2)
    try:
        app()
    except UserError as error:
        _end(str(error), error.code, own)
    except (GatewayUnavailable, StoreError, PromptError) as error:
        _end(str(error), 1, own)
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        _end("interrupted; what was finished is kept, run the command again.", INTERRUPTED, own)
    except Exception as error:
        if trouble := disk_message(error):
            _end(trouble, 1, own)
        _restore_output(own)
        raise


def _restore_output(own: tuple[int, int]) -> None:
    """Standard output and error as they were: on a full disk a run's log captures them, and the message with it."""
    for number, descriptor in enumerate(own, start=1):
        os.dup2(descriptor, number)


def disk_message(error: BaseException) -> str:
    """What to say when an error comes of a full or broken disk; empty when it does not."""
    trouble = disk_trouble(error)
    if not trouble:
        return ""
    return f"the disk is full: free space where the store and DAGSTER_HOME lie, and run it again ({trouble[:200]})"


def _end(message: str, code: int, own: tuple[int, int] = (1, 2)) -> NoReturn:
    """Say what happened where the command was started, `own` being its output and error, and exit."""
    _restore_output(own)
    errors.print(f"[bold red]sqale:[/] {escape(message)}", highlight=False, soft_wrap=True)
    try:
        sys.stdout.flush()
    except OSError:  # it goes into a file on a full disk: Python would end with 120 instead
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
