"""Finding tool calls, native or written as text, and SQL written as text, in a model's reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder(strict=False)  # line breaks inside strings are common and harmless
#: Braces that begin no JSON, after which a reply is given up: each costs time in the length of the reply.
_MOST_FAILURES = 200
_ARGUMENTS = ("args", "arguments", "parameters")
_LOOKS_LIKE_CALL = re.compile(r'\{\s*"(?:tool|name)"\s*:')
_FENCE = re.compile(r"```[ \t]*(?:sql|sqlite)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_STATEMENT = re.compile(r"(?:^|\n)\s*((?:SELECT|WITH)\b.*)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Call:
    """A tool call as written: neither the tool's name nor its arguments are checked yet."""

    tool: str
    args: dict[str, Any]

    def __hash__(self) -> int:
        return hash((self.tool, json.dumps(self.args, sort_keys=True)))


def strip_thoughts(reply: str) -> str:
    """The reply without its `<think>` blocks; one that was never closed hides all that follows."""
    closed, mark, rest = reply.rpartition("</think>")
    text = re.sub(r"<think>.*?</think>", "", closed + mark, flags=re.DOTALL) + rest.partition("<think>")[0]
    # Chat templates may open the block in the prompt, so that the reply only closes it.
    return text.rpartition("</think>")[2].strip()


def find_calls(text: str) -> tuple[list[Call], str | None]:
    """The calls in `text`, in order, and what was wrong with the first that could not be read.

    A call is a JSON object `{"tool": name, "args": {...}}`. Also read are the arguments beside the tool, calls inside
    `{"call": ...}`, and `{"name": ..., "arguments": ...}`, which many models are trained to write.
    """
    calls: list[Call] = []
    broken: str | None = None
    failures = 0
    position = text.find("{")
    while position >= 0 and failures < _MOST_FAILURES:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError) as error:
            failures += 1
            if broken is None and _LOOKS_LIKE_CALL.match(text, position):
                broken = f"{error}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            position = text.find("{", position + 1)
            continue
        if call := _as_call(value.get("call", value) if isinstance(value, dict) else value):
            calls.append(call)
        position = text.find("{", end)
    return calls, broken


def native_calls(tool_calls: Iterable[Mapping[str, Any]]) -> list[Call]:
    """The calls of an assistant message's `tool_calls` in OpenAI's form, one for each, however malformed."""
    functions = [each.get("function") for each in tool_calls]
    return [(_as_call(function) if isinstance(function, Mapping) else None) or Call("", {}) for function in functions]


def fenced_sql(text: str) -> str | None:
    """SQL written as text: the last fenced block that is a query, else the text from its first SELECT or WITH on."""
    for block in reversed(_FENCE.findall(text)):
        if _STATEMENT.match(block):
            return block.strip()
    bare = _STATEMENT.search(text)
    return bare.group(1).strip() if bare else None


def _as_call(value: Any) -> Call | None:
    if not isinstance(value, Mapping):
        return None
    name = value.get("tool", value.get("name"))
    if not isinstance(name, str):
        return None
    args = next((value[key] for key in _ARGUMENTS if key in value), None)
    if isinstance(args, str):  # arguments as a JSON string, the OpenAI way; models leave them empty for none
        try:
            args = json.loads(args, strict=False) if args.strip() else {}
        except (json.JSONDecodeError, RecursionError):
            return Call(name.strip(), {"arguments": args})
    if args is None:
        args = {key: each for key, each in value.items() if key not in ("tool", "name", *_ARGUMENTS)}
    return Call(name.strip(), args) if isinstance(args, dict) else Call(name.strip(), {"arguments": args})
