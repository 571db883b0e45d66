"""Fixtures for the gateway: a prompt folder, two tasks, settings that point to a fake provider."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from sqale_assets.llm.task import Task, Text
from sqale_assets.settings import Settings

KEY = "sk-planted-key-0123456789"


class Names(BaseModel):
    names: tuple[str, ...]


class Echo(Task[Text]):
    prompt: ClassVar[str] = "echo"
    answer: ClassVar[type[BaseModel]] = Text

    text: str


class ListNames(Task[Names]):
    prompt: ClassVar[str] = "list_names"
    answer: ClassVar[type[BaseModel]] = Names

    topic: str


GOOD_NAMES = json.dumps({"names": ["ada", "grace"]})


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for task, field in (("echo", "text"), ("list_names", "topic")):
        (folder / f"{task}.md").write_text(
            f"---\ntask: {task}\nversion: 1\nstage: style\ntemperature: 0.5\nmax_tokens: 200\n---\n"
            f"## system\nTask: {task}\nAnswer.\n\n## user\n{{{{ {field} }}}}\n"
        )
    return folder


@pytest.fixture
def settings(tmp_path: Path, prompts: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Settings whose every stage asks the fake provider at `base_url`."""
    monkeypatch.setenv("FAKE_API_KEY", KEY)
    monkeypatch.delenv("SQALE_MODEL", raising=False)

    def build(
        base_url: str = "http://127.0.0.1:1/v1", *, route: dict[str, Any] | None = None, **changes: Any
    ) -> Settings:
        route = {
            "model": "openai/fake",
            "api_base": base_url,
            "api_key_env": "FAKE_API_KEY",
            "timeout": 5,
            **(route or {}),
        }
        return Settings(store=str(tmp_path / "store"), prompts=prompts, models={"style": route}, **changes)

    return build
