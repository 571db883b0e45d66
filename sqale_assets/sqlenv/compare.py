"""Whether two results are the same answer.

The rules, in full:

- Rows are a multiset: order does not matter, duplicates count. Where the gold orders, rows are a sequence; rows that
  tie in its order may come in any order when the caller says where the ties are.
- There must be as many columns. Their names do not matter, nor does their order: one reordering of the columns must
  make all rows equal at once.
- Numbers are equal as numbers, 1 and 1.0 alike; two integers exactly, otherwise within a relative tolerance of 1e-6
  (or 1e-9 near zero). Booleans are 0 and 1.
- Text is equal character by character. Text is never equal to a number: '1' is not 1. NULL equals only NULL.
- A BLOB equals the same bytes, also in the form in which `Database.execute` gives it (`X'0AFF'`).
- Two empty results are equal, but flagged: they say nothing about the query, and no reward should hang on them.
- A result that was cut off equals nothing, because what was cut is not known.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from sqale_assets.sqlenv.database import QueryResult

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-9

Difference = Literal["", "truncated", "column_count", "row_count", "values", "order"]

#: Reorderings of columns that are tried in full before two results count as different.
_MOST_ORDERS = 2_000
#: Rows alike but for numbers, up to which they are matched one by one rather than sorted.
_MOST_MATCHED = 300

Cell = int | float | str | None
Line = tuple[Cell, ...]
Test = Callable[[Sequence[Line], Sequence[Line]], bool]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the results are equal, else in what they differ. `both_empty` marks an equality that proves nothing."""

    equal: bool
    difference: Difference = ""
    both_empty: bool = False


def compare(
    gold: QueryResult, predicted: QueryResult, *, ordered: bool, ties: Sequence[int] | None = None
) -> Comparison:
    """Compare a prediction with the gold by the rules of this module.

    Args:
        ordered: whether the gold query orders its result.
        ties: sizes of the runs of rows that tie in the gold's order; they add up to its number of rows.
    """
    if gold.truncated or predicted.truncated:
        return Comparison(False, "truncated")
    return compare_rows(
        gold.rows, predicted.rows, ordered=ordered, ties=ties, widths=(len(gold.columns), len(predicted.columns))
    )


def compare_rows(
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    *,
    ordered: bool,
    ties: Sequence[int] | None = None,
    widths: tuple[int, int] | None = None,
) -> Comparison:
    """`compare` for bare rows. `widths` are the numbers of columns, which empty results cannot tell."""
    if widths is None:
        widths = (len(gold[0]), len(predicted[0])) if gold and predicted else (0, 0)
    if widths[0] != widths[1]:
        return Comparison(False, "column_count")
    if len(gold) != len(predicted):
        return Comparison(False, "row_count")
    if not gold:
        return Comparison(True, both_empty=True)
    ours, theirs = [_line(row) for row in gold], [_line(row) for row in predicted]
    if not ordered:
        return Comparison(True) if _equal_in_some_order(ours, theirs, _same_multiset) else Comparison(False, "values")

    runs = ties if ties is not None and sum(ties) == len(ours) else (1,) * len(ours)
    if _equal_in_some_order(ours, theirs, _same_runs(runs)):
        return Comparison(True)
    return Comparison(False, "order" if _equal_in_some_order(ours, theirs, _same_multiset) else "values")


def same_value(one: Cell, other: Cell) -> bool:
    """Whether two normalised cells are equal."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        if isinstance(one, int) and isinstance(other, int):
            return one == other
        return math.isclose(one, other, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    return type(one) is type(other) and one == other


def _line(row: Sequence[Any]) -> Line:
    return tuple(_cell(value) for value in row)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, float) and not math.isfinite(value):
        return "Inf" if value > 0 else "-Inf" if value < 0 else None
    return value


def _equal_in_some_order(gold: list[Line], predicted: list[Line], same: Test) -> bool:
    """Whether one reordering of the predicted columns passes `same`; the order as given is tried first."""
    if same(gold, predicted):
        return True
    width = len(gold[0])
    if width < 2:
        return False
    ours = [[(line[at],) for line in gold] for at in range(width)]
    theirs = [[(line[at],) for line in predicted] for at in range(width)]
    fits = [[at for at in range(width) if _same_multiset(column, theirs[at])] for column in ours]
    if not all(fits):
        return False
    orders = _orders(gold, predicted, fits, same)
    return next(orders, None) is not None


def _orders(gold: list[Line], predicted: list[Line], fits: list[list[int]], same: Test) -> Iterator[tuple[int, ...]]:
    """Column orders of `predicted` that pass `same`, found column by column with a bounded number of tests."""
    tried = 0
    pending: list[tuple[int, ...]] = [()]
    while pending and tried < _MOST_ORDERS:
        chosen = pending.pop()
        depth = len(chosen)
        if depth:
            tried += 1
            if not same([line[:depth] for line in gold], [tuple(line[at] for at in chosen) for line in predicted]):
                continue
            if depth == len(fits):
                yield chosen
                continue
        pending.extend((*chosen, at) for at in reversed(fits[depth]) if at not in chosen)


def _same_runs(runs: Sequence[int]) -> Test:
    def same(gold: Sequence[Line], predicted: Sequence[Line]) -> bool:
        start = 0
        for run in runs:
            part, other = gold[start : start + run], predicted[start : start + run]
            if not (_same_line(part[0], other[0]) if run == 1 else _same_multiset(part, other)):
                return False
            start += run
        return True

    return same


def _same_line(one: Line, other: Line) -> bool:
    return all(map(same_value, one, other))


def _same_multiset(gold: Sequence[Line], predicted: Sequence[Line]) -> bool:
    if Counter(gold) == Counter(predicted):
        return True
    return _match_by_group(gold, predicted)


def _match_by_group(gold: Sequence[Line], predicted: Sequence[Line]) -> bool:
    """Pair the rows up: text and NULL must agree exactly, numbers within tolerance."""
    groups: dict[tuple, tuple[list[Line], list[Line]]] = defaultdict(lambda: ([], []))
    for side, lines in enumerate((gold, predicted)):
        for line in lines:
            exact = tuple("#" if isinstance(cell, int | float) else (cell,) for cell in line)
            groups[exact][side].append(tuple(cell for cell in line if isinstance(cell, int | float)))
    return all(_match_numbers(ours, theirs) for ours, theirs in groups.values())


def _match_numbers(gold: list[Line], predicted: list[Line]) -> bool:
    if len(gold) != len(predicted):
        return False
    if all(map(_same_line, sorted(gold), sorted(predicted))):
        return True
    if len(gold) > _MOST_MATCHED:
        return False
    # Sorting can pair rows wrongly where numbers differ by less than the tolerance.
    left = list(predicted)
    for line in gold:
        found = next((at for at, other in enumerate(left) if _same_line(line, other)), None)
        if found is None:
            return False
        left.pop(found)
    return True


def tie_runs(keys: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """The sizes of the runs of equal neighbours among `keys`, the order keys of each row of a result."""
    lines = [_line(key) for key in keys]
    starts = [
        0,
        *(at for at, (one, other) in enumerate(pairwise(lines), start=1) if not _same_line(one, other)),
        len(lines),
    ]
    return tuple(end - start for start, end in pairwise(starts)) if lines else ()
