"""`response_format`: the answer type's JSON schema, in the form that a provider takes.

Tried from the strictest down: OpenAI's `json_schema`, `json_object` with a schema (llama.cpp, Fireworks),
nothing. A provider that refuses one is not asked with it again; parsing is tolerant either way.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

FORMATS = ("json_schema", "json_object", None)


def response_format(answer: type[BaseModel], form: str | None) -> dict[str, Any] | None:
    """The parameter for `answer`; None for free text and for providers without any."""
    if form is None or hasattr(answer, "parse_text"):
        return None
    return _response_format(answer, form)


@lru_cache(maxsize=64)
def answer_digest(answer: type[BaseModel]) -> bytes:
    """A digest of what counts as an answer, for the cache key."""
    if hasattr(answer, "parse_text"):
        return answer.__qualname__.encode()
    return hashlib.sha256(json.dumps(answer.model_json_schema(), sort_keys=True).encode()).digest()


@lru_cache(maxsize=64)
def _response_format(answer: type[BaseModel], form: str) -> dict[str, Any]:
    if form == "json_object":
        return {"type": "json_object", "schema": answer.model_json_schema()}
    from openai.lib._pydantic import to_strict_json_schema

    return {
        "type": "json_schema",
        "json_schema": {"name": answer.__name__, "schema": to_strict_json_schema(answer), "strict": True},
    }
