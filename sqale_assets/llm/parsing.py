"""From a reply's text to the answer: tolerant of what models do to JSON, strict about what it means.

Tolerated: reasoning blocks, code fences, prose around, single quotes, trailing commas, a bare list where
an object with one list was asked for, arrays that were cut off (complete items are kept, the broken
last one is dropped). Not tolerated: anything the answer's pydantic type refuses. The text of the
ValueError is written for the model: it is what goes back with the second try.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

A = TypeVar("A", bound=BaseModel)

MAX_ERRORS = 8
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<body>.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_ENDS_WHOLE = re.compile(r"(?:[\"'}\]]|true|false|null)\s*\Z")
_CLOSING = {"{": "}", "[": "]"}


def parse_answer(answer_type: type[A], text: str) -> A:
    """Read `text` as `answer_type`. Raises ValueError saying what to mend."""
    text = _THINKING.sub("", text, count=1).strip()
    try:
        if parse_text := getattr(answer_type, "parse_text", None):
            return parse_text(text)
        return _parse_json(answer_type, text)
    except ValidationError as error:
        raise ValueError(explain(error)) from error


def explain(error: ValidationError) -> str:
    """A validation error in a model's terms: one line per problem, at most `MAX_ERRORS`."""
    problems = [
        f"{'.'.join(map(str, problem['loc'])) or 'answer'}: {problem['msg']}{_seen(problem)}"
        for problem in error.errors(include_url=False, include_context=False)
    ]
    if len(problems) > MAX_ERRORS:
        problems[MAX_ERRORS:] = [f"and {len(problems) - MAX_ERRORS} more"]
    return "\n".join(problems)


def _seen(problem: Any) -> str:
    if problem["type"] == "missing":
        return ""
    seen = repr(problem["input"])
    return f" (got {seen if len(seen) <= 80 else seen[:77] + '...'})"


def _parse_json(answer_type: type[A], text: str) -> A:
    """The first candidate that validates; else the errors of the one that got furthest."""
    errors: list[ValidationError] = []
    for value in _candidates(text):
        try:
            return answer_type.model_validate(_shaped(answer_type, value))
        except ValidationError as error:
            errors.append(error)
    if errors:
        raise max(errors, key=lambda error: max(len(problem["loc"]) for problem in error.errors()))
    if not text:
        raise ValueError("The reply is empty. Answer with one JSON object.")
    raise ValueError("The reply holds no complete JSON. Answer with one JSON object and nothing else.")


def _candidates(text: str) -> Iterator[Any]:
    """JSON values that the reply may mean, likeliest first: as it is, fenced, then mended."""
    fenced = [match["body"].strip() for match in _FENCE.finditer(text)]
    for span in [text, *fenced]:
        try:
            yield json.loads(span)
        except ValueError:
            continue
    for span in [*fenced, text]:
        values = list(_mended(span))
        if len(values) > 1:
            yield values
        yield from values


def _mended(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """What json-repair makes of each object or list in `text`, without what was cut off."""
    import json_repair

    start = 0
    while opening := _OPENING.search(text, start):
        rest = text[opening.start() :]
        span = _span(rest)
        start = opening.start() + len(rest if span is None else span)
        if span is None:
            span = _complete(rest)
        value = json_repair.loads(span) if span else None
        if isinstance(value, dict | list) and value:
            yield value


def _brackets(text: str) -> Iterator[tuple[int, str]]:
    """Positions of the brackets and commas of a JSON text, and of its last quote if that stays open."""
    quote, quoted_at, position = "", 0, 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote, quoted_at = character, position
        elif character in "{}[],":
            yield position, character
        position += 1
    if quote:
        yield quoted_at, quote


def _span(text: str) -> str | None:
    """The value that `text` begins with, without what follows it; None when its end is missing."""
    depth = 0
    for position, character in _brackets(text):
        depth += (character in "{[") - (character in "}]")
        if depth == 0:
            return text[: position + 1]
    return None


def _complete(text: str) -> str | None:
    """A value that was cut off, up to the last complete item of its outermost open list, and closed.

    Without such a list, the value as far as it goes, unless it breaks off within a value: half a
    sentence or half a number is no answer.
    """
    stack: list[str] = []
    items_end: dict[int, int] = {}  # depth of a list -> end of its last complete item
    for position, character in _brackets(text):
        if character in "{[":
            stack.append(character)
            items_end.pop(len(stack), None)
        elif character in "}]":
            stack.pop()
        if stack[-1] == "[" and character in "}],":
            items_end[len(stack)] = position + (character != ",")
    if "[" not in stack:
        return text if _ENDS_WHOLE.search(text) and character not in "\"'" else None
    depth = stack.index("[") + 1
    if depth not in items_end:
        return None
    return text[: items_end[depth]] + "".join(_CLOSING[bracket] for bracket in reversed(stack[:depth]))


def _shaped(answer_type: type[BaseModel], value: Any) -> Any:
    """A bare list, put where the answer's one list belongs; anything else as it is."""
    if not isinstance(value, list):
        return value
    fields = answer_type.model_fields
    lists = [name for name, field in fields.items() if get_origin(field.annotation) in (list, tuple)]
    if len(lists) == 1 and all(name in lists or not field.is_required() for name, field in fields.items()):
        return {lists[0]: value}
    return value[0] if len(value) == 1 else value
