"""Pipelines in processes: their ends reach the one who waits, death included."""

from __future__ import annotations

import multiprocessing
import os
import signal

import pytest

from sqale_assets.assets.outcomes import Outcomes
from sqale_assets.assets.pipeline_processes import PipelineProcesses, pipeline_count
from sqale_assets.assets.stages import STAGES
from sqale_assets.assets.workers import WorkerError
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.routing import STAGES as MODEL_STAGES
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.settings import Settings

REMOTE = {"models": {name: {"model": "openai/x"} for name in MODEL_STAGES}}


@pytest.mark.parametrize(
    ("settings", "schemas", "expected"),
    [
        ({"concurrency": 256}, 200, 4),
        ({"concurrency": 256, "processes": 3}, 200, 3),
        ({"concurrency": 100}, 200, 1),
        ({"concurrency": 256}, 2, 2),
        ({"concurrency": 256, "schemas_in_flight": 3}, 200, 3),
        ({"concurrency": 2, "processes": 8}, 200, 8),
        ({"concurrency": 256, "budget": {"dollars": 5}}, 200, 4),
    ],
)
def test_how_many(settings, schemas, expected, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert pipeline_count(Settings(**REMOTE, **settings), schemas) == expected


@pytest.fixture
def source(tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.sql").write_text(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, name TEXT);")
    return Settings(source=tmp_path, store=str(tmp_path / "store"), schemas_in_flight=2)


def test_ends_arrive_and_an_unknown_schema_fails_alone(source):
    """The catalogue is missing, so every schema fails: with the error that one process would have given."""
    outcomes = Outcomes()
    with PipelineProcesses(STAGES[:2], ["a", "b", "c"], source, Gateway(source), outcomes, 2):
        ends = {end.key: end for end in outcomes.finished(STAGES[0].name, ["a", "b", "c"])}
        assert len(list(outcomes.finished(STAGES[1].name, ["c", "b", "a"]))) == 3
    assert set(ends) == {"a", "b", "c"}
    assert all(
        "schema_catalog" in str(end.error) and not isinstance(end.error, GatewayUnavailable) for end in ends.values()
    )
    assert not multiprocessing.active_children()


def test_a_process_that_dies_leaves_its_schemas_failed(source):
    outcomes = Outcomes()
    with PipelineProcesses(STAGES[:1], ["a", "b", "c"], source, Gateway(source), outcomes, 2):
        for process in multiprocessing.active_children():
            os.kill(process.pid, signal.SIGKILL)
        ends = list(outcomes.finished(STAGES[0].name, ["a", "b", "c"]))
    assert all(isinstance(end.error, WorkerError) and "died" in str(end.error) for end in ends) and len(ends) == 3
