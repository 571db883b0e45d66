"""Stage `source_schema`: a source file becomes a schema that SQLite holds, with the rows it carried.

A schema that cannot carry questions is rejected here, before any model is asked: without tables, with too few, or
with none connected to another. Keys that were never declared are inferred first.
"""

from __future__ import annotations

import json

from sqale_assets.records import Rejected, SourceFile, SourceSchema
from sqale_assets.relational.fidelity import Fidelity, Reading
from sqale_assets.relational.inference import with_inferred_keys
from sqale_assets.relational.parents import with_parent_keys
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.schemapile import read_schemapile

#: The fewest tables that a question with a join needs.
MIN_TABLES = 2


def read_source(source: SourceFile, content: bytes, *, rows_per_table: int) -> SourceSchema:
    """Read a source file into a schema.

    Args:
        rows_per_table: so many of the file's own rows are kept per table.

    Raises:
        Rejected: "unreadable" (no statement or record understood), "no_tables", "too_few_tables",
            "no_foreign_keys" (neither declared nor inferred).
    """
    reading = _read(source, content, rows_per_table)
    schema = reading.schema
    if not schema.tables:
        raise _without_tables(reading.fidelity)
    if len(schema.tables) < MIN_TABLES:
        raise Rejected("too_few_tables", f"the only table is {schema.tables[0].name}")
    rows = {name: kept[:rows_per_table] for name, kept in reading.rows.items()}
    schema, lost = with_parent_keys(with_inferred_keys(schema, rows), rows)
    if schema.foreign_key_count == 0:
        raise Rejected("no_foreign_keys", f"{len(schema.tables)} tables, none connected to another")
    fidelity = _with_gains(reading, source)
    fidelity = fidelity.model_copy(update={"losses": (*fidelity.losses, *lost)})
    return SourceSchema(schema_id=source.schema_id, source=source, definition=schema, rows=rows, fidelity=fidelity)


def _without_tables(fidelity: Fidelity) -> Rejected:
    if fidelity.statements == 0:
        return Rejected("unreadable", "no statement in it")
    first = next((f"; first loss: {loss.reason}" for loss in fidelity.losses), "")
    return Rejected("no_tables", f"none in {fidelity.statements} statements{first}")


def _with_gains(reading: Reading, source: SourceFile) -> Fidelity:
    """The report, with what a raw file holds beyond the SchemaPile record that it stands in for."""
    if source.record_tables is None or source.record_foreign_keys is None:
        return reading.fidelity
    return reading.fidelity.model_copy(
        update={
            "gained_tables": len(reading.schema.tables) - source.record_tables,
            "gained_foreign_keys": reading.schema.foreign_key_count - source.record_foreign_keys,
        }
    )


def _read(source: SourceFile, content: bytes, rows_per_table: int) -> Reading:
    if source.format == "sql":
        return read_sql(content, rows_per_table=rows_per_table)
    try:
        record = json.loads(content)
    except ValueError as error:
        raise Rejected("unreadable", f"the record is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise Rejected("unreadable", "the record is not a JSON object")
    return read_schemapile(record)
