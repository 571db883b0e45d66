"""The model under measurement: how it is reached and sampled."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from sqale_assets.llm.gateway import Gateway, SchemaLlm
from sqale_assets.llm.routing import StageRoute, Target, resolve, stage_route
from sqale_assets.settings import Settings

#: The name under which the ledger keeps these calls.
STAGE = "evaluation"


def evaluation_route(settings: Settings, model: str | None = None) -> StageRoute:
    """The route of `model`, else of `evaluation.route`, else the answering stage's; sampled as the settings say."""
    model = model or settings.evaluation.route.model
    if model is None:
        route = replace(stage_route(settings, "answer"), stage=STAGE)
    else:
        route = resolve(STAGE, model, settings.evaluation.route, settings)
    temperature = settings.evaluation.temperature if route.temperature is None else route.temperature
    return replace(route, targets=tuple(_sampled(each, settings) for each in route.targets), temperature=temperature)


def agent_of(gateway: Gateway, route: StageRoute, key: str) -> SchemaLlm:
    """The model as one episode sees it; it sums that episode's usage. `key` stands for the schema in the ledger."""
    return SchemaLlm(gateway, route, key)


def parameters_of(model: str) -> float | None:
    """The billions of parameters that a model's name tells, as in "qwen2.5-coder-1.5b"; None where it tells none."""
    found = re.findall(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z0-9])", model.lower())
    return float(found[0]) if found else None


def _sampled(target: Target, settings: Settings) -> Target:
    """The target with the sampling of the protocol, thoughts kept; what its own route says wins."""
    sampling = settings.evaluation
    extra = {"top_p": sampling.top_p, "stop": list(sampling.stop)}
    if sampling.top_k is not None and not _openai_itself(target):
        extra["top_k"] = sampling.top_k
    return replace(target, extra={**extra, **target.extra}, keep_thoughts=True)


def _openai_itself(target: Target) -> bool:
    """OpenAI's own service refuses parameters that it does not know; servers that speak its protocol take top_k."""
    elsewhere = target.api_base or os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    return target.model.startswith(("openai/", "text-completion-openai/")) and not elsewhere
