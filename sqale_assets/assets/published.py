"""published_schemas, published_queries, published_provenance: the parquet data sets, written together.

One step writes all three, so that they always describe the same corpus. Schemas that are not in it stand in
`not_published.json` beside them, each with its reason; `CHANGES.md` says what the last publication changed.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg

from sqale_assets.assets.members import accepted_ids, members, publishable_ids, why_unpublishable
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.schema_clusters import read_clusters
from sqale_assets.corpus.publish import PublishedDataset, publish_provenance, publish_queries, publish_schemas
from sqale_assets.corpus.releases import ReleaseDiff, diff, snapshot
from sqale_assets.corpus.split import split_by_cluster
from sqale_assets.store import Store

PUBLISHED = "published"
DATASETS, SCHEMAS_LISTED, LEFT_OUT = "datasets.json", "splits.json", "not_published.json"
VERIFICATION, LEAKS, HELD_OUT = "verification.json", "leaks.json", "leaks_held_out.json"
RELEASED, CHANGES = "release.json", "CHANGES.md"
#: What the quality report found on the publication; like its verification, gone with it.
EXPECTATIONS = "quality_report/results.json"


def _spec(name: str, deps: list[str], description: str) -> dg.AssetSpec:
    """`deps` are the nearest ones only: naming every ancestor would make the graph unreadable."""
    return dg.AssetSpec(
        name, deps=["schema_clusters", *deps], group_name="corpus", kinds={"python", "parquet"}, owners=["team:corpus"],
        description=description,
    )  # fmt: skip


@dg.multi_asset(
    name="published",
    specs=[
        _spec(
            "published_schemas",
            ["populated_database"],
            "DDL and rows of every database, with the columns of the seed; train and test.",
        ),
        _spec(
            "published_queries",
            ["styled_questions", "gold_queries"],
            "Questions in eight phrasings with gold SQL and result, with the columns of the seed.",
        ),
        _spec(
            "published_provenance",
            ["gold_queries"],
            "Where each question comes from: source, licence, models, prompts, cost.",
        ),
    ],
    required_resource_keys=RESOURCES,
)
def published(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult]:
    settings, store = context.resources.settings, context.resources.store
    chosen = publishable_ids(store)
    if not chosen:
        reasons = Counter(why_unpublishable(store, schema_id) for schema_id in accepted_ids(store))
        raise dg.Failure(f"No schema can be published. Reasons: {dict(reasons.most_common(5))}", allow_retries=False)
    all_clusters = read_clusters(store)
    clusters = {schema_id: all_clusters[schema_id] for schema_id in chosen}
    splits = split_by_cluster(clusters, test_share=settings.test_share, seed=settings.seed)
    with store.local_folder(PUBLISHED) as folder:
        before = snapshot(folder)
        for stale in (VERIFICATION, LEAKS, HELD_OUT, "README.md", "croissant.json"):  # they speak of what was before
            (folder / stale).unlink(missing_ok=True)
        (store.root / EXPECTATIONS).unlink(missing_ok=True)
        datasets = {
            "schemas": publish_schemas(members(store, chosen), splits, folder),
            "queries": publish_queries(members(store, chosen), splits, folder),
            "provenance": publish_provenance(members(store, chosen), splits, clusters, folder),
        }
        left_out = {key: why_unpublishable(store, key) for key in accepted_ids(store) if key not in splits}
        (folder / LEFT_OUT).write_text(json.dumps(left_out, indent=1), encoding="utf-8")
        described = {name: dataset.model_dump(mode="json") for name, dataset in datasets.items()}
        (folder / DATASETS).write_text(json.dumps(described, indent=1), encoding="utf-8")
        (folder / SCHEMAS_LISTED).write_text(json.dumps(splits, indent=1), encoding="utf-8")
        changes = diff(before, snapshot(folder))
        if not changes.empty or not (folder / RELEASED).exists():
            today = datetime.now(UTC).date().isoformat()
            (folder / RELEASED).write_text(json.dumps({"published": today}), encoding="utf-8")
            (folder / CHANGES).write_text(f"# Changes of {today}\n\n{changes.markdown()}\n", encoding="utf-8")
    for name, dataset in datasets.items():
        yield _result(f"published_{name}", dataset, store, changes)


def read_datasets(store: Store) -> dict[str, PublishedDataset]:
    """What was published last, by data set."""
    described = json.loads((store.root / PUBLISHED / DATASETS).read_text(encoding="utf-8"))
    return {name: PublishedDataset.model_validate(each) for name, each in described.items()}


def published_ids(store: Store) -> list[str]:
    """The schemas of the last publication, sorted: what the reports speak of, whatever has been built since."""
    return sorted(json.loads((store.root / PUBLISHED / SCHEMAS_LISTED).read_text(encoding="utf-8")))


def not_published(store: Store) -> dict[str, str]:
    """The schemas of the catalogue that the last publication left out, each with its reason."""
    return json.loads((store.root / PUBLISHED / LEFT_OUT).read_text(encoding="utf-8"))


def release_date(store: Store) -> str:
    """The day (ISO) on which the data sets last changed."""
    return json.loads((store.root / PUBLISHED / RELEASED).read_text(encoding="utf-8"))["published"]


def _result(asset: str, dataset: PublishedDataset, store: Store, changes: ReleaseDiff) -> dg.MaterializeResult:
    files = [f"| {file.path} | {file.rows:,} | {file.bytes / 1e6:,.1f} |" for file in dataset.files]
    return dg.MaterializeResult(
        asset_key=asset,
        metadata={
            "rows": dataset.rows(),
            "train_rows": dataset.rows("train"),
            "test_rows": dataset.rows("test"),
            "megabytes": round(dataset.bytes / 1e6, 1),
            "files": dg.MetadataValue.md("\n".join(["| file | rows | MB |", "|---|--:|--:|", *files])),
            "changes_since_the_last_publication": dg.MetadataValue.md(changes.markdown()),
            "folder": dg.MetadataValue.path(str(store.root / PUBLISHED / dataset.name)),
        },
    )
