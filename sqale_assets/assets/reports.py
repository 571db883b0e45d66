"""dataset_statistics: the figures of the corpus as published, kept as JSON and shown as metadata."""

import dagster as dg

from sqale_assets.assets.members import accepted_ids, members, publishable_ids
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.statistics.corpus import CorpusStatistics, corpus_statistics
from sqale_assets.store import Store

STATISTICS = "dataset_statistics"


@dg.asset(
    name=STATISTICS,
    deps=["published_schemas", "published_queries"],
    group_name="reports",
    kinds={"python", "polars"},
    owners=["team:corpus"],
    description="Figures over the published corpus: schemas, SQL, questions, yields and cost, each with its definition.",
    required_resource_keys=RESOURCES,
)
def dataset_statistics(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    store: Store = context.resources.store
    found = corpus_statistics(members(store, publishable_ids(store)))
    store.write(store.root / STATISTICS / "statistics.json", found.model_dump_json(indent=1).encode())
    return dg.MaterializeResult(metadata={"records": found.records, "catalogued": len(accepted_ids(store))})


def read_statistics(store: Store) -> CorpusStatistics:
    """The statistics as last computed."""
    return CorpusStatistics.model_validate_json((store.root / STATISTICS / "statistics.json").read_bytes())
