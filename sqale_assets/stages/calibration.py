"""How far a judge can be trusted: its verdicts on pairs of question and query that are known to be right or wrong."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqale_assets.llm.task import InvalidAnswer, Llm
from sqale_assets.relational.model import Model
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.near_misses import NearMiss, near_misses
from sqale_assets.sqlenv.sqlfacts import sql_facts
from sqale_assets.stages.judging import JudgeAnswer, judge_query, judge_task

_RESAMPLES = 2_000


class JudgePair(Model):
    """A labelled pair, with all that the judge is shown. `category` and `change` say how a wrong one is wrong."""

    pair_id: str
    origin: str
    question: str
    sql: str
    result: str
    schema_ddl: str
    correct: bool
    category: str = ""
    change: str = ""

    def task(self) -> JudgeAnswer:
        return JudgeAnswer(question=self.question, sql=self.sql, result=self.result, schema_ddl=self.schema_ddl)


class JudgeCalibration(Model):
    """A judge's figures on a labelled set, acceptance being the positive answer.

    `precision` is the share of accepted pairs that are right, `recall` the share of right ones accepted, `caught` the
    share of wrong ones rejected, by category in `caught_by_category`. Cohen's kappa with a 95% bootstrap interval.
    Pairs without a readable verdict (`unreadable`) count as rejected.
    """

    model: str
    pairs: int
    unreadable: int
    accuracy: float
    precision: float
    recall: float
    caught: float
    kappa: float
    kappa_low: float
    kappa_high: float
    caught_by_category: dict[str, float]


#: The seed's judge on 225 calls over BIRD dev (footnote 1): precision, accuracy, kappa.
REFERENCE = {"precision": 0.945, "accuracy": 0.862, "kappa": 0.68}
#: A fall of a judge's precision by more than this is drift.
PRECISION_FALL = 0.05


def labelled_pairs(
    golds: Iterable[tuple[str, str, str]], database: Database, *, origin: str, tables: Mapping[str, Sequence[str]]
) -> list[JudgePair]:
    """A right and a wrong pair for each gold query that has a near miss, the categories as even as they can be.

    Args:
        golds: question id, question and SQL.
        tables: question id -> tables whose definitions the judge sees.
    """
    pairs: list[JudgePair] = []
    used: Counter[str] = Counter()
    for question_id, question, sql in golds:
        misses = near_misses(sql, database)
        if not misses:
            continue
        category = min((each.category for each in misses), key=lambda name: used[name])  # the rarest so far
        alike = [each for each in misses if each.category == category]
        miss = alike[used[category] % len(alike)]
        used[category] += 1
        right = NearMiss("", "", sql)
        for label, each in (("right", right), ("wrong", miss)):
            concerned = (*tables[question_id], *sql_facts(each.sql).tables)
            task = judge_task(question, each.sql, database.execute(each.sql), concerned, database.ddl)
            pairs.append(
                JudgePair(
                    pair_id=f"{question_id}-{label}",
                    origin=origin,
                    question=question,
                    sql=each.sql,
                    result=task.result,
                    schema_ddl=task.schema_ddl,
                    correct=label == "right",
                    category=each.category,
                    change=each.change,
                )
            )
    return pairs


def parse_pairs(lines: str) -> list[JudgePair]:
    """The pairs of a labelled set, one JSON object per line."""
    return [JudgePair.model_validate_json(line) for line in lines.splitlines() if line.strip()]


async def calibrate(
    pairs: Sequence[JudgePair], judge: Llm, *, model: str, second_opinion: bool = False
) -> JudgeCalibration:
    """Ask `judge` about every pair and sum up."""

    async def accepted(pair: JudgePair) -> bool | None:
        try:
            return (await judge_query(pair.task(), judge, second_opinion=second_opinion))[-1].accepted
        except InvalidAnswer:
            return None

    return summarise(pairs, await asyncio.gather(*(accepted(pair) for pair in pairs)), model=model)


def summarise(pairs: Sequence[JudgePair], verdicts: Sequence[bool | None], *, model: str) -> JudgeCalibration:
    """The figures for verdicts on `pairs`, in their order; None where there was no readable one."""
    answers = [(pair.correct, bool(verdict)) for pair, verdict in zip(pairs, verdicts, strict=True)]
    counts = Counter(answers)
    kappas = _resampled_kappas(answers)
    wrong: dict[str, list[bool]] = defaultdict(list)
    for pair, (_, verdict) in zip(pairs, answers, strict=True):
        if not pair.correct:
            wrong[pair.category].append(not verdict)
    return JudgeCalibration(
        model=model,
        pairs=len(pairs),
        unreadable=sum(verdict is None for verdict in verdicts),
        accuracy=_share(counts[True, True] + counts[False, False], len(answers)),
        precision=_share(counts[True, True], counts[True, True] + counts[False, True]),
        recall=_share(counts[True, True], counts[True, True] + counts[True, False]),
        caught=_share(counts[False, False], counts[False, False] + counts[False, True]),
        kappa=round(kappa(counts), 4),
        kappa_low=round(kappas[int(0.025 * _RESAMPLES)], 4),
        kappa_high=round(kappas[int(0.975 * _RESAMPLES) - 1], 4),
        caught_by_category={name: _share(sum(each), len(each)) for name, each in sorted(wrong.items())},
    )


def kappa(counts: Mapping[tuple[bool, bool], int]) -> float:
    """Cohen's kappa of (label, verdict) counts; 0 where chance alone explains all."""
    total = sum(counts.values())
    agreed = (counts[True, True] + counts[False, False]) / total
    label = (counts[True, True] + counts[True, False]) / total
    verdict = (counts[True, True] + counts[False, True]) / total
    by_chance = label * verdict + (1 - label) * (1 - verdict)
    return 0.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _resampled_kappas(answers: Sequence[tuple[bool, bool]]) -> list[float]:
    """Sorted kappas of bootstrap samples; right and wrong pairs are drawn apart, as their numbers are by design."""
    chance = random.Random("judge calibration")
    groups = [group for label in (True, False) if (group := [each for each in answers if each[0] is label])]
    draws = (
        Counter(each for group in groups for each in chance.choices(group, k=len(group))) for _ in range(_RESAMPLES)
    )
    return sorted(map(kappa, draws))


def drift(now: JudgeCalibration, before: JudgeCalibration) -> str | None:
    """What to warn of: the same judge agrees less with the labels than its interval allowed, or accepts more wrong."""
    if now.kappa < before.kappa_low:
        return f"kappa fell from {before.kappa:.2f} to {now.kappa:.2f}, below its interval"
    if now.precision < before.precision - PRECISION_FALL:
        return f"{1 - now.precision:.0%} of what it accepts is wrong, {1 - before.precision:.0%} before"
    return None


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
