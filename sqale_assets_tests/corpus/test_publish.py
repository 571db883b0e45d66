"""What is published is complete, typed as in the seed, deterministic, and there all at once or not at all."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqale_assets.corpus.members import held_back
from sqale_assets.corpus.publish import publish_provenance, publish_queries, publish_schemas, read_rows, write_dataset
from sqale_assets.corpus.rows import provenance_rows, strict_json
from sqale_assets.records import STYLES

SPLITS = {"s1": "train", "s2": "test"}


@pytest.fixture
def published(member, tmp_path):
    members = [member("s1"), member("s2"), member("s3", questions=0)]
    folder = tmp_path / "published"
    clusters = {"s1": "s1", "s2": "s2"}
    publish_schemas(members, SPLITS, folder)
    publish_queries(members, SPLITS, folder)
    publish_provenance(members, SPLITS, clusters, folder)
    return folder


def test_columns_and_types_are_the_seeds(published):
    schemas = pq.read_schema(published / "schemas/data/train-00000-of-00001.parquet")
    assert [(f.name, f.type) for f in schemas] == [
        ("schema_id", pa.string()), ("full_schema", pa.string()), ("schema_content", pa.string()),
        ("number_of_tables", pa.int64()),
    ]  # fmt: skip
    queries = pq.read_schema(published / "queries/data/test-00000-of-00001.parquet")
    assert [(f.name, f.type) for f in queries] == [
        ("question_id", pa.string()), ("schema_id", pa.string()), ("sql", pa.string()), ("difficulty", pa.string()),
        ("questions", pa.struct([(style, pa.string()) for style in STYLES])), ("relevant_tables", pa.string()),
        ("number_of_relevant_tables", pa.int64()), ("execution_result", pa.string()),
    ]  # fmt: skip


def test_rows_carry_everything(published):
    (schema,) = read_rows(published / "schemas", "train")
    content = json.loads(schema["schema_content"])
    assert schema["number_of_tables"] == 3 and "empty_log" not in content
    assert content["customers"][1] == {"id": 2, "name": 'Bob "the" O\'Neil', "score": None}
    assert schema["full_schema"].count("CREATE TABLE") == 3

    queries = list(read_rows(published / "queries", "test"))
    assert [row["question_id"] for row in queries] == ["s2_q0", "s2_q1"], "the unanswered question is left out"
    assert json.loads(queries[0]["execution_result"]) == [["Ann", 2], ["Zoë; or 'x'", 1]]
    assert json.loads(queries[0]["relevant_tables"]) == ["customers", "orders"]
    assert set(queries[0]["questions"]) == set(STYLES)


def test_a_question_whose_phrasings_do_not_say_what_its_query_needs_is_held_back(member):
    fitting = member("s1")
    (first, *others) = fitting.gold.queries
    filtered = first.model_copy(update={"sql": "SELECT id FROM customers WHERE name = 'Zebedee'"})
    lost = replace(fitting, gold=fitting.gold.model_copy(update={"queries": (filtered, *others)}))
    assert [each.gold for each in lost.answered()] == others
    (item,) = held_back(lost.questions, lost.styled, lost.gold)
    assert item.reason == "phrasing_misfits_gold" and "verbose: it does not say 'Zebedee'" in item.evidence


def test_provenance_joins_and_says_where_everything_comes_from(published):
    rows = list(read_rows(published / "provenance", "train"))
    assert [row["question_id"] for row in rows] == [r["question_id"] for r in read_rows(published / "queries", "train")]
    (row, _) = rows
    assert (row["licence"], row["source_commit"], row["split"], row["cluster"]) == ("MIT", "c0ffee", "train", "s1")
    assert json.loads(row["table_origins"])["empty_log"] == "added"
    assert (row["original_tables"], row["added_tables"], row["schema_tokens"]) == (2, 1, 720)
    assert [verdict["accepted"] for verdict in row["verdicts"]] == [False, True]
    assert json.loads(row["prompts"]) == {"task": "1@ab"}


def test_inferred_foreign_keys_are_marked_in_the_provenance(member):
    given = member("s1")
    definition = given.extended.definition
    child = next(table for table in definition.tables if table.foreign_keys)
    key = child.foreign_keys[0].model_copy(update={"origin": "inferred", "confidence": 0.9})
    tables = tuple(
        table.model_copy(update={"foreign_keys": (key,)}) if table is child else table for table in definition.tables
    )
    extended = given.extended.model_copy(update={"definition": definition.model_copy(update={"tables": tables})})
    row = next(provenance_rows(replace(given, extended=extended), "train", "s1"))
    (found,) = json.loads(row["inferred_foreign_keys"])
    assert (found["table"], found["target_table"], found["confidence"]) == (child.name, key.target_table, 0.9)


def test_same_records_same_bytes(member, tmp_path):
    members = [member("s1"), member("s2")]
    for folder in ("a", "b"):
        publish_schemas(members, SPLITS, tmp_path / folder)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.parquet"))
    assert files and all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def query_row(number: int, text: str = "") -> dict:
    return {
        "question_id": str(number), "schema_id": "s", "sql": "SELECT 1" + text, "difficulty": "simple",
        "questions": dict.fromkeys(STYLES, "What?"), "relevant_tables": "[]", "number_of_relevant_tables": 0,
        "execution_result": "[]",
    }  # fmt: skip


def test_large_data_sets_are_sharded_and_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr("sqale_assets.corpus.publish.ROW_GROUP_ROWS", 10)
    rows = (("train", query_row(number, "x" * 1000)) for number in range(95))
    made = write_dataset("queries", rows, tmp_path, shard_bytes=25_000)
    names = [file.path for file in made.files if file.split == "train"]
    assert names == [f"data/train-{n:05}-of-00004.parquet" for n in range(4)]
    assert [int(row["question_id"]) for row in read_rows(tmp_path / "queries", "train")] == list(range(95))
    assert pq.ParquetFile(tmp_path / "queries" / names[0]).num_row_groups == 3
    assert (made.rows("train"), made.rows("test"), made.rows()) == (95, 0, 95)


def test_a_publication_that_breaks_leaves_the_old_one_and_nothing_else(tmp_path):
    write_dataset("queries", [("train", query_row(1))], tmp_path)

    def breaking():
        yield "train", query_row(2)
        raise RuntimeError("the store went away")

    with pytest.raises(RuntimeError):
        write_dataset("queries", breaking(), tmp_path)
    assert [row["question_id"] for row in read_rows(tmp_path / "queries", "train")] == ["1"]
    assert [path.name for path in tmp_path.iterdir()] == ["queries"]


def test_leftovers_of_a_killed_run_are_cleared(tmp_path):
    (tmp_path / ".queries-abc" / "data").mkdir(parents=True)
    write_dataset("queries", [("train", query_row(1))], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["queries"]


def test_what_is_no_json_is_refused():
    with pytest.raises(ValueError):
        strict_json([float("nan")])


def test_load_dataset_finds_train_and_test(published, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    loaded = datasets.load_dataset(str(published / "queries"), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 2, "test": 2}
    assert loaded["test"][0]["questions"]["verbose"].startswith("How many orders")
