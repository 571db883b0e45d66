"""The annotating agent's environment: a source repository, seen through three tools with bounded results.

Where the repository lies (a folder, a server) is the business of whoever implements `Repository`. What its files say
is data for the agent, never an instruction to us.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

from sqale_assets.sqlenv.calls import Call

TOOLS = (
    'list_files(folder): the files below a folder, with their sizes in bytes; folder "" is the repository\'s root',
    "read_file(path, start=1): the lines of a text file from line `start` on",
    "search_text(text): the lines that contain the text, in any case, with file and line number",
)

MAX_FILES, MAX_CHARACTERS, MAX_MATCHES, MAX_CALLS = 200, 6_000, 30, 8
_MAX_LINE = 200


class RepositoryFile(NamedTuple):
    """A file's path within the repository, with slashes, and its size in bytes."""

    path: str
    size: int


class Match(NamedTuple):
    path: str
    line: int | None
    text: str


class RepositoryError(Exception):
    """A tool cannot do what was asked: no such file, no text, a server's refusal. The text is for the agent."""


class RepositoryUnavailable(Exception):
    """The server is down, or its rate limit reached: a failure of the machinery, to be tried again later."""


class Repository(Protocol):
    """A repository that can be looked into. Its methods raise RepositoryError or RepositoryUnavailable."""

    name: str
    evidence: Literal["repository", "github"]

    async def files(self) -> list[RepositoryFile]:
        """Every file, sorted by path."""
        ...

    async def read(self, path: str) -> str:
        """The text of a file."""
        ...

    async def search(self, text: str, limit: int) -> list[Match]:
        """At most `limit` lines that contain `text` in any case."""
        ...


async def run_call(repository: Repository, call: Call) -> str:
    """A tool's result as the agent sees it; what is wrong with the call is a result as well."""
    run: Callable | None = {"list_files": _list_files, "read_file": _read_file, "search_text": _search_text}.get(
        call.tool
    )
    if run is None:
        return f"error: there is no tool {call.tool!r}; the tools are list_files, read_file, search_text"
    try:
        result = await run(repository, **call.args)
    except RepositoryError as error:
        result = f"error: {error}"
    except TypeError:
        result = f"error: wrong arguments for {call.tool}: {json.dumps(call.args)[:200]}"
    return result.replace("```", "'''")


async def _list_files(repository: Repository, folder: str = "") -> str:
    prefix = str(folder).strip().strip("/").removeprefix(".").strip("/")
    prefix = f"{prefix}/" if prefix else ""
    found = [file for file in await repository.files() if file.path.startswith(prefix)]
    if not found:
        raise RepositoryError(f"no files below {folder!r}")
    # Shallow files first: they say most, and the list may be cut.
    found.sort(key=lambda file: (file.path.count("/"), file.path))
    lines = [f"{file.path} ({file.size})" for file in found[:MAX_FILES]]
    if len(found) > MAX_FILES:
        lines.append(f"... and {len(found) - MAX_FILES} more")
    return "\n".join(lines)


async def _read_file(repository: Repository, path: str, start: int = 1) -> str:
    lines = (await repository.read(str(path).strip().removeprefix("./").lstrip("/"))).splitlines()
    first = max(int(start), 1) - 1 if str(start).lstrip("-").isdigit() else 0
    text, end = "", first
    while end < len(lines) and len(text) < MAX_CHARACTERS:
        text += _cut(lines[end]) + "\n"
        end += 1
    more = f"... lines {end + 1} to {len(lines)} not shown" if end < len(lines) else ""
    return (text + more).strip() or "(empty)"


async def _search_text(repository: Repository, text: str) -> str:
    if not str(text).strip():
        raise RepositoryError("nothing to search for")
    found = await repository.search(str(text), MAX_MATCHES)
    lines = [f"{match.path}{f':{match.line}' if match.line else ''}: {_cut(match.text.strip())}" for match in found]
    return "\n".join(lines) or f"{text!r} does not occur"


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_LINE else line[:_MAX_LINE] + "..."
