"""One call to a model through litellm: what is sent, and what a reply is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqale_assets.llm.backend import load_litellm, silent_logging
from sqale_assets.llm.direct import acompletion
from sqale_assets.llm.errors import Broken, Misconfigured, secret_values, without
from sqale_assets.llm.failures import before_litellm, explained
from sqale_assets.llm.prices import PRICES, cost
from sqale_assets.llm.raw_prompt import raw_prompt
from sqale_assets.llm.routing import Target
from sqale_assets.llm.task import Message

#: Providers, as litellm names them, whose servers speak OpenAI's protocol.
_OPENAI_PROTOCOL = ("openai", "hosted_vllm", "text-completion-openai")
_HELLO: list[Message] = [{"role": "user", "content": "Reply with the single word: ok"}]


@dataclass(frozen=True, slots=True)
class Completion:
    """A provider's reply. `cost` in US dollars (0 where litellm knows no price), `cut` if it hit max_tokens.

    `tool_calls` as in `Message`, their arguments as the model wrote them.
    """

    text: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    cost: float = 0.0
    cut: bool = False
    tool_calls: tuple[dict[str, Any], ...] = ()


async def complete(target: Target, messages: list[Message], parameters: Mapping[str, Any]) -> Completion:
    """One call, without retries. `parameters` are litellm's (temperature, max_tokens, response_format, ...).

    Raises: one of the ProviderError kinds.
    """
    litellm = load_litellm()
    call = _call(target, messages, parameters)
    if target.offline:
        try:  # rules need the processor, not a socket: no thread, no event loop
            return _completion(target, litellm.completion(**call, litellm_logging_obj=silent_logging(call)))
        except Exception as error:
            raise before_litellm(error) from None  # a fault of the rules is a fault of ours: as it was raised
    try:
        return _completion(target, await acompletion(call))
    except Exception as error:
        # `from None`: the original carries the request, its headers and the key.
        raise explained(target, error) from None


async def hello(target: Target, seconds: float) -> None:
    """A test call of some 20 tokens that must be answered within `seconds`. Raises as `complete` does."""
    await complete(replace(target, timeout=min(seconds, target.timeout)), _HELLO, {"max_tokens": 16})


def _call(target: Target, messages: list[Message], parameters: Mapping[str, Any]) -> dict[str, Any]:
    model = target.model
    if target.endpoint == "completion" and not target.offline:
        model, messages = _completion_model(model), [{"role": "user", "content": raw_prompt(messages, target.opening)}]
    call = {
        "model": model,
        "messages": messages,
        "timeout": target.timeout,
        "max_retries": 0,
        **{name: value for name, value in target.extra.items() if name not in PRICES},
        **parameters,
    }
    if target.api_base:
        call["api_base"] = target.api_base
    if key := target.api_key:
        call["api_key"] = key
    return call


def _completion_model(model: str) -> str:
    """The model as litellm calls it to have `messages` sent as one prompt to /v1/completions."""
    provider, _, name = model.partition("/")
    if provider not in _OPENAI_PROTOCOL or not name:
        wanted = ", ".join(f"{each}/" for each in _OPENAI_PROTOCOL)
        raise Misconfigured(f"{model}: endpoint=completion needs a server of OpenAI's protocol ({wanted})")
    return f"text-completion-openai/{name}"


def _completion(target: Target, response: Any) -> Completion:
    try:
        choice, usage = response.choices[0], response.usage
        text = _thoughts(target, choice.message) + (choice.message.content or "")
    except (AttributeError, IndexError, TypeError) as error:
        raise Broken("the response holds no message") from error
    tokens_in, tokens_out = usage.prompt_tokens or 0, usage.completion_tokens or 0
    details = getattr(usage, "prompt_tokens_details", None)
    cached = (getattr(details, "cached_tokens", None) or 0) if details else 0
    calls = getattr(choice.message, "tool_calls", None) or ()
    return Completion(
        text=text if target.offline else without(target.secrets | _secrets_at_start(), text),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=cached,
        cost=cost(target, tokens_in, tokens_out, cached),
        cut=choice.finish_reason == "length",
        tool_calls=tuple(_tool_call(target, call, number) for number, call in enumerate(calls, start=1)),
    )


def _thoughts(target: Target, message: Any) -> str:
    """What the model thought before it answered, as it wrote it, for targets that keep it."""
    reasoning = getattr(message, "reasoning_content", None)
    return f"<think>{reasoning}</think>" if reasoning and target.keep_thoughts else ""


def _tool_call(target: Target, call: Any, number: int) -> dict[str, Any]:
    """A native call as it goes back in the next request. Some servers leave out its id."""
    arguments = call.function.arguments or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": call.function.name or "", "arguments": without(target.secrets | _secrets_at_start(), text)}
    return {"id": call.id or f"call_{number}", "type": "function", "function": function}


def takes_tools(target: Target) -> bool:
    """Whether litellm says that the model calls tools natively; not of a model that it does not know."""
    return not target.offline and bool(load_litellm().supports_function_calling(model=target.model))


@lru_cache(maxsize=1)
def _secrets_at_start() -> frozenset[str]:
    """The environment's secrets, read once: replies are many, and hardly any repeats a key that was sent."""
    return frozenset(secret_values(os.environ))
