from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.sqlenv.compare import compare, compare_rows, tie_runs
from sqale_assets.sqlenv.database import QueryResult

cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text("ab1", max_size=2),
    st.binary(max_size=1),
)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=6)
)  # fmt: skip


def result(*rows: tuple, columns: tuple[str, ...] = ("a",), truncated: bool = False) -> QueryResult:
    return QueryResult(columns, rows, truncated, 0.0)


def equal(one, other, ordered=False, **more) -> bool:
    return compare_rows(one, other, ordered=ordered, **more).equal


def test_rows_are_a_multiset_unless_the_gold_orders():
    assert equal([(1,), (2,)], [(2,), (1,)])
    assert compare_rows([(1,), (2,)], [(2,), (1,)], ordered=True).difference == "order"
    assert equal([(1,), (2,)], [(1,), (2,)], ordered=True)


@pytest.mark.parametrize("ordered", [True, False])
def test_duplicates_count(ordered):
    """BIRD's execution accuracy and NeMo Gym compare sets, so these pass there."""
    assert not equal([(1,), (1,), (2,)], [(1,), (2,), (2,)], ordered)
    assert not equal([(1,)], [(1,), (1,)], ordered)


def test_two_empty_results_are_equal_but_flagged():
    """SkyRL pays `SELECT 1 WHERE 0` in full wherever the gold is empty."""
    comparison = compare(result(), result(), ordered=False)
    assert comparison.equal
    assert comparison.both_empty
    assert not compare_rows([(1,)], [(1,)], ordered=False).both_empty
    assert compare(result(), result(columns=("a", "b")), ordered=False).difference == "column_count"
    assert compare(result(), result((1,)), ordered=False).difference == "row_count"


def test_a_result_that_was_cut_equals_nothing():
    cut = result((1,), truncated=True)
    assert compare(cut, cut, ordered=False).difference == "truncated"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, True),
        (0, False, True),
        (1, "1", False),
        (1.5, "1.5", False),
        ("a", "A", False),
        ("a", "a ", False),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.0000001, True),
        (1.0, 1.00001, False),
        (1e-12, 0, True),
        (1e-7, 5e-7, False),
        (10**15, 10**15 + 1, False),
        (b"\x00\xff", "X'00FF'", True),
        (b"\x00\xff", b"\x00\xff", True),
        (b"a", "a", False),
        (float("inf"), "Inf", True),
        (-0.0, 0, True),
    ],
)
def test_values(one, other, same):
    assert equal([(one,)], [(other,)]) is same
    assert equal([(other,)], [(one,)], ordered=True) is same


def test_one_order_of_the_columns_must_suit_all_rows():
    assert equal([(1, "x"), (2, "y")], [("x", 1), ("y", 2)])
    assert not equal([(1, 2), (3, 4)], [(1, 2), (4, 3)])
    assert not equal([(1, 2), (2, 1), (3, 3)], [(1, 1), (2, 2), (3, 3)])
    assert compare_rows([(1, 1)], [(1,)], ordered=False).difference == "column_count"


def test_ties_of_the_gold_may_come_in_any_order():
    gold, other = [("a", 1), ("b", 2), ("c", 2), ("d", 3)], [("a", 1), ("c", 2), ("b", 2), ("d", 3)]
    ties = tie_runs([(row[1],) for row in gold])
    assert ties == (1, 2, 1)
    assert not equal(gold, other, ordered=True)
    assert equal(gold, other, ordered=True, ties=ties)
    assert not equal(gold, [*other[1:], other[0]], ordered=True, ties=ties)
    assert tie_runs([]) == ()


def test_floats_that_differ_by_less_than_the_tolerance_are_paired_up():
    gold = [(1.0, 5), (1.0 + 1e-9, 7)]
    assert equal(gold, [(1.0 + 1e-9, 5), (1.0, 7)])


@given(tables, st.randoms(use_true_random=False))
def test_any_shuffle_of_rows_and_columns_is_equal(rows, chance):
    order = list(range(len(rows[0])))
    chance.shuffle(order)
    other = [tuple(row[at] for at in order) for row in rows]
    assert equal(rows, other, ordered=True)
    chance.shuffle(other)
    assert equal(rows, other)


@given(tables, st.data())
def test_a_row_more_or_another_value_is_not_equal(rows, data):
    assert not equal(rows, [*rows, rows[0]])
    at = data.draw(st.integers(0, len(rows) - 1))
    changed = [*rows[:at], ("another value", *rows[at][1:]), *rows[at + 1 :]]
    assert not equal(rows, changed)


@given(tables, tables)
def test_is_symmetric(one, other):
    assert equal(one, other) == equal(other, one)


def test_is_fast_on_large_results_and_many_alike_columns():
    chance = random.Random(1)
    rows = [tuple(chance.random() for _ in range(6)) for _ in range(5_000)]
    other = [(*row[:5], row[5] + 1) for row in rows]
    started = time.process_time()
    assert equal(rows, chance.sample(rows, len(rows)))
    assert not equal(rows, other)
    alike = [tuple([number % 2] * 12) for number in range(500)]
    assert not equal([(*row, 1) for row in alike], [(*row, 0) for row in alike])
    assert time.process_time() - started < 2
