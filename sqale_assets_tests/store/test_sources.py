"""Opening a source: every kind of place, and every way in which it can be wrong."""

import gzip
import json
import os

import pytest

from sqale_assets.relational.schemapile_file import iter_records
from sqale_assets.store.sources import SourceError, open_source
from sqale_assets_tests.shared import CORPUS, SLICE, needs_corpus, needs_slice

TABLE = "CREATE TABLE t (a int)"
URL = "https://github.com/o/r/blob/" + "c" * 40 + "/db/shop.sql?raw=true\n"
RECORD = {
    "INFO": {"URL": URL, "LICENSE": "MIT", "PERMISSIVE": True},
    "TABLES": {"t": {"COLUMNS": {"a": {"TYPE": "Int"}}, "FOREIGN_KEYS": []}},
}


@pytest.fixture
def schemapile(tmp_path):
    path = tmp_path / "schemapile.json"
    path.write_text(json.dumps({"7_shop.sql": RECORD}))
    return path


def test_a_folder_is_searched_at_any_depth_in_order(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "b.sql").write_text(TABLE)
    (tmp_path / "deep" / "er" / "A.SQL").write_text(TABLE)
    (tmp_path / "notes.txt").write_text("no")
    assert [found.name for found in open_source(tmp_path)] == ["b.sql", "A.SQL"]


def test_an_index_tells_the_origin(tmp_path):
    (tmp_path / "x.sql").write_text(TABLE)
    (tmp_path / "y.sql").write_text(TABLE)
    (tmp_path / "INDEX.tsv").write_text("file\trepo\tpath\tcommit\tlicence\nx.sql\to/r\tdb/a b.sql\tabc\tMIT (x)\n")
    known, unknown = open_source(tmp_path)
    assert (known.repository, known.path, known.commit, known.licence) == ("o/r", "db/a b.sql", "abc", "MIT (x)")
    assert known.url == "https://github.com/o/r/blob/abc/db/a%20b.sql"
    assert unknown.repository is unknown.url is None
    assert next(open_source(tmp_path / "x.sql")) == known


def test_schemapile_keeps_the_record_and_its_origin(schemapile):
    (found,) = open_source(schemapile)
    assert (found.format, json.loads(found.content)) == ("schemapile", RECORD)
    assert (found.repository, found.path, found.permissive) == ("o/r", "db/shop.sql", True)


@pytest.mark.parametrize("index", [True, False])
def test_a_raw_file_stands_in_for_its_record(schemapile, tmp_path, index):
    raw = tmp_path / "raw"
    raw.mkdir()
    if index:  # by repository and path
        (raw / "any.sql").write_text(TABLE)
        (raw / "INDEX.tsv").write_text("file\trepo\tpath\nany.sql\tO/R\tdb/shop.sql\n")
    else:  # by the record's name
        (raw / "7_shop.sql").write_text(TABLE)
    (found,) = open_source(schemapile, raw_sql=raw)
    assert (found.format, found.content, found.name) == ("sql", TABLE.encode(), "7_shop.sql")
    assert (found.record_tables, found.record_foreign_keys, found.licence) == (1, 0, "MIT")


def test_a_name_that_two_raw_files_have_is_not_trusted(schemapile, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "7_shop.sql").write_text(TABLE)
    (found,) = open_source(schemapile, raw_sql=tmp_path)
    assert found.format == "schemapile"


def test_what_is_wrong_is_said(tmp_path, schemapile):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.json").write_text('{"name": "x"}')
    (tmp_path / "broken.json").write_text(json.dumps({"a": RECORD, "b": RECORD})[:-40])
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(json.dumps({"a": RECORD}).encode())[:-30])
    (tmp_path / "data.csv").write_text("a,b")
    (tmp_path / "fake.json.gz").write_bytes(b"\x1f\x8bno gzip at all")
    for name, words in {
        "nowhere": "no such file or folder",
        "nowhere.sql": "no such file or folder",
        "nowhere.json": "no such file or folder",
        "empty": "holds no .sql file",
        "other.json": "is not SchemaPile: expected records with TABLES",
        "broken.json": "no valid JSON after 1 schemas",
        "cut.json.gz": "damaged or cut off",
        "fake.json.gz": "damaged or cut off",
        "data.csv": "found a file of another kind",
    }.items():
        with pytest.raises(SourceError, match=words) as error:
            list(open_source(tmp_path / name))
        assert name in str(error.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission_is_said(tmp_path):
    (tmp_path / "a.sql").write_text(TABLE)
    (tmp_path / "a.sql").chmod(0)
    with pytest.raises(SourceError, match="no permission"):
        list(open_source(tmp_path))


def test_no_permission_is_told_from_absence(tmp_path, monkeypatch):
    (tmp_path / "a.sql").write_text(TABLE)

    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(SourceError, match=r"a\.sql: no permission"):
        list(open_source(tmp_path))


@needs_slice
@needs_corpus
def test_raw_files_bring_more_tables_and_keys_than_their_records():
    from sqale_assets.relational.reader import read_sql

    in_place = [found for found in open_source(SLICE, raw_sql=CORPUS) if found.format == "sql"]
    assert len(in_place) == 18
    recorded = sum(found.record_tables for found in in_place), sum(found.record_foreign_keys for found in in_place)
    schemas = [read_sql(found.content).schema for found in in_place]
    raw = sum(len(schema.tables) for schema in schemas), sum(schema.foreign_key_count for schema in schemas)
    assert raw[0] > recorded[0]
    assert raw[1] > 1.5 * recorded[1]
    assert sum(1 for _ in iter_records(SLICE)) == 87
