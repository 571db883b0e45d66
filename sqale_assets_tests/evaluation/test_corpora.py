"""Opening corpora: the forms that are read, and what is said of the others."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqale_assets.evaluation.corpora import open_corpus
from sqale_assets.evaluation.items import CorpusError, sample
from sqale_assets.sqlenv.database import Database
from sqale_assets_tests.evaluation.conftest import QUESTIONS


def test_bird(bird, tmp_path):
    corpus = open_corpus(bird, "dev", tmp_path)
    assert (corpus.form, len(corpus.items)) == ("bird", 4)
    item = corpus.items[1]
    assert item.phrasings["evidence_supported"] == "Who works in IT?, evidence: IT is a department"
    assert item.phrasings["verbose"] == "Who works in IT?"
    assert corpus.items[3].difficulty == "hard"
    assert corpus.database("company").name == "company.sqlite"
    assert not corpus.remarks


def test_spider(bird, tmp_path):
    """No evidence and no difficulty: the bare question, and the difficulty of the SQL."""
    records = [{"db_id": "company", "question": q, "query": sql} for q, (sql, _) in QUESTIONS.items()]
    (bird / "dev.json").write_text(json.dumps(records))
    (bird / "dev_tables.json").rename(bird / "tables.json")
    (bird / "dev_databases").rename(bird / "database")
    corpus = open_corpus(bird, "dev", tmp_path)
    assert corpus.form == "spider"
    assert corpus.items[1].phrasings["evidence_supported"] == "Who works in IT?"
    assert [item.difficulty for item in corpus.items] == ["simple"] * 4
    assert [item.question_id for item in corpus.items] == ["0", "1", "2", "3"]


def test_parquet(published, tmp_path):
    corpus = open_corpus(published, "test", tmp_path / "made")
    assert (corpus.form, len(corpus.items)) == ("sqale", 4)
    assert "casual" not in corpus.items[0].phrasings  # a placeholder
    path = corpus.database("company_1")
    with Database.open(path) as database:
        assert database.row_count("employee") == 3
    assert open_corpus(published, "test", tmp_path / "made").database("company_1") == path


def test_parquet_in_the_layout_of_two_downloads(published, tmp_path):
    (published / "queries").rename(published / "SQaLe-2-text-to-SQL-Queries")
    (published / "schemas").rename(published / "SQaLe-2-text-to-SQL-Schemas")
    assert len(open_corpus(published, "test", tmp_path).items) == 4


def test_provenance_adds_what_it_has(published, tmp_path):
    """Columns beyond the question's id are read where a corpus publishes them."""
    folder = published / "provenance" / "data"
    folder.mkdir(parents=True)
    asked = [item.question_id for item in open_corpus(published, "test", tmp_path).items]
    known = {"question_id": asked[:2], "domain": ["staff", None], "discrimination": [0.25, 1.0]}
    pq.write_table(pa.table(known), folder / "test-0.parquet")
    items = open_corpus(published, "test", tmp_path).items
    assert [(item.domain, item.discrimination) for item in items] == [("staff", 0.25), (None, 1.0), *[(None, None)] * 2]
    pq.write_table(pa.table({"question_id": asked[:1], "domain": ["staff"]}), folder / "test-0.parquet")
    assert open_corpus(published, "test", tmp_path).items[0].discrimination is None


def test_what_is_missing_is_named(bird, published, tmp_path):
    with pytest.raises(CorpusError, match=r"nowhere: expected .*; found nothing"):
        open_corpus(tmp_path / "nowhere", "dev", tmp_path)
    with pytest.raises(CorpusError, match=r"no questions of the split 'train' .* found dev.json, dev_tables.json"):
        open_corpus(bird, "train", tmp_path)
    with pytest.raises(CorpusError, match="no parquet file of the split 'dev'; there are test, train"):
        open_corpus(published, "dev", tmp_path)
    with pytest.raises(CorpusError, match="no database 'elsewhere'"):
        open_corpus(bird, "dev", tmp_path).database("elsewhere")
    (bird / "secret.sqlite").write_bytes(b"not of the corpus")
    with pytest.raises(CorpusError, match=r"no database '\.\./secret'"):
        open_corpus(bird, "dev", tmp_path).database("../secret")
    shutil.rmtree(published / "schemas")
    with pytest.raises(CorpusError, match="has the columns full_schema, schema_content, schema_id"):
        open_corpus(published, "test", tmp_path)
    shutil.rmtree(bird / "dev_databases")
    with pytest.raises(CorpusError, match="no folder of databases"):
        open_corpus(bird, "dev", tmp_path)


@pytest.mark.parametrize("content", ["not JSON", "{}", "[]", '["text"]', '[{"question": "?"}]'])
def test_a_file_of_something_else(bird, tmp_path, content):
    (bird / "dev.json").write_text(content)
    with pytest.raises(CorpusError):
        open_corpus(bird, "dev", tmp_path)


def test_an_unreadable_parquet_file(published, tmp_path):
    next(published.rglob("schemas/data/test-*.parquet")).write_bytes(b"PAR1 and no more")
    with pytest.raises(CorpusError, match="not a parquet file that can be read"):
        open_corpus(published, "test", tmp_path)


def test_a_table_that_the_database_lacks_is_remarked(bird, tmp_path):
    tables = [{"db_id": "company", "table_names_original": ["employee", "vanished"]}]
    (bird / "dev_tables.json").write_text(json.dumps(tables))
    (remark,) = open_corpus(bird, "dev", tmp_path).remarks
    assert "the database company lacks tables that dev_tables.json names: vanished" in remark


def test_a_larger_sample_begins_with_the_smaller_one(bird, tmp_path):
    items = open_corpus(bird, "dev", tmp_path).items
    assert sample(items, 2, seed=7) == sample(items, 4, seed=7)[:2]
    assert len({tuple(item.question_id for item in sample(items, 4, seed=seed)) for seed in range(20)}) > 5
    assert sample(items, 4, databases=1) == sample(items, 4)
