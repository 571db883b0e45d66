"""How far figures can be trusted: bootstrap intervals of shares, and tests between two models on the same questions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE = 0.95
RESAMPLES = 2_000


class Interval(NamedTuple):
    """The bounds of a 95% interval."""

    low: float
    high: float


def share_interval(successes: int, total: int) -> Interval:
    """The percentile bootstrap interval of a share, without drawing.

    Resampling 0s and 1s gives a binomial number of 1s, so the quantiles of that distribution are the bootstrap's own.
    """
    if total == 0:
        return Interval(0.0, 0.0)
    share, tail = successes / total, (1 - CONFIDENCE) / 2
    if share in (0.0, 1.0):
        return Interval(share, share)
    low = high = None
    reached = 0.0
    for count in range(total + 1):
        reached += math.exp(
            math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
            + count * math.log(share) + (total - count) * math.log(1 - share)
        )  # fmt: skip
        if low is None and reached >= tail:
            low = count
        if high is None and reached >= 1 - tail:
            high = count
            break
    return Interval((low or 0) / total, (total if high is None else high) / total)


class Paired(NamedTuple):
    """Two models on the same questions.

    Attributes:
        questions: those that both answered.
        only_first, only_second: questions that one alone got right.
        difference: of the two shares, first less second, with its bootstrap interval over questions.
        p: McNemar's exact test, two-sided: how likely so uneven a split is between equals.
    """

    questions: int
    only_first: int
    only_second: int
    difference: float
    interval: Interval
    p: float


def paired_test(first: Sequence[bool], second: Sequence[bool], *, seed: int = 0) -> Paired:
    """Compare two models by their outcomes on the same questions, in the same order.

    Raises:
        ValueError: the sequences differ in length.
    """
    pairs = list(zip(first, second, strict=True))
    only_first = sum(one and not other for one, other in pairs)
    only_second = sum(other and not one for one, other in pairs)
    count = len(pairs)
    if not count:
        return Paired(0, 0, 0, 0.0, Interval(0.0, 0.0), 1.0)
    differences = [int(one) - int(other) for one, other in pairs]
    draw = random.Random(seed)
    weights = [differences.count(value) for value in (-1, 0, 1)]
    resampled = sorted(_mean_of_draws(draw, weights, count) for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    interval = Interval(resampled[int(tail * RESAMPLES)], resampled[math.ceil((1 - tail) * RESAMPLES) - 1])
    return Paired(count, only_first, only_second, sum(differences) / count, interval, mcnemar(only_first, only_second))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test: the questions on which two models differ as tosses of a fair coin."""
    differing, fewer = only_first + only_second, min(only_first, only_second)
    if differing == 0:
        return 1.0
    tail = sum(math.comb(differing, count) for count in range(fewer + 1)) / 2**differing
    return min(1.0, 2 * tail)


def _mean_of_draws(draw: random.Random, weights: Sequence[int], count: int) -> float:
    """The mean of `count` draws from -1, 0 and 1 with these weights."""
    return sum(draw.choices((-1, 0, 1), weights, k=count)) / count
