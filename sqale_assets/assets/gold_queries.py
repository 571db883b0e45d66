"""gold_queries: an agent explores the live database, submits SQL, and a judge accepts it or sends it back."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import gold_queries as checks
from sqale_assets.records import DomainDescription, ExtendedSchema, GoldQueries, Questions, SourceSchema
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.answers import answer_questions
from sqale_assets.stages.instances import other_populations


async def build(work: Work) -> Made:
    questions = work.load(Questions, "questions")
    async with contextlib.AsyncExitStack() as stack:
        database = stack.enter_context(work.database())
        record = await answer_questions(
            questions,
            work.load(ExtendedSchema, "extended_schema"),
            database,
            work.llm("answer"),
            work.llm("judge"),
            settings=work.settings.answers,
            others=await stack.enter_async_context(_other_populations(work)),
        )
        outcomes = checks.evaluate(record, database)
    texts = {question.question_id: question.text for question in questions.questions}
    reasons = Counter(item.reason for item in record.rejected)
    examples = [f"**{texts[query.question_id]}**\n```sql\n{query.sql}\n```" for query in record.queries[:5]]
    return Made(
        record=record,
        counts={
            "accepted": len(record.queries),
            "rejected": len(record.rejected),
            "untested_parts": sum(len(query.untested) for query in record.queries),
            "accidental_parts": sum(len(query.accidental) for query in record.queries),
            "mean_rounds": round(sum(query.rounds for query in record.queries) / max(1, len(record.queries)), 2),
        },
        preview="\n\n".join(
            examples + ([f"Rejected: {', '.join(f'{k} {v}' for k, v in reasons.items())}"] if reasons else [])
        ),
        checks=outcomes,
    )


@contextlib.asynccontextmanager
async def _other_populations(work: Work) -> AsyncIterator[tuple[Database, ...]]:
    """Further populations of the schema, where settings ask for them."""
    if not work.settings.answers.other_populations:
        yield ()
        return
    async with other_populations(
        work.load(SourceSchema, "source_schema"),
        work.load(ExtendedSchema, "extended_schema"),
        work.load(DomainDescription, "domain_description"),
        work.llm("populate"),
        settings=work.settings.population,
        seed=work.settings.seed,
        count=work.settings.answers.other_populations,
    ) as databases:
        yield databases


STAGE = Stage(
    name="gold_queries",
    position=6,
    group="questions",
    description="Gold SQL: an agent explores the live database read-only and submits; gates and a judge accept it.",
    upstream=("extended_schema", "populated_database", "questions"),
    version="4",
    record=GoldQueries,
    build=build,
    settings=lambda settings: settings.answers,
    models=("answer", "judge"),
    prompts=("answer_question", "judge_answer"),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm", "sqlite"}),
)
