"""Are the routes fit to be used? One clear message before a run, not ten thousand failures in it.

First what needs no network (model names, keys, prices for a money limit), then one short call per
distinct target.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from sqale_assets.llm.backend import load_litellm
from sqale_assets.llm.errors import Broken, Overloaded, ProviderError, TimedOut, redact
from sqale_assets.llm.prices import price
from sqale_assets.llm.provider import hello
from sqale_assets.llm.routing import Target, targets_of
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import ModelStage, Settings

#: a test call must be answered within this part of the route's timeout: 30 s unless that was changed
CHECKS_PER_TIMEOUT = 4
#: seconds after which a test call is repeated that met a 429, a 5xx or a closed door
RETRY_AFTER = (0.25, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class RouteStatus:
    """A target, the stages that ask it, and what is wrong with it (None: nothing). `seconds` of the test call."""

    target: Target
    stages: tuple[ModelStage, ...]
    problem: str | None
    seconds: float | None = None


async def check_routes(settings: Settings, *, call: bool = True) -> list[RouteStatus]:
    """The state of every distinct target; with `call` False only what can be told without asking it."""
    checks = (_check(settings, target, stages, call) for target, stages in targets_of(settings))
    return list(await asyncio.gather(*checks))


async def require_routes(settings: Settings) -> None:
    """Raises GatewayUnavailable that names every unfit route and what to do about it."""
    unfit = [status for status in await check_routes(settings) if status.problem]
    if unfit:
        lines = [f"{status.target.model} ({', '.join(status.stages)}): {status.problem}" for status in unfit]
        raise GatewayUnavailable("models that cannot be asked:\n  " + "\n  ".join(lines))


async def _check(settings: Settings, target: Target, stages: tuple[ModelStage, ...], call: bool) -> RouteStatus:
    if target.offline:
        return RouteStatus(target, stages, None)
    problem = _wrong_by_itself(target) or _unpriced(settings, target)
    if problem or not call:
        return RouteStatus(target, stages, problem)
    began = time.monotonic()
    try:
        await _hello(target)
    except Overloaded as error:
        problem = f"{_said(target, error)} (it is there, but has no room now; lower `concurrency` or wait)"
    except Broken as error:
        problem = f"cannot be reached{_at(target)}: {_said(target, error)}"
    except ProviderError as error:
        problem = _said(target, error)
    return RouteStatus(target, stages, problem, time.monotonic() - began)


async def _hello(target: Target) -> None:
    """A test call. What a run's calls get over (a 429 now and then, a 500) does not keep the run from starting."""
    for wait in RETRY_AFTER:
        try:
            return await hello(target, target.timeout / CHECKS_PER_TIMEOUT)
        except TimedOut:
            raise
        except (Overloaded, Broken):
            await asyncio.sleep(wait)
    return await hello(target, target.timeout / CHECKS_PER_TIMEOUT)


def _said(target: Target, error: ProviderError) -> str:
    return str(error).removeprefix(f"{target.model}: ")


def _wrong_by_itself(target: Target) -> str | None:
    """What is wrong with the name or the key."""
    litellm = load_litellm()
    try:
        litellm.get_llm_provider(target.model, api_base=target.api_base)
    except Exception:  # litellm raises BadRequestError with a page of advice
        return (
            "litellm knows no such provider; a model is written provider/name, e.g. openai/gpt-4o-mini,"
            " anthropic/claude-sonnet-4-5, hosted_vllm/Qwen/Qwen2.5-Coder-32B-Instruct"
        )
    if target.api_key_env and not target.api_key:
        return f"its key is missing: set the environment variable {target.api_key_env}"
    missing = litellm.validate_environment(target.model, api_key=target.api_key, api_base=target.api_base)
    keys = [name for name in missing["missing_keys"] if not name.endswith("_API_BASE")]
    if keys and not target.api_key:
        return f"its key is missing: set {' and '.join(keys)}, or name another variable in `api_key_env`"
    return None


def _unpriced(settings: Settings, target: Target) -> str | None:
    """A limit in money cannot hold for a model without a price."""
    budget = settings.budget
    if (budget.dollars or budget.total_dollars) and price(target) is None:
        return (
            "litellm knows no price for it, so the limit in dollars cannot hold: limit tokens or calls instead,"
            " or give `extra: {input_cost_per_token: ..., output_cost_per_token: ...}`"
        )
    return None


def _at(target: Target) -> str:
    return f" at {redact(target.api_base, target.secrets)}" if target.api_base else ""
