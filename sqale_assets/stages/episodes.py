"""Running an agent's episode: for the answering stage, for a person's own question, and again from a transcript."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sqale_assets.llm.task import Llm, Message, OutOfRoom
from sqale_assets.settings import AnswerSettings
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.environment import REJECTED, EndedBy, Episode
from sqale_assets.stages.answer_turns import AnswerQuestion, AnswerWithOneCall, AnswerWithTools

#: Room for the prompt, whose tokens are known when the first reply comes, and what a reply needs at least.
PROMPT_TOKENS, LEAST_REPLY = 2_048, 32
#: For what is said between two calls, before the provider counts it: JSON takes more tokens than prose.
CHARACTERS_PER_TOKEN = 3

#: Called with each message as it comes: role ("assistant" or "user") and content.
Watch = Callable[[str, str], None]


class Asked(NamedTuple):
    """An answer to a person's question. `sql` and `result` are None when the agent found none that runs."""

    sql: str | None
    result: QueryResult | None
    ended_by: EndedBy
    rounds: int


async def run_episode(
    episode: Episode,
    question: str,
    llm: Llm,
    settings: AnswerSettings,
    watch: Watch | None = None,
    *,
    tokens: int | None = None,
    in_thread: bool = False,
) -> None:
    """Let the agent talk with its environment until the episode ends.

    Args:
        tokens: the budget for prompt and replies of the whole episode together. When no reply fits any more, the
            episode ends with the last query that ran.
        in_thread: run the tools in another thread, so that a slow query holds up no other episode.
    """
    task_type = _task_type(llm, settings)
    left = None if tokens is None else tokens - PROMPT_TOKENS
    while not episode.ended_by:
        if left is not None and left < LEAST_REPLY:
            episode.cut_off("token_limit")
            return
        turns = tuple(Message(**each) for each in episode.transcript)
        task = task_type(question=question, tool_turns=settings.tool_turns, turns=turns, reply_tokens=left)
        try:
            reply = await llm.ask(task)
        except OutOfRoom:
            episode.cut_off("token_limit")
            return
        if watch:
            watch("assistant", shown(reply.text, reply.tool_calls))
        step = (reply.text, reply.tool_calls)
        message = await asyncio.to_thread(episode.step, *step) if in_thread else episode.step(*step)
        if watch and message is not None:
            watch("user", message)
        if tokens is not None:
            left = tokens - reply.tokens_in - reply.tokens_out - len(message or "") // CHARACTERS_PER_TOKEN


def _task_type(llm: Llm, settings: AnswerSettings) -> type[AnswerQuestion | AnswerWithOneCall | AnswerWithTools]:
    if settings.single_calls:
        return AnswerWithOneCall
    native = llm.native_tools if settings.native_tools is None else settings.native_tools
    return AnswerWithTools if native else AnswerQuestion


def shown(text: str, tool_calls: Iterable[Mapping[str, Any]]) -> str:
    """A reply as a person reads it, its native calls one per line."""
    functions = [call.get("function") or {} for call in tool_calls]
    calls = [f"{function.get('name')} {function.get('arguments')}" for function in functions]
    return "\n".join([*([text] if text else []), *calls])


async def ask_database(
    database: Database,
    question: str,
    llm: Llm,
    settings: AnswerSettings,
    watch: Watch | None = None,
    *,
    tokens: int | None = None,
) -> Asked:
    """Answer a question about any database as models are measured: no gates, no judge, a submission ends it.

    `watch` sees the rounds as they happen; `tokens` as in `run_episode`.
    """
    episode = Episode(database, settings.tool_turns, settings.failed_queries, submission_ends=True)
    await run_episode(episode, question, llm, settings, watch, tokens=tokens)
    assert episode.ended_by is not None
    runs = episode.sql is not None and episode.ended_by != "no_answer"
    result = database.execute(episode.sql) if runs else None
    return Asked(episode.sql if runs else None, result, episode.ended_by, episode.turns)


def replay(database: Database, transcript: Iterable[Mapping[str, Any]], settings: AnswerSettings) -> Episode:
    """Feed the agent's replies of a kept transcript to a new episode: what it would be told today."""
    episode = Episode(database, settings.tool_turns, settings.failed_queries)
    for message in transcript:
        content = message["content"]
        if message["role"] != "assistant" and content.startswith(REJECTED):
            episode.reopen(content.removeprefix(REJECTED).partition("\nMend the query")[0].strip())
        elif message["role"] == "assistant" and not episode.ended_by:
            episode.step(content, message.get("tool_calls", ()))
    return episode
