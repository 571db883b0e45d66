"""The offline model: deterministic rules that answer the same prompts as any language model.

One module per task, each with `respond(messages) -> str`, a pure function of the messages alone. The
first line of the system message, `Task: <name>`, says which rules answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from sqale_assets.llm.task import Message

_TASK_LINE = re.compile(r"\s*Task: ([a-z][a-z0-9_]*)[ \t]*(?:\n|\Z)")


class NoRules(LookupError):
    """The offline model has no rules for what it was asked."""


def respond(messages: list[Message]) -> str:
    """The reply's text. Raises NoRules when no task is named or none of the modules answers it."""
    task = _TASK_LINE.match(messages[0]["content"]) if messages else None
    if task is None:
        raise NoRules("the offline model needs 'Task: <name>' as the first line of the system message")
    return _rules(task[1])(messages)


@lru_cache
def _rules(task: str) -> Callable[[list[Message]], str]:
    name = f"{__name__}.{task}"
    try:
        return import_module(name).respond
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise NoRules(
            f"the offline model has no rules for task {task!r}; set SQALE_MODEL to a language model for it"
        ) from error


@lru_cache
def rules_version() -> str:
    """Eight hex digits over the rules' source: what identifies this model, as weights identify another."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:8]
