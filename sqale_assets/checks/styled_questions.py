"""Checks of styled_questions: eight usable phrasings per question that ask the same, none of them a placeholder."""

from collections import Counter

from sqale_assets.records import STYLES, StyledQuestions
from sqale_assets.stages.literals import literals
from sqale_assets.stages.placeholders import is_placeholder
from sqale_assets.stages.style_checks import lost, unlabelled
from sqale_assets.store import CheckOutcome

CHECKS = (
    ("no_placeholders", "Phrasings that are placeholders such as '...', '<string>' or a difficulty label (bound: 0)"),
    ("eight_phrasings", "Questions without all eight phrasings (bound: 0)"),
    (
        "phrasings_ask_the_same",
        "Share of rewrites that ask the same or say what they leave out (bound: 100%)",
    ),
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
            metadata={"questions": len(record.questions), "incomplete": len(short), "bound": 0, "which": short[:20]},
        ),
        _faithful(record),
    )


def _faithful(record: StyledQuestions) -> CheckOutcome:
    """Share of each style's phrasings that lose nothing of the question, counted again from the record."""
    faithful: Counter[str] = Counter()
    unfaithful = []
    for question in record.questions:
        verbose = question.phrasings["verbose"]
        values = literals(verbose)
        for style in STYLES[1:]:
            text = question.phrasings.get(style, "")
            wrong = lost(style, text, verbose, values)
            if style == "short_ambiguous":
                wrong += unlabelled(text, question.left_out, values)
            faithful[style] += not wrong
            unfaithful += [f"{question.question_id}.{style}: {'; '.join(wrong)}"] if wrong else []
    count = len(record.questions)
    return CheckOutcome(
        name="phrasings_ask_the_same",
        passed=not unfaithful,
        metadata={
            **{style: faithful[style] / count if count else 1.0 for style in STYLES[1:]},
            "bound": 1.0,
            "unfaithful": unfaithful[:20],
        },
    )
