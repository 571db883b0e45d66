"""The catalogue: ids, duplicates, licences, limits."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.records import FoundSource
from sqale_assets.settings import CatalogSettings
from sqale_assets.stages.catalog import catalog, schema_slug


def sql(name: str, text: str, **origin: object) -> FoundSource:
    return FoundSource(name=name, format="sql", content=text.encode(), **origin)


def record(name: str, columns: dict[str, dict]) -> FoundSource:
    content = json.dumps({"TABLES": {"t": {"COLUMNS": columns}}}).encode()
    return FoundSource(name=name, format="schemapile", content=content)


def entries(*sources: FoundSource, **settings: object):
    return [entry for entry, _ in catalog(sources, settings=CatalogSettings(**settings))]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("574956_hris.20160514.sql", "hris_20160514"),
        ("195046_2019-02-06%20-%20microfarm_v2.sql", "2019_02_06_microfarm_v2"),
        ("o__r__P2_GameBook.SQL", "o_r_p2_gamebook"),
        ("数据库.sql", "schema"),
        ("123_.sql", "123"),
    ],
)
def test_slugs(name, slug):
    assert schema_slug(name) == slug


@given(st.text())
def test_any_name_gives_an_id_that_is_safe_in_paths_and_keys(name):
    (entry,) = entries(sql(name, "CREATE TABLE t (a int)"))
    assert re.fullmatch(r"[a-z0-9_]{1,40}_[0-9a-f]{6}", entry.schema_id)


@given(st.binary(), st.binary())
def test_any_bytes_are_catalogued(one, other):
    sources = [FoundSource(name="x.sql", format="sql", content=content) for content in (one, other)]
    assert [entry.accepted for entry in entries(*sources)] == [True, one != other]


def test_an_id_hangs_on_name_and_content_alone():
    one, other = sql("a.sql", "CREATE TABLE a (x int)"), sql("b.sql", "CREATE TABLE b (y int)")
    assert entries(one, other)[1] == entries(other)[0]


def test_ids_that_meet_are_told_apart(monkeypatch):
    monkeypatch.setattr("sqale_assets.stages.catalog._HEX", 0)
    first, second = entries(sql("a.sql", "CREATE TABLE a (x int)"), sql("a.sql", "CREATE TABLE b (y int)"))
    assert (first.schema_id, second.schema_id[:2]) == ("a_", "a_")
    assert first.schema_id != second.schema_id


def test_exact_duplicates_name_their_original():
    text = "CREATE TABLE t (a int);"
    first, same, layout, other = entries(
        sql("a.sql", text),
        sql("b.sql", text),
        sql("c.sql", "-- by c\ncreate  table T\n(a INT);\nINSERT INTO t VALUES (1); /* CREATE TABLE x */"),
        sql("d.sql", "CREATE TABLE t (b int);"),
    )
    assert [entry.accepted for entry in (first, same, layout, other)] == [True, False, False, True]
    assert same.reason == layout.reason == f"duplicate of {first.schema_id}"


def test_records_that_differ_in_values_alone_are_duplicates():
    first, values, types = entries(
        record("a", {"x": {"TYPE": "Int", "VALUES": [1]}}),
        record("b", {"x": {"TYPE": "Int", "VALUES": [2]}}),
        record("c", {"x": {"TYPE": "Text"}}),
    )
    assert (values.accepted, types.accepted) == (False, True)
    assert values.reason == f"duplicate of {first.schema_id}"


def test_files_without_a_table_are_no_duplicates_of_each_other():
    assert all(entry.accepted for entry in entries(sql("a.sql", "-- none"), sql("b.sql", "SELECT 1")))


def test_data_does_not_fool_the_comparison():
    copy = "CREATE TABLE t (a text);\nCOPY t (a) FROM stdin;\nit's create table x (b int)\n\\.\n"
    other = "CREATE TABLE t (a text);\nCOPY t (a) FROM stdin;\nno\n\\.\nCREATE TABLE u (c int);"
    assert [entry.accepted for entry in entries(sql("a.sql", copy), sql("b.sql", other))] == [True, True]


def test_licences_are_spelled_alike_and_allowed_by_list():
    mit, apache, unknown = entries(
        sql("a.sql", "CREATE TABLE a (x int)", licence="mit"),
        sql("b.sql", "CREATE TABLE b (x int)", licence="APACHE-2.0 (SchemaPile)"),
        sql("c.sql", "CREATE TABLE c (x int)"),
        licences=("Apache-2.0",),
    )
    assert (mit.licence, apache.licence, unknown.licence) == ("MIT", "Apache-2.0", None)
    assert (apache.permissive, unknown.permissive) == (True, None)
    assert [mit.reason, apache.reason, unknown.reason] == [
        "licence MIT is not in the allow-list",
        None,
        "licence unknown is not in the allow-list",
    ]


def test_a_file_may_carry_its_own_label():
    (entry,) = entries(sql("a.sql", "-- SPDX-License-Identifier: CC0-1.0\nCREATE TABLE a (x int)"))
    assert entry.licence == "CC0-1.0"


def test_a_refused_file_is_no_original():
    refused, taken = entries(
        sql("a.sql", "CREATE TABLE a (x int)", licence="GPL-3.0"),
        sql("b.sql", "CREATE TABLE a (x int)", licence="MIT"),
        licences=("MIT",),
    )
    assert (refused.accepted, taken.accepted) == (False, True)


def test_a_limit_ends_the_stream_without_reading_on():
    def sources():
        yield sql("a.sql", "CREATE TABLE a (x int)")
        yield sql("a2.sql", "CREATE TABLE a (x int)")
        yield sql("b.sql", "CREATE TABLE b (x int)")
        raise AssertionError("read past the limit")

    found = [entry.accepted for entry, _ in catalog(sources(), settings=CatalogSettings(limit=2))]
    assert found == [True, False, True]
