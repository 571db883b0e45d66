"""corpus_database: one DuckDB file with views over everything. The only asset that writes a `.duckdb` file."""

import json
from collections.abc import Iterator

import dagster as dg

from sqale_assets.assets.members import accepted_ids
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.published import PUBLISHED
from sqale_assets.assets.quarantine import rejected_items
from sqale_assets.assets.stages import STAGES
from sqale_assets.corpus.duckdb_views import ArtefactRow, CheckRow, QuarantineRow, build_views, describe
from sqale_assets.llm.ledger import set_damaged_aside
from sqale_assets.store import Manifest, Store


@dg.asset(
    name="corpus_database",
    deps=["published_schemas", "published_queries", "published_provenance"],
    group_name="corpus",
    kinds={"python", "duckdb"},
    owners=["team:corpus"],
    description="sqale.duckdb: views over schemas, queries, provenance, checks, ledger and quarantine.",
    required_resource_keys=RESOURCES | {"duckdb"},
)
def corpus_database(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    store: Store = context.resources.store
    set_damaged_aside(store.root / "ledger")
    with store.local_copy(PUBLISHED) as published, context.resources.duckdb.get_connection() as connection:
        made = build_views(
            connection,
            published,
            ledger=store.local_path("ledger"),
            checks=_checks(store),
            artefacts=_artefacts(store),
            quarantine=(
                QuarantineRow(schema_id, item.stage, item.reason, item.evidence, item.item)
                for schema_id, item in rejected_items(store)
            ),
        )
    rows = [f"| {name} | {describe(name)} |" for name in made]
    return dg.MaterializeResult(
        metadata={
            "relations": dg.MetadataValue.md("\n".join(["| relation | what it holds |", "|---|---|", *rows])),
            "try": dg.MetadataValue.text('sqale sql "SELECT difficulty, count(*) FROM queries GROUP BY ALL"'),
        }
    )


def _manifests(store: Store) -> Iterator[Manifest]:
    for stage in STAGES:
        for schema_id in accepted_ids(store):
            if manifest := store.manifest(stage.name, schema_id):
                yield manifest


def _checks(store: Store) -> Iterator[CheckRow]:
    for manifest in _manifests(store):
        for check in manifest.checks:
            yield CheckRow(
                manifest.asset, manifest.schema_id, check.name, check.passed, check.severity, json.dumps(check.metadata)
            )


def _artefacts(store: Store) -> Iterator[ArtefactRow]:
    for manifest in _manifests(store):
        usage = manifest.usage
        reason = manifest.rejection.reason if manifest.rejection else None
        yield ArtefactRow(
            manifest.asset, manifest.schema_id, manifest.status, reason, usage.calls,
            usage.tokens_in + usage.tokens_out, usage.cost, manifest.seconds, manifest.finished_at,
        )  # fmt: skip
