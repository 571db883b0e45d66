"""A full disk, damaged artefacts, two builds at once, and a clock that is set back."""

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sqale_assets_tests.faults.conftest import assert_whole, wait_for
from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.processes import environment, manifests, published, run, small_disk, sqale

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "small", megabytes=64) as folder:
        yield folder


def test_a_disk_that_fills_up_in_mid_build(source, undisturbed, disk):
    with RulesProvider(latency=0.1) as provider:
        build = sqale("build", "--source", source, "--no-publish", home=disk, **provider.environment)
        wait_for(lambda: provider.calls >= undisturbed.calls // 2, build)
        ballast = disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        output, errors = build.communicate(timeout=300)
        assert build.returncode == 1 and "disk is full" in errors.replace("\n", " "), output + errors
        assert "Traceback" not in output + errors
        finished, in_flight = manifests(disk), provider.peak
        assert finished

        ballast.unlink()
        code, output, errors = run("build", "--source", source, "--no-publish", home=disk, **provider.environment)
    assert code == 0, output + errors
    print(f"{provider.calls} calls for {undisturbed.calls}, {provider.wasted} of them again, {in_flight} in flight")
    assert provider.wasted <= in_flight
    assert_whole(disk, undisturbed, finished)


def test_damage_is_found_and_mended_without_a_call(source, undisturbed, tmp_path):
    """A database with a flipped byte, half a manifest, a record, published files and the ledger cut off."""
    with RulesProvider() as provider:
        assert run("build", "--source", source, home=tmp_path, **provider.environment)[0] == 0
        store, calls, before, corpus = tmp_path / "store", provider.calls, manifests(tmp_path), published(tmp_path)
        first, second = sorted(path.name for path in (store / "questions").iterdir())
        database = store / "populated_database" / first / "database.sqlite"
        content = bytearray(database.read_bytes())
        content[len(content) // 2] ^= 1
        database.write_bytes(content)
        damaged = [
            store / "extended_schema" / second / "record.json",
            store / "questions" / first / "manifest.json",
            *(store / "published").rglob("*.parquet"),
            *(store / "ledger").glob("*.parquet"),
        ]
        for path in damaged:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        code, output, errors = run("build", "--source", source, home=tmp_path, **provider.environment)
    assert code == 0, output + errors
    assert provider.calls == calls and published(tmp_path) == corpus
    mended = {f"populated_database/{first}", f"extended_schema/{second}", f"questions/{first}"}
    untouched = {name: each for name, each in before.items() if not any(f"/{part}/" in name for part in mended)}
    assert len(untouched) == len(before) - len(mended)
    assert_whole(tmp_path, undisturbed, untouched)


def test_of_two_builds_started_at_once_one_builds_and_the_other_says_so(source, undisturbed, tmp_path):
    with RulesProvider(latency=0.05) as provider:
        builds = [
            sqale("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment) for _ in range(2)
        ]
        ends = [build.communicate(timeout=600) for build in builds]
    assert sorted(build.returncode for build in builds) == [0, 1], ends
    refused = next(errors for build, (_, errors) in zip(builds, ends, strict=True) if build.returncode)
    assert "another build is at work" in refused and "Traceback" not in refused
    assert provider.wasted == 0
    assert_whole(tmp_path, undisturbed)


RUN_ALL_STAGES = """
import asyncio
from sqale_assets.assets.schema_catalog import read_entries
from sqale_assets.assets.stage import run_stage
from sqale_assets.assets.stages import STAGES
from sqale_assets.llm.gateway import Gateway
from sqale_assets.settings import Settings
from sqale_assets.store import Store

async def main():
    settings = Settings()
    store, gateway = Store(settings.store), Gateway(settings)
    keys = [entry.schema_id for entry in read_entries(store)]
    for stage in STAGES:
        await asyncio.gather(*(run_stage(stage, key, settings, store, gateway) for key in keys))
    await gateway.aclose()

asyncio.run(main())
"""


def test_two_runs_over_the_same_schemas_pay_once(source, undisturbed, tmp_path):
    """Runs launched in the UI do not hold the lock of a build: they share the work, artefact by artefact."""
    with RulesProvider(latency=0.05) as provider:
        build = sqale("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment)
        wait_for(lambda: provider.calls > 3, build)
        own = environment(tmp_path, SQALE_SOURCE=str(source), **provider.environment)
        other = subprocess.run([sys.executable, "-c", RUN_ALL_STAGES], env=own, capture_output=True, text=True)
        output, errors = build.communicate(timeout=600)
        assert other.returncode == 0, other.stderr
        assert build.returncode == 0, output + errors
        code, output, errors = run("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment)
    assert code == 0, output + errors
    assert (provider.calls, provider.wasted) == (undisturbed.calls, 0)
    assert_whole(tmp_path, undisturbed)


LIBFAKETIME = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
#: Without the library in the processes that it starts: under it, the `tail` of Dagster's logs does not end.
BUILD_BY_ANOTHER_CLOCK = """
import os, sys
del os.environ["LD_PRELOAD"]
from sqale_assets.cli import main
sys.argv = ["sqale", "build", "--no-publish"]
main()
"""


@pytest.mark.skipif(LIBFAKETIME is None, reason="libfaketime is not installed (Debian: apt-get install faketime)")
def test_a_clock_that_is_set_back_in_mid_build(source, undisturbed, tmp_path):
    """By three days, while it runs; a later build, by another clock again, finds everything current."""
    offset = tmp_path / "offset"
    offset.write_text("+0")
    clock = {
        "LD_PRELOAD": str(LIBFAKETIME), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
    with RulesProvider(latency=0.05) as provider:
        own = environment(tmp_path, SQALE_SOURCE=str(source), **clock, **provider.environment)
        command = [sys.executable, "-c", BUILD_BY_ANOTHER_CLOCK]
        build = subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_for(lambda: provider.calls >= undisturbed.calls // 2, build)
        offset.write_text("-3d")
        output, _ = build.communicate(timeout=600)
        assert build.returncode == 0, output
        finished = manifests(tmp_path)
        days = {each["finished_at"][:10] for each in finished.values() if each["finished_at"]}
        assert len(days) > 1 and time.strftime("%Y-%m-%d", time.gmtime()) in days  # the clock was indeed set back
        offset.write_text("-400d")
        again = subprocess.run(command, env=own, capture_output=True, text=True, timeout=600)
    assert again.returncode == 0, again.stdout + again.stderr
    assert (provider.calls, provider.wasted) == (undisturbed.calls, 0)
    assert_whole(tmp_path, undisturbed, finished)
