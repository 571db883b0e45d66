from __future__ import annotations

import random
import sqlite3
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.model import Table
from sqale_assets.stages.populating import globs
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets.stages.populating.values import conform
from sqale_assets_tests.stages.populating.schemas import column


def _rules(*checks: str):
    columns = (
        column("status", "VARCHAR(8)"),
        column("stars"),
        column("low", "DECIMAL(6,2)"),
        column("high", "DECIMAL(6,2)"),
    )
    return table_rules(Table(name="t", columns=columns, checks=checks))


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("status IN ('a', 'b')", ("a", "b")),
        ("CAST(status AS TEXT) IN ('a', 'b')", ("a", "b")),
        ("status = 'a' OR status = 'b'", ("a", "b")),
        ("status = 'a' OR status IS NULL", ("a",)),
        ("status IS NOT NULL AND status IN ('x')", ("x",)),
        ("status || 'x' = 'ax'", ()),
        ("not sql at all (", ()),
    ],
)
def test_vocabulary_of_a_check(check, expected):
    assert _rules(check).columns["status"].allowed == expected


@pytest.mark.parametrize(
    ("check", "low", "high"),
    [
        ("stars BETWEEN 1 AND 5", 1, 5),
        ("stars > 0 AND stars < 6", 1, 5),
        ("0 < stars", 1, 2**31 - 1),
        ("stars >= -3", -3, 2**31 - 1),
    ],
)
def test_range_of_a_check(check, low, high):
    rule = _rules(check).columns["stars"]
    assert (rule.low, rule.high) == (low, high)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("status GLOB 'A[0-9]*'", ("A[0-9]*",)),
        ("status LIKE '%x_'", ("*x?",)),
        ("status GLOB '99[0-9]' OR status IN ('a*', 'b')", ("99[0-9]", "a[*]", "b")),
        ("status GLOB 'x' OR stars = 1", ()),
    ],
)
def test_shape_of_a_check(check, expected):
    assert _rules(check).columns["status"].globs == expected


@given(st.sampled_from(["A[0-9][^a-z]", "*", "[A-Z]?-[0-9]*", "x[*]y", "[]]"]), st.integers(0, 50))
def test_what_is_written_from_a_pattern_matches_it_in_sqlite(pattern, seed):
    value = globs.written(pattern, random.Random(seed))
    assert globs.matches(pattern, value)
    assert sqlite3.connect(":memory:").execute("SELECT ? GLOB ?", (value, pattern)).fetchone() == (1,)


def test_order_between_columns():
    assert _rules("low <= high").ordered == [("low", "high", False)]
    assert _rules("high > low").ordered == [("low", "high", True)]


def _conform(declared: str, values, **more):
    repairs = Counter()
    rule = table_rules(Table(name="t", columns=(column("c", declared, **more),))).columns["c"]
    return conform(values, rule, random.Random(1), repairs), repairs


@pytest.mark.parametrize(
    ("declared", "given_", "expected"),
    [
        ("INTEGER", [True, "12", 3.0, Decimal(4), None], [1, 12, 3, 4, None]),
        ("DECIMAL(6,2)", [1, "2.555", Decimal("3.10")], [1.0, 2.56, 3.1]),
        ("REAL", [1, float("nan"), float("inf")], [1.0, None, None]),
        ("BOOLEAN", [True, "no", "Y", 1], [1, 0, 1, 1]),
        ("VARCHAR(3)", ["abcdef", 12, b"\x01"], ["abc", "12", "01"]),
        ("DATE", [date(2024, 1, 2), datetime(2024, 1, 2, 3), "2024-01-02T05:00:00Z"], ["2024-01-02"] * 3),
        ("DATE", ["02/01/2024", 20240102], ["02/01/2024", 20240102]),
        ("DATETIME", [datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05.123Z"], ["2024-01-02 03:04:05"] * 2),
        ("DATETIME", [1700000000], [1700000000]),
        ("TEXT", [{"a": 1}, [1, 2]], ['{"a":1}', "[1,2]"]),
    ],
)  # fmt: skip
def test_values_take_the_columns_type(declared, given_, expected):
    assert _conform(declared, given_)[0] == expected


def test_missing_values_of_a_required_column_come_from_the_column():
    values, repairs = _conform("TEXT", ["x", None, "x"], nullable=False)
    assert values == ["x", "x", "x"]
    assert repairs == {"not_null": 1}


_ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.decimals(), st.dates(),
    st.datetimes(), st.times(), st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)  # fmt: skip


@given(
    st.sampled_from(
        ["INTEGER", "SMALLINT", "REAL", "DECIMAL(6,2)", "BOOLEAN", "VARCHAR(5)", "TEXT", "DATE", "DATETIME", "TIME",
         "JSON", "UUID", "BLOB"]
    ),
    st.lists(_ANYTHING, max_size=12),
    st.booleans(),
)  # fmt: skip
def test_whatever_a_function_returns_becomes_values_that_sqlite_and_json_hold(declared, values, nullable):
    out, _ = _conform(declared, values, nullable=nullable)
    assert len(out) == len(values)
    for value in out:
        assert value is None or type(value) in (int, float, str)
        assert nullable or value is not None
        assert not isinstance(value, float) or value - value == 0  # neither NaN nor infinite
        assert not isinstance(value, int) or abs(value) < 2**63
