"""Checks of extended_schema: originals untouched, style kept, new tables part of the foreign-key graph."""

from sqale_assets.records import ExtendedSchema, SourceSchema
from sqale_assets.store import CheckOutcome

STYLE_BOUND, ATTACHED_BOUND = 0.9, 0.95

CHECKS = (
    ("originals_unchanged", "Tables of the source that are missing or altered in the extended schema (bound: 0)"),
    (
        "style_conformity",
        f"Score of added tables against the source's style (bound: at least {STYLE_BOUND})",
    ),
    (
        "tables_attached",
        f"Share of added tables with a foreign key (bound: at least {ATTACHED_BOUND:.0%})",
    ),
)


def evaluate(source: SourceSchema, record: ExtendedSchema) -> tuple[CheckOutcome, ...]:
    before = {table.name: table for table in source.definition.tables}
    after = {table.name: table for table in record.definition.tables}
    changed = [name for name, table in before.items() if after.get(name) != table]
    added = [table for table in record.definition.tables if table.origin == "added"]
    targets = {key.target_table.lower() for table in record.definition.tables for key in table.foreign_keys}
    loose = [table.name for table in added if not table.foreign_keys and table.name.lower() not in targets]
    attached = 1 - len(loose) / len(added) if added else 1.0
    return (
        CheckOutcome(
            name="originals_unchanged",
            passed=not changed,
            metadata={"changed": len(changed), "bound": 0, "which": changed[:20]},
        ),
        CheckOutcome(
            name="style_conformity",
            passed=record.style_conformity >= STYLE_BOUND or not added,
            severity="warn",
            metadata={"conformity": round(record.style_conformity, 4), "bound": STYLE_BOUND, "added": len(added)},
        ),
        CheckOutcome(
            name="tables_attached",
            passed=attached >= ATTACHED_BOUND,
            severity="warn",
            metadata={"share": round(attached, 4), "bound": ATTACHED_BOUND, "loose": loose[:20]},
        ),
    )
