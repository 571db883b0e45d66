"""The whole graph materialized from the Dagster UI: a real web server and daemon, a backfill over its GraphQL API.

What comes out must be what `sqale build` makes, record by record.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sqale_assets.settings import REPOSITORY
from sqale_assets_tests.dagster_api import STAGES, DagsterApi, wait_until
from sqale_assets_tests.processes import clean_environment, free_port

SMALL = {
    "SQALE_EXTENSION__EXTRA_TABLES": "2",
    "SQALE_POPULATION__MEDIAN_ROWS": "12",
    "SQALE_QUESTIONS__PER_SCHEMA": "4",
}


class Dagster:
    """`sqale dev` on a free port, and its GraphQL API."""

    def __init__(self, source: Path, home: Path):
        self.port = free_port()
        self.log = (home / "dev.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqale_assets.cli", "dev", "--source", str(source), "--port", str(self.port)],
            env={**clean_environment(), **SMALL, "SQALE_STORE": str(home / "store")},
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.api = DagsterApi(self.port)

    def wait_until(self, ready, seconds: float):
        def alive_and_ready():
            assert self.process.poll() is None, Path(self.log.name).read_text()[-3000:]
            return ready()

        try:
            return wait_until(alive_and_ready, seconds, "Dagster")
        except TimeoutError:
            raise TimeoutError(Path(self.log.name).read_text()[-3000:]) from None

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.log.close()


@pytest.mark.timeout(400)
def test_a_backfill_from_the_ui_makes_what_the_command_line_makes(tmp_path):
    source, ui, line = tmp_path / "source", tmp_path / "ui", tmp_path / "line"
    for folder in (source, ui, line):
        folder.mkdir()
    for name in ("museum_collection.sql", "energy_metering.sql"):
        shutil.copy(REPOSITORY / "sample" / name, source)

    dagster = Dagster(source, ui)
    try:
        api = dagster.api
        dagster.wait_until(api.loaded, 120)
        run_id = api.materialize("schema_catalog")
        assert dagster.wait_until(lambda: api.run_status(run_id), 120) == "SUCCESS"

        keys = api.partition_keys("source_schema")
        assert len(keys) == 2
        backfill = api.backfill(STAGES, keys)
        assert dagster.wait_until(lambda: api.backfill_status(backfill), 300) == "COMPLETED_SUCCESS"
        for stage in STAGES:
            assert api.partition_stats(stage) == {"numMaterialized": 2, "numFailed": 0, "numPartitions": 2}
    finally:
        dagster.stop()

    subprocess.run(
        [sys.executable, "-m", "sqale_assets.cli", "build", "--source", str(source), "--no-publish"],
        env={**clean_environment(), **SMALL, "SQALE_STORE": str(line / "store")}, check=True, capture_output=True,
    )  # fmt: skip
    assert records(ui) == records(line)


def records(home: Path) -> dict[str, dict]:
    """Digests of every artefact's files, without what depends on the clock (seconds, in usage)."""
    return {
        str(path.relative_to(home).parent): {
            "fingerprint": (manifest := json.loads(path.read_text()))["fingerprint"],
            "counts": manifest["counts"],
            "database": manifest["files"].get("database.sqlite"),
        }
        for path in sorted((home / "store").glob("*/*/manifest.json"))
    }
