"""Replies of a real small model (Qwen2.5-Coder-1.5B), good and bad, read as the gateway reads them.

Recorded on the sample's city library, with the JSON schema sent along as `response_format`.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.task import InvalidAnswer
from sqale_assets.stages.answer_turns import AnswerQuestion
from sqale_assets.stages.domain import DescribeDomain
from sqale_assets.stages.extension import ExtendSchema
from sqale_assets.stages.judging import JudgeAnswer
from sqale_assets.stages.populating.task import FillTable
from sqale_assets.stages.questions import WriteQuestions
from sqale_assets.stages.styles import RestyleQuestion
from sqale_assets_tests.llm.conftest import ListNames
from sqale_assets_tests.llm.server import FakeProvider

TRANSCRIPTS = Path(__file__).parent / "transcripts"
_KINDS = (AnswerQuestion, DescribeDomain, ExtendSchema, FillTable, JudgeAnswer, RestyleQuestion, WriteQuestions)
TASKS = {task.prompt: task for task in _KINDS}


def read(name: str):
    """The recorded reply of that name, as its task's answer."""
    recorded = json.loads((TRANSCRIPTS / f"{name}.json").read_text())
    return parse_answer(TASKS[recorded["task"]].answer, recorded["text"])


def test_the_domain_is_read():
    domain = read("domain")
    assert domain.label == "general"
    assert domain.entities[0] == "library" and len(domain.entities) == 8


def test_the_judge_is_read():
    assert read("judge_accepts").accepted is True


def test_questions_are_read_even_where_their_literals_are_nonsense():
    questions = read("questions_with_words_for_literals").questions
    assert len(questions) == 2
    assert "order by" in questions[1].literals


def test_calls_that_come_in_one_batch_stay_one_text():
    text = read("answer_batches_its_calls").text
    assert text.count('"tool"') == 6 and text.startswith("```json")


def test_generators_and_tables_are_read_from_their_fences():
    assert read("generator_that_imports_random").source.startswith("from random import")
    assert read("two_tables_more").sql.lstrip().startswith("CREATE TABLE user_preference")


def test_a_field_that_may_be_left_out_is_left_out():
    """Why the schema is sent with every field required: 16 tokens and no phrasing before, seven phrasings after."""
    before, after = read("restyle_left_out_what_was_optional"), read("restyle_with_every_field_asked_for")
    assert before.model_dump(exclude_defaults=True).keys() == {"left_out"}
    assert all(after.model_dump().values())


@pytest.mark.parametrize("name", sorted(path.stem for path in TRANSCRIPTS.glob("*.json")))
def test_a_reply_cut_anywhere_is_read_or_refused(name):
    recorded = json.loads((TRANSCRIPTS / f"{name}.json").read_text())
    answer, text = TASKS[recorded["task"]].answer, recorded["text"]
    for cut in range(0, len(text), 7):
        try:
            parse_answer(answer, text[:cut])
        except ValueError as error:
            assert str(error)


def test_a_reply_to_another_question_is_refused_through_the_gateway(settings):
    reply = json.loads((TRANSCRIPTS / "answer_batches_its_calls.json").read_text())["text"]

    async def main():
        async with FakeProvider(lambda _: reply) as provider:
            gateway = Gateway(settings(provider.base_url, route={"max_tokens": 2000}))
            try:
                await gateway.for_schema("style", "s1").ask(ListNames(topic="x"))
            finally:
                await gateway.aclose()

    with pytest.raises(InvalidAnswer, match=r"names\.0: Input should be a valid string"):
        asyncio.run(main())
