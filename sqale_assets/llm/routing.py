"""Which model answers which stage: settings and environment resolved into one `StageRoute` per stage.

`SQALE_MODEL_<STAGE>` wins over `models.<stage>.model` of the settings, which wins over `SQALE_MODEL`.
Keys and base URLs may stay in litellm's own variables (OPENAI_API_KEY, OPENAI_API_BASE, ...); a route
only names the variable of its key, so that no secret ever lies in a settings object.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sqale_assets.llm.errors import secret_values
from sqale_assets.llm.offline import rules_version
from sqale_assets.settings import OFFLINE_MODEL, ModelStage, Route, Settings

STAGES: tuple[ModelStage, ...] = get_args(ModelStage)


@dataclass(frozen=True)
class Target:
    """One model at one address. Stages that share a target share its throttle and its circuit."""

    model: str
    api_base: str | None = None
    api_key_env: str | None = None
    timeout: float = 120.0
    concurrency: int = 64
    endpoint: Literal["chat", "completion"] = "chat"
    #: what the assistant's turns begin with on a completion endpoint
    opening: str = ""
    #: a reply begins with what the model thought, in a `<think>` block; litellm takes the block out of the text
    keep_thoughts: bool = False
    #: the provider's bounds; see rate.py
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    #: further litellm parameters; part of the cache key, not of the target's identity
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def offline(self) -> bool:
        """The embedded rules: no network, no price, always current, so neither cached nor throttled."""
        return self.model == OFFLINE_MODEL

    @property
    def api_key(self) -> str | None:
        """The key, if the route names its variable; None leaves it to litellm's own variables."""
        return os.environ.get(self.api_key_env) if self.api_key_env else None

    @property
    def secrets(self) -> set[str]:
        """What must never leave the process except to the provider."""
        return secret_values(self.extra) | ({self.api_key} if self.api_key else set())


@dataclass(frozen=True)
class StageRoute:
    """A stage's targets, first choice first, and what overrides its prompts' parameters."""

    stage: str
    targets: tuple[Target, ...]
    temperature: float | None = None
    max_tokens: int | None = None

    @property
    def label(self) -> str:
        """All of the route that decides an answer, for fingerprints: models, parameters, the rules' version."""
        models = [f"{target.model}@{rules_version()}" if target.offline else target.model for target in self.targets]
        return (
            f"{'|'.join(models)} t={self.temperature} n={self.max_tokens} {dict(self.targets[0].extra) or ''}".strip()
        )


def stage_route(settings: Settings, stage: ModelStage, environment: Mapping[str, str] = os.environ) -> StageRoute:
    """The effective route of `stage`."""
    route = settings.models.get(stage, Route())
    model = environment.get(f"SQALE_MODEL_{stage.upper()}") or route.model or settings.model
    return resolve(stage, model, route, settings)


def resolve(stage: str, model: str, route: Route, settings: Settings) -> StageRoute:
    """`model` and its fallbacks, reached as `route` says."""
    shared = {
        "timeout": route.timeout,
        "concurrency": route.concurrency or settings.concurrency,
        "requests_per_minute": route.requests_per_minute or settings.requests_per_minute,
        "tokens_per_minute": route.tokens_per_minute or settings.tokens_per_minute,
        "endpoint": route.endpoint,
        "opening": route.opening,
        "extra": route.extra,
    }
    first = Target(model, route.api_base, route.api_key_env, **shared)
    fallbacks = (Target(name, **shared) for name in route.fallbacks)
    return StageRoute(stage, (first, *fallbacks), route.temperature, route.max_tokens)


def stage_routes(settings: Settings) -> dict[ModelStage, StageRoute]:
    return {stage: stage_route(settings, stage) for stage in STAGES}


def targets_of(settings: Settings) -> Iterator[tuple[Target, tuple[ModelStage, ...]]]:
    """Each distinct target with the stages that may ask it."""
    stages: dict[Target, list[ModelStage]] = {}
    for stage, route in stage_routes(settings).items():
        for target in route.targets:
            stages.setdefault(target, []).append(stage)
    yield from ((target, tuple(names)) for target, names in stages.items())
