"""What a selection is made of: what was looked at, what was left out and why, and how the kept is spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sqale_assets.evaluation.items import Corpus
from sqale_assets.relational.model import Model
from sqale_assets.training.tasks import TrainingTask


class Spread(Model):
    """A distribution in five figures."""

    least: float
    lower: float
    median: float
    upper: float
    most: float


class SelectionStatistics(Model):
    """What was looked at, what was kept, and how the kept is made up.

    `dropped` counts what was left out by reason; `not_needed` were never looked at, because `count` was reached.
    """

    corpus: str
    split: str
    questions: int
    kept: int
    not_needed: int
    dropped: dict[str, int]
    databases: int
    held_out_databases: int
    near_held_out: tuple[str, ...]
    difficulties: dict[str, int]
    styles: dict[str, int]
    tables: dict[str, int]
    schema_tables: Spread | None
    tokens: Spread | None
    discrimination: Spread | None
    telling: int


def describe(
    corpus: Corpus,
    tasks: Sequence[TrainingTask],
    *,
    dropped: Mapping[str, int],
    not_needed: int,
    held_out: int,
    near_held_out: Iterable[str],
) -> SelectionStatistics:
    """The statistics of the tasks that were selected from a corpus."""
    scores = [task.discrimination for task in tasks if task.discrimination is not None]
    return SelectionStatistics(
        corpus=corpus.name,
        split=corpus.split,
        questions=len(corpus.items),
        kept=len(tasks),
        not_needed=not_needed,
        dropped=dict(sorted(dropped.items())),
        databases=len({task.database_id for task in tasks}),
        held_out_databases=held_out,
        near_held_out=tuple(sorted(near_held_out)),
        difficulties=_counts(task.difficulty or "unknown" for task in tasks),
        styles=_counts(task.style for task in tasks),
        tables=_counts(f"{task.tables:02}" if task.tables < 10 else "10+" for task in tasks),
        schema_tables=_spread([task.schema_tables for task in tasks]),
        tokens=_spread([task.tokens for task in tasks]),
        discrimination=_spread(scores),
        telling=sum(task.telling for task in tasks),
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    ordered = sorted(values)
    at = [ordered[round(share * (len(ordered) - 1))] for share in (0, 0.25, 0.5, 0.75, 1)]
    return Spread(least=at[0], lower=at[1], median=at[2], upper=at[3], most=at[4])
