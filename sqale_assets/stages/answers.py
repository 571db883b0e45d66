"""Gold queries: an agent explores the database and submits, gates and a judge decide, what fails is kept.

Each question is an episode of `sqlenv.Episode`. What the gates or the judge refuse goes back to the agent with the
reason, as many times as the settings say; then the question goes to the quarantine with its transcript.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from sqale_assets.llm.task import InvalidAnswer, Llm, Message, Task, Text
from sqale_assets.records import (
    ExtendedSchema,
    GoldQueries,
    GoldQuery,
    LlmUsage,
    Question,
    Questions,
    RejectedItem,
    Verdict,
)
from sqale_assets.settings import AnswerSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.sqlenv.gates import Examination, examine
from sqale_assets.sqlenv.sqlfacts import sql_facts
from sqale_assets.sqlenv.tools import result_preview

STAGE = "gold_queries"

#: Characters of the result that the judge sees.
PREVIEW_CHARACTERS = 3_000

Category = Literal[
    "", "wrong_filter", "wrong_join", "wrong_aggregate", "wrong_grain", "missing_column", "extra_column", "extra_rows",
    "missing_rows", "wrong_order", "ambiguous_question",
]  # fmt: skip


class AnswerQuestion(Task[Text]):
    """One turn of the answering agent. It sees the question and what it found out itself, nothing else."""

    prompt: ClassVar[str] = "answer_question"
    answer: ClassVar[type[BaseModel]] = Text
    question: str
    tool_turns: int


class Judgement(BaseModel):
    """The judge's answer. A rejection has a category and says what to mend."""

    model_config = ConfigDict(frozen=True)

    accepted: bool
    category: Category = ""
    reason: str = ""

    @model_validator(mode="after")
    def _says_why(self) -> Judgement:
        if not self.accepted and not (self.category and self.reason.strip()):
            raise ValueError("a rejection needs a category and a reason")
        return self


class JudgeAnswer(Task[Judgement]):
    """Whether `sql` answers `question`. `result` is a preview as JSON, `schema_ddl` the tables concerned."""

    prompt: ClassVar[str] = "judge_answer"
    answer: ClassVar[type[BaseModel]] = Judgement
    question: str
    sql: str
    result: str
    schema_ddl: str


async def answer_questions(
    questions: Questions,
    extended: ExtendedSchema,
    database: Database,
    llm: Llm,
    judge: Llm,
    *,
    settings: AnswerSettings,
) -> GoldQueries:
    """Answer every question, and keep the answers that withstand gates, judge and the limit on repeated SQL.

    Questions are worked on concurrently; the result is in their order all the same.
    """
    ddl = database.ddl
    outcomes = await asyncio.gather(
        *(_answer(question, database, ddl, llm, judge, settings) for question in questions.questions)
    )
    kept, rejected = limit_repeats(outcomes, settings.template_repeats)
    return GoldQueries(schema_id=extended.schema_id, queries=kept, rejected=rejected, usage=_usage(llm, judge))


async def _answer(
    question: Question,
    database: Database,
    ddl: dict[str, str],
    llm: Llm,
    judge: Llm,
    settings: AnswerSettings,
) -> GoldQuery | RejectedItem:
    episode = Episode(database, settings.tool_turns, settings.failed_queries)
    verdicts: list[Verdict] = []
    try:
        for attempt in range(settings.judge_retries + 1):
            await _explore(episode, question, llm, settings)
            problem, examination = await _problem(episode.sql, question, database, ddl, judge, verdicts)
            if problem is None:
                return _gold(question, episode, examination, verdicts, settings)
            if problem[0] == "judge_ambiguous_question" or attempt == settings.judge_retries:
                break
            episode.reopen(f"{problem[0]}: {problem[1]}")
    except InvalidAnswer as error:
        problem = ("invalid_answer", str(error))
    reason, evidence = problem
    if episode.sql:
        evidence = f"{evidence}\n{episode.sql}"
    return RejectedItem(
        stage=STAGE, reason=reason, evidence=evidence, item=question.text, transcript=tuple(episode.transcript)
    )


async def _explore(episode: Episode, question: Question, llm: Llm, settings: AnswerSettings) -> None:
    """Let the agent talk with its environment until the episode ends."""
    while not episode.ended_by:
        turns = tuple(Message(role=each["role"], content=each["content"]) for each in episode.transcript)
        task = AnswerQuestion(question=question.text, tool_turns=settings.tool_turns, turns=turns)
        episode.step((await llm.ask(task)).text)


async def _problem(
    sql: str | None,
    question: Question,
    database: Database,
    ddl: dict[str, str],
    judge: Llm,
    verdicts: list[Verdict],
) -> tuple[tuple[str, str] | None, Examination]:
    """What is wrong with an answer, as reason and evidence, or None; and what the gates found."""
    if sql is None:
        return ("no_answer", "No query was submitted and none ran without error."), Examination(None)
    examination = examine(
        sql,
        database,
        question=question.text,
        relevant_tables=question.relevant_tables,
        known_literals=[proof.literal for proof in question.literals],
    )
    if examination.failure:
        return tuple(examination.failure), examination
    verdict = await judge_answer(question, sql, examination, ddl, judge)
    verdicts.append(verdict)
    return (None if verdict.accepted else (f"judge_{verdict.category}", verdict.reason)), examination


async def judge_answer(
    question: Question, sql: str, examination: Examination, ddl: dict[str, str], judge: Llm
) -> Verdict:
    """Ask the judge about a query that passed the gates.

    Raises:
        InvalidAnswer: the judge gave no readable verdict.
    """
    assert examination.facts is not None and examination.result is not None
    concerned = {name.lower() for name in (*question.relevant_tables, *examination.facts.tables)}
    task = JudgeAnswer(
        question=question.text,
        sql=sql,
        result=json.dumps(result_preview(examination.result, PREVIEW_CHARACTERS), ensure_ascii=False),
        schema_ddl="\n".join(f"{statement};" for name, statement in ddl.items() if name.lower() in concerned),
    )
    judgement = (await judge.ask(task)).value
    if judgement.accepted:
        return Verdict(accepted=True)
    return Verdict(accepted=False, category=judgement.category, reason=judgement.reason)


def _gold(
    question: Question,
    episode: Episode,
    examination: Examination,
    verdicts: list[Verdict],
    settings: AnswerSettings,
) -> GoldQuery:
    facts, result = examination.facts, examination.result
    assert episode.sql is not None and facts is not None and result is not None
    return GoldQuery(
        question_id=question.question_id,
        sql=episode.sql.strip().rstrip(";").rstrip(),
        columns=result.columns,
        result=result.rows[: settings.result_rows],
        row_count=len(result.rows),
        ordered=facts.ordered,
        tables=facts.tables,
        measured_difficulty=facts.difficulty,
        rounds=episode.turns,
        verdicts=tuple(verdicts),
        transcript=tuple(episode.transcript),
    )


def limit_repeats(
    outcomes: list[GoldQuery | RejectedItem], most: int
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
        if facts.normal in normals or templates[facts.template] >= most:
            what = "the same query" if facts.normal in normals else f"{most} queries that differ in constants only"
            rejected.append(_repeated(outcome, what))
            continue
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
