"""populated_database: one SQLite file per schema, filled in foreign-key order, repaired and checked."""

import statistics

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.checks import populated_database as checks
from sqale_assets.records import DomainDescription, ExtendedSchema, PopulatedDatabase, SourceSchema
from sqale_assets.stages.population import populate
from sqale_assets.store import DATABASE


async def build(work: Work) -> Made:
    extended = work.load(ExtendedSchema, "extended_schema")
    with work.new_database() as (connection, path):
        record = await populate(
            work.load(SourceSchema, "source_schema"),
            extended,
            work.load(DomainDescription, "domain_description"),
            connection,
            work.llm("populate"),
            settings=work.settings.population,
            seed=work.settings.seed,
        )
        connection.commit()
        outcomes = checks.evaluate(extended.definition, connection, record)
    tables = record.tables
    return Made(
        record=record,
        counts={
            "tables": len(tables),
            "rows": record.rows,
            "median_rows": statistics.median(table.rows for table in tables),
            "empty_tables": sum(table.rows == 0 for table in tables),
            "repaired": sum(sum(table.repairs.values()) for table in tables),
            "dropped_rows": sum(table.dropped_rows for table in tables),
            "invalid_foreign_keys_before_repair": sum(table.invalid_foreign_keys_before for table in tables),
            "generators_failed": sum(table.error is not None for table in tables),
        },
        preview=_preview(tables),
        checks=outcomes,
        files={DATABASE: path},
    )


def _preview(tables) -> str:
    rows = [
        f"| {table.table} | {table.role} | {table.rows} | {sum(table.repairs.values())} | {table.dropped_rows} "
        f"| {table.invalid_foreign_keys_before} -> {table.invalid_foreign_keys_after} |"
        for table in sorted(tables, key=lambda table: -table.rows)[:25]
    ]
    return "\n".join(["| table | role | rows | repairs | dropped | invalid FKs |", "|---|---|--:|--:|--:|--:|", *rows])


STAGE = Stage(
    name="populated_database",
    position=3,
    group="databases",
    description="One SQLite file per schema: rows from generator functions in foreign-key order, keys repaired.",
    upstream=("source_schema", "domain_description", "extended_schema"),
    version="2",
    record=PopulatedDatabase,
    build=build,
    settings=lambda settings: settings.population,
    models=("populate",),
    prompts=("fill_table",),
    checks=checks.CHECKS,
    kinds=frozenset({"python", "llm", "sqlite"}),
)
