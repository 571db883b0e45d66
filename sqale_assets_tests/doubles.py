"""Test doubles shared by the test folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqale_assets.llm import offline
from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.llm.task import InvalidAnswer, Message, Reply, Task
from sqale_assets.records import LlmUsage


class OfflineLlm:
    """An `Llm` without a gateway: renders the real prompt file, asks `respond`, parses, shows errors twice.

    `calls` keeps (task name, messages, reply text) of every call, invalid ones included.
    """

    native_tools = False

    def __init__(
        self,
        respond: Callable[[list[Message]], str] = offline.respond,
        *,
        prompts: Path | None = None,
        attempts: int = 3,
    ):
        self._respond, self._prompts, self._attempts = respond, prompts, attempts
        self.calls: list[tuple[str, list[Message], str]] = []

    async def ask(self, task: Task[Any], *, sample: int = 0) -> Reply[Any]:
        messages = load_prompt(task.prompt, self._prompts).render(task)
        errors: list[str] = []
        text = ""
        for _ in range(self._attempts):
            text = self._respond(messages)
            self.calls.append((task.prompt, list(messages), text))
            try:
                value = parse_answer(task.answer, text)
            except ValueError as error:
                errors.append(str(error))
                messages = [
                    *messages,
                    {"role": "assistant", "content": text},
                    {"role": "user", "content": f"That answer is invalid:\n{error}\nAnswer again, complete."},
                ]
                continue
            return Reply(value=value, text=text, model="offline/rules", cached=False, tokens_in=0, tokens_out=0)
        raise InvalidAnswer(task.prompt, tuple(errors), text)

    @property
    def usage(self) -> LlmUsage:
        names = sorted({name for name, _, _ in self.calls})
        return LlmUsage(
            calls=len(self.calls),
            models=("offline/rules",) if names else (),
            prompts={name: load_prompt(name, self._prompts).label for name in names},
        )
