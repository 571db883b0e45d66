"""Checks of questions: literals grounded in the data, tables connected."""

from sqale_assets.records import Questions
from sqale_assets.stages.grounding import GroundingIndex, ground
from sqale_assets.store import CheckOutcome

CHECKS = (("literals_grounded", "Share of the questions' literals found in the data or derived from it (bound: 100%)"),)


def evaluate(record: Questions, index: GroundingIndex) -> tuple[CheckOutcome, ...]:
    """`index` is that of the populated database."""
    literals, missing = 0, []
    for question in record.questions:
        proofs, ungrounded = ground(question.text, question.relevant_tables, index)
        literals += len(proofs) + len(ungrounded)
        missing += [f"{question.question_id}: {item}" for item in ungrounded]
    return (
        CheckOutcome(
            name="literals_grounded",
            passed=not missing,
            metadata={
                "share": 1 - len(missing) / literals if literals else 1.0,
                "bound": 1.0,
                "literals": literals,
                "ungrounded": missing[:20],
            },
        ),
    )
