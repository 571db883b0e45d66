"""schema_clusters: near-duplicate schemas grouped, so that the split into train and test cannot leak."""

import json
from collections import Counter

import dagster as dg

from sqale_assets.assets.members import accepted_ids
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.records import SourceSchema
from sqale_assets.relational.clusters import grouped, names
from sqale_assets.store import Store

CLUSTERS = "schema_clusters"


@dg.asset(
    name=CLUSTERS,
    deps=["source_schema"],
    group_name="corpus",
    kinds={"python", "json"},
    owners=["team:corpus"],
    description="Near-duplicate schemas (MinHash over table and column names, across dialects) grouped into clusters.",
    required_resource_keys=RESOURCES,
)
def schema_clusters(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    store: Store = context.resources.store
    done = [
        schema_id
        for schema_id in accepted_ids(store)
        if (manifest := store.manifest("source_schema", schema_id)) and manifest.status == "done"
    ]
    found = grouped(
        {schema_id: names(store.record(SourceSchema, "source_schema", schema_id).definition) for schema_id in done}
    )
    store.write(store.root / CLUSTERS / "clusters.json", json.dumps(found, indent=1).encode())
    sizes = Counter(found.values())
    largest = [f"| {name} | {size} |" for name, size in sizes.most_common(15) if size > 1]
    return dg.MaterializeResult(
        metadata={
            "schemas": len(found),
            "clusters": len(sizes),
            "schemas_with_a_near_duplicate": sum(size for size in sizes.values() if size > 1),
            "largest": dg.MetadataValue.md("\n".join(["| cluster | schemas |", "|---|--:|", *largest])),
        }
    )


def read_clusters(store: Store) -> dict[str, str]:
    """Cluster by schema id, as last computed."""
    return json.loads((store.root / CLUSTERS / "clusters.json").read_text(encoding="utf-8"))
