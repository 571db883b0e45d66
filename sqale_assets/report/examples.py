"""Example records for the report: a small sample, chosen by hash, spread over difficulties and schemas."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from sqale_assets.corpus.members import Answered, Member
from sqale_assets.records import DIFFICULTIES
from sqale_assets.report.diagram import diagram

#: Per record: result rows shown, and characters of one message of the transcript.
ROWS, MESSAGE = 10, 1_200
#: At most so many records of one schema.
PER_SCHEMA = 3


class Example(BaseModel):
    """One record as the page shows it; `sql` is highlighted HTML, `diagram` an SVG."""

    question_id: str
    schema_id: str
    domain: str
    difficulty: str
    measured: str
    schema_tables: int
    relevant_tables: list[str]
    gold_tables: list[str]
    phrasings: dict[str, str]
    left_out: list[str]
    literals: list[dict[str, str | None]]
    sql: str
    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    transcript: list[dict[str, str]]
    verdicts: list[str]
    diagram: str


def sample_examples(members: Iterable[Member], *, count: int = 30, seed: int = 0) -> list[Example]:
    """About `count` records in one pass over any number of members, the same for the same corpus and seed."""
    per_level = _per_level(count)
    kept: dict[str, list[tuple[int, str, Example]]] = {difficulty: [] for difficulty in DIFFICULTIES}
    for member in members:
        ranked = sorted(member.answered(), key=lambda each: _rank(seed, each.question.question_id))
        for each in ranked[:PER_SCHEMA]:
            heap, key = kept[each.question.difficulty], -_rank(seed, each.question.question_id)
            if len(heap) < per_level:
                heapq.heappush(heap, (key, each.question.question_id, example_of(member, each)))
            elif key > heap[0][0]:
                heapq.heapreplace(heap, (key, each.question.question_id, example_of(member, each)))
    return _shuffled((example for heap in kept.values() for _, _, example in heap), seed)


def merged_samples(samples: Iterable[Sequence[Example]], *, count: int = 30, seed: int = 0) -> list[Example]:
    """What one pass over all members would have chosen, from the samples of parts of them."""
    everything = [example for sample in samples for example in sample]
    levels = ([each for each in everything if each.difficulty == difficulty] for difficulty in DIFFICULTIES)
    return _shuffled((example for level in levels for example in _shuffled(level, seed)[: _per_level(count)]), seed)


def example_of(member: Member, each: Answered) -> Example:
    """A record with everything that the page shows of it."""
    question, gold = each.question, each.gold
    return Example(
        question_id=question.question_id,
        schema_id=member.schema_id,
        domain=member.domain.label,
        difficulty=question.difficulty,
        measured=gold.measured_difficulty,
        schema_tables=len(member.extended.definition.tables),
        relevant_tables=list(question.relevant_tables),
        gold_tables=list(gold.tables),
        phrasings=dict(each.styled.phrasings),
        left_out=list(each.styled.left_out),
        literals=[proof.model_dump() for proof in question.literals],
        sql=highlighted(gold.sql),
        columns=list(gold.columns),
        rows=[list(row) for row in gold.result[:ROWS]],
        row_count=gold.row_count,
        transcript=[_message(message) for message in gold.transcript],
        verdicts=["accepted" if v.accepted else f"{v.category}: {v.reason}" for v in gold.verdicts],
        diagram=diagram(member.extended.definition, question.relevant_tables, gold.tables),
    )


def highlighted(sql: str) -> str:
    """The query as HTML, laid out and coloured; as it is where it cannot be parsed."""
    import sqlglot
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import SqlLexer

    with suppress(sqlglot.errors.SqlglotError):
        sql = sqlglot.parse_one(sql, read="sqlite").sql(dialect="sqlite", pretty=True)
    return highlight(sql, SqlLexer(), HtmlFormatter(nowrap=True))


def _message(message: dict[str, Any]) -> dict[str, str]:
    content = message.get("content", "")
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {"role": str(message.get("role", "")), "content": text if len(text) <= MESSAGE else text[:MESSAGE] + " …"}


def _per_level(count: int) -> int:
    return max(1, count // len(DIFFICULTIES))


def _shuffled(examples: Iterable[Example], seed: int) -> list[Example]:
    return sorted(examples, key=lambda example: _rank(seed, example.question_id))


def _rank(seed: int, question_id: str) -> int:
    return int.from_bytes(sha256(f"{seed}:report:{question_id}".encode()).digest()[:8], "big")
