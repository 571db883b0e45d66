"""Reading the published corpus back with the authors' own loader, and proving that nothing was lost.

The loader swallows every error: a statement it cannot run, a row that violates a constraint and a column it does not
know vanish without a word. So everything is counted and compared here: each table and each row against the published
content, each gold query's result on the loader's database against the published result.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any, Literal

from sqale_assets.corpus.publish import read_rows
from sqale_assets.corpus.rows import RESULT_ROWS, read_table
from sqale_assets.corpus.split import SPLITS, Split
from sqale_assets.records import STYLES
from sqale_assets.relational.model import Model
from sqale_assets.sqlenv.compare import compare_rows
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError

#: Differences that are kept in full; beyond them only the count goes on.
MOST_KEPT = 500

Kind = Literal[
    "table_missing", "table_count", "row_count", "row_values", "schema_missing", "schema_repeated",
    "question_repeated", "question_count", "phrasing_unusable", "relevant_tables", "query_failed", "result", "json",
]  # fmt: skip


class Difference(Model):
    """Something that did not arrive as it was published."""

    kind: Kind
    split: Split
    schema_id: str
    question_id: str | None = None
    detail: str


class Verification(Model):
    """What was compared, and every difference. `gold_score` is the score of the gold queries as predictions: 1.0."""

    schemas: int
    tables: int
    rows: int
    questions: int
    phrasings: int
    gold_correct: int
    differences: tuple[Difference, ...]
    difference_count: int
    loader: str

    @property
    def gold_score(self) -> float:
        return self.gold_correct / self.questions if self.questions else 0.0

    @property
    def passed(self) -> bool:
        return self.difference_count == 0 and self.gold_correct == self.questions


def verify(folder: Path, *, progress: Callable[[str], None] = lambda schema_id: None) -> Verification:
    """Verify the data sets `folder`/schemas and `folder`/queries.

    One database at a time is built in memory by the loader; `progress` is called after each.

    Raises:
        ModuleNotFoundError: the loader (`SQaLe` on PyPI) is not installed.
    """
    from importlib.metadata import version

    import sqale

    run = _Run()
    for split in SPLITS:
        questions = run.load_questions(folder / "queries", split, sqale.load_questions)
        for row in read_rows(folder / "schemas", split):
            run.verify_schema(row, split, questions.pop(row["schema_id"], []), sqale.build_database)
            progress(row["schema_id"])
        for schema_id, orphans in questions.items():
            run.differ("schema_missing", split, schema_id, f"{len(orphans)} questions have no schema in this split")
    return Verification(
        schemas=run.schemas, tables=run.tables, rows=run.rows, questions=run.questions, phrasings=run.phrasings,
        gold_correct=run.gold_correct, differences=tuple(run.differences), difference_count=run.difference_count,
        loader=f"SQaLe {version('SQaLe')}",
    )  # fmt: skip


class _Run:
    def __init__(self) -> None:
        self.schemas = self.tables = self.rows = self.questions = self.phrasings = self.gold_correct = 0
        self.differences: list[Difference] = []
        self.difference_count = 0
        self.seen_schemas: set[str] = set()
        self.seen_questions: set[str] = set()

    def differ(self, kind: Kind, split: Split, schema_id: str, detail: str, question_id: str | None = None) -> None:
        self.difference_count += 1
        if len(self.differences) < MOST_KEPT:
            self.differences.append(
                Difference(kind=kind, split=split, schema_id=schema_id, question_id=question_id, detail=detail[:500])
            )

    def load_questions(
        self, folder: Path, split: Split, loader: Callable[..., list[dict[str, Any]]]
    ) -> dict[str, list[dict[str, Any]]]:
        """The loader's view of a split's questions by schema, compared with the file in number."""
        with redirect_stderr(StringIO()):  # its progress bar
            loaded = loader(str(folder), split=split)
        published = sum(1 for _ in read_rows(folder, split, ["question_id"]))
        if len(loaded) != published:
            self.differ("question_count", split, "", f"the loader finds {len(loaded)} of {published} questions")
        by_schema: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for question in loaded:
            if question["question_id"] in self.seen_questions:
                self.differ(
                    "question_repeated", split, question["schema_id"], "its id is not unique", question["question_id"]
                )
            self.seen_questions.add(question["question_id"])
            by_schema[question["schema_id"]].append(question)
        return dict(by_schema)

    def verify_schema(
        self,
        row: dict[str, Any],
        split: Split,
        questions: list[dict[str, Any]],
        build: Callable[[dict[str, Any]], sqlite3.Connection],
    ) -> None:
        schema_id = row["schema_id"]
        self.schemas += 1
        if schema_id in self.seen_schemas:
            self.differ("schema_repeated", split, schema_id, "the loader reads only the first schema of an id")
        self.seen_schemas.add(schema_id)
        try:
            content = json.loads(row["schema_content"])
        except ValueError as error:
            self.differ("json", split, schema_id, f"schema_content: {error}")
            content = {}
        with closing(build(row)) as connection:
            connection.commit()
            database = Database.from_connection(connection)
            self._compare_tables(database, row, content, split)
            for question in questions:
                self._verify_question(database, question, split)
            database.close()

    def _compare_tables(self, database: Database, row: dict[str, Any], content: dict[str, Any], split: Split) -> None:
        schema_id = row["schema_id"]
        built = {table.name: table for table in database.schema.tables}
        if len(built) != row["number_of_tables"]:
            detail = f"the loader creates {len(built)} of {row['number_of_tables']} tables"
            self.differ("table_count", split, schema_id, detail)
        for table in content.keys() - built.keys():
            self.differ("table_missing", split, schema_id, f"{table}: its {len(content[table])} rows are lost")
        for table in built:
            self.tables += 1
            columns, rows = read_table(database, table)
            self.rows += len(rows)
            expected = content.get(table, [])
            if len(rows) != len(expected):
                detail = f"{table}: the loader keeps {len(rows)} of {len(expected)} rows"
                self.differ("row_count", split, schema_id, detail)
            elif wrong := _first_difference(columns, rows, expected):
                self.differ("row_values", split, schema_id, f"{table}: {wrong}")

    def _verify_question(self, database: Database, question: dict[str, Any], split: Split) -> None:
        schema_id, question_id = question["schema_id"], question["question_id"]
        self.questions += 1
        usable = [style for style in STYLES if question["questions"].get(style)]
        self.phrasings += len(usable)
        if len(usable) != len(STYLES):
            missing = ", ".join(style for style in STYLES if style not in usable)
            self.differ("phrasing_unusable", split, schema_id, f"the loader drops {missing}", question_id)
        unknown = [name for name in question["relevant_tables"] if database.schema.table(name) is None]
        if unknown or len(question["relevant_tables"]) != question["number_of_relevant_tables"]:
            detail = f"unknown tables {unknown}; {question['number_of_relevant_tables']} announced"
            self.differ("relevant_tables", split, schema_id, detail, question_id)
        try:
            result = database.execute(question["sql"])
        except QueryError as error:
            self.differ("query_failed", split, schema_id, error.message, question_id)
            return
        published = question["execution_result"]
        found = [list(row) for row in result.rows[:RESULT_ROWS]]
        if _typed(found) != _typed(published):
            detail = f"published {json.dumps(published)[:200]}, found {json.dumps(found)[:200]}"
            self.differ("result", split, schema_id, detail, question_id)
        elif compare_rows(published, found, ordered=True).equal:
            self.gold_correct += 1


def _first_difference(columns: tuple[str, ...], rows: list[Any], expected: list[dict[str, Any]]) -> str | None:
    """Where the loader's rows differ from the published objects; rows may come back in the order of another key."""
    published = [tuple(each.get(column) for column in columns) for each in expected]
    extra = {key for each in expected for key in each} - set(columns)
    if extra:
        return f"columns {sorted(extra)} are not in the table"
    if _typed(rows) == _typed(published):
        return None
    remaining = sorted(map(repr, rows)), sorted(map(repr, published))
    for found, wanted in zip(*remaining, strict=True):
        if found != wanted:
            return f"published {wanted}, found {found}"
    return None


def _typed(rows: Any) -> list[list[tuple[str, Any]]]:
    """Rows whose equality tells 1 from 1.0 and from '1'."""
    return [[(type(value).__name__, value) for value in row] for row in rows]


def differences_by_kind(verification: Verification) -> dict[str, int]:
    """How many of the kept differences are of each kind, for metadata."""
    counts: dict[str, int] = defaultdict(int)
    for difference in verification.differences:
        counts[difference.kind] += 1
    return dict(sorted(counts.items()))
