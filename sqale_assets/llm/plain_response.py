"""Chat completions in which there is nothing to interpret, read without litellm's types: a tenth of its time.

Most replies are one text and three counts. Anything more, such as native tool calls, thoughts, errors in a 200, other
providers' fields, is litellm's to read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

_NOTHING = frozenset({"refusal", "annotations", "audio", "function_call", "tool_calls"})
_COUNTS = ("prompt_tokens", "completion_tokens")
_USAGE = frozenset({*_COUNTS, "total_tokens", "prompt_tokens_details", "completion_tokens_details"})
#: Why a text ends: others have other names with some providers, which litellm knows.
_ENDS = ("stop", "length")


def plain_response(response: Any) -> SimpleNamespace | None:
    """`response` with the attributes that are read of litellm's; None where it is not plain."""
    try:
        (choice,) = response["choices"]
        message, usage = choice["message"], response["usage"]
        text, cached = message["content"], (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        told = _told(message) <= {"role", "content"} and message["role"] == "assistant"
        counted = _told(usage) <= _USAGE and all(type(usage[name]) is int for name in _COUNTS)
        plain = (
            told and counted and isinstance(text, str) and "think" not in text and choice["finish_reason"] in _ENDS
            and (cached is None or type(cached) is int) and not response.get("error")
        )  # fmt: skip
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    if not plain:
        return None
    return SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content=text), finish_reason=choice["finish_reason"])],
        usage=SimpleNamespace(
            prompt_tokens=usage["prompt_tokens"], completion_tokens=usage["completion_tokens"],
            prompt_tokens_details=SimpleNamespace(cached_tokens=cached),
        ),
    )  # fmt: skip


def _told(fields: Mapping[str, Any]) -> set[str]:
    """The names of what is there; the usual fields may be empty."""
    return {name for name, value in fields.items() if not (name in _NOTHING and not value)}
