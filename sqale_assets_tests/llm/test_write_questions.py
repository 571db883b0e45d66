# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import json
import re

import pytest

from sqale_assets.llm.offline import write_questions
from sqale_assets.llm.offline.english.lexicon import Lexicon
from sqale_assets.llm.offline.english.reading import read
from sqale_assets.llm.offline.english.sql import to_sql
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.sqlfacts import sql_facts
from sqale_assets.stages.questions import WriteQuestions
from sqale_assets_tests.llm.english.shop import connect, prompt_parts

SHOP = Database.from_connection(connect())
ALL = ["regions", "customers", "employees", "orders", "products", "order_items", "reviews"]


def messages(requests, difficulty="moderate", tables=ALL, seed=0):
    task = WriteQuestions(
        domain="A shop.",
        difficulty=difficulty,
        contract="",
        requests=tuple(requests),
        **prompt_parts(SHOP, tables, seed),
    )
    return load_prompt("write_questions").render(task)


def written(*args, **kwargs):
    return json.loads(write_questions.respond(messages(*args, **kwargs)))["questions"]


@pytest.mark.parametrize("difficulty", ["simple", "moderate", "hard"])
def test_one_question_per_request_of_the_difficulty(difficulty):
    requests = [("filter", "join"), ("nested", "filter"), ("cte", "aggregate", "join")]
    questions = written(requests, difficulty)
    assert [each["number"] for each in questions] == [1, 2, 3]
    for each in questions:
        (meaning,) = read(each["question"], Lexicon(SHOP.schema))
        assert sql_facts(to_sql(meaning, SHOP.schema)).difficulty == difficulty


@pytest.mark.parametrize(
    ("difficulty", "features"),
    [
        ("simple", ("top",)), ("simple", ("distinct",)), ("moderate", ("window",)), ("moderate", ("set_operation",)),
        ("moderate", ("percentage", "join")), ("hard", ("five_tables", "join", "multi_join", "filter")),
        ("hard", ("cte", "window", "join")), ("moderate", ("group", "aggregate", "having")), ("simple", ("period",)),
    ],
)  # fmt: skip
def test_wanted_features_are_needed(difficulty, features):
    found = 0
    for seed in range(4):
        for each in written([features], difficulty, seed=seed):
            (meaning,) = read(each["question"], Lexicon(SHOP.schema))
            sql = to_sql(meaning, SHOP.schema)
            found += set(features) <= write_questions.features(sql, meaning)
    assert found >= 3


def test_same_prompt_same_words_other_prompt_other_words():
    assert write_questions.respond(messages([("filter",)])) == write_questions.respond(messages([("filter",)]))
    assert written([("filter",)], seed=1) != written([("filter",)], seed=2)


def test_only_open_requests_are_answered_after_a_complaint():
    first = messages([("filter",), ("nested",)])
    reply = write_questions.respond(first)
    again = [
        *first,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": "Some requests are still open.\n2. nested. Refused: \"x\": near duplicate"},
    ]  # fmt: skip
    second = json.loads(write_questions.respond(again))["questions"]
    assert [each["number"] for each in second] == [2]
    assert second[0]["question"] != json.loads(reply)["questions"][1]["question"]


def test_literals_are_those_of_the_question():
    for each in written([("filter",), ("filter", "join"), ("period",)], "simple"):
        assert all(str(value) in each["question"] or str(value).isdigit() for value in each["literals"])


def test_a_table_with_nothing_to_say_yields_no_question():
    prompt = messages([("filter",)])
    content = prompt[1]["content"]
    start, end = content.index("```ddl"), content.index("Difficulty of all")
    bare = '```ddl\nCREATE TABLE x3 (a1 BLOB);\n```\n```facts\n{"x3": {"rows": 4, "columns": {}}}\n```\n```stories\n\n```\n'
    answer = write_questions.respond([prompt[0], {"role": "user", "content": content[:start] + bare + content[end:]}])
    assert json.loads(answer) == {"questions": []}


def test_keys_to_tables_that_are_not_shown_are_no_measures():
    for seed in range(6):
        for each in written([("aggregate", "filter"), ("nested", "filter")], "moderate", ["orders"], seed):
            assert not re.search(
                r"(?:average|highest|lowest|total|above|below) (?:customer|seller|approver)", each["question"]
            )


def test_a_way_over_several_keys_ends_in_a_compound_noun():
    lexicon = Lexicon(SHOP.schema)
    said = " ".join(
        each["question"]
        for seed in range(4)
        for each in written([("filter", "join", "multi_join")], "moderate", seed=seed)
    )
    assert re.search(r"'s \w+ \w+", said) and not re.search(r"'s \w+'s \w+'s ", said)
    assert read("Show the order's customer's region's name of every order item.", lexicon) == read(
        "For every order item, show the name of the order's customer's region.", lexicon
    )
