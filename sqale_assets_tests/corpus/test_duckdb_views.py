"""The DuckDB file answers every documented query, and the documentation shows exactly those."""

from __future__ import annotations

import duckdb
import pytest

from sqale_assets.corpus.duckdb_views import (
    EXAMPLES,
    ArtefactRow,
    CheckRow,
    QuarantineRow,
    build_views,
    describe,
)
from sqale_assets.corpus.publish import publish_provenance, publish_queries, publish_schemas
from sqale_assets.settings import REPOSITORY


@pytest.fixture
def built(member, tmp_path):
    members, splits = [member("s1"), member("s2"), member("s3")], {"s1": "train", "s2": "test", "s3": "train"}
    folder = tmp_path / "it's published"
    publish_queries(members, splits, folder)
    publish_schemas(members, splits, folder)
    publish_provenance(members, splits, {"s1": "a", "s2": "b", "s3": "a"}, folder)
    path = tmp_path / "sqale.duckdb"
    with duckdb.connect(str(path)) as connection:
        made = build_views(
            connection,
            folder,
            ledger=tmp_path / "no ledger yet",
            checks=[CheckRow("questions", "s1", "literals_grounded", False, "error", '{"share": 0.9}')],
            artefacts=[ArtefactRow("questions", "s1", "done", None, 3, 700, 0.02, 1.5, "2026-01-01T00:00:00")],
            quarantine=[QuarantineRow("s1", "questions", "ungrounded", "'x'", "Which x?")],
        )
    return path, made


def test_every_documented_query_runs_and_answers(built):
    path, made = built
    assert len(EXAMPLES) >= 10 and all(describe(name) for name in made) and "ledger" not in made
    with duckdb.connect(str(path), read_only=True) as connection:
        answers = {example.name: connection.execute(example.sql).fetchall() for example in EXAMPLES}
    assert all(answers.values())
    assert answers["counts"] == [("test", 2, 1, 1), ("train", 4, 2, 1)]
    assert answers["difficulty"] == [("simple", "moderate", 6)]
    assert answers["rows_per_table"] == [(6, 3.0, 3.0, 3)]
    assert answers["judge"] == [("wrong", 6, 6)]
    assert answers["failed_checks"] == [("questions", "literals_grounded", "error", 1, "s1")]
    assert len(answers["styles"]) == 8


def test_building_again_replaces_what_was_there(built, member, tmp_path):
    path, _ = built
    with duckdb.connect(str(path)) as connection:
        build_views(connection, tmp_path / "it's published")
        assert connection.execute("SELECT count(*) FROM quarantine").fetchone() == (0,)


def test_the_documentation_shows_the_queries_that_are_tested():
    text = (REPOSITORY / "docs" / "duckdb.md").read_text(encoding="utf-8")
    for example in EXAMPLES:
        assert example.question in text and example.sql.strip() in text, example.name
