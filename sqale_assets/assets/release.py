"""The release as it lies in the store: what was published, measured and verified last, for card and report."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from sqale_assets.assets.published import HELD_OUT, LEAKS, PUBLISHED, VERIFICATION, read_datasets
from sqale_assets.assets.reports import read_statistics
from sqale_assets.assets.stages import STAGES
from sqale_assets.corpus.card import Release
from sqale_assets.corpus.leaks import HeldOutReport, LeakReport
from sqale_assets.corpus.verify import Verification
from sqale_assets.llm.routing import stage_route
from sqale_assets.settings import Settings
from sqale_assets.store import Store

B = TypeVar("B", bound=BaseModel)


def read_release(settings: Settings, store: Store) -> Release:
    """The release; verification and leaks are None where they were not checked since it was published."""
    models = {stage_route(settings, model).targets[0].model for stage in STAGES for model in stage.models}
    return Release(
        name=f"{settings.source.name.split('.')[0]}-text-to-sql",
        datasets=read_datasets(store),
        statistics=read_statistics(store),
        verification=read_verification(store),
        leaks=_read(store, LEAKS, LeakReport),
        held_out=held_out.reports if (held_out := _read(store, HELD_OUT, HeldOutReport)) else {},
        models=tuple(sorted(models)),
    )


def read_verification(store: Store) -> Verification | None:
    """What reading the publication back has shown; None where that was not done since it was written."""
    return _read(store, VERIFICATION, Verification)


def _read(store: Store, name: str, kind: type[B]) -> B | None:
    path = store.root / PUBLISHED / name
    return kind.model_validate_json(path.read_bytes()) if path.exists() else None
