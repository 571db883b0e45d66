"""Whole conversations with a real small model (Qwen2.5-Coder-1.5B), repair turns included, replayed through the stages.

A loopback server gives the recorded replies in turn, the last one again if more are asked for. The stages, gateway and
prompts are the real ones.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sqale_assets.llm.gateway import Gateway
from sqale_assets.records import DomainDescription, ExtendedSchema, Question, Questions, SourceFile
from sqale_assets.relational.sqlite import create_table, open_memory, quote
from sqale_assets.settings import REPOSITORY, AnswerSettings, ExtensionSettings, QuestionSettings, StyleSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.answers import answer_questions
from sqale_assets.stages.domain import describe_domain
from sqale_assets.stages.extension import extend_schema
from sqale_assets.stages.populating.task import FillTable
from sqale_assets.stages.questions import ask_questions
from sqale_assets.stages.sandbox import Sandbox
from sqale_assets.stages.source import read_source
from sqale_assets.stages.styles import restyle
from sqale_assets_tests.llm.server import FakeProvider

CONVERSATIONS = Path(__file__).parent / "transcripts" / "conversations"


def source(name: str):
    content = (REPOSITORY / "sample" / f"{name}.sql").read_bytes()
    file = SourceFile(schema_id=name, name=f"{name}.sql", format="sql", sha256="0" * 64, bytes=len(content))
    return read_source(file, content, rows_per_table=200)


def database(name: str) -> Database:
    """A sample database with its original rows only."""
    read = source(name)
    connection = open_memory(read.definition)
    for table in read.definition.tables:
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f"INSERT INTO {quote(table.name)} VALUES ({marks})", read.rows.get(table.name, ()))
    return Database.from_connection(connection)


def domain(name: str) -> DomainDescription:
    return DomainDescription(
        schema_id=name, label="general", description="What is kept.", entities=("thing",), evidence="schema"
    )


@pytest.fixture
def converse(settings) -> Callable[..., tuple[Any, list[str]]]:
    """Run a stage against a recorded conversation: its result, and the last message of every request."""

    def run(name: str, stage: Callable[[Any], Awaitable[Any]]) -> tuple[Any, list[str]]:
        replies = json.loads((CONVERSATIONS / f"{name}.json").read_text())["replies"]

        async def main() -> tuple[Any, list[str]]:
            async with FakeProvider(lambda _: replies[min(len(provider.requests), len(replies)) - 1]) as provider:
                gateway = Gateway(
                    settings(provider.base_url, route={"timeout": 60}).model_copy(
                        update={"prompts": REPOSITORY / "prompts"}
                    )
                )
                try:
                    result = await stage(gateway.for_schema("style", "s"))
                finally:
                    await gateway.aclose()
                return result, [request.last_message for request in provider.requests]

        return asyncio.run(main())

    return run


def test_a_domain_in_one_call(converse):
    found, asked = converse("domain_in_one_call", lambda llm: describe_domain(source("museum_collection"), llm))
    assert (found.label, found.entities) == ("general", ("artwork", "artist", "gallery", "loan out"))
    assert len(asked) == 1


def test_a_table_that_hangs_on_nothing_is_asked_again_and_only_what_is_missing_is_taken(converse):
    extended, asked = converse(
        "extension_detached_then_attached",
        lambda llm: extend_schema(
            source("museum_collection"),
            domain("museum_collection"),
            llm,
            settings=ExtensionSettings(extra_tables=1, tables_per_call=1),
            seed=0,
        ),
    )
    assert "Role: no foreign key leads from or to it" in asked[1]
    assert [table.name for table in extended.definition.tables if table.origin == "added"] == ["Feedback"]
    assert not extended.rejected and extended.style_conformity >= 0.9
    assert "REFERENCES Artwork" in create_table(extended.definition.table("Feedback")).replace('"', "")


def test_a_generator_runs_as_it_came(converse):
    task = FillTable(
        domain="a library", table="newsletters", role="fact", ddl="CREATE TABLE newsletters (newsletter_id INTEGER)",
        columns="newsletter_id | integer | primary key", rows="", parents="", language="English", count=3,
    )  # fmt: skip
    reply, _ = converse("generator_with_a_key_that_is_a_key", lambda llm: llm.ask(task))
    names = ["newsletter_id", "title", "content", "published_date"]
    with Sandbox() as sandbox:
        columns = sandbox.run_now(reply.value.source, columns=names, n=3, parents={}, seed="0")
    assert columns["newsletter_id"] == [12, 13, 14]
    assert all(len(date) == 10 for date in columns["published_date"])


def asked_of(name: str, converse, conversation: str) -> tuple[Questions, list[str]]:
    read = source(name)
    extended = ExtendedSchema(schema_id=name, definition=read.definition, target_tables=1, style_conformity=1.0)
    settings = QuestionSettings(per_schema=3)
    return converse(
        conversation,
        lambda llm: ask_questions(extended, domain(name), database(name), llm, settings=settings, seed=0),
    )


def test_a_question_in_identifiers_comes_back_in_words(converse):
    questions, asked = asked_of("farm_cooperative", converse, "questions_in_identifiers_then_mended")
    assert "'fieldId' is a name from the definitions; say it in words" in asked[1]
    assert "Which field has the most area of land?" in [question.text for question in questions.questions]


def test_what_is_refused_and_written_once_more_stays_refused(converse):
    """The model wrote the same three questions three times; since then it is told what else to ask about."""
    questions, asked = asked_of("city_library", converse, "questions_written_once_more")
    assert "'1984' is not in the data" in asked[1] and "Ask about something else, for instance the " in asked[1]
    assert "1984" in questions.rejected[0].item and questions.rejected[0].reason == "ungrounded"
    assert len({question.text for question in questions.questions}) == len(questions.questions)


def test_rewrites_repeated_word_for_word_reject_the_question(converse):
    text = "Which branch has the most copies?"
    question = Question(question_id="q", text=text, difficulty="simple", relevant_tables=("branch", "copy"))
    styled, asked = converse(
        "rewrites_repeated_word_for_word",
        lambda llm: restyle(
            Questions(schema_id="s", questions=(question,)),
            source("city_library").definition,
            llm,
            settings=StyleSettings(),
            seed=0,
        ),
    )
    assert '"requirements_list": "it no longer says the highest' in asked[1]
    assert "branches in the library" not in asked[1].partition("```faults")[2], "refused texts are copied"
    assert not styled.questions and styled.rejected[0].reason == "unusable_phrasing"
    assert "structured" not in asked[1].partition("```styles")[2].partition("```")[0], "its steps may count"


def test_who_submits_a_broken_query_again_is_shown_the_last_one_that_ran(converse):
    """Ten turns, eight of them with the same broken submission: nothing that was said got the model out of it."""
    read = source("farm_cooperative")
    extended = ExtendedSchema(schema_id="s", definition=read.definition, target_tables=1, style_conformity=1.0)
    text = "Which field has the most area of land?"
    question = Question(question_id="q", text=text, difficulty="hard", relevant_tables=("fields", "farms"))
    gold, asked = converse(
        "answer_submitted_once_more",
        lambda llm: answer_questions(
            Questions(schema_id="s", questions=(question,)), extended, database("farm_cooperative"), llm, llm,
            settings=AnswerSettings(single_calls=True),
        ),
    )  # fmt: skip
    assert "no such column: totalArea" in asked[4]
    assert "last_query_that_ran" in asked[5] and "SUM(areaHa)" in asked[5]
    assert not gold.queries and gold.rejected[0].reason == "not_submitted"


@pytest.mark.parametrize("path", sorted(CONVERSATIONS.glob("*.json")), ids=lambda path: path.stem)
def test_recordings_hold_nothing_of_the_machine(path):
    assert not any(word in path.read_text() for word in ("/tmp", "/work", "/root", "http"))
