"""extended_schema: the source schema grown to the paper's sizes by tables in its own style."""

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import extended_schema as checks
from sqale_assets.records import DomainDescription, ExtendedSchema, SourceSchema
from sqale_assets.stages.extension import extend_schema


async def build(work: Work) -> Made:
    source = work.load(SourceSchema, "source_schema")
    record = await extend_schema(
        source,
        work.load(DomainDescription, "domain_description"),
        work.llm("extend"),
        settings=work.settings.extension,
        seed=work.settings.seed,
    )
    schema = record.definition
    added = [table for table in schema.tables if table.origin == "added"]
    return Made(
        record=record,
        counts={
            "tables": len(schema.tables),
            "columns": schema.column_count,
            "foreign_keys": schema.foreign_key_count,
            "added_tables": len(added),
            "target_tables": record.target_tables,
            "rejected_statements": len(record.rejected),
            "style_conformity": round(record.style_conformity, 3),
        },
        preview="Added tables: " + ", ".join(table.name for table in added[:60]),
        checks=checks.evaluate(source, record),
    )


STAGE = Stage(
    name="extended_schema",
    position=2,
    group="schemas",
    description="The source schema plus tables that keep its naming, key and normalisation style; each was executed.",
    upstream=("source_schema", "domain_description"),
    version="1",
    record=ExtendedSchema,
    build=build,
    settings=lambda settings: settings.extension,
    models=("extend",),
    prompts=("extend_schema",),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm", "sqlite"}),
)
