"""The order in which tasks are trained on: a length curriculum of a given strength.

The seed says that its three runs differ in "the strength of a length curriculum" and no more about it. Here it orders a
run's episodes by how long a direct one is expected to be (`TrainingTask.tokens`): at strength 0 the order is random, at
1 it rises from the shortest to the longest, and in between every task has a place that is partly the one and partly the
other, so that short tasks become rarer over the run but never vanish.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from pydantic import Field

from sqale_assets.evaluation.items import rank
from sqale_assets.relational.model import Model
from sqale_assets.training.tasks import TrainingTask

_RANGE = float(16**64)


class Curriculum(Model):
    """`strength` is the weight of a task's length in its place, from 0 (random) to 1 (shortest first)."""

    strength: float = Field(0.5, ge=0, le=1)


def order(tasks: Sequence[TrainingTask], count: int, curriculum: Curriculum, *, seed: int) -> list[TrainingTask]:
    """`count` tasks in the order in which a run meets them. Every task comes as often as any other, or once more.

    Raises:
        ValueError: there are no tasks.
    """
    if not tasks:
        raise ValueError("there is no task to train on: the selection is empty")
    lengths = sorted(task.tokens for task in tasks)
    places: list[tuple[float, str, TrainingTask]] = []
    for epoch in range(-(-count // len(tasks))):
        shuffled = sorted((rank(seed, str(epoch), task.task_id), at) for at, task in enumerate(tasks))
        for drawn, at in shuffled[: count - len(places)]:
            length = bisect.bisect_left(lengths, tasks[at].tokens) / len(tasks)
            chance = int(rank(seed, "place", drawn), 16) / _RANGE
            place = curriculum.strength * length + (1 - curriculum.strength) * chance
            places.append((place, drawn, tasks[at]))
    return [task for _, _, task in sorted(places, key=lambda each: each[:2])]


def mean_lengths(ordered: Sequence[TrainingTask], parts: int = 10) -> tuple[float, ...]:
    """The mean expected length of each part of a run, in tokens."""
    bounds = [round(part * len(ordered) / parts) for part in range(parts + 1)]
    slices = (ordered[start:end] for start, end in pairwise(bounds))
    return tuple(round(fmean(task.tokens for task in part), 1) for part in slices if part)
