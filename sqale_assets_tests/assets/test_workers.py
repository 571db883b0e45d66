"""Processes for stages that wait for the processor."""

import multiprocessing

from sqale_assets.assets.stages import STAGES
from sqale_assets.assets.workers import WorkerError, in_processes
from sqale_assets.settings import Settings


def use_workers(store: str) -> None:
    """What a run of Dagster's does, but with schemas that there are none of."""
    ended = list(in_processes(STAGES[0], ["one", "two"], Settings(store=store), 2))
    assert all(isinstance(end.error, WorkerError) for end in ended)


def test_a_run_that_used_workers_ends_and_they_with_it(tmp_path):
    run = multiprocessing.get_context("spawn").Process(target=use_workers, args=(str(tmp_path),))
    run.start()
    run.join(60)
    ended = run.exitcode
    run.kill()
    assert ended == 0
