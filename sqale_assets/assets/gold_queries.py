"""gold_queries: an agent explores the live database, submits SQL, and a judge accepts it or sends it back."""

from collections import Counter

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import gold_queries as checks
from sqale_assets.records import ExtendedSchema, Questions
from sqale_assets.stages.answers import answer_questions


async def build(work: Work) -> Made:
    questions = work.load(Questions, "questions")
    with work.database() as database:
        record = await answer_questions(
            questions,
            work.load(ExtendedSchema, "extended_schema"),
            database,
            work.llm("answer"),
            work.llm("judge"),
            settings=work.settings.answers,
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
            "mean_rounds": round(sum(query.rounds for query in record.queries) / max(1, len(record.queries)), 2),
        },
        preview="\n\n".join(
            examples + ([f"Rejected: {', '.join(f'{k} {v}' for k, v in reasons.items())}"] if reasons else [])
        ),
        checks=outcomes,
    )


STAGE = Stage(
    name="gold_queries",
    position=6,
    group="questions",
    description="Gold SQL: an agent explores the live database read-only and submits; gates and a judge accept it.",
    upstream=("extended_schema", "populated_database", "questions"),
    version="1",
    build=build,
    settings=lambda settings: settings.answers,
    models=("answer", "judge"),
    prompts=("answer_question", "judge_answer"),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm", "sqlite"}),
)
