"""The figures of a run, per condition, and the tests between runs. `docs/evaluation.md` defines every one of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from sqale_assets.evaluation.conditions import distractors
from sqale_assets.evaluation.domains import inside_bird
from sqale_assets.evaluation.log import Evaluated
from sqale_assets.evaluation.records import EpisodeRecord
from sqale_assets.evaluation.significance import paired_test, share_interval
from sqale_assets.records import DIFFICULTIES
from sqale_assets.relational.model import Model

#: Upper bounds of the groups of schema sizes, in tables.
SIZES = (20, 60, 120)


class Share(Model):
    """`count` of `total`, with the bounds of its 95% bootstrap interval."""

    count: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def percent(self) -> float:
        return round(100 * self.value, 1)


class Figures(Model):
    """A model on a corpus under one condition. Tokens and TFLOPs are means per question.

    Attributes:
        correct, correct_bird: execution accuracy by our comparison, and by BIRD's rule.
        both_empty: correct answers that prove little, gold and prediction being empty.
        opened_all: episodes in which the model opened every gold table.
        literals_seen: string literals of the gold queries that the model saw before it answered.
        several_calls: tool turns with more than one call.
        tflops: forward passes that read the conversation anew in every call; `tflops_prefix` where nothing is read
            twice. None where the model's size is not known.
        by: breakdown -> group -> accuracy.
    """

    model: str
    run: str
    corpus: str
    split: str
    style: str
    condition: str
    parameters: float | None
    problems: int
    correct: Share
    correct_bird: Share
    both_empty: int
    opened_all: Share
    literals_seen: Share
    rounds: float
    calls: float
    calls_per_round: float
    distinct_per_round: float
    several_calls: Share
    endings: dict[str, int]
    outcomes: dict[str, int]
    differences: dict[str, int]
    errors: dict[str, int]
    tokens: float
    context_tokens: float
    tflops: float | None
    tflops_prefix: float | None
    dollars: float
    seconds: float
    by: dict[str, dict[str, Share]]


class Pair(Model):
    """Two models on the questions that both answered under one condition; see `significance.Paired`."""

    first: str
    second: str
    condition: str
    questions: int
    only_first: int
    only_second: int
    difference: float
    low: float
    high: float
    p: float


def figures(evaluated: Evaluated) -> list[Figures]:
    """The figures of a run, one per condition, from the smallest schemas to the whole."""
    groups: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for episode in evaluated.episodes:
        groups[episode.condition].append(episode)
    return [_figures(evaluated, name, groups[name]) for name in sorted(groups, key=size_of)]


def size_of(condition: str) -> float:
    """A key that puts conditions in order of size."""
    more = distractors(condition)
    return float("inf") if more is None else more


def pairs(runs: Sequence[Evaluated]) -> list[Pair]:
    """Every two runs on the same corpus, split and style, compared under each condition that both met."""
    found = []
    for one, other in combinations(runs, 2):
        if _task(one) != _task(other):
            continue
        first = {episode.key: episode.correct for episode in one.episodes}
        second = {episode.key: episode.correct for episode in other.episodes}
        for condition in sorted({key[0] for key in first.keys() & second.keys()}, key=size_of):
            shared = sorted(key for key in first.keys() & second.keys() if key[0] == condition)
            test = paired_test([first[key] for key in shared], [second[key] for key in shared])
            found.append(
                Pair(
                    first=label(one, runs), second=label(other, runs), condition=condition, questions=test.questions,
                    only_first=test.only_first, only_second=test.only_second, difference=test.difference,
                    low=test.interval.low, high=test.interval.high, p=test.p,
                )
            )  # fmt: skip
    return found


def label(evaluated: Evaluated, runs: Sequence[Evaluated]) -> str:
    """A run's name among others: the model, and what else is needed to tell it from another run of that model."""
    run = evaluated.run
    same = [each.run for each in runs if each.run.model == run.model]
    if len(same) == 1:
        return run.model
    told = f"{run.model} · {run.style} · {run.corpus}"
    alike = [each for each in same if (each.style, each.corpus) == (run.style, run.corpus)]
    return told if len(alike) == 1 else f"{told} · {run.fingerprint[:6]}"


def tflops(parameters: float | None, tokens: float) -> float | None:
    """2 x parameters x tokens in units of 1e12; `parameters` in billions."""
    return None if parameters is None else 2 * parameters * 1e9 * tokens / 1e12


def share(outcomes: Iterable[bool]) -> Share:
    """The share of True."""
    counted = Counter(map(bool, outcomes))
    return _share(counted[True], counted.total())


def _task(evaluated: Evaluated) -> tuple[str, str, str]:
    return evaluated.run.corpus, evaluated.run.split, evaluated.run.style


def _share(count: int, total: int) -> Share:
    interval = share_interval(count, total)
    return Share(count=count, total=total, low=interval.low, high=interval.high)


def _figures(evaluated: Evaluated, condition: str, episodes: Sequence[EpisodeRecord]) -> Figures:
    run, acts = evaluated.run, [episode.behaviour for episode in episodes]
    turns = [(calls, distinct) for act in acts for calls, distinct in zip(act.calls, act.distinct_calls, strict=True)]
    tokens = _mean(episode.tokens_in + episode.tokens_out for episode in episodes)
    context = _mean(episode.context_tokens for episode in episodes)
    return Figures(
        model=run.model,
        run=run.fingerprint,
        corpus=run.corpus,
        split=run.split,
        style=run.style,
        condition=condition,
        parameters=run.parameters,
        problems=len(evaluated.problems),
        correct=share(episode.correct for episode in episodes),
        correct_bird=share(episode.bird for episode in episodes),
        both_empty=sum(episode.both_empty for episode in episodes),
        opened_all=share(opened for episode in episodes if (opened := episode.opened_all) is not None),
        literals_seen=_share(sum(act.literals_seen for act in acts), sum(act.literals for act in acts)),
        rounds=_mean(act.rounds for act in acts),
        calls=_mean(sum(act.calls) for act in acts),
        calls_per_round=_mean(calls for calls, _ in turns),
        distinct_per_round=_mean(distinct for _, distinct in turns),
        several_calls=share(calls > 1 for calls, _ in turns),
        endings=_counts(episode.ended_by for episode in episodes),
        outcomes=_counts(episode.outcome for episode in episodes),
        differences=_counts(episode.difference for episode in episodes if episode.outcome == "wrong_result"),
        errors=dict(sum((Counter(act.errors) for act in acts), Counter()).most_common()),
        tokens=tokens,
        context_tokens=context,
        tflops=tflops(run.parameters, tokens),
        tflops_prefix=tflops(run.parameters, context),
        dollars=sum(episode.cost for episode in episodes),
        seconds=_mean(episode.seconds for episode in episodes),
        by={name: _by(episodes, group, order) for name, (group, order) in BREAKDOWNS.items()},
    )


def _by(
    episodes: Sequence[EpisodeRecord], group: Callable[[EpisodeRecord], str | None], order: Sequence[str]
) -> dict[str, Share]:
    """Accuracy by group, in order; episodes without one are left out."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for episode in episodes:
        if (name := group(episode)) is not None:
            outcomes[name].append(episode.correct)
    return {name: share(outcomes[name]) for name in order if name in outcomes}


def _tables_needed(episode: EpisodeRecord) -> str | None:
    if not episode.gold_tables:
        return None
    count = len(episode.gold_tables)
    return "5 or more" if count >= 5 else str(count)


def _schema_size(episode: EpisodeRecord) -> str:
    return next((name for most, name in zip(SIZES, _SIZE_NAMES, strict=False) if episode.schema_tables <= most), "more")


def _domain(episode: EpisodeRecord) -> str | None:
    inside = inside_bird(episode.domain)
    return None if inside is None else _DOMAINS[not inside]


_SIZE_NAMES = tuple(f"{low + 1} to {high}" for low, high in zip((0, *SIZES), SIZES, strict=False))
_DOMAINS = ("inside BIRD's", "outside BIRD's")
#: Breakdown -> which group an episode is in, and the order of the groups.
BREAKDOWNS: dict[str, tuple[Callable[[EpisodeRecord], str | None], Sequence[str]]] = {
    "difficulty": (lambda episode: episode.difficulty, DIFFICULTIES),
    "tables needed": (_tables_needed, ("1", "2", "3", "4", "5 or more")),
    "tables in the schema": (_schema_size, (*_SIZE_NAMES, "more")),
    "domain": (_domain, _DOMAINS),
}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
