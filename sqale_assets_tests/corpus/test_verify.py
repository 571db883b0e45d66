"""Each way in which the authors' loader loses data without a word is found by the verification."""

from __future__ import annotations

import json

import pytest

from sqale_assets.corpus.publish import publish_queries, publish_schemas, read_rows, write_dataset
from sqale_assets.corpus.verify import verify

SPLITS = {"s1": "train", "s2": "test"}


@pytest.fixture
def published(member, tmp_path):
    members = [member("s1"), member("s2")]
    publish_schemas(members, SPLITS, tmp_path / "out")
    publish_queries(members, SPLITS, tmp_path / "out")
    return tmp_path / "out"


def change(folder, dataset: str, edit) -> None:
    """Publish the data set again with its train rows edited."""
    rows = [("train", edit(row)) for row in read_rows(folder / dataset, "train")]
    rows += [("test", row) for row in read_rows(folder / dataset, "test")]
    write_dataset(dataset, rows, folder)


def with_content(row: dict, edit) -> dict:
    content = json.loads(row["schema_content"])
    edit(content)
    return row | {"schema_content": json.dumps(content)}


def kinds(folder) -> dict[str, str]:
    return {difference.kind: difference.detail for difference in verify(folder).differences}


def test_a_sound_corpus_passes_with_everything_counted(published):
    found = verify(published)
    assert found.differences == () and found.passed and found.gold_score == 1.0
    assert (found.schemas, found.tables, found.rows, found.questions, found.phrasings) == (2, 6, 12, 4, 32)
    assert found.loader.startswith("SQaLe ")


def test_a_semicolon_in_a_literal_of_the_ddl_loses_the_table(published):
    change(
        published,
        "schemas",
        lambda row: row | {"full_schema": row["full_schema"].replace("note TEXT", "note TEXT DEFAULT ';'")},
    )
    found = kinds(published)
    assert found["table_count"] == "the loader creates 2 of 3 tables"
    assert found["table_missing"].startswith("orders: its 3 rows")
    assert "query_failed" in found


def test_rows_with_other_keys_lose_values(published):
    change(published, "schemas", lambda row: with_content(row, lambda c: c["customers"][0].pop("score")))
    assert "row_values" in kinds(published)


def test_a_column_that_the_table_does_not_have_loses_all_rows(published):
    change(published, "schemas", lambda row: with_content(row, lambda c: c["customers"][0].update(age=3)))
    assert kinds(published)["row_count"] == "customers: the loader keeps 0 of 3 rows"


@pytest.mark.parametrize(
    "edit",
    [
        lambda c: c["customers"][1].update(name=None),  # NOT NULL
        lambda c: c["customers"][1].update(id=1),  # primary key
    ],
)
def test_rows_that_violate_a_constraint_vanish(published, edit):
    change(published, "schemas", lambda row: with_content(row, edit))
    assert kinds(published)["row_count"] == "customers: the loader keeps 2 of 3 rows"


def test_values_of_another_type_are_noticed(published):
    change(published, "schemas", lambda row: with_content(row, lambda c: c["customers"][0].update(name=["a"])))
    assert "row_values" in kinds(published)


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_nan_and_infinity_do_not_arrive(published, number):
    change(published, "schemas", lambda row: row | {"schema_content": row["schema_content"].replace("2.5", number)})
    assert "row_values" in kinds(published)


def test_invalid_json_empties_a_database_silently(published):
    change(published, "schemas", lambda row: row | {"schema_content": row["schema_content"][:-1]})
    assert "json" in kinds(published)


def test_invalid_ddl_is_skipped_silently(published):
    change(
        published,
        "schemas",
        lambda row: row | {"full_schema": row["full_schema"].replace("message TEXT", "message TEXT,")},
    )
    assert kinds(published)["table_count"] == "the loader creates 2 of 3 tables"


def test_a_gold_result_that_the_database_does_not_give(published):
    change(published, "queries", lambda row: row | {"execution_result": '[["Ann", 2.0], ["Zoë; or \'x\'", 1]]'})
    found = verify(published)
    assert [d.kind for d in found.differences] == ["result", "result"]
    assert found.gold_score == 0.5 and not found.passed


def test_a_query_that_writes_or_fails_is_a_difference(published):
    change(published, "queries", lambda row: row | {"sql": "DELETE FROM orders"})
    assert "query_failed" in kinds(published)


def test_placeholders_unknown_tables_and_repeated_ids(published):
    def edit(row):
        return row | {
            "question_id": "same",
            "questions": row["questions"] | {"casual": "..."},
            "relevant_tables": '["customers", "nowhere"]',
        }

    change(published, "queries", edit)
    found = kinds(published)
    assert found["phrasing_unusable"] == "the loader drops casual"
    assert "nowhere" in found["relevant_tables"]
    assert "question_repeated" in found


def test_questions_without_a_schema(published):
    change(published, "queries", lambda row: row | {"schema_id": "lost"})
    assert kinds(published)["schema_missing"] == "2 questions have no schema in this split"
