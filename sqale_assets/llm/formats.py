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

_VALUE_BOUNDS = ("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf")
_BOUNDS = frozenset(_VALUE_BOUNDS) | {"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems"}
_DROPPED = _BOUNDS | {"default", "title"}
#: keywords whose keys are names of the answer's own, which may be spelled like a bound
_NAMED = frozenset({"properties", "$defs"})
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
    from openai.lib._pydantic import to_strict_json_schema

    # Strict: every field is required, if only as null. A small model leaves out whatever it may leave out.
    schema = _structure(to_strict_json_schema(answer))
    if form == "json_object":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": answer.__name__, "schema": schema, "strict": True}}


def _structure(schema: Any) -> Any:
    """A JSON schema without its bounds on lengths and values, which pydantic checks anyway.

    OpenAI refuses most of them, and llama.cpp unrolls them into grammars that it then cannot parse: a
    `maxLength` of 1,200 crashed its server (llama-cpp-python 0.3, measured).
    """
    if isinstance(schema, list):
        return [_structure(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {key: _structure(value) for key, value in inner.items()} if name in _NAMED else _structure(inner)
        for name, inner in schema.items()
        if name not in _DROPPED
    }
