"""Keys as contiguous ranges: what a run over many partitions is given."""

from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.automation.ranges import ranges

ORDER = [f"k{number:02d}" for number in range(30)]


@given(st.sets(st.sampled_from(ORDER)), st.integers(1, 40))
def test_ranges_hold_exactly_the_keys(keys, size):
    covered = []
    for start, end in ranges(sorted(keys), ORDER, size):
        piece = ORDER[ORDER.index(start) : ORDER.index(end) + 1]
        assert 1 <= len(piece) <= size
        covered += piece
    assert covered == sorted(keys)


def test_order_of_registration_decides_not_the_alphabet():
    assert list(ranges(["b", "a"], ["b", "a", "c"], 10)) == [("b", "a")]
