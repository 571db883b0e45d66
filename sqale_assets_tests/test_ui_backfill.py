"""The whole graph materialized from the Dagster UI: a real web server and daemon, a backfill over its GraphQL API.

What comes out must be what `sqale build` makes, record by record.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from sqale_assets.settings import REPOSITORY

SMALL = {
    "SQALE_EXTENSION__EXTRA_TABLES": "2",
    "SQALE_POPULATION__MEDIAN_ROWS": "12",
    "SQALE_QUESTIONS__PER_SCHEMA": "4",
}
STAGES = (
    "source_schema", "domain_description", "extended_schema", "populated_database",
    "questions", "styled_questions", "gold_queries",
)  # fmt: skip
MATERIALIZE = """
mutation($selector: JobOrPipelineSelector!) {
  launchPipelineExecution(executionParams: {selector: $selector, runConfigData: {}, mode: "default"}) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  }
}"""
RUN = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
BACKFILL = """
mutation($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message }
  }
}"""
STATUS = "query($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"
HEALTH = """
query($key: AssetKeyInput!) {
  assetNodeOrError(assetKey: $key) {
    ... on AssetNode { partitionStats { numMaterialized numFailed numPartitions } }
  }
}"""
KEYS = "query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode { partitionKeys } } }"


class Dagster:
    """`sqale dev` on a free port, and its GraphQL API."""

    def __init__(self, source: Path, home: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SQALE_", "DAGSTER_"))}
        self.log = (home / "dev.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqale_assets.cli", "dev", "--source", str(source), "--port", str(self.port)],
            env={**clean, **SMALL, "SQALE_STORE": str(home / "store")},
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def query(self, text: str, **variables) -> dict:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql",
            data=json.dumps({"query": text, "variables": variables}).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert not answer.get("errors"), answer["errors"]
        return next(iter(answer["data"].values()))

    def wait_until(self, ready, seconds: float):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.process.poll() is None, Path(self.log.name).read_text()[-3000:]
            with contextlib.suppress(OSError):
                if (value := ready()) is not None:
                    return value
            time.sleep(0.5)
        raise TimeoutError(Path(self.log.name).read_text()[-3000:])

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
        location = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"
        dagster.wait_until(lambda: dagster.query(location).get("nodes") or None, 120)
        selector = {
            "repositoryName": "__repository__", "repositoryLocationName": "sqale_assets",
            "pipelineName": "__ASSET_JOB", "assetSelection": [{"path": ["schema_catalog"]}], "assetCheckSelection": [],
        }  # fmt: skip
        launched = dagster.query(MATERIALIZE, selector=selector)
        run_id = launched["run"]["runId"]
        ended = ("SUCCESS", "FAILURE", "CANCELED")
        status = dagster.wait_until(
            lambda: ((s := dagster.query(RUN, id=run_id)["status"]) in ended and s) or None, 120
        )
        assert status == "SUCCESS"

        keys = dagster.query(KEYS, key={"path": ["source_schema"]})["partitionKeys"]
        assert len(keys) == 2
        params = {"assetSelection": [{"path": [stage]} for stage in STAGES], "partitionNames": keys}
        backfill = dagster.query(BACKFILL, params=params)["backfillId"]
        running = ("REQUESTED", "CANCELING", "FAILING")
        status = dagster.wait_until(
            lambda: ((s := dagster.query(STATUS, id=backfill)["status"]) not in running and s) or None, 300
        )
        assert status == "COMPLETED_SUCCESS"
        for stage in STAGES:
            stats = dagster.query(HEALTH, key={"path": [stage]})["partitionStats"]
            assert stats == {"numMaterialized": 2, "numFailed": 0, "numPartitions": 2}
    finally:
        dagster.stop()

    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SQALE_", "DAGSTER_"))}
    subprocess.run(
        [sys.executable, "-m", "sqale_assets.cli", "build", "--source", str(source), "--no-publish"],
        env={**clean, **SMALL, "SQALE_STORE": str(line / "store")}, check=True, capture_output=True,
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
