"""The Dagster resources: settings, store, LLM gateway, progress. Built from one Settings object.

They are plain objects of ours behind hard-coded resources, so that the command line, the UI and the tests get the
very same ones; only the gateway has a life of its own (opened and flushed per run).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import dagster as dg
from dagster_duckdb import DuckDBResource

from sqale_assets.settings import Settings
from sqale_assets.store import Store


class Progress(Protocol):
    """Told of every schema that ends a stage; status is "done", "rejected" or "failed"."""

    def advance(self, asset: str, schema_id: str, status: str) -> None: ...


class NoProgress:
    def advance(self, asset: str, schema_id: str, status: str) -> None:
        pass


def build_resources(settings: Settings, progress: Progress | None = None) -> dict[str, dg.ResourceDefinition]:
    """The resources of every asset, by key."""

    @dg.resource(description="The one door to language models (litellm), with cache, budget and ledger.")
    def gateway(_: Any) -> Iterator[Any]:
        from sqale_assets.llm.gateway import Gateway

        opened = Gateway(settings)
        try:
            yield opened
        finally:
            opened.close()

    hard_coded = dg.ResourceDefinition.hardcoded_resource
    return {
        "settings": hard_coded(settings, "The settings of this process."),
        "store": hard_coded(Store(settings.store), "Artefacts and manifests."),
        "progress": hard_coded(progress or NoProgress(), "Told of every schema that ends a stage."),
        "gateway": gateway,
        "duckdb": DuckDBResource(database=duckdb_path(settings)),
    }


def duckdb_path(settings: Settings) -> str:
    """Where `sqale.duckdb` lies: in the store, or beside Dagster's instance where the store is remote."""
    folder = settings.store if "://" not in settings.store else str(settings.dagster_home)
    return f"{folder}/sqale.duckdb"
