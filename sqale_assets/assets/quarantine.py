"""What the stages refused, item by item, read from the records of the catalogue's schemas."""

from collections.abc import Iterator

from sqale_assets.assets.members import accepted_ids
from sqale_assets.records import ExtendedSchema, GoldQueries, Questions, RejectedItem, StyledQuestions
from sqale_assets.store import Store

_RECORDS = {
    "extended_schema": ExtendedSchema,
    "questions": Questions,
    "styled_questions": StyledQuestions,
    "gold_queries": GoldQueries,
}


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
        for asset, record_type in _RECORDS.items():
            manifest = store.manifest(asset, schema_id)
            if manifest and manifest.status == "done":
                for item in store.record(record_type, asset, schema_id).rejected:
                    yield schema_id, item
