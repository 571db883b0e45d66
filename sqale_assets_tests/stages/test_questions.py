from __future__ import annotations

import asyncio
import json
import sqlite3

import pytest

from sqale_assets.llm.offline import respond
from sqale_assets.records import DIFFICULTIES, DomainDescription, ExtendedSchema, Questions, Rejected
from sqale_assets.settings import AnswerSettings, QuestionSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.answers import answer_questions
from sqale_assets.stages.asking.subgraph import connected
from sqale_assets.stages.questions import ask_questions
from sqale_assets_tests.doubles import OfflineLlm
from sqale_assets_tests.llm.english.shop import connect

SHOP = Database.from_connection(connect())
DOMAIN = DomainDescription(
    schema_id="shop", label="Shop", description="Orders.", entities=("order",), evidence="schema"
)
EXTENDED = ExtendedSchema(schema_id="shop", definition=SHOP.schema, target_tables=7, style_conformity=1.0)


def ask(llm, *, count: int = 18, seed: int = 0) -> Questions:
    settings = QuestionSettings(per_schema=count)
    return asyncio.run(ask_questions(EXTENDED, DOMAIN, SHOP, llm, settings=settings, seed=seed))


def test_questions_are_grounded_connected_balanced_and_the_same_again():
    asked = ask(OfflineLlm())
    assert len(asked.questions) + len(asked.rejected) == 18 and len(asked.questions) >= 16
    assert {each.difficulty for each in asked.questions} == set(DIFFICULTIES)
    assert len({each.question_id for each in asked.questions}) == len(asked.questions)
    for each in asked.questions:
        assert connected(SHOP.schema, each.relevant_tables) and each.intent
        assert all(proof.table is None or proof.table in each.relevant_tables for proof in each.literals)
    assert ask(OfflineLlm()) == asked != ask(OfflineLlm(), seed=1)


def test_most_are_answered_within_the_bounds():
    asked = ask(OfflineLlm(), seed=2)
    llm = OfflineLlm()
    gold = asyncio.run(answer_questions(asked, EXTENDED, SHOP, llm, llm, settings=AnswerSettings()))
    assert len(gold.queries) >= 14 and all(query.rounds <= 6 for query in gold.queries)
    by_id = {each.question_id: each for each in asked.questions}
    assert sum(query.measured_difficulty == by_id[query.question_id].difficulty for query in gold.queries) >= 12


class Scripted:
    """Answers write_questions with the given texts, one list per call; anything after that by rules."""

    def __init__(self, *replies: list[str]):
        self.replies = list(replies)

    def __call__(self, messages):
        if not self.replies:
            return respond(messages)
        texts = self.replies.pop(0)
        return json.dumps({"questions": [{"number": n, "question": text} for n, text in enumerate(texts, start=1)]})


GOOD = "What is the average rating of all reviews, as a number?"


def test_what_the_gates_refuse_goes_back_with_the_reason():
    bad = ['How many orders are there whose status is "lost"?', "What is the average total_amount of all orders?", GOOD]
    llm = OfflineLlm(Scripted(bad))
    asked = ask(llm, count=3)
    assert GOOD in [each.text for each in asked.questions] and len(asked.questions) == 3
    complaint = llm.calls[1][1][-1]["content"]
    assert "'lost' is not in the data" in complaint and "total_amount" in complaint and GOOD not in complaint


def test_what_stays_bad_is_rejected_with_reason_and_text():
    bad = ["How many orders are there in this database?"] * 3
    asked = ask(OfflineLlm(Scripted(bad, bad, bad)), count=3)
    assert not asked.questions and [each.reason for each in asked.rejected] == ["about_the_database"] * 3
    assert all(each.item == bad[0] and each.stage == "questions" for each in asked.rejected)


def test_the_same_question_is_asked_once():
    asked = ask(OfflineLlm(Scripted([GOOD, GOOD, GOOD], [GOOD, GOOD], [GOOD, GOOD])), count=3)
    assert [each.text for each in asked.questions] == [GOOD]
    assert [each.reason for each in asked.rejected] == ["near_duplicate"] * 2


def test_unreadable_and_empty_replies_end_as_rejected_requests():
    asked = ask(OfflineLlm(lambda messages: "I would rather not."), count=3)
    assert [each.reason for each in asked.rejected] == ["invalid_answer"] * 3
    asked = ask(OfflineLlm(lambda messages: '{"questions": []}'), count=3)
    assert [each.reason for each in asked.rejected] == ["not_written"] * 3


def test_a_database_without_rows_is_rejected():
    empty = sqlite3.connect(":memory:")
    empty.execute("CREATE TABLE a (id INT)")
    database = Database.from_connection(empty)
    extended = EXTENDED.model_copy(update={"definition": database.schema})
    with pytest.raises(Rejected, match="no_rows"):
        asyncio.run(ask_questions(extended, DOMAIN, database, OfflineLlm(), settings=QuestionSettings(), seed=0))


def test_one_table_of_codes_gets_few_questions_or_none():
    codes = sqlite3.connect(":memory:")
    codes.execute("CREATE TABLE zz_x1 (a1 INT PRIMARY KEY, q7 TEXT, zk BLOB)")
    codes.executemany("INSERT INTO zz_x1 VALUES (?, ?, x'00')", [(n, f"<PERSON> {n}") for n in range(9)])
    codes.commit()
    database = Database.from_connection(codes)
    extended = EXTENDED.model_copy(update={"definition": database.schema})
    asked = asyncio.run(ask_questions(extended, DOMAIN, database, OfflineLlm(), settings=QuestionSettings(), seed=0))
    assert len(asked.questions) + len(asked.rejected) == 18 and not any("<" in each.text for each in asked.questions)
