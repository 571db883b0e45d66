from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.evaluation.significance import mcnemar, paired_test, share_interval


def test_the_interval_is_the_bootstraps():
    """199 of 300, as the paper's 66.3%: against plain resampling."""
    draw = random.Random(0)
    outcomes = [1] * 199 + [0] * 101
    means = sorted(sum(draw.choices(outcomes, k=300)) / 300 for _ in range(4_000))
    interval = share_interval(199, 300)
    assert interval.low == pytest.approx(means[100], abs=0.01)
    assert interval.high == pytest.approx(means[3_900], abs=0.01)


@given(st.integers(1, 400).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_intervals_hold_the_share(pair):
    successes, total = pair
    interval = share_interval(successes, total)
    assert 0 <= interval.low <= successes / total <= interval.high <= 1


@pytest.mark.parametrize(
    ("one", "other", "p"), [(0, 0, 1.0), (5, 5, 1.0), (10, 0, 2 / 1024), (0, 10, 2 / 1024), (8, 2, 0.109375)]
)
def test_mcnemar(one, other, p):
    assert mcnemar(one, other) == pytest.approx(p)


def test_pairs():
    test = paired_test([True] * 60 + [False] * 40, [True] * 50 + [False] * 50)
    assert (test.only_first, test.only_second, test.difference) == (10, 0, 0.1)
    assert 0 < test.interval.low < 0.1 < test.interval.high and test.p == pytest.approx(2 / 1024)
    assert paired_test([], []).p == 1.0
    with pytest.raises(ValueError, match="argument"):
        paired_test([True], [])
