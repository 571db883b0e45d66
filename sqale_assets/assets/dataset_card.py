"""dataset_card: README.md and Croissant metadata of the release, computed from what was published and verified."""

import json

import dagster as dg
from pydantic import BaseModel

from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.published import LEAKS, PUBLISHED, VERIFICATION, read_datasets
from sqale_assets.assets.reports import read_statistics
from sqale_assets.assets.stages import STAGES
from sqale_assets.corpus.card import Release, dataset_card, known_issues
from sqale_assets.corpus.croissant import croissant
from sqale_assets.corpus.leaks import LeakReport
from sqale_assets.corpus.verify import Verification
from sqale_assets.llm.routing import stage_route
from sqale_assets.settings import Settings
from sqale_assets.store import Store

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
    release = _release(settings, store)
    card = dataset_card(release)
    store.write(store.root / PUBLISHED / "README.md", card.encode())
    with store.local_copy(PUBLISHED) as folder:
        described = croissant(release, folder, version="1.0.0")
    store.write(store.root / PUBLISHED / "croissant.json", json.dumps(described, indent=1).encode())
    return dg.MaterializeResult(
        metadata={
            "card": dg.MetadataValue.md(card),
            "known_issues": len(known_issues(release)),
            "path": dg.MetadataValue.path(str(store.root / PUBLISHED / "README.md")),
        }
    )


def _release(settings: Settings, store: Store) -> Release:
    models = {stage_route(settings, model).targets[0].model for stage in STAGES for model in stage.models}
    return Release(
        name=f"{settings.source.name.split('.')[0]}-text-to-sql",
        datasets=read_datasets(store),
        statistics=read_statistics(store),
        verification=_read(store, VERIFICATION, Verification),
        leaks=_read(store, LEAKS, LeakReport),
        models=tuple(sorted(models)),
    )


def _read(store: Store, name: str, kind: type[BaseModel]):
    """A report on the present publication, or None where it was not made."""
    path = store.root / PUBLISHED / name
    return kind.model_validate_json(path.read_bytes()) if path.exists() else None
