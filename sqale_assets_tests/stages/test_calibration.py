from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from sqale_assets.llm.task import InvalidAnswer, Reply
from sqale_assets.stages.calibration import JudgePair, calibrate, drift, kappa, labelled_pairs, parse_pairs, summarise
from sqale_assets.stages.judging import Judgement

GOLDS = [
    (
        "q1",
        "How many employees are in IT?",
        "SELECT count(*) FROM employee e JOIN department d ON d.id = e.department_id WHERE d.d_name = 'IT'",
    ),
    ("q2", "What is the highest salary?", "SELECT max(salary) FROM employee"),
    ("q3", "Names and salaries of all employees?", "SELECT first_name, salary FROM employee"),
    ("q4", "How many islands are there?", "SELECT count(*) FROM island"),
]


@pytest.fixture
def pairs(database):
    return labelled_pairs(
        GOLDS, database, origin="company", tables=dict.fromkeys(("q1", "q2", "q3", "q4"), ("employee",))
    )


class Judge:
    """Decides by a function of the task; None means an unreadable reply."""

    def __init__(self, decide):
        self.decide = decide

    async def ask(self, task, *, sample=0):
        accepted = self.decide(task)
        if accepted is None:
            raise InvalidAnswer("judge_answer", ("?",), "?")
        value = Judgement(
            accepted=accepted, category="" if accepted else "wrong_filter", reason="" if accepted else "no"
        )
        return Reply(value=value, text="", model="m", cached=False, tokens_in=0, tokens_out=0)


def run(pairs, decide):
    return asyncio.run(calibrate(pairs, Judge(decide), model="m"))


def test_each_query_gives_a_right_and_a_wrong_pair(pairs):
    assert [pair.correct for pair in pairs] == [True, False] * 3
    assert [pair.pair_id for pair in pairs[:2]] == ["q1-right", "q1-wrong"]
    assert all(pair.category and pair.change for pair in pairs if not pair.correct)
    assert len({pair.category for pair in pairs if not pair.correct}) == 3
    assert json.loads(pairs[0].result)["rows"] == [[3]]
    assert "CREATE TABLE employee" in pairs[0].schema_ddl


def test_a_perfect_a_lenient_and_a_silent_judge(pairs):
    right = {pair.sql for pair in pairs if pair.correct}
    perfect = run(pairs, lambda task: task.sql in right)
    assert (perfect.accuracy, perfect.precision, perfect.kappa, perfect.caught) == (1.0, 1.0, 1.0, 1.0)
    lenient = run(pairs, lambda task: True)
    assert (lenient.accuracy, lenient.precision, lenient.kappa, lenient.recall) == (0.5, 0.5, 0.0, 1.0)
    assert set(lenient.caught_by_category.values()) == {0.0}
    silent = run(pairs, lambda task: None)
    assert (silent.unreadable, silent.precision, silent.accuracy) == (6, 0.0, 0.5)


def test_kappa_by_hand():
    # Agreement 0.7; by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    counts = Counter({(True, True): 20, (True, False): 5, (False, True): 10, (False, False): 15})
    assert kappa(counts) == pytest.approx(0.4)


def test_the_interval_holds_the_estimate_and_narrows_with_more_pairs():
    def figures(size: int):
        pairs = [
            JudgePair(pair_id=str(at), origin="o", question="", sql="", result="", schema_ddl="", correct=at % 2 == 0)
            for at in range(size)
        ]
        return summarise(pairs, [(at % 2 == 0) != (at % 10 == 3) for at in range(size)], model="m")

    small, large = figures(40), figures(400)
    for each in (small, large):
        assert each.kappa_low < each.kappa < each.kappa_high
    assert large.kappa_high - large.kappa_low < small.kappa_high - small.kappa_low
    assert small == figures(40)


def test_drift_warns_when_the_judge_gets_worse(pairs):
    right = {pair.sql for pair in pairs if pair.correct}
    perfect, lenient = run(pairs, lambda task: task.sql in right), run(pairs, lambda task: True)
    assert "kappa fell from 1.00 to 0.00" in drift(lenient, perfect)
    assert drift(perfect, perfect) is None
    assert drift(perfect, lenient) is None


def test_the_labelled_set_is_large_balanced_and_shows_what_it_labels():
    folder = Path(__file__).parents[2] / "quality" / "judge"
    pairs = [pair for name in ("sample", "bird") for pair in parse_pairs((folder / f"{name}.jsonl").read_text())]
    assert len(pairs) >= 300
    assert sum(pair.correct for pair in pairs) * 2 == len(pairs)
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    assert len({pair.category for pair in pairs if not pair.correct}) >= 7
    assert all(pair.correct != bool(pair.category) for pair in pairs)
    assert all("CREATE TABLE" in pair.schema_ddl and json.loads(pair.result) for pair in pairs)
