"""A run's steps as curves and as figures, and the commands over them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sqale_assets.cli.app import UserError, app
from sqale_assets.training.charts import POINTS, charts, points
from sqale_assets.training.metrics import summary
from sqale_assets.training.tasks import TrainingTask, write_tasks


def steps(count: int) -> list[dict]:
    return [{"step": at, "reward": at / count, "rounds": 6.0, "tool_calls": 6.0} for at in range(1, count + 1)]


@given(st.integers(0, 2_000))
def test_a_curve_keeps_every_step_in_at_most_so_many_points(count):
    found = points(steps(count), "reward")
    assert len(found) == min(count, POINTS)
    if count:
        assert found[-1][0] == count and [step for step, _, _ in found] == sorted({step for step, _, _ in found})
        assert all(0 < mean <= 1 and 0 < smooth <= 1 for _, mean, smooth in found)
        if count % POINTS == 0:
            assert sum(mean for _, mean, _ in found) / POINTS == pytest.approx((count + 1) / 2 / count)


def test_a_metric_that_a_run_does_not_have_is_no_curve():
    assert points(steps(3), "accuracy") == [] and points([], "reward") == []


def test_the_first_and_the_last_tenth():
    found = summary(steps(100))
    assert found["steps"] == 100 and found["reward_first"] == 0.055 and found["reward_last"] == 0.955
    assert "accuracy_first" not in found and summary([]) == {}


@pytest.mark.parametrize(("count", "bands"), [(100, 2), (1_700, 3)])
def test_the_papers_bands_go_as_far_as_the_runs(count, bands):
    drawn = json.dumps(charts({"sqale": steps(count)})["figure_7"].to_dict())
    assert drawn.count('"least":') == bands
    assert max(step["to"] for step in _rows(json.loads(drawn)) if "to" in step) <= count


def test_the_commands(tmp_path):
    task = TrainingTask(
        question_id="q", database_id="d", database=tmp_path / "d.sqlite", question="?", style="verbose", sql="SELECT 1",
        tables=1, schema_tables=1, tokens=1,
    )  # fmt: skip
    task.database.write_bytes(b"")
    write_tasks(tmp_path / "tasks.jsonl", [task])
    arguments = ["export", "--tasks", str(tmp_path / "tasks.jsonl"), "--out", str(tmp_path / "out"), "--format"]
    assert CliRunner().invoke(app, [*arguments, "trl"]).exit_code == 0
    assert len((tmp_path / "out" / "train.jsonl").read_text().splitlines()) == 1
    wrong = CliRunner().invoke(app, [*arguments, "verl"])
    assert isinstance(wrong.exception, UserError) and "there are trl" in str(wrong.exception)

    run = tmp_path / "run"
    run.mkdir()
    nothing = CliRunner().invoke(app, ["training-report", str(run), "--out", str(tmp_path / "page")])
    assert isinstance(nothing.exception, UserError) and "no step is recorded in run" in str(nothing.exception)
    (run / "metrics.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in steps(4)))
    assert CliRunner().invoke(app, ["training-report", str(run), "--out", str(tmp_path / "page")]).exit_code == 0
    assert "Figure 7" in (tmp_path / "page" / "report.html").read_text()
    drawn = {path.name for path in (tmp_path / "page" / "charts").iterdir()}
    assert drawn == {"figure_7.png", "reward.png"}, "these steps have no length"


def _rows(spec) -> list[dict]:
    """Every row of inline data anywhere in a chart."""
    if isinstance(spec, dict):
        own = [row for row in spec.get("values", []) if isinstance(row, dict)] if "values" in spec else []
        return own + [row for value in spec.values() for row in _rows(value)]
    return [row for value in spec for row in _rows(value)] if isinstance(spec, list) else []
