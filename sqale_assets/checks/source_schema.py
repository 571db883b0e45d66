"""Checks of source_schema: the model holds what the source said."""

from sqale_assets.records import SourceSchema
from sqale_assets.store import CheckOutcome

CHECKS = (("statements_accounted", "Every statement was kept, skipped as not relevant, or reported as a loss"),)


def evaluate(record: SourceSchema) -> tuple[CheckOutcome, ...]:
    fidelity = record.fidelity
    unaccounted = fidelity.statements - fidelity.kept - fidelity.skipped
    return (
        CheckOutcome(
            name="statements_accounted",
            passed=unaccounted <= len(fidelity.losses),
            severity="warn",
            metadata={
                "statements": fidelity.statements,
                "kept": fidelity.kept,
                "skipped": fidelity.skipped,
                "losses": len(fidelity.losses),
            },
        ),
    )
