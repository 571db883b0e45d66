"""Partition keys as contiguous ranges: the only form in which one Dagster run takes many partitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

RANGE_START, RANGE_END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


def ranges(keys: Sequence[str], order: Sequence[str], size: int) -> Iterator[tuple[str, str]]:
    """`keys` as (first, last) pairs of contiguous ranges of `order`, each of at most `size` keys."""
    wanted = set(keys)
    current: list[str] = []
    for key in [*order, None]:
        if key in wanted:
            current.append(key)
        if current and (key not in wanted or len(current) == size):
            yield current[0], current[-1]
            current = []
