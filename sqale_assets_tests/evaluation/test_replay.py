from __future__ import annotations

import json
import re

from sqale_assets.evaluation.figures import label
from sqale_assets.evaluation.replay import replay_of, sample_replays
from sqale_assets.report.evaluation import write_report
from sqale_assets.settings import REPOSITORY
from sqale_assets_tests.evaluation.conftest import GOLD, call, question_of


def wanderer(request) -> str:
    """Looks twice at the same, fails once, and writes its answer as text in the end."""
    turn = sum(message["role"] == "assistant" for message in request.body["messages"])
    look = call("describe_table", table_name="employee")
    steps = {
        0: f"<think>Which tables?</think>\n{call('list_tables')}",
        1: f"I look at <script>alert(1)</script>\n{look}\n{look}\n{call('run_query', sql='SELECT gone FROM employee')}",
    }
    if turn in steps:
        return steps[turn]
    return "Let me think." if turn < 6 else f"```sql\n{GOLD[question_of(request)]}\n```"


def test_a_replay_shows_rounds_calls_and_answers(bird, measure):
    evaluated, _, _ = measure(bird, wanderer)
    replay = replay_of(evaluated.episodes[0], evaluated.run.fingerprint, evaluated.run.model)
    assert [each.purpose for each in replay.rounds] == ["Survey", "Inspect", *["No call"] * 5]
    survey, inspect = replay.rounds[:2]
    assert survey.thought == "Which tables?" and survey.calls[0].answer.startswith('{"tables"')
    assert survey.said == "[5 tool turns left before you must answer]"
    assert [(each.tool, each.times) for each in inspect.calls] == [("describe_table", 2), ("run_query", 1)]
    assert inspect.calls[1].args == "SELECT gone FROM employee" and "no such column" in inspect.calls[1].answer
    assert inspect.thought == "I look at <script>alert(1)</script>"
    assert (replay.outcome, replay.ended_by) == ("correct", "final_turn")
    assert evaluated.episodes[0].behaviour.errors == {"no_call": 4, "no_such_column": 1}


def test_the_page_holds_everything_and_escapes_it(bird, measure, tmp_path):
    runs = [measure(bird, wanderer, tables=("gold", "full"))[0], measure(bird, wanderer, model="openai/other")[0]]
    written = write_report(runs, tmp_path / "report", REPOSITORY / "quality")
    page = written.path.read_text()
    assert "<script>alert" not in page
    assert not re.findall(r"(?:src|href)=\"https?:", page)
    records = json.loads(re.search(r'id="records">(.*?)</script>', page, re.DOTALL)[1])
    assert len(records) == 12 and {record["outcome"] for record in records} == {"correct"}
    assert {"accuracy", "schema_size", "literals", "breakdown", "endings", "cost"} == set(written.pictures)
    assert all(picture.startswith(b"\x89PNG") for picture in written.pictures.values())
    summary = json.loads((tmp_path / "report" / "report.json").read_text())
    assert [each["condition"] for each in summary["figures"]] == ["gold", "full", "full"]
    assert len(summary["pairs"]) == 1


def test_replays_are_spread_over_runs_and_conditions(bird, measure):
    run = measure(bird, wanderer, tables=("gold", "full"))[0]
    names = {run.run.fingerprint: label(run, [run])}
    chosen = sample_replays([run], names, count=4)
    assert sorted(replay.condition for replay in chosen) == ["full", "full", "gold", "gold"]
    assert chosen == sample_replays([run], names, count=4)
