"""The databases of a local copy of another corpus in numbers: tables.json with SQLite files, or SQaLe's own parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sqale_assets.relational.reader import read_sql
from sqale_assets.settings import LocalCorpus
from sqale_assets.sqlenv.database import Database, QueryError
from sqale_assets.statistics.json_records import records
from sqale_assets.statistics.schemas import SchemaShape, shape_of, shape_of_tables_json


def local_shapes(corpus: LocalCorpus) -> Iterator[SchemaShape]:
    """The shape of each database of a copy, one at a time.

    Raises:
        ValueError: a file is not in the form it should be in, or a database is missing; says which and why.
    """
    if corpus.tables:
        yield from _of_tables_json(corpus.tables, corpus.databases)
    elif corpus.schemas:
        yield from _of_parquet(corpus.schemas)


def _of_tables_json(path: Path, databases: Path | None) -> Iterator[SchemaShape]:
    for number, entry in enumerate(records(path)):
        try:
            shape = shape_of_tables_json(entry)
            rows = _rows(databases / entry["db_id"] / f"{entry['db_id']}.sqlite") if databases else ()
        except KeyError as error:
            raise ValueError(f"{path}: database {number} has no {error}; not a Spider-style tables.json") from error
        yield replace(shape, rows=rows)


def _rows(path: Path) -> tuple[int, ...]:
    """The number of rows of each table; of one that takes too long to count, it is not known and left out."""
    try:
        with Database.open(path) as database:
            counts = [database.row_count(table) for table in database.ddl]
    except QueryError as error:
        raise ValueError(f"a database of the copy cannot be read: {error}") from error
    return tuple(count for count in counts if count is not None)


def _of_parquet(folder: Path) -> Iterator[SchemaShape]:
    import pyarrow.parquet as pq

    for path in sorted(folder.rglob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=16, columns=["full_schema", "schema_content"]):
            for row in batch.to_pylist():
                schema, content = read_sql(row["full_schema"].encode()).schema, json.loads(row["schema_content"])
                cells = [value for lines in content.values() for line in lines for value in line.values()]
                yield replace(
                    shape_of(schema),
                    rows=tuple(len(content.get(table.name, ())) for table in schema.tables),
                    cells=len(cells),
                    null_cells=sum(value is None for value in cells),
                )
