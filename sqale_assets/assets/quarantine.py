"""quarantine: what the stages refused, item by item, with reason, evidence and transcript."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import dagster as dg

from sqale_assets.assets.members import accepted_ids
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.corpus.members import held_back
from sqale_assets.records import ExtendedSchema, GoldQueries, Questions, RejectedItem, StyledQuestions
from sqale_assets.store import Store

QUARANTINE = "quarantine"
_RECORDS = {
    "extended_schema": ExtendedSchema,
    "questions": Questions,
    "styled_questions": StyledQuestions,
    "gold_queries": GoldQueries,
}
#: Items written to Parquet at a time: transcripts are long, and there are many.
_BATCH = 2_000


class Quarantined(NamedTuple):
    """A refused item. `item_id` is the same whenever the same thing is refused for the same reason."""

    item_id: str
    schema_id: str
    item: RejectedItem


@dg.asset(
    name=QUARANTINE,
    deps=list(_RECORDS),
    group_name="reports",
    kinds={"python", "parquet"},
    owners=["team:corpus"],
    description="Every table, question, phrasing and query that was refused: stage, reason, evidence and transcript.",
    required_resource_keys=RESOURCES,
)
def quarantine(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    store: Store = context.resources.store
    counts = write_quarantine(store)
    rows = [f"| {stage} | {reason} | {count} |" for (stage, reason), count in counts.most_common()]
    return dg.MaterializeResult(
        metadata={
            "items": sum(counts.values()),
            "reasons": dg.MetadataValue.md("\n".join(["| stage | reason | items |", "|---|---|--:|", *rows])),
            "try": dg.MetadataValue.text("sqale quarantine --stage gold_queries"),
        }
    )


def write_quarantine(store: Store) -> Counter[tuple[str, str]]:
    """Write `quarantine/quarantine.parquet`, one row an item; the number of items by stage and reason."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = ("item_id", "schema_id", "stage", "reason", "evidence", "item", "transcript")
    schema = pa.schema([(name, pa.string()) for name in columns])
    counts: Counter[tuple[str, str]] = Counter()
    rows: list[dict[str, str]] = []
    with store.local_folder(QUARANTINE) as folder:
        unfinished = folder / "unfinished"
        with pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
            for item_id, schema_id, item in quarantined(store):
                counts[item.stage, item.reason] += 1
                transcript = json.dumps(item.transcript, ensure_ascii=False)
                texts = item.model_dump(include={"stage", "reason", "evidence", "item"})
                rows.append({"item_id": item_id, "schema_id": schema_id, **texts, "transcript": transcript})
                if len(rows) == _BATCH:
                    writer.write_table(pa.Table.from_pylist(rows, schema))
                    rows.clear()
            writer.write_table(pa.Table.from_pylist(rows, schema))
        unfinished.replace(folder / "quarantine.parquet")
    return counts


def quarantined(store: Store) -> Iterator[Quarantined]:
    """`rejected_items` with their ids."""
    seen: Counter[str] = Counter()
    for schema_id, item in rejected_items(store):
        content = "\n".join((schema_id, item.stage, item.reason, item.item))
        digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()[:8]
        seen[digest] += 1
        yield Quarantined(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}", schema_id, item)


def rejected_items(store: Store) -> Iterator[tuple[str, RejectedItem]]:
    """(schema id, item) for every refused table, question, phrasing and query, in catalogue and pipeline order.

    A schema that was rejected whole comes as one item of the stage that rejected it.
    """
    for schema_id in accepted_ids(store):
        whole = store.manifest("gold_queries", schema_id) or store.manifest("source_schema", schema_id)
        if whole and whole.rejection:
            decision = whole.rejection
            yield (
                schema_id,
                RejectedItem(stage=decision.stage, reason=decision.reason, evidence=decision.evidence, item=schema_id),
            )
        records: dict[str, Any] = {}
        for asset, record_type in _RECORDS.items():
            manifest = store.manifest(asset, schema_id)
            if manifest and manifest.status == "done":
                records[asset] = store.record(record_type, asset, schema_id)
                yield from ((schema_id, item) for item in records[asset].rejected)
        questions, styled, gold = (records.get(name) for name in ("questions", "styled_questions", "gold_queries"))
        if questions and styled and gold:
            yield from ((schema_id, item) for item in held_back(questions, styled, gold))
