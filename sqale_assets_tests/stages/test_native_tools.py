"""Native tool calls, from the environment to a server that speaks them."""

from __future__ import annotations

import asyncio
import json
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqale_assets.llm.cache import CachedReply, ResponseCache
from sqale_assets.llm.gateway import Gateway
from sqale_assets.settings import AnswerSettings, Settings
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.stages.answer_turns import AnswerWithTools
from sqale_assets.stages.episodes import ask_database, replay
from sqale_assets_tests.llm.server import FakeProvider
from sqale_assets_tests.sqlenv.conftest import COMPANY

QUESTION = "How many departments are there?"
COUNT = "SELECT count(*) FROM department"


def native(*calls: tuple[str, object]) -> list[dict]:
    return [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]


def sql(text: str) -> str:
    return json.dumps({"sql": text})


def test_each_native_call_is_answered_in_its_own_message(database):
    episode = Episode(database)
    episode.step("Let me look.", native(("list_tables", "{}"), ("run_query", sql(COUNT)), ("run_query", sql(COUNT))))
    asked, *answers = episode.transcript
    assert (
        [call["id"] for call in asked["tool_calls"]] == [each["tool_call_id"] for each in answers] == ["c0", "c1", "c2"]
    )
    assert {each["role"] for each in answers} == {"tool"}
    assert "tables" in json.loads(answers[0]["content"])
    same, budget = answers[2]["content"].split("\n")
    assert json.loads(same) == {"same_as_result": 2}
    assert budget == "[5 tool turns left before you must answer]"
    assert episode.step("", native(("submit_sql", sql(COUNT)))) is None
    assert (episode.sql, episode.ended_by, episode.turns) == (COUNT, "submit_sql", 2)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("run_query", '{"sql": "SELECT', "not a JSON object"),
        ("run_query", "[1]", "not a JSON object"),
        ("run_query", "[" * 5000, "not a JSON object"),
        ("run_query", "", "needs the argument sql"),
        ("drop_table", "{}", "No such tool: drop_table. Tools: list_tables"),
        ("", "{}", "No such tool"),
        (None, None, "No such tool"),
        ("run_query", {"sql": "SELECT missing_thing"}, "no such column"),
        ("describe_table", '{"name": "department"}', "Call it as"),
    ],
)
def test_malformed_calls_get_a_helpful_error(database, name, arguments, words):
    episode = Episode(database)
    message = episode.step("", native((name, arguments)))
    assert words in json.loads(message.split("\n")[0])["error"]
    assert episode.transcript[-1]["tool_call_id"] == "c0"


def test_too_many_calls_and_a_rejection_leave_no_call_unanswered(database):
    episode = Episode(database)
    episode.step("", native(*[("list_tables", json.dumps({"page": at})) for at in range(40)]))
    assert len(episode.transcript) == 41
    assert "Only the first 32 of 40 calls were run." in episode.transcript[-1]["content"]
    episode.step("", native(("run_query", sql("SELECT 1")), ("submit_sql", sql("SELECT 2"))))
    episode.reopen("wrong_filter: no")
    *_, first, last = episode.transcript
    assert (first["tool_call_id"], last["tool_call_id"]) == ("c0", "c1")
    assert last["content"].startswith("[rejected] wrong_filter: no")
    episode.step("```sql\nSELECT 3\n```")
    episode.step("", native(("submit_sql", sql("SELECT 3"))))
    again = replay(database, episode.transcript, AnswerSettings())
    assert (again.transcript, again.sql) == (episode.transcript, "SELECT 3")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=30)), max_size=3), min_size=7, max_size=9))
def test_every_episode_ends_and_answers_every_call(replies):
    connection = sqlite3.connect(":memory:")
    connection.executescript(COMPANY)
    with Database.from_connection(connection) as database:
        episode = Episode(database)
        for calls in replies:
            if episode.ended_by:
                break
            episode.step("", native(*calls))
    assert episode.ended_by == "no_answer"
    asked = sum(len(message.get("tool_calls", ())) for message in episode.transcript[:-1])
    assert asked == sum(message["role"] == "tool" for message in episode.transcript)


def converse(tmp_path, database, replies, *, model: str, **answers):
    """Ask `QUESTION` of a server that gives `replies` in turn; the answer and the requests that came."""

    async def main():
        left = iter(replies)
        async with FakeProvider(lambda _: next(left)) as provider:
            route = {"model": model, "api_base": provider.base_url, "api_key_env": "FAKE_API_KEY"}
            gateway = Gateway(Settings(store=str(tmp_path / "store"), models={"answer": route}))
            try:
                llm = gateway.for_schema("answer", "s1")
                asked = await ask_database(database, QUESTION, llm, AnswerSettings(**answers))
            finally:
                await gateway.aclose()
            return asked, [request.body for request in provider.requests]

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", "sk-planted-key-0123456789")
    monkeypatch.delenv("SQALE_MODEL_ANSWER", raising=False)


def test_a_model_that_litellm_knows_to_call_tools_does_so_natively(tmp_path, database):
    replies = [
        [("list_tables", ""), ("run_query", '{"sql": broken')],
        [("submit_sql", sql(COUNT))],
    ]
    asked, requests = converse(tmp_path, database, replies, model="openai/gpt-4o")
    assert (asked.sql, asked.result.rows, asked.rounds) == (COUNT, ((3,),), 2)
    assert [tool["function"]["name"] for tool in requests[0]["tools"]][:2] == ["list_tables", "describe_table"]
    assert "bare JSON object" not in requests[0]["messages"][0]["content"]
    assistant, *answers = requests[1]["messages"][2:]
    assert [call["id"] for call in assistant["tool_calls"]] == [each["tool_call_id"] for each in answers]
    assert "not a JSON object" in answers[1]["content"]
    # the same again comes from the cache, native calls and all
    again, requests = converse(tmp_path, database, [], model="openai/gpt-4o")
    assert (again.sql, requests) == (COUNT, [])


def test_any_other_model_writes_bare_json_unless_settings_say_otherwise(tmp_path, database):
    text = json.dumps({"tool": "submit_sql", "args": {"sql": COUNT}})
    asked, requests = converse(tmp_path, database, [text], model="openai/unheard-of")
    assert asked.sql == COUNT and "tools" not in requests[0]
    assert "bare JSON object" in requests[0]["messages"][0]["content"]
    asked, requests = converse(
        tmp_path, database, [[("submit_sql", sql(COUNT))]], model="openai/unheard-of", native_tools=True
    )
    assert asked.sql == COUNT and requests[0]["tools"]
    # a model that answers in text all the same is understood
    asked, _ = converse(tmp_path / "text", database, [text], model="openai/gpt-4o")
    assert asked.sql == COUNT


def test_a_cache_of_before_takes_native_calls(tmp_path):
    path = tmp_path / "cache.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE reply (key BLOB PRIMARY KEY, model TEXT NOT NULL, task TEXT NOT NULL, text BLOB NOT NULL,"
            " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL, cut INTEGER NOT NULL,"
            " used_at INTEGER NOT NULL)"
        )
    connection.close()
    cache = ResponseCache(path)
    reply = CachedReply("", 1, 2, 0.5, False, tuple(native(("run_query", '{"sql": "\ud800"}'))))
    cache.put(b"key", "model", "task", reply)
    assert cache.get(b"key") == reply
    cache.close()


def test_the_tools_are_described_with_their_arguments():
    (spec,) = [each["function"] for each in AnswerWithTools.tools if each["function"]["name"] == "distinct_values"]
    assert spec["parameters"]["required"] == ["table_name", "column_name"]
    assert spec["parameters"]["properties"]["limit"] == {"type": "integer"}
    assert all(each["function"]["description"].endswith(".") for each in AnswerWithTools.tools)
