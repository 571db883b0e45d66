"""Offline rules for `restyle_question`: rewrites built from the parts of the question that the prompt shows."""

from __future__ import annotations

import hashlib
import json
import re
from random import Random

from sqale_assets.llm.offline.restyling.phrases import Request
from sqale_assets.llm.offline.restyling.voices import rewrite
from sqale_assets.llm.task import Message


def respond(messages: list[Message]) -> str:
    """The styles asked for as JSON. Other faults, another voice or a shown error give other rewrites."""
    prompt = messages[1]["content"]
    request = Request(
        question=_fence(prompt, "question"),
        values=tuple((value["value"], value["is"]) for value in json.loads(_fence(prompt, "values"))),
        terms=tuple(json.loads(_fence(prompt, "terms"))),
        subjects=tuple(json.loads(_fence(prompt, "subjects"))),
        refused=frozenset(json.loads(_fence(prompt, "faults"))) if "```faults\n" in prompt else frozenset(),
    )
    conversation = "\n".join(message["content"] for message in messages)
    answer: dict[str, object] = {"left_out": []}
    for style in json.loads(_fence(prompt, "styles")):
        rng = Random(hashlib.sha256(f"{style}\n{conversation}".encode()).hexdigest())
        answer[style], left_out = rewrite(request, style, rng)
        if left_out:
            answer["left_out"] = list(left_out)
    return json.dumps(answer, ensure_ascii=False, indent=1)


def _fence(prompt: str, name: str) -> str:
    match = re.search(rf"^```{name}\n(.*?)\n```$", prompt, re.DOTALL | re.MULTILINE)
    if match is None:
        raise ValueError(f"the prompt has no ```{name} block")
    return match[1]
