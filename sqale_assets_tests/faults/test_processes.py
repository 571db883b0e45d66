"""Builds in several processes beside each other: the same artefacts, and what happens when they are disturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sqale_assets_tests.faults.conftest import assert_whole, wait_for
from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.processes import manifests, run, sqale

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
TWO = {"SQALE_PROCESSES": "2"}


def workers(build: subprocess.Popen) -> list[int]:
    """The processes that work for a build: those of its children that were spawned for a pipeline."""
    found = subprocess.run(["pgrep", "-P", str(build.pid), "-f", "spawn_main"], capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()]


def test_two_processes_make_what_one_makes_with_as_many_calls(source, undisturbed, tmp_path):
    with RulesProvider() as provider:
        code, output, errors = run(
            "build", "--source", source, "--no-publish", home=tmp_path, **provider.environment, **TWO
        )
    assert code == 0 and "2 / 0 / 0" in output, output + errors
    assert provider.calls == undisturbed.calls and provider.wasted == 0
    assert_whole(tmp_path, undisturbed)


def test_one_process_killed_costs_its_schemas_only_and_the_next_build_makes_them(source, undisturbed, tmp_path):
    with RulesProvider(latency=0.1) as provider:
        build = sqale("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment, **TWO)
        wait_for(lambda: provider.calls >= undisturbed.calls // 2, build)
        provider.watch()
        os.kill(workers(build)[0], signal.SIGKILL)
        output, errors = build.communicate(timeout=300)
        assert build.returncode == 1 and "schemas failed" in errors and "again" in errors, output + errors
        told = run("status", home=tmp_path)[1]
        assert "a worker process died" in told, told
        finished = manifests(tmp_path)
        code, output, errors = run(
            "build", "--source", source, "--no-publish", home=tmp_path, **provider.environment, **TWO
        )
    assert code == 0 and "2 / 0 / 0" in output, output + errors
    print(f"{provider.wasted} calls again, {provider.peak} in flight at most since the death")
    assert provider.wasted <= provider.peak
    assert_whole(tmp_path, undisturbed, finished)


@pytest.mark.parametrize("whom", ["terminal", "provider"])
def test_an_interruption_and_a_dead_provider_end_all_of_them_with_one_message(whom, source, undisturbed, tmp_path):
    with RulesProvider(latency=0.1) as provider:
        build = sqale("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment, **TWO)
        wait_for(lambda: provider.calls >= undisturbed.calls // 2, build)
        processes, stopped = workers(build), time.monotonic()
        provider.watch()
        if whom == "terminal":
            for process in (build.pid, *processes):
                os.kill(process, signal.SIGINT)
        else:
            provider.stop()
        output, errors = build.communicate(timeout=300)
        in_flight, took = provider.peak, time.monotonic() - stopped
        assert build.returncode != 0 and took < 60
        assert "again" in "".join(errors.splitlines()[-2:]), output + errors
        # an interruption may also meet SQLAlchemy, which logs what it did not let it finish
        assert whom == "terminal" or "Traceback" not in output + errors, output + errors
        assert not any(Path(f"/proc/{process}").exists() for process in processes)
        if whom == "provider":
            provider.start()
        code, output, errors = run(
            "build", "--source", source, "--no-publish", home=tmp_path, **provider.environment, **TWO
        )
    assert code == 0, output + errors
    print(f"ended after {took:.0f} s; {provider.wasted} calls again, {in_flight} were in flight at most")
    assert provider.wasted <= in_flight
    assert_whole(tmp_path, undisturbed)
