from __future__ import annotations

import asyncio

from sqale_assets.settings import AnswerSettings
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.stages.episodes import ask_database, replay
from sqale_assets_tests.stages.test_answers import Script, call, submit

QUESTION = "How many departments are there?"


def ask(database, *replies, watch=None):
    return asyncio.run(ask_database(database, QUESTION, Script({QUESTION: list(replies)}), AnswerSettings(), watch))


def test_asking_shows_every_round_and_ends_with_sql_and_result(database):
    seen: list[tuple[str, str]] = []
    asked = ask(
        database,
        call("list_tables"),
        submit("SELECT count(*) FROM department"),
        watch=lambda role, content: seen.append((role, content)),
    )
    assert asked.sql == "SELECT count(*) FROM department"
    assert asked.result.rows == ((3,),)
    assert (asked.ended_by, asked.rounds) == ("submit_sql", 2)
    assert [role for role, _ in seen] == ["assistant", "user", "assistant"]


def test_asking_in_vain(database):
    asked = ask(database, *["Hm."] * 6, "SELECT nothing")
    assert (asked.sql, asked.result, asked.ended_by) == (None, None, "no_answer")


def test_a_replayed_transcript_is_told_the_same(database):
    episode = Episode(database)
    episode.step(call("list_tables") + call("run_query", sql="SELECT x"))
    episode.step(submit("SELECT 1"))
    episode.reopen("wrong_filter: no")
    episode.step(submit("SELECT 2"))
    again = replay(database, episode.transcript, AnswerSettings())
    assert again.transcript == episode.transcript
    assert (again.sql, again.ended_by) == ("SELECT 2", "submit_sql")
