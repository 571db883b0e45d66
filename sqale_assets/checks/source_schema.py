"""Checks of source_schema: the model holds what the source said."""

from sqale_assets.records import SourceSchema
from sqale_assets.store import CheckOutcome

CHECKS = (
    ("statements_accounted", "Statements neither kept, nor skipped as irrelevant, nor reported as a loss (bound: 0)"),
)


def evaluate(record: SourceSchema) -> tuple[CheckOutcome, ...]:
    fidelity = record.fidelity
    unaccounted = max(0, fidelity.statements - fidelity.kept - fidelity.skipped - len(fidelity.losses))
    return (
        CheckOutcome(
            name="statements_accounted",
            passed=unaccounted == 0,
            severity="warn",
            metadata={
                "unaccounted": unaccounted,
                "bound": 0,
                "statements": fidelity.statements,
                "kept": fidelity.kept,
                "skipped": fidelity.skipped,
                "losses": len(fidelity.losses),
            },
        ),
    )
