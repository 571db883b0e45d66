"""styled_questions: each question in eight phrasings, the original and seven rewrites."""

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import styled_questions as checks
from sqale_assets.records import STYLES, ExtendedSchema, Questions, StyledQuestions
from sqale_assets.stages.styles import restyle


async def build(work: Work) -> Made:
    record = await restyle(
        work.load(Questions, "questions"),
        work.load(ExtendedSchema, "extended_schema").definition,
        work.llm("style"),
        settings=work.settings.styles,
        seed=work.settings.seed,
    )
    sample = record.questions[0].phrasings if record.questions else {}
    return Made(
        record=record,
        counts={
            "questions": len(record.questions),
            "phrasings": len(record.questions) * len(STYLES),
            "rejected": len(record.rejected),
        },
        preview="\n".join(f"- **{style}**: {text}" for style, text in sample.items()),
        checks=checks.evaluate(record),
    )


STAGE = Stage(
    name="styled_questions",
    position=5,
    group="questions",
    description="Each question in eight phrasings (seed, Figure 1); a question without eight usable ones is rejected.",
    upstream=("extended_schema", "questions"),
    version="2",
    record=StyledQuestions,
    build=build,
    settings=lambda settings: settings.styles,
    models=("style",),
    prompts=("restyle_question",),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm"}),
)
