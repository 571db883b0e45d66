"""The published data sets as frames that expectations are checked on: small columns only, the large ones measured.

DuckDB does the measuring, so that schemas of megabytes each never stand in memory together.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqale_assets.corpus.members import Member
from sqale_assets.records import STYLES
from sqale_assets.stages.placeholders import is_placeholder

if TYPE_CHECKING:
    import pandas as pd


class SchemaMeasures(NamedTuple):
    """What was measured on one schema. Shares are between 0 and 1; without foreign keys validity is 1."""

    schema_id: str
    tables: int
    rows: int
    populated_share: float
    foreign_key_validity: float
    duplicate_keys: int
    style_conformity: float
    questions: int


def measures_of(member: Member) -> SchemaMeasures:
    """The measures of one schema, from its records."""
    tables = member.populated.tables
    cells = sum(table.foreign_key_cells for table in tables)
    invalid = sum(table.invalid_foreign_keys_after for table in tables)
    return SchemaMeasures(
        schema_id=member.schema_id,
        tables=len(tables),
        rows=member.populated.rows,
        populated_share=sum(table.rows > 0 for table in tables) / len(tables) if tables else 0.0,
        foreign_key_validity=1 - invalid / cells if cells else 1.0,
        duplicate_keys=sum(table.duplicate_keys_after for table in tables),
        style_conformity=member.extended.style_conformity,
        questions=len(member.answered()),
    )


def frames(published: Path, measures: Iterable[SchemaMeasures]) -> dict[str, pd.DataFrame]:
    """A frame per suite: schemas, queries, provenance, measures."""
    import duckdb
    import pandas as pd

    with duckdb.connect() as connection:
        for name in ("schemas", "queries", "provenance"):
            files = str(published / name / "data" / "*.parquet").replace("'", "''")
            connection.execute(
                f"CREATE VIEW {name} AS SELECT * EXCLUDE (filename), "
                "regexp_extract(filename, '(train|test)-[^/]*$', 1) AS file_split "
                f"FROM read_parquet('{files}', filename = true)"
            )
        made = {name: connection.execute(sql).df() for name, sql in _FRAMES.items()}
    phrasings = made["queries"][list(STYLES)]
    made["queries"]["unusable_phrasings"] = [sum(map(is_placeholder, row)) for row in phrasings.itertuples(index=False)]
    made["measures"] = pd.DataFrame(list(measures), columns=SchemaMeasures._fields)
    return made


_PHRASINGS = ", ".join(f"questions.{style} AS {style}" for style in STYLES)
_SHORTEST = f"list_sort([{', '.join(f'questions.{style}' for style in STYLES)}], 'ASC')[1]"
_FRAMES = {
    # Measured before they are joined and sorted: DuckDB would hold DDL and rows of all schemas in memory.
    "schemas": """
        WITH measured AS MATERIALIZED (
            SELECT schema_id, file_split AS split, number_of_tables,
                   len(regexp_extract_all(full_schema, '(?i)\\bCREATE TABLE\\b')) AS create_statements,
                   json_type(schema_content) = 'OBJECT' AS content_is_object,
                   len(json_keys(schema_content)) AS populated_tables
            FROM schemas
        ), asked AS (SELECT schema_id, count(*) AS questions FROM queries GROUP BY schema_id)
        SELECT measured.*, coalesce(questions, 0) AS questions
        FROM measured LEFT JOIN asked USING (schema_id) ORDER BY schema_id
    """,
    "queries": f"""
        SELECT q.question_id, q.schema_id, q.file_split AS split, q.sql, q.difficulty, {_PHRASINGS},
               {_SHORTEST} AS shortest_phrasing,
               len(string_split(trim(questions.verbose), ' ')) AS verbose_words,
               q.number_of_relevant_tables, json_array_length(q.relevant_tables) AS listed_tables,
               json_type(q.execution_result) = 'ARRAY' AS result_is_list,
               json_array_length(q.execution_result) AS result_rows,
               s.schema_id IS NOT NULL AS schema_exists,
               coalesce(s.file_split = q.file_split, false) AS schema_in_same_split
        FROM queries q LEFT JOIN (SELECT schema_id, file_split FROM schemas) s USING (schema_id)
        ORDER BY q.question_id
    """,
    "provenance": """
        SELECT p.* EXCLUDE (transcript, literals, verdicts, table_origins, usage, prompts, intent, gold_tables,
                            left_out, models, file_split),
               p.verdicts[-1].accepted AS last_verdict_accepts,
               q.question_id IS NOT NULL AS question_exists,
               count(DISTINCT p.split) OVER (PARTITION BY p.cluster) = 1 AS cluster_in_one_split
        FROM provenance p LEFT JOIN (SELECT question_id FROM queries) q USING (question_id) ORDER BY p.question_id
    """,
}
