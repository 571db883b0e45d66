"""The offline model's rules for describe_domain: scores of domain words over what the prompt or its tools show."""

from __future__ import annotations

import json

from sqale_assets.llm.offline.describing.exploring import next_turn
from sqale_assets.llm.offline.describing.reading import read_schema, read_source
from sqale_assets.llm.offline.describing.scoring import best_domain
from sqale_assets.llm.offline.describing.wording import describe, key_entities
from sqale_assets.llm.task import Message


def respond(messages: list[Message]) -> str:
    content = messages[1]["content"]
    if "```schema\n" not in content:
        return next_turn(messages)
    source, tables = read_source(content), read_schema(content)
    label = best_domain(source, tables)
    answer = {"label": label, "description": describe(label, tables), "entities": key_entities(label, tables)}
    return json.dumps(answer, ensure_ascii=False)
