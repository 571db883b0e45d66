"""schema_catalog: every schema of the source with its origin; registers the accepted ones as partitions."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from sqale_assets.assets.partitioned_stage import RESOURCES, SCHEMAS
from sqale_assets.assets.work import SOURCE_CONTENT
from sqale_assets.corpus.releases import opted_out, read_opt_outs
from sqale_assets.records import SourceFile
from sqale_assets.stages.catalog import catalog
from sqale_assets.store import Manifest, Store, fingerprint
from sqale_assets.store.sources import SourceError, open_source

CATALOG = "schema_catalog"
_BATCH = 1_000  # SQLite's limit on variables breaks larger ones (dagster issue 16260)


@dg.asset(
    name=CATALOG,
    group_name="schemas",
    kinds={"python", "sql"},
    owners=["team:corpus"],
    description="Every schema of the source: id, origin, licence, hash, accepted or why not. Registers the partitions.",
    required_resource_keys=RESOURCES,
)
def schema_catalog(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    settings, store = context.resources.settings, context.resources.store
    store.sweep()
    source = open_source(settings.source, raw_sql=settings.catalog.raw_sql)
    try:
        found = _without_opt_outs(catalog(source, settings=settings.catalog), settings.catalog.opt_outs)
        entries = list(_register(store, found))
    except SourceError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    accepted = sorted(entry.schema_id for entry in entries if entry.accepted)
    if not accepted:
        reasons = Counter((entry.reason or "").split(" of ")[0] for entry in entries)
        raise dg.Failure(f"{settings.source} holds no usable schema: {dict(reasons)}", allow_retries=False)
    write_entries(store, entries)
    set_partitions(context.instance, accepted)
    licences = Counter(entry.licence or "unknown" for entry in entries if entry.accepted)
    refused = [f"- {entry.name}: {entry.reason}" for entry in entries if not entry.accepted]
    return dg.MaterializeResult(
        metadata={
            "source": dg.MetadataValue.path(str(settings.source)),
            "accepted": len(accepted),
            "refused": len(refused),
            "licences": dg.MetadataValue.json(dict(licences)),
            "preview": dg.MetadataValue.md("\n".join(refused[:50]) or "Every schema of the source was accepted."),
        }
    )


def _without_opt_outs(
    found: Iterator[tuple[SourceFile, bytes]], opt_outs: Path | None
) -> Iterator[tuple[SourceFile, bytes]]:
    """Sources whose owners want out are refused."""
    listed = read_opt_outs(opt_outs.read_text(encoding="utf-8")) if opt_outs else frozenset()
    for entry, content in found:
        if entry.accepted and listed and opted_out(entry, listed):
            entry = entry.model_copy(update={"accepted": False, "reason": "opted_out"})
        yield entry, content


def write_entries(store: Store, entries: list[SourceFile]) -> None:
    lines = "".join(entry.model_dump_json() + "\n" for entry in entries)
    store.write(store.root / CATALOG / "catalog.jsonl", lines.encode())


def read_entries(store: Store) -> list[SourceFile]:
    """The catalogue's entries, accepted and refused, in its order; empty where there is no catalogue yet."""
    path = store.root / CATALOG / "catalog.jsonl"
    if not path.exists():
        return []
    return [SourceFile.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _register(store: Store, found: Iterator[tuple[SourceFile, bytes]]) -> Iterator[SourceFile]:
    """Put each accepted source into the store, where its content changed."""
    for entry, content in found:
        if entry.accepted:
            inputs = {"entry": entry.model_dump_json()}
            mark = fingerprint(inputs)
            existing = store.manifest(CATALOG, entry.schema_id)
            if existing is None or existing.fingerprint != mark or not store.intact(existing):
                manifest = Manifest(
                    asset=CATALOG, schema_id=entry.schema_id, status="done", fingerprint=mark, inputs=inputs
                )
                store.commit(manifest, entry, {SOURCE_CONTENT: content})
        yield entry


def set_partitions(instance: dg.DagsterInstance, accepted: list[str]) -> None:
    """Make the partitions exactly the accepted schemas; artefacts of others stay in the store."""
    present = set(instance.get_dynamic_partitions(SCHEMAS.name))
    for gone in sorted(present - set(accepted)):
        instance.delete_dynamic_partition(SCHEMAS.name, gone)
    new = [schema_id for schema_id in accepted if schema_id not in present]
    for start in range(0, len(new), _BATCH):
        instance.add_dynamic_partitions(SCHEMAS.name, new[start : start + _BATCH])
