"""Prompt files: one Markdown file per task, front matter first, then the messages as Jinja2.

    ---
    task: restyle_question
    version: 1
    stage: style
    temperature: 0.7
    max_tokens: 1200
    ---
    ## system
    Task: restyle_question
    ...
    ## user
    {{ question }}

A prompt's hash covers the whole file: it is part of the cache key, the ledger, provenance and the
asset's code version. Undefined variables are errors, never blanks.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import jinja2
import yaml
from pydantic import BaseModel, ConfigDict, NonNegativeFloat, PositiveInt, ValidationError

from sqale_assets.llm.task import Message, Task
from sqale_assets.settings import ModelStage, settings

_FRONT_MATTER = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^## (system|user)[ \t]*\n", re.MULTILINE)


class PromptError(Exception):
    """A prompt file is missing, ill-formed, or lacks a variable. Says which file and what to mend."""


class Prompt(BaseModel):
    """A prompt file as read. `temperature` and `max_tokens` are defaults that a route may override."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    version: PositiveInt
    stage: ModelStage
    temperature: NonNegativeFloat | None = None
    max_tokens: PositiveInt | None = None
    #: where a reply ends, e.g. after the first code block of an agent that would go on by itself
    stop: tuple[str, ...] = ()
    #: sha256 of the file, as hex
    hash: str
    path: Path
    system: str
    user: str

    @property
    def label(self) -> str:
        """Version and short hash, as ledger and provenance show it: "1@3f2a9c10"."""
        return f"{self.version}@{self.hash[:8]}"

    @cached_property
    def _templates(self) -> tuple[jinja2.Template, jinja2.Template]:
        environment = _environment()
        try:
            return environment.from_string(self.system), environment.from_string(self.user)
        except jinja2.TemplateSyntaxError as error:
            raise PromptError(f"{self.path}: {error.message} (line {error.lineno} of its section)") from error

    def render(self, task: Task[Any]) -> list[Message]:
        """The messages of `task`: system, user, then the task's turns."""
        variables = task.variables()
        try:
            system, user = (template.render(variables).strip() for template in self._templates)
        except jinja2.UndefinedError as error:
            known = ", ".join(sorted(variables)) or "none"
            raise PromptError(f"{self.path}: {error.message}; the task's variables are: {known}") from error
        return [{"role": "system", "content": system}, {"role": "user", "content": user}, *task.turns]


def load_prompt(task: str, folder: Path | None = None) -> Prompt:
    """The prompt file of `task` in `folder` (the settings' by default), re-read when the file changes."""
    path = (folder or settings().prompts) / f"{task}.md"
    try:
        stat = path.stat()
    except OSError as error:
        raise PromptError(f"{path}: no prompt file for task {task!r} ({error.strerror})") from error
    return _read(path, task, stat.st_mtime_ns, stat.st_size)


def all_prompts(folder: Path | None = None) -> dict[str, Prompt]:
    """Every prompt of `folder` by task name, sorted."""
    folder = folder or settings().prompts
    return {path.stem: load_prompt(path.stem, folder) for path in sorted(folder.glob("*.md")) if path.stem != "README"}


@lru_cache(maxsize=64)
def _read(path: Path, task: str, mtime_ns: int, size: int) -> Prompt:
    content = path.read_bytes()
    parts = _FRONT_MATTER.match(content.decode().replace("\r\n", "\n"))
    if parts is None:
        raise PromptError(f"{path}: must begin with YAML front matter between two lines '---'")
    _, *sections = _SECTION.split(parts["body"])
    if sections[::2] != ["system", "user"]:
        raise PromptError(f"{path}: needs the sections '## system' and '## user', once each, in that order")
    system, user = sections[1::2]
    if not system.lstrip().startswith(f"Task: {task}\n"):
        raise PromptError(f"{path}: the first line of '## system' must be 'Task: {task}'")
    try:
        prompt = Prompt(
            **_front_matter(parts["front"]),
            hash=hashlib.sha256(content).hexdigest(),
            path=path,
            system=system,
            user=user,
        )
    except (ValidationError, yaml.YAMLError, TypeError) as error:
        raise PromptError(f"{path}: front matter: {error}") from error
    if prompt.task != task:
        raise PromptError(f"{path}: front matter names task {prompt.task!r}, the file name says {task!r}")
    prompt._templates  # noqa: B018 - a syntax error belongs to reading, not to the first call
    return prompt


def _front_matter(text: str) -> dict[str, Any]:
    front = yaml.safe_load(text)
    if not isinstance(front, dict):
        raise TypeError("must be a mapping")
    return front


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    # Jinja's own tojson escapes for HTML: a model would read \u0027 for an apostrophe.
    environment.filters["tojson"] = _plain_json
    return environment


def _plain_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_jsonable)


def _jsonable(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)
