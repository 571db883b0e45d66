"""`sqale settings`: every setting, what it is now, and the variable that changes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typer
from pydantic import BaseModel
from rich import box
from rich.table import Table

from sqale_assets.cli.app import SourceOption, StoreOption, app, console, read_settings
from sqale_assets.settings import REPOSITORY, Route, Settings


class Setting(NamedTuple):
    """One setting. `name` is dotted as in `sqale.yaml`, `variable` the environment's name for it."""

    name: str
    variable: str
    value: str
    description: str


@app.command("settings")
def show(
    source: SourceOption = None,
    store: StoreOption = None,
    markdown: Annotated[bool, typer.Option(help="As the table of docs/settings.md, with the defaults.")] = False,
) -> None:
    """Every setting with its value in effect, the variable that changes it, and what it means."""
    if markdown:
        print(markdown_table(), end="")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("meaning")
    for setting in walk(read_settings(source, store)):
        table.add_row(setting.name, setting.value, setting.description)
    console.print(table)
    console.print("In sqale.yaml by these names, or as variables: answers.tool_turns is SQALE_ANSWERS__TOOL_TURNS.")


def markdown_table() -> str:
    """The table of docs/settings.md: defaults only, without a path of this machine."""
    defaults = Settings.model_construct()
    lines = ["| setting | variable | default | meaning |", "|---|---|---|---|"]
    lines += [f"| `{s.name}` | `{s.variable}` | {_cell(s.value)} | {_cell(s.description)} |" for s in walk(defaults)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def walk(section: BaseModel, prefix: str = "") -> Iterator[Setting]:
    """The settings of a section and of those in it, in the order of `settings.py`. Routes are shown once."""
    for field, info in type(section).model_fields.items():
        name, value = f"{prefix}{field}", getattr(section, field, None)
        if isinstance(value, BaseModel) and not isinstance(value, Route):
            yield from walk(value, f"{name}.")
            continue
        yield Setting(name, _variable(name), _text(value), info.description or "")
        if field == "models":
            for stage, route in (value or {"<stage>": Route()}).items():
                yield from walk(route, f"{name}.{stage}.")


def _variable(name: str) -> str:
    return "SQALE_" + name.upper().replace(".", "__")


def _text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Route):
        return value.model or "as `models.<stage>`"
    return "none" if value is None or value == {} or value == "" else str(value).replace(f"{REPOSITORY}/", "")
