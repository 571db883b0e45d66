"""Gold queries: an agent explores the database and submits, gates and a judge decide, what fails is kept.

Each question is an episode of `sqlenv.Episode`. What the gates or the judge refuse goes back to the agent with the
reason, as many times as the settings say; then the question goes to the quarantine with its transcript.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqale_assets.llm.task import InvalidAnswer, Llm
from sqale_assets.records import (
    ExtendedSchema,
    GoldQueries,
    GoldQuery,
    LiteralProof,
    LlmUsage,
    Question,
    Questions,
    RejectedItem,
    Verdict,
)
from sqale_assets.settings import AnswerSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.gates import Examination, Failure, examine
from sqale_assets.sqlenv.mutation import discriminate
from sqale_assets.sqlenv.sqlfacts import sql_facts
from sqale_assets.stages import dates
from sqale_assets.stages.episodes import run_episode
from sqale_assets.stages.judging import judge_query, judge_task

T = TypeVar("T")

STAGE = "gold_queries"

#: The judge's word that no query can be right: asking the agent again would not help.
_AMBIGUOUS = "judge_ambiguous_question"


async def answer_questions(
    questions: Questions,
    extended: ExtendedSchema,
    database: Database,
    llm: Llm,
    judge: Llm,
    *,
    settings: AnswerSettings,
    others: Sequence[Database] = (),
) -> GoldQueries:
    """Answer every question, and keep the answers that withstand gates, judge and the limit on repeated SQL.

    Questions are worked on concurrently; the result is in their order all the same. `others` are further populations
    of the schema, on which the mutation test looks for differences that this one hides.

    Raises:
        GatewayUnavailable: a model cannot be asked now. No question is worked on any more.
    """
    answering = Answering(database, llm, judge, settings)
    outcomes = await _all([answering.answer(question) for question in questions.questions])
    kept, rejected = limit_repeats(outcomes, settings.template_repeats)
    return GoldQueries(
        schema_id=extended.schema_id,
        queries=tuple(_with_discrimination(each, database, others) for each in kept),
        rejected=rejected,
        usage=_usage(llm, judge),
    )


@dataclass(frozen=True, slots=True)
class Answering:
    """What answering a question takes."""

    database: Database
    llm: Llm
    judge: Llm
    settings: AnswerSettings

    async def answer(self, question: Question) -> GoldQuery | RejectedItem:
        """The accepted answer to a question, or why there is none."""
        episode = Episode(self.database, self.settings.tool_turns, self.settings.failed_queries)
        if self.settings.show_tables:
            episode.show(question.relevant_tables)
        verdicts: list[Verdict] = []
        try:
            for retries_left in range(self.settings.judge_retries, -1, -1):
                await run_episode(episode, question.text, self.llm, self.settings)
                failure, examination = await self._examine(episode, question, verdicts)
                if failure is None:
                    return self._gold(question, episode, examination, verdicts)
                if failure.reason == _AMBIGUOUS or not retries_left:
                    break
                episode.reopen(f"{failure.reason}: {failure.evidence}")
        except InvalidAnswer as error:
            failure = Failure("invalid_answer", str(error))
        return RejectedItem(
            stage=STAGE,
            reason=failure.reason,
            evidence=failure.evidence if episode.sql is None else f"{failure.evidence}\n{episode.sql}",
            item=question.text,
            transcript=tuple(episode.transcript),
        )

    async def _examine(
        self, episode: Episode, question: Question, verdicts: list[Verdict]
    ) -> tuple[Failure | None, Examination]:
        """What gates or judge have against the answer, and what the gates saw. Adds to `verdicts`."""
        sql = episode.sql
        if sql is None:
            return Failure("no_answer", "No query was submitted and none ran without error."), Examination(None)
        submitted = any(done.call.tool == "submit_sql" and not done.answer.failed for done in episode.done)
        if episode.ended_by == "fallback" and not submitted:
            # The last query that ran may only have looked around: good enough to be scored, not to become gold.
            evidence = f"No query was submitted. The last one that ran: {episode.sql}"
            return Failure("not_submitted", evidence), Examination(None)
        examination = examine_answer(sql, question, self.database)
        facts, result = examination.facts, examination.result
        if examination.failure or facts is None or result is None:
            return examination.failure, examination
        tables = (*question.relevant_tables, *facts.tables)
        task = judge_task(question.text, sql, result, tables, self.database.ddl)
        verdicts += await judge_query(task, self.judge, second_opinion=self.settings.second_opinion)
        last = verdicts[-1]
        return None if last.accepted else Failure(f"judge_{last.category}", last.reason), examination

    def _gold(
        self, question: Question, episode: Episode, examination: Examination, verdicts: list[Verdict]
    ) -> GoldQuery:
        facts, result = examination.facts, examination.result
        assert episode.sql is not None and facts is not None and result is not None
        return GoldQuery(
            question_id=question.question_id,
            sql=episode.sql.strip().rstrip(";").rstrip(),
            columns=result.columns,
            result=result.rows[: self.settings.result_rows],
            row_count=len(result.rows),
            ordered=facts.ordered,
            tables=facts.tables,
            measured_difficulty=facts.difficulty,
            rounds=episode.turns,
            verdicts=tuple(verdicts),
            transcript=tuple(episode.transcript),
        )


def examine_answer(sql: str, question: Question, database: Database) -> Examination:
    """What the gates say of `sql` as the answer to `question`."""
    return examine(
        sql,
        database,
        question=question.text,
        relevant_tables=question.relevant_tables,
        known_literals=[proof.literal for proof in question.literals],
        values=[proof.literal for proof in question.literals if _must_be_used(proof)],
    )


def _must_be_used(proof: LiteralProof) -> bool:
    """Whether the query has to say the literal: a value or a bound. Dates and periods can be said in many ways."""
    return proof.how in ("exact", "contained", "range") and not any(dates.find(proof.literal))


def question_of(item: RejectedItem, questions: Questions) -> Question | None:
    """The question whose answer was refused, None where the item is no answer."""
    if item.stage != STAGE:
        return None
    return next(
        (
            each
            for each in questions.questions
            if each.text == item.item or item.item.startswith(f"{each.question_id}:")
        ),
        None,
    )


async def _all(answers: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Their results, in order. The first failure stops the others: the caller will close their database."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in answers]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


def limit_repeats(
    outcomes: Sequence[GoldQuery | RejectedItem], most: int
) -> tuple[tuple[GoldQuery, ...], tuple[RejectedItem, ...]]:
    """Keep the first of equal queries, and at most `most` that differ in nothing but their constants."""
    kept: list[GoldQuery] = []
    rejected: list[RejectedItem] = []
    normals: set[str] = set()
    templates: Counter[str] = Counter()
    for outcome in outcomes:
        if isinstance(outcome, RejectedItem):
            rejected.append(outcome)
            continue
        facts = sql_facts(outcome.sql)
        if facts.normal in normals:
            rejected.append(_repeated(outcome, "the same query"))
        elif templates[facts.template] >= most:
            rejected.append(_repeated(outcome, f"{most} queries that differ in constants only"))
        else:
            normals.add(facts.normal)
            templates[facts.template] += 1
            kept.append(outcome)
    return tuple(kept), tuple(rejected)


def _repeated(outcome: GoldQuery, what: str) -> RejectedItem:
    return RejectedItem(
        stage=STAGE,
        reason="duplicate_sql",
        evidence=f"the schema has {what} already",
        item=f"{outcome.question_id}: {outcome.sql}",
        transcript=outcome.transcript,
    )


def _with_discrimination(query: GoldQuery, database: Database, others: Sequence[Database]) -> GoldQuery:
    """The query with what the mutation test found; a weak one is flagged, not refused."""
    try:
        found = discriminate(query.sql, database, others)
    except QueryError:  # it runs here, but not on another population
        found = discriminate(query.sql, database)
    figures = {"untested": found.untested, "accidental": found.accidental}
    return query.model_copy(update={"discrimination": round(found.score, 4), **figures})


def _usage(llm: Llm, judge: Llm) -> LlmUsage:
    """What agent and judge used together; the same view of the gateway counts once."""
    one = llm.usage
    if judge is llm:
        return one
    other = judge.usage
    return LlmUsage(
        calls=one.calls + other.calls,
        cached_calls=one.cached_calls + other.cached_calls,
        tokens_in=one.tokens_in + other.tokens_in,
        tokens_out=one.tokens_out + other.tokens_out,
        cost=one.cost + other.cost,
        seconds=one.seconds + other.seconds,
        models=tuple(dict.fromkeys((*one.models, *other.models))),
        prompts=one.prompts | other.prompts,
    )
