from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets_tests.sqlenv.conftest import LIMITS


def call(tool: str, **args: object) -> str:
    return json.dumps({"tool": tool, "args": args})


def results(message: str) -> list[dict]:
    return [json.loads(line) for line in message.splitlines() if line.startswith("{")]


def test_several_calls_of_a_reply_are_answered_in_one_message_with_the_budget(company):
    episode = Episode(company)
    message = episode.step(f"<think>hm</think>{call('list_tables')}\n{call('describe_table', table_name='project')}")
    lines = message.splitlines()
    assert lines[0] == "[result 1] list_tables"
    assert lines[2] == "[result 2] describe_table"
    assert lines[-1] == "[5 tool turns left before you must answer]"
    assert [sorted(result)[0] for result in results(message)] == ["page", "columns"]
    assert episode.turns == 1
    assert [done.call.tool for done in episode.done] == ["list_tables", "describe_table"]


def test_submit_ends_the_episode_and_what_follows_is_not_run(company):
    episode = Episode(company)
    assert episode.step(call("submit_sql", sql="SELECT 1") + call("list_tables")) is None
    assert (episode.sql, episode.ended_by) == ("SELECT 1", "submit_sql")
    assert [done.call.tool for done in episode.done] == ["submit_sql"]
    with pytest.raises(RuntimeError):
        episode.step("more")


def test_after_the_last_tool_turn_comes_one_final_turn(company):
    episode = Episode(company, max_turns=2)
    assert "[1 tool turn left" in episode.step(call("list_tables"))
    assert "answer now" in episode.step(call("list_tables"))
    assert episode.step("```sql\nSELECT count(*) FROM island\n```") is None
    assert (episode.sql, episode.ended_by) == ("SELECT count(*) FROM island", "final_turn")


def test_four_failed_queries_in_a_row_bring_the_final_turn(company):
    episode = Episode(company, max_turns=10)
    bad = call("run_query", sql="SELECT x FROM no_table")
    episode.step(bad + call("run_query", sql="SELECT y FROM no_table"))
    episode.step(call("run_query", sql="SELECT 1"))  # the row is broken
    for number in range(3):
        assert "left before you must answer" in episode.step(call("run_query", sql=f"SELECT {number} FROM no_table"))
    assert "4 failed queries in a row: answer now" in episode.step(bad)
    assert episode.step(call("submit_sql", sql="SELECT 2")) is None
    assert episode.sql == "SELECT 2"


@pytest.mark.parametrize("final", ["", "I do not know", "```sql\nSELEC\n```", call("submit_sql", sql="SELECT nothing")])
def test_an_empty_or_broken_final_answer_falls_back_to_the_last_query_that_ran(company, final):
    episode = Episode(company, max_turns=1)
    episode.step(call("run_query", sql="SELECT 7") + call("run_query", sql="SELECT x FROM no_table"))
    assert episode.step(final) is None
    assert (episode.sql, episode.ended_by) == ("SELECT 7", "fallback")


def test_without_any_query_that_ran_there_is_no_answer(company):
    episode = Episode(company, max_turns=1)
    episode.step("hm")
    assert episode.step("hm") is None
    assert (episode.sql, episode.ended_by) == (None, "no_answer")


def test_a_submission_that_does_not_run_comes_back_with_its_error(company):
    episode = Episode(company, max_turns=2)
    message = episode.step(call("submit_sql", sql="SELECT nothing_such FROM employee"))
    assert "no such column" in results(message)[0]["error"]
    assert "[1 tool turn left" in message
    assert episode.step(call("submit_sql", sql="SELECT id FROM employee")) is None
    assert (episode.sql, episode.ended_by) == ("SELECT id FROM employee", "submit_sql")


def test_a_broken_final_answer_alone_is_kept_as_what_it_is(company):
    episode = Episode(company, max_turns=1)
    episode.step(call("list_tables"))
    assert episode.step(call("submit_sql", sql="SELECT nothing_such")) is None
    assert (episode.sql, episode.ended_by) == ("SELECT nothing_such", "no_answer")


def test_malformed_replies_cost_a_turn_and_get_an_example(company):
    episode = Episode(company)
    assert '{"tool": "list_tables", "args": {}}' in episode.step("Let me look at the tables.")
    assert '{"tool": "run_query"' in episode.step("```sql\nSELECT 1\n```")
    assert "could not be read" in episode.step('{"tool": "run_query", "args": {"sql": "SELECT "x""}}')
    assert "needs the argument sql" in episode.step(call("submit_sql"))
    assert episode.turns == 4


def test_equal_calls_of_a_reply_are_run_once(company):
    episode = Episode(company)
    message = episode.step(call("list_tables") * 3)
    assert results(message)[1:] == [{"same_as_result": 1}] * 2
    assert len(episode.done) == 1


def test_a_call_that_failed_before_is_told_so(company):
    episode = Episode(company)
    wrong = call("describe_table", table_name="employees")
    assert "Similar tables: employee." in results(episode.step(wrong))[0]["error"]
    (again,) = results(episode.step(wrong))
    assert "list_tables" in again["error"] and "Similar tables: employee." in again["again"]
    assert results(episode.step(call("describe_table", table_name="employee")))[0]["table"] == "employee"


def test_a_message_stays_bounded_however_many_calls(company):
    episode = Episode(company)
    calls = "".join(
        call("run_query", sql=f"SELECT {number}, hex(zeroblob(90)) FROM employee, employee AS f, feedback")
        for number in range(100)
    )
    message = episode.step(calls)
    assert len(message) < 40_000
    assert "Only the first 32 of 100 calls were run." in message


def test_a_rejected_answer_opens_the_episode_again(company):
    episode = Episode(company)
    episode.step(call("submit_sql", sql="SELECT 1"))
    message = episode.reopen("wrong_filter: no filter", turns=2)
    assert message.startswith("[rejected] wrong_filter: no filter")
    assert "[2 tool turns left" in message
    assert "[1 tool turn left" in episode.step(call("list_tables"))
    assert episode.step(call("submit_sql", sql="SELECT 2")) is None
    assert episode.sql == "SELECT 2"
    assert [each["role"] for each in episode.transcript] == ["assistant", "user", "assistant", "user", "assistant"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(),
            st.sampled_from(
                [
                    call("list_tables"),
                    call("run_query", sql="SELECT 1"),
                    call("run_query", sql="x"),
                    '{"tool": ',
                    "<think>",
                ]
            ),
        ),
        min_size=20,
        max_size=20,
    )
)
def test_every_episode_ends_within_its_turns(company_file, replies):
    with Database.open(company_file, limits=LIMITS) as database:
        episode = Episode(database)
        taken = 0
        for reply in replies:
            taken += 1
            if episode.step(reply) is None:
                break
        assert episode.ended_by
        assert taken <= 7
        assert episode.turns <= 6


def test_tables_may_be_shown_before_the_first_turn(company):
    """For weak models: what describe_table and sample_rows would say, in a message of its own, at no turn's cost."""
    episode = Episode(company)
    episode.show(["project", "employee"])
    (message,) = episode.transcript
    lines = message["content"].splitlines()
    assert message["role"] == "user" and lines[0].startswith("[tables] ")
    assert lines[1:-1:2] == [
        "describe_table project",
        "sample_rows project",
        "describe_table employee",
        "sample_rows employee",
    ]
    assert len(results(message["content"])[3]["rows"]) == 3
    assert episode.turns == 0 and episode.done == []
    assert episode.step(call("submit_sql", sql="SELECT 1")) is None
