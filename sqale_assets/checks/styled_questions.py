"""Checks of styled_questions: eight usable phrasings per question, none of them a placeholder."""

from sqale_assets.records import STYLES, StyledQuestions
from sqale_assets.stages.placeholders import is_placeholder
from sqale_assets.store import CheckOutcome

CHECKS = (
    ("no_placeholders", "No phrasing is a placeholder such as '...', '<string>' or a difficulty label"),
    ("eight_phrasings", "Every question has all eight phrasings"),
)


def evaluate(record: StyledQuestions) -> tuple[CheckOutcome, ...]:
    placeholders = [
        f"{question.question_id}.{style}: {text!r}"
        for question in record.questions
        for style, text in question.phrasings.items()
        if is_placeholder(text)
    ]
    short = [question.question_id for question in record.questions if set(question.phrasings) != set(STYLES)]
    phrasings = sum(len(question.phrasings) for question in record.questions)
    return (
        CheckOutcome(
            name="no_placeholders",
            passed=not placeholders,
            metadata={
                "phrasings": phrasings,
                "placeholders": len(placeholders),
                "bound": 0,
                "found": placeholders[:20],
            },
        ),
        CheckOutcome(
            name="eight_phrasings",
            passed=not short,
            metadata={"questions": len(record.questions), "incomplete": len(short), "which": short[:20]},
        ),
    )
