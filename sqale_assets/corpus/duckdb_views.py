"""One DuckDB file over everything: the published data sets, the ledger, checks, artefacts and the quarantine.

Parquet is read where it lies, through views; what comes from thousands of small files is copied into tables. Only
one process may write a DuckDB file at a time, so one asset builds it and everybody else reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from sqale_assets.records import STYLES

if TYPE_CHECKING:
    import duckdb


class CheckRow(NamedTuple):
    """A check of one schema; `measured` is its metadata as JSON."""

    asset: str
    schema_id: str
    check_name: str
    passed: bool
    severity: str
    measured: str


class ArtefactRow(NamedTuple):
    """One asset of one schema: done, rejected or failed, with what it cost."""

    asset: str
    schema_id: str
    status: str
    reason: str | None
    calls: int
    tokens: int
    cost: float
    seconds: float
    finished_at: str


class QuarantineRow(NamedTuple):
    """Something that a gate refused: a question, a table, a query."""

    schema_id: str
    stage: str
    reason: str
    evidence: str
    item: str


_TABLES: dict[str, tuple[type, str]] = {
    "checks": (CheckRow, "the checks of every schema, with what was measured"),
    "artefacts": (ArtefactRow, "what was built per schema and stage, with cost"),
    "quarantine": (QuarantineRow, "what the gates refused, and why"),
}
_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}


class Example(NamedTuple):
    """A useful query, and the question that it answers."""

    name: str
    question: str
    sql: str


def build_views(
    connection: duckdb.DuckDBPyConnection,
    published: Path,
    *,
    ledger: Path | None = None,
    checks: Iterable[CheckRow] = (),
    artefacts: Iterable[ArtefactRow] = (),
    quarantine: Iterable[QuarantineRow] = (),
) -> list[str]:
    """Create or replace every relation in `connection`; returns their names.

    Args:
        published: folder of the data sets `schemas`, `queries` and `provenance`.
        ledger: folder of the ledger's parquet files; without it, or while it is empty, there is no `ledger`.
    """
    made: list[str] = []
    for name in ("schemas", "queries", "provenance"):
        files = _quoted(published / name / "data" / "*.parquet")
        split = "" if name == "provenance" else ", regexp_extract(filename, '(train|test)-[^/]*$', 1) AS split"
        _view(connection, name, f"SELECT * EXCLUDE (filename){split} FROM read_parquet({files}, filename = true)")
        made.append(name)
    _view(connection, "phrasings", _PHRASINGS)
    _view(connection, "tables", _TABLE_ROWS)
    made += ["phrasings", "tables"]
    if ledger is not None and any(ledger.rglob("*.parquet")):
        files = _quoted(ledger / "**" / "*.parquet")
        _view(connection, "ledger", f"SELECT * FROM read_parquet({files}, union_by_name = true)")
        made.append("ledger")
    for name, rows in (("checks", checks), ("artefacts", artefacts), ("quarantine", quarantine)):
        _table(connection, name, rows)
        made.append(name)
    return made


#: One row per question and style.
_PHRASINGS = " UNION ALL ".join(
    f"SELECT question_id, schema_id, split, '{style}' AS style, questions.{style} AS phrasing FROM queries"
    for style in STYLES
)
#: One row per populated table, with its number of rows.
_TABLE_ROWS = """
    SELECT schema_id, split, name AS table_name,
           json_array_length(schema_content, '$."' || replace(name, '"', '\\"') || '"') AS row_count
    FROM (SELECT *, unnest(json_keys(schema_content)) AS name FROM schemas)
"""

EXAMPLES = (
    Example("counts", "How large is the corpus?", """
SELECT split, count(*) AS questions, count(DISTINCT schema_id) AS schemas, count(DISTINCT sql) AS distinct_sql
FROM queries GROUP BY split ORDER BY split"""),
    Example("difficulty", "How does the difficulty asked for compare with that of the gold SQL?", """
SELECT q.difficulty AS asked, p.measured_difficulty AS measured, count(*) AS questions
FROM queries q JOIN provenance p USING (question_id) GROUP BY ALL ORDER BY ALL"""),
    Example("largest_schemas", "Which databases are the largest?", """
SELECT s.schema_id, s.number_of_tables, sum(t.row_count) AS row_count, any_value(p.domain) AS domain
FROM schemas s JOIN tables t USING (schema_id) LEFT JOIN (SELECT DISTINCT schema_id, domain FROM provenance) p
USING (schema_id) GROUP BY ALL ORDER BY s.number_of_tables DESC, row_count DESC, s.schema_id LIMIT 20"""),
    Example("rows_per_table", "How many rows do tables hold?", """
SELECT count(*) AS populated_tables, median(row_count) AS median_rows, quantile_cont(row_count, 0.9) AS p90,
       max(row_count) AS most
FROM tables"""),
    Example("domains", "What are the databases about?", """
SELECT domain, count(DISTINCT schema_id) AS schemas, count(*) AS questions
FROM provenance GROUP BY domain ORDER BY schemas DESC, domain"""),
    Example("licences", "Under which licences were the source schemas published?", """
SELECT coalesce(licence, 'unknown') AS licence, count(DISTINCT schema_id) AS schemas
FROM provenance GROUP BY ALL ORDER BY schemas DESC, licence"""),
    Example("styles", "How long are the phrasings of each style?", """
SELECT style, count(*) AS phrasings, round(avg(len(string_split(phrasing, ' '))), 1) AS mean_words
FROM phrasings GROUP BY style ORDER BY mean_words DESC"""),
    Example("judge", "What did the judge reject, and did the agent mend it?", """
SELECT verdict.category, count(*) AS rejections, count(DISTINCT question_id) AS questions_mended
FROM (SELECT question_id, unnest(verdicts) AS verdict FROM provenance)
WHERE NOT verdict.accepted GROUP BY ALL ORDER BY rejections DESC"""),
    Example("quarantine", "What do the gates refuse most?", """
SELECT stage, reason, count(*) AS items, min(item) AS example
FROM quarantine GROUP BY stage, reason ORDER BY items DESC, stage, reason LIMIT 20"""),
    Example("failed_checks", "Which checks fail, and where?", """
SELECT asset, check_name, severity, count(*) AS failures, min(schema_id) AS for_instance
FROM checks WHERE NOT passed GROUP BY ALL ORDER BY failures DESC, asset, check_name"""),
    Example("cost", "What does each stage cost?", """
SELECT asset, count(*) AS schemas, sum(calls) AS calls, sum(tokens) AS tokens, round(sum(cost), 4) AS dollars,
       round(sum(seconds), 1) AS seconds
FROM artefacts GROUP BY asset ORDER BY tokens DESC, asset"""),
)  # fmt: skip


def describe(relation: str) -> str:
    """What a relation holds, in a few words."""
    described = {
        "schemas": "the published schemas, with their split",
        "queries": "the published questions, with their split",
        "provenance": "where each question comes from",
        "phrasings": "one row per question and style",
        "tables": "one row per populated table, with its number of rows",
        "ledger": "one row per LLM call",
    }
    return described.get(relation) or _TABLES[relation][1]


def _view(connection: duckdb.DuckDBPyConnection, name: str, sql: str) -> None:
    connection.execute(f"CREATE OR REPLACE VIEW {name} AS {sql}")


def _table(connection: duckdb.DuckDBPyConnection, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
    row_type = _TABLES[name][0]
    columns = ", ".join(f"{column} {_TYPES.get(kind, 'VARCHAR')}" for column, kind in get_type_hints(row_type).items())
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    import pyarrow as pa

    batch = list(rows)
    if batch:
        arrow = pa.table(dict(zip(row_type._fields, zip(*batch, strict=True), strict=True)))
        connection.register("_rows", arrow)
        connection.execute(f"INSERT INTO {name} SELECT * FROM _rows")
        connection.unregister("_rows")


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
