"""Running episodes: many at once, each recorded as soon as it is scored, a killed run going on where it was."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqale_assets.evaluation.agent import agent_of
from sqale_assets.evaluation.behaviour import behaviour
from sqale_assets.evaluation.conditions import distractors
from sqale_assets.evaluation.databases import Databases
from sqale_assets.evaluation.items import CorpusError
from sqale_assets.evaluation.preflight import Ready
from sqale_assets.evaluation.records import EpisodeRecord, Problem, Table
from sqale_assets.evaluation.scoring import SCORING, Score, score
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.routing import StageRoute
from sqale_assets.llm.task import InvalidAnswer, Llm, LlmWrapper, Reply, Task
from sqale_assets.settings import AnswerSettings, Settings
from sqale_assets.sqlenv.database import Database, Limits, QueryResult
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.stages.episodes import run_episode

#: Rows of a result, and characters of a cell, that a record keeps for its reader.
SHOWN_ROWS, SHOWN_CELL = 10, 200

Work = tuple[Ready, str]


def work_of(ready: Sequence[Ready], conditions: Sequence[str], done: Iterable[tuple[str, str, str]]) -> list[Work]:
    """The episodes that are still to be run: question by question, each under every condition it can meet.

    A question whose gold tables cannot be told meets the whole database only.
    """
    finished = set(done)
    return [
        (each, condition)
        for each in ready
        for condition in conditions
        if (each.needs.tables or distractors(condition) is None)
        and (condition, each.item.database_id, each.item.question_id) not in finished
    ]


async def run_all(
    work: Sequence[Work],
    settings: Settings,
    gateway: Gateway,
    route: StageRoute,
    record: Callable[[EpisodeRecord], None],
    refuse: Callable[[Problem], None],
) -> None:
    """Run every episode of `work`; `record` is given each as it ends, `refuse` those whose database cannot be reduced.

    Raises:
        GatewayUnavailable: the model cannot be asked now. What was recorded stays; run the rest again.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(settings.evaluation.episodes_in_flight))
    limits = Limits(seconds=settings.answers.query_seconds)
    with TemporaryDirectory(prefix="sqale-evaluation-") as scratch:
        databases = Databases(Path(scratch), limits, seed=settings.seed)
        runner = Runner(settings, databases, lambda key: agent_of(gateway, route, key))
        waiting = iter(work)

        async def worker() -> None:
            for ready, condition in waiting:
                try:
                    record(await runner.run(ready, condition))
                except CorpusError as error:
                    item = ready.item
                    refuse(
                        Problem(
                            question_id=item.question_id,
                            database_id=item.database_id,
                            reason="no_reduced_copy",
                            detail=f"{condition}: {error}"[:500],
                        )
                    )

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(settings.evaluation.episodes_in_flight, len(work))):
                    group.create_task(worker())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            databases.close()


def answer_settings(settings: Settings) -> AnswerSettings:
    """The protocol's bounds. Calls are bare JSON, as the seed has them, unless native ones are asked for."""
    return settings.answers.model_copy(update={"native_tools": bool(settings.answers.native_tools)})


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs single episodes. `llm` gives each its own view of the model."""

    settings: Settings
    databases: Databases
    llm: Callable[[str], Llm]

    async def run(self, ready: Ready, condition: str) -> EpisodeRecord:
        """One episode, from its first call to its score."""
        bounds = answer_settings(self.settings)
        meter = _Meter(self.llm(ready.item.database_id))
        started = time.monotonic()
        async with self.databases.lend(ready, condition) as (path, database):
            episode = Episode(database, bounds.tool_turns, bounds.failed_queries, submission_ends=True)
            tokens = self.settings.evaluation.episode_tokens
            try:
                await run_episode(episode, ready.question, meter, bounds, tokens=tokens, in_thread=True)
            except InvalidAnswer:
                episode.cut_off("no_reply")
            # What failed within the episode is not given more time now.
            limits = database.limits if episode.ended_by == "no_answer" else SCORING
            scored = await asyncio.to_thread(_score, episode.sql, ready, path, limits)
            return _record(ready, condition, episode, scored, meter, time.monotonic() - started)


def _score(sql: str | None, ready: Ready, path: Path, limits: Limits) -> Score:
    with Database.open(path, limits=limits) as database:
        return score(sql, ready.gold, database)


class _Meter(LlmWrapper):
    """An `Llm` that remembers the longest conversation that was read."""

    def __init__(self, llm: Llm):
        super().__init__(llm)
        self.context_tokens = 0

    async def ask(self, task: Task[Any], *, sample: int = 0) -> Reply[Any]:
        reply = await super().ask(task, sample=sample)
        self.context_tokens = max(self.context_tokens, reply.tokens_in + reply.tokens_out)
        return reply


def _record(
    ready: Ready, condition: str, episode: Episode, scored: Score, meter: _Meter, seconds: float
) -> EpisodeRecord:
    assert episode.ended_by is not None
    item, usage = ready.item, meter.usage
    return EpisodeRecord(
        question_id=item.question_id,
        database_id=item.database_id,
        condition=condition,
        question=ready.question,
        gold_sql=item.sql,
        difficulty=item.difficulty,
        domain=item.domain,
        schema_tables=len(episode.database.schema.tables),
        gold_tables=ready.needs.tables,
        sql=episode.sql,
        ended_by=episode.ended_by,
        outcome=scored.outcome,
        bird=scored.bird,
        difference=scored.difference,
        both_empty=scored.both_empty,
        behaviour=behaviour(episode, ready.needs),
        calls=usage.calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        context_tokens=meter.context_tokens,
        cost=usage.cost,
        seconds=round(seconds, 3),
        model_seconds=round(usage.seconds, 3),
        gold_result=shown(ready.gold.result),
        result=shown(scored.result) if scored.result else None,
        transcript=tuple(episode.transcript),
    )


def shown(result: QueryResult) -> Table:
    """The beginning of a result."""
    rows = [tuple(_short(cell) for cell in row) for row in result.rows[:SHOWN_ROWS]]
    return Table(columns=result.columns, rows=tuple(rows), count=len(result.rows))


def _short(cell: Any) -> Any:
    return f"{cell[:SHOWN_CELL]}…" if isinstance(cell, str) and len(cell) > SHOWN_CELL else cell
