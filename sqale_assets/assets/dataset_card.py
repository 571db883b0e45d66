"""dataset_card: README.md and Croissant metadata of the release, computed from what was published and verified."""

import json

import dagster as dg

from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.published import PUBLISHED, release_date
from sqale_assets.assets.release import read_release
from sqale_assets.corpus.card import dataset_card, known_issues
from sqale_assets.corpus.croissant import croissant

CARD = "dataset_card"


@dg.asset(
    name=CARD,
    deps=["dataset_statistics"],
    group_name="corpus",
    kinds={"python", "markdown"},
    owners=["team:corpus"],
    description="The release's README (fields, figures, licences, known issues computed from the data) and Croissant.",
    required_resource_keys=RESOURCES,
)
def dataset_card_asset(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    settings, store = context.resources.settings, context.resources.store
    release = read_release(settings, store)
    card = dataset_card(release)
    store.write(store.root / PUBLISHED / "README.md", card.encode())
    with store.local_copy(PUBLISHED) as folder:
        described = croissant(release, folder, version="1.0.0", published=release_date(store))
    store.write(store.root / PUBLISHED / "croissant.json", json.dumps(described, indent=1).encode())
    return dg.MaterializeResult(
        metadata={
            "card": dg.MetadataValue.md(card),
            "known_issues": len(known_issues(release)),
            "path": dg.MetadataValue.path(str(store.root / PUBLISHED / "README.md")),
        }
    )
