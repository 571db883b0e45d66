"""The one place that calls litellm, and how litellm is set up: quiet, local, nothing sent but the call.

litellm's own logging, cost and callback layers take two thirds of its CPU time per call (measured: 6.2 of
9.5 ms for an OpenAI-compatible server, 2.7 of 3.7 ms for a custom provider). All of it hangs on the
call's logging object, which litellm lets the caller pass: ours does nothing. Retries, cost and the
ledger are the gateway's.
"""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from sqale_assets.llm import offline
from sqale_assets.llm.errors import (
    Broken,
    FormatUnsupported,
    Misconfigured,
    Overloaded,
    Refused,
    TimedOut,
    redact,
    secret_values,
    without,
)
from sqale_assets.llm.routing import Target
from sqale_assets.llm.task import Message
from sqale_assets.settings import OFFLINE_MODEL

CHARACTERS_PER_TOKEN = 4
PRICES = ("input_cost_per_token", "output_cost_per_token")
_NUMBERS = itertools.count()
_TLS_CONTEXT = re.compile(r" ssl:<[^>]*>")
_WRAPPING = re.compile(r"\A(?:(?:litellm\.)?\w+(?:Error|Exception)(?:: | - ))+")


@dataclass(frozen=True, slots=True)
class Completion:
    """A provider's reply. `cost` in US dollars (0 where litellm knows no price), `cut` if it hit max_tokens."""

    text: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    cost: float = 0.0
    cut: bool = False


async def complete(target: Target, messages: list[Message], parameters: Mapping[str, Any]) -> Completion:
    """One call, without retries. `parameters` are litellm's (temperature, max_tokens, response_format, ...).

    Raises: one of the ProviderError kinds.
    """
    litellm = load_litellm()
    call = _call(target, messages, parameters)
    if target.offline:
        try:  # rules need the processor, not a socket: no thread, no event loop
            return _completion(target, litellm.completion(**call))
        except Exception as error:
            raise _root(error) from None  # a fault of the rules is a fault of ours: as it was raised
    try:
        return _completion(target, await litellm.acompletion(**call))
    except Exception as error:
        # `from None`: the original carries the request, its headers and the key.
        raise _explained(target, error) from None


def estimate_tokens(messages: list[Message]) -> int:
    """Roughly the tokens of `messages`: four characters each."""
    return sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN + 1


def price(target: Target) -> tuple[float, float] | None:
    """US dollars per (input, output) token; None if unknown.

    From the route's extra parameters `input_cost_per_token` and `output_cost_per_token`, else from
    litellm's own table.
    """
    if target.offline:
        return 0.0, 0.0
    if given := [target.extra.get(name) for name in PRICES if name in target.extra]:
        return float(given[0]), float(given[-1])
    return _listed_price(target.model)


@lru_cache(maxsize=256)
def _listed_price(model: str) -> tuple[float, float] | None:
    try:
        information = load_litellm().get_model_info(model)
    except Exception:  # litellm raises a bare Exception for a model that it does not list
        return None
    return information.get("input_cost_per_token") or 0.0, information.get("output_cost_per_token") or 0.0


@lru_cache(maxsize=1)
def load_litellm() -> Any:
    """litellm, imported on first use (seconds) and set up once."""
    # The price list of the installed version instead of one from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # OpenAI-compatible servers through litellm's aiohttp transport, not the openai SDK: 1.2 ms less per call.
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")
    # pydantic on litellm's own types, a page of them while the first call imports the rest of litellm
    warnings.filterwarnings("ignore", message=r"Items? .* on TypedDict class", category=UserWarning)
    import litellm
    from litellm.utils import custom_llm_setup

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    litellm.callbacks = []
    litellm.custom_provider_map = [{"provider": OFFLINE_MODEL.split("/")[0], "custom_handler": _rules_handler()}]
    custom_llm_setup()  # litellm does this while it builds its own logging object, which ours replaces
    return litellm


async def close_litellm() -> None:
    """Close the HTTP sessions that belong to the running loop."""
    if load_litellm.cache_info().currsize:
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()


def _rules_handler() -> Any:
    from litellm import CustomLLM

    class Rules(CustomLLM):
        """The offline model as litellm calls any provider."""

        def completion(self, *arguments: Any, **call: Any) -> Any:
            text = offline.respond(call["messages"])
            response = call["model_response"]
            response.choices[0].message.content = text
            response.usage.prompt_tokens = estimate_tokens(call["messages"])
            response.usage.completion_tokens = len(text) // CHARACTERS_PER_TOKEN + 1
            return response

    return Rules()


@lru_cache(maxsize=1)
def _silent_logging() -> type[Any]:
    from litellm.litellm_core_utils.litellm_logging import Logging

    class Silent(Logging):
        """litellm's logging object without what it would log, price and call back."""

        def response_cost_calculator(self, *_: Any, **__: Any) -> None:
            return None

        def claim_async_success_log(self) -> bool:
            return False

        def handle_sync_success_callbacks_for_async_calls(self, *_: Any, **__: Any) -> None:
            return None

        def success_handler(self, *_: Any, **__: Any) -> None:
            return None

        def failure_handler(self, *_: Any, **__: Any) -> None:
            return None

        async def async_failure_handler(self, *_: Any, **__: Any) -> None:
            return None

    return Silent


def _call(target: Target, messages: list[Message], parameters: Mapping[str, Any]) -> dict[str, Any]:
    logging = _silent_logging()(
        model=target.model,
        messages=messages,
        stream=False,
        call_type="completion" if target.offline else "acompletion",
        start_time=datetime.now(UTC).replace(tzinfo=None),
        litellm_call_id=str(next(_NUMBERS)),
        function_id="",
    )
    call = {
        "model": target.model,
        "messages": messages,
        "timeout": target.timeout,
        "max_retries": 0,
        "litellm_logging_obj": logging,
        **{name: value for name, value in target.extra.items() if name not in PRICES},
        **parameters,
    }
    if target.api_base:
        call["api_base"] = target.api_base
    if key := target.api_key:
        call["api_key"] = key
    return call


def _completion(target: Target, response: Any) -> Completion:
    try:
        choice, usage = response.choices[0], response.usage
        text = choice.message.content or ""
    except (AttributeError, IndexError, TypeError) as error:
        raise Broken("the response holds no message") from error
    tokens_in, tokens_out = usage.prompt_tokens or 0, usage.completion_tokens or 0
    details = getattr(usage, "prompt_tokens_details", None)
    cached = (getattr(details, "cached_tokens", None) or 0) if details else 0
    return Completion(
        text=text if target.offline else without(target.secrets | _secrets_at_start(), text),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=cached,
        cost=_cost(target, tokens_in, tokens_out, cached),
        cut=choice.finish_reason == "length",
    )


@lru_cache(maxsize=1)
def _secrets_at_start() -> frozenset[str]:
    """The environment's secrets, read once: replies are many, and hardly any repeats a key that was sent."""
    return frozenset(secret_values(os.environ))


def _cost(target: Target, tokens_in: int, tokens_out: int, tokens_cached: int) -> float:
    price_in, price_out = price(target) or (0.0, 0.0)
    if target.extra.keys() & PRICES or not price_in + price_out:
        return tokens_in * price_in + tokens_out * price_out
    return sum(
        load_litellm().cost_per_token(  # knows of tiers and of what the provider's own cache takes off
            model=target.model,
            prompt_tokens=tokens_in,
            completion_tokens=tokens_out,
            cache_read_input_tokens=tokens_cached,
        )
    )


def _root(error: BaseException) -> BaseException:
    """What was raised before litellm wrapped it."""
    while type(error).__module__.split(".")[0] in ("litellm", "openai") and (error.__cause__ or error.__context__):
        error = error.__cause__ or error.__context__
    return error


def _explained(target: Target, error: Exception) -> Exception:
    """litellm's exception as one of ours, its text redacted."""
    import openai
    from litellm import exceptions

    if isinstance(error, Broken):
        return error
    text = f"{target.model}: {redact(_first_line(error), target.secrets)}"
    if "response_format" in str(error):
        return FormatUnsupported(text)
    if "LLM Provider NOT provided" in str(error):
        return Misconfigured(f"{target.model}: litellm knows no such provider")
    match error:
        case exceptions.RateLimitError():
            return Overloaded(text, _retry_after(error))
        case exceptions.Timeout():
            return TimedOut(f"{target.model}: no reply within {target.timeout:g} s")
        case exceptions.ContextWindowExceededError() | exceptions.ContentPolicyViolationError():
            return Refused(text)
        case (
            exceptions.AuthenticationError()
            | exceptions.PermissionDeniedError()
            | exceptions.NotFoundError()
            | exceptions.PaymentRequiredError()
            | exceptions.LiteLLMUnknownProvider()
        ):
            return Misconfigured(text)
        case openai.BadRequestError() | openai.UnprocessableEntityError():
            return Refused(text)
        case exceptions.APIError() if 400 <= error.status_code < 500:
            return Refused(text)
        case _:
            return Broken(text)


def _first_line(error: Exception) -> str:
    """What the provider said, without the names of the exceptions that litellm wrapped around it."""
    line = _WRAPPING.sub("", next(iter(str(error).strip().splitlines()), "")) or type(error).__name__
    line = _TLS_CONTEXT.sub("", line)
    return line if len(line) <= 400 else line[:397] + "..."


def _retry_after(error: Any) -> float | None:
    """Seconds to wait: the header holds a number or a date."""
    value = (getattr(error, "litellm_response_headers", None) or {}).get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
