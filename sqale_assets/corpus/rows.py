"""From records to published rows.

What is JSON in the data sets is strict JSON: no NaN, no infinity, text as it is stored. All rows of a table have the
same keys, because the authors' loader takes the columns from the first row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqale_assets.corpus.members import Answered, Member
from sqale_assets.corpus.split import Split
from sqale_assets.records import STYLES, LlmUsage
from sqale_assets.relational.model import Row
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.names import quote

#: Result rows that are published per query (seed, "Fields of ...-Queries").
RESULT_ROWS = 50
_KEY_FIELDS = {"columns", "target_table", "target_columns", "confidence"}


def schema_row(member: Member) -> dict[str, Any]:
    """The row of a schema: its DDL and every row of its database."""
    with member.open_database() as database:
        content = {table: rows for table in member.populated.ddl if (rows := table_content(database, table))}
    return {
        "schema_id": member.schema_id,
        "full_schema": "\n\n".join(statement.rstrip().rstrip(";") + ";" for statement in member.populated.ddl.values()),
        "schema_content": strict_json(content),
        "number_of_tables": len(member.populated.ddl),
    }


def query_rows(member: Member) -> Iterator[dict[str, Any]]:
    """The rows of a schema's publishable questions."""
    for each in member.answered():
        yield {
            "question_id": each.question.question_id,
            "schema_id": member.schema_id,
            "sql": each.gold.sql,
            "difficulty": each.question.difficulty,
            "questions": {style: each.styled.phrasings[style] for style in STYLES},
            "relevant_tables": strict_json(each.question.relevant_tables),
            "number_of_relevant_tables": len(each.question.relevant_tables),
            "execution_result": strict_json(each.gold.result[:RESULT_ROWS]),
        }


def provenance_rows(member: Member, split: Split, cluster: str) -> Iterator[dict[str, Any]]:
    """The rows that say where a schema's publishable questions come from."""
    of_schema = _schema_provenance(member) | {"split": split, "cluster": cluster}
    origins = {table.name.lower(): table.origin for table in member.extended.definition.tables}
    for each in member.answered():
        yield of_schema | _question_provenance(each, origins)


def table_content(database: Database, table: str) -> list[dict[str, Any]]:
    """All rows of a table as objects, in the order of the table."""
    columns, rows = read_table(database, table)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def read_table(database: Database, table: str) -> tuple[tuple[str, ...], list[Row]]:
    """Columns and all rows of a table, read in pages of as many rows as one query may return."""
    rows: list[Row] = []
    while True:
        page = database.execute(f"SELECT * FROM {quote(table)} LIMIT {database.limits.rows} OFFSET {len(rows)}")
        rows.extend(page.rows)
        if len(page.rows) < database.limits.rows:
            return page.columns, rows


def strict_json(value: Any) -> str:
    """JSON as every reader takes it. Raises ValueError for NaN and infinities, which are no JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def _schema_provenance(member: Member) -> dict[str, Any]:
    source, usage = member.source.source, member.usage()
    tables = member.extended.definition.tables
    added = sum(table.origin == "added" for table in tables)
    return {
        "schema_id": member.schema_id,
        "source_name": source.name,
        "source_url": source.url,
        "source_repository": source.repository,
        "source_commit": source.commit,
        "source_sha256": source.sha256,
        "licence": source.licence,
        "permissive": source.permissive,
        "dialect": member.source.definition.dialect,
        "domain": member.domain.label,
        "domain_description": member.domain.description,
        "domain_evidence": member.domain.evidence,
        "table_origins": strict_json({table.name: table.origin for table in tables}),
        "inferred_foreign_keys": strict_json(
            [
                {"table": table.name, **key.model_dump(include=_KEY_FIELDS)}
                for table in tables
                for key in table.foreign_keys
                if key.origin == "inferred"
            ]
        ),
        "original_tables": len(tables) - added,
        "added_tables": added,
        "models": sorted({model for each in usage.values() for model in each.models}),
        "prompts": strict_json(
            dict(sorted({k: v for each in usage.values() for k, v in each.prompts.items()}.items()))
        ),
        "usage": strict_json({stage: _cost(each) for stage, each in usage.items()}),
        "schema_tokens": sum(each.tokens_in + each.tokens_out for each in usage.values()),
        "schema_cost": round(sum(each.cost for each in usage.values()), 6),
    }


def _question_provenance(each: Answered, origins: dict[str, str]) -> dict[str, Any]:
    relevant = [origins.get(table.lower()) for table in each.question.relevant_tables]
    return {
        "question_id": each.question.question_id,
        "relevant_added_tables": relevant.count("added"),
        "measured_difficulty": each.gold.measured_difficulty,
        "intent": list(each.question.intent),
        "gold_tables": list(each.gold.tables),
        "row_count": each.gold.row_count,
        "ordered": each.gold.ordered,
        "discrimination": each.gold.discrimination,
        "accidental": list(each.gold.accidental),
        "literals": [proof.model_dump() for proof in each.question.literals],
        "left_out": list(each.styled.left_out),
        "rounds": each.gold.rounds,
        "verdicts": [verdict.model_dump() for verdict in each.gold.verdicts],
        "transcript": strict_json(each.gold.transcript),
    }


def _cost(usage: LlmUsage) -> dict[str, int | float]:
    """The part of a stage's usage that does not depend on the day: seconds and cache hits are left out."""
    return {
        "calls": usage.calls,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost": round(usage.cost, 6),
    }
