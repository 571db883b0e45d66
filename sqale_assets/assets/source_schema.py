"""source_schema: real DDL of any dialect, read into the schema model, with its keys and original rows."""

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import source_schema as checks
from sqale_assets.records import SourceSchema
from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.stages.source import read_source


async def build(work: Work) -> Made:
    entry, content = work.source()
    record = read_source(entry, content, rows_per_table=work.settings.catalog.rows_per_table)
    schema, fidelity = record.definition, record.fidelity
    return Made(
        record=record,
        counts={
            "tables": len(schema.tables),
            "columns": schema.column_count,
            "foreign_keys": schema.foreign_key_count,
            "original_rows": sum(map(len, record.rows.values())),
            "dialect": fidelity.dialect or "unknown",
            "statements": fidelity.statements,
            "losses": len(fidelity.losses),
            "inferred_foreign_keys": sum(
                key.origin == "inferred" for table in schema.tables for key in table.foreign_keys
            ),
            "licence": entry.licence or "unknown",
            **_gains(fidelity),
        },
        preview=_preview(record),
        checks=checks.evaluate(record),
    )


def _gains(fidelity: Fidelity) -> dict[str, int]:
    """What a raw file holds beyond the SchemaPile record that it stands in for; nothing where there is no record."""
    if fidelity.gained_tables is None or fidelity.gained_foreign_keys is None:
        return {}
    return {"gained_tables": fidelity.gained_tables, "gained_foreign_keys": fidelity.gained_foreign_keys}


def _preview(record) -> str:
    rows = [
        f"| {table.name} | {len(table.columns)} | {', '.join(table.primary_key) or '-'} "
        f"| {', '.join(sorted({key.target_table for key in table.foreign_keys})) or '-'} "
        f"| {len(record.rows.get(table.name, ()))} |"
        for table in record.definition.tables[:20]
    ]
    losses = [f"- line {loss.line}: {loss.reason}" for loss in record.fidelity.losses[:10]]
    return "\n".join(
        ["| table | columns | primary key | references | rows |", "|---|--:|---|---|--:|", *rows]
        + (["", "**Lost in reading**", "", *losses] if losses else [])
    )


STAGE = Stage(
    name="source_schema",
    position=0,
    group="schemas",
    description="Real DDL in any dialect, read into the schema model: keys, types, comments and original rows.",
    upstream=("schema_catalog",),
    version="1",
    record=SourceSchema,
    build=build,
    settings=lambda settings: settings.catalog.rows_per_table,
    checks=checks.CHECKS,
    kinds=frozenset({"python", "sql", "sqlite"}),
)
