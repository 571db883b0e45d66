"""Which schemas make it into the corpus, and their records: the bridge from the store to `corpus`."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from sqale_assets.assets.schema_catalog import read_entries
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stages import STAGES
from sqale_assets.assets.work import open_database
from sqale_assets.corpus.members import Member, answered
from sqale_assets.records import (
    DomainDescription,
    ExtendedSchema,
    GoldQueries,
    PopulatedDatabase,
    Questions,
    SourceSchema,
    StyledQuestions,
)
from sqale_assets.store import Manifest, Store


def accepted_ids(store: Store) -> list[str]:
    """The schemas of the catalogue that became partitions, sorted."""
    return sorted(entry.schema_id for entry in read_entries(store) if entry.accepted)


def done_ids(store: Store) -> list[str]:
    """The schemas that went through every stage, published or not, sorted; without those that can no longer be read."""
    return [schema_id for schema_id in accepted_ids(store) if _done(store, schema_id)]


def _done(store: Store, schema_id: str) -> bool:
    """Whether the last stage made its artefact, and all of them wrote what this version reads."""
    *before, last = STAGES
    manifest = store.manifest(last.name, schema_id)
    if manifest is None or manifest.status != "done" or _outdated(last, manifest):
        return False
    earlier = ((stage, store.manifest(stage.name, schema_id)) for stage in before)
    return all(manifest and not _outdated(stage, manifest) for stage, manifest in earlier)


def _outdated(stage: Stage, manifest: Manifest) -> bool:
    return manifest.status == "done" and manifest.record_version != stage.record.version


def publishable_ids(store: Store) -> list[str]:
    """Schemas that are done in every stage, pass every blocking check, and have an answered question."""
    return [schema_id for schema_id in accepted_ids(store) if not why_unpublishable(store, schema_id)]


def why_unpublishable(store: Store, schema_id: str) -> str:
    """The first reason why a schema is not published; empty when it is."""
    for stage in STAGES:
        manifest = store.manifest(stage.name, schema_id)
        if manifest is None:
            return f"{stage.name} is missing"
        if _outdated(stage, manifest):
            return f"{stage.name} was written by another version of sqale-assets and has to be built again"
        if manifest.rejection:
            return f"rejected by {manifest.rejection.stage}: {manifest.rejection.reason}"
        if not manifest.passed:
            failed = [check.name for check in manifest.checks if not check.passed and check.severity == "error"]
            return f"{stage.name} fails {', '.join(failed)}"
    records = (
        store.record(Questions, "questions", schema_id),
        store.record(StyledQuestions, "styled_questions", schema_id),
        store.record(GoldQueries, "gold_queries", schema_id),
    )
    return "" if answered(*records) else "no question has both a gold query and eight phrasings that fit it"


def members(store: Store, schema_ids: Sequence[str]) -> Iterator[Member]:
    """The records of the given schemas, one at a time."""
    for schema_id in schema_ids:
        yield _member(store, schema_id)


def _member(store: Store, schema_id: str) -> Member:
    return Member(
        source=store.record(SourceSchema, "source_schema", schema_id),
        domain=store.record(DomainDescription, "domain_description", schema_id),
        extended=store.record(ExtendedSchema, "extended_schema", schema_id),
        populated=store.record(PopulatedDatabase, "populated_database", schema_id),
        questions=store.record(Questions, "questions", schema_id),
        styled=store.record(StyledQuestions, "styled_questions", schema_id),
        gold=store.record(GoldQueries, "gold_queries", schema_id),
        open_database=functools.partial(open_database, store, schema_id),
    )
