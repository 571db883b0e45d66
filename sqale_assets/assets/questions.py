"""questions: natural-language questions over connected subgraphs, at three difficulties, literals grounded."""

from collections import Counter

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import questions as checks
from sqale_assets.records import DomainDescription, ExtendedSchema, Questions
from sqale_assets.stages.grounding import GroundingIndex
from sqale_assets.stages.questions import ask_questions


async def build(work: Work) -> Made:
    with work.database() as database:
        index = GroundingIndex(database)
        record = await ask_questions(
            work.load(ExtendedSchema, "extended_schema"),
            work.load(DomainDescription, "domain_description"),
            database,
            work.llm("question"),
            settings=work.settings.questions,
            seed=work.settings.seed,
            index=index,
        )
        outcomes = checks.evaluate(record, index)
    difficulties = Counter(question.difficulty for question in record.questions)
    rows = [
        f"| {question.difficulty} | {len(question.relevant_tables)} | {question.text} |"
        for question in record.questions[:20]
    ]
    return Made(
        record=record,
        counts={"questions": len(record.questions), "rejected": len(record.rejected), **difficulties},
        preview="\n".join(["| difficulty | tables | question |", "|---|--:|---|", *rows]),
        checks=outcomes,
    )


STAGE = Stage(
    name="questions",
    position=4,
    group="questions",
    description="Questions over foreign-key-connected subgraphs, three difficulties, every literal found in the data.",
    upstream=("domain_description", "extended_schema", "populated_database"),
    version="1",
    record=Questions,
    build=build,
    settings=lambda settings: settings.questions,
    models=("question",),
    prompts=("write_questions",),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm"}),
)
