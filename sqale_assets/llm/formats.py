"""`response_format`: the answer type's JSON schema, in the form that a provider takes.

Tried from the strictest down: OpenAI's `json_schema`, `json_object` with a schema (llama.cpp, Fireworks),
nothing. A provider that refuses one is not asked with it again; parsing is tolerant either way.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_VALUE_BOUNDS = ("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf")
_BOUNDS = frozenset(_VALUE_BOUNDS) | {"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems"}
_DROPPED = _BOUNDS | {"default", "title"}
#: keywords whose keys are names of the answer's own, which may be spelled like a bound
_NAMED = frozenset({"properties", "$defs"})
FORMATS = ("json_schema", "json_object", None)


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What a provider and the cache need to know of an answer type: its name, its JSON schema (None for free text) as
    text in the order of its fields, and a digest of what counts as an answer."""

    name: str
    schema: str | None
    digest: bytes


@lru_cache(maxsize=512)
def answer_form(answer: type[BaseModel]) -> AnswerForm:
    if hasattr(answer, "parse_text"):
        return AnswerForm(answer.__name__, None, answer.__qualname__.encode())
    schema = answer.model_json_schema()
    digest = hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).digest()
    return AnswerForm(answer.__name__, json.dumps(schema), digest)


@lru_cache(maxsize=1024)
def response_format(answer: AnswerForm, form: str | None) -> dict[str, Any] | None:
    """The parameter for `answer`; None for free text and for providers without any."""
    if form is None or answer.schema is None:
        return None
    from openai.lib._pydantic import _ensure_strict_json_schema

    # Strict: every field is required, if only as null. A small model leaves out whatever it may leave out.
    whole = json.loads(answer.schema)
    schema = _structure(_ensure_strict_json_schema(whole, path=(), root=whole))
    if form == "json_object":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": answer.name, "schema": schema, "strict": True}}


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
