"""SchemaPile's files: both shapes and their compressions, origins, and what is refused with which words."""

import gzip
import json

import pytest

from sqale_assets.relational.schemapile_file import NotSchemaPile, iter_records, origin

RECORD = {
    "INFO": {"URL": "https://github.com/o/r/blob/" + "a" * 40 + "/db/my%20shop.sql?raw=true\n", "LICENSE": "MIT"},
    "TABLES": {"t": {"COLUMNS": {"a": {"TYPE": "Int", "DEFAULT": 0.5}}}},
}


def test_the_object_of_records(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"1_a.sql": RECORD, "2_b.sql": RECORD}))
    assert list(iter_records(path)) == [("1_a.sql", RECORD), ("2_b.sql", RECORD)]


def test_gzip_is_known_by_its_content(tmp_path):
    path = tmp_path / "s.json"
    path.write_bytes(gzip.compress(json.dumps({"a": RECORD}).encode()))
    assert list(iter_records(path)) == [("a", RECORD)]


@pytest.mark.parametrize("text", ["[{0},{0}]", "{0}\n{0}\n", "\ufeff[{0}, {0}]"])
def test_list_shape_and_json_lines(tmp_path, text):
    path = tmp_path / "s.json"
    path.write_text(text.replace("{0}", json.dumps(RECORD)), encoding="utf-8")
    assert list(iter_records(path)) == [("my shop.sql", RECORD), ("my shop.sql", RECORD)]  # named by their URL


def test_a_name_of_its_own_comes_first(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps([RECORD | {"FILENAME": "own.sql"}, {"TABLES": []}]))
    assert [name for name, _ in iter_records(path)] == ["own.sql", "schema_1.sql"]


def test_a_later_entry_that_is_no_record_does_not_end_the_stream(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"a": RECORD, "b": 7, "c": RECORD}))
    assert [bool(record) for _, record in iter_records(path)] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"name": "x", "version": 1}', "an object with the keys name, version"),
        ("[1, 2]", "1"),
        ("{}", "an empty object"),
        ('[{"a": 1}]', "an object with the keys a"),
        ("CREATE TABLE", "'C'"),
        ("", "''"),
    ],
)
def test_other_json_is_refused_with_what_was_found(tmp_path, text, found):
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(NotSchemaPile) as error:
        list(iter_records(path))
    assert found in str(error.value)


def test_origin():
    found = origin(RECORD)
    assert (found.repository, found.commit, found.path) == ("o/r", "a" * 40, "db/my shop.sql")
    assert (found.licence, found.permissive) == ("MIT", None)
    assert origin({}).repository is None
    assert origin({"INFO": {"URL": 3, "LICENSE": []}}).url is None
