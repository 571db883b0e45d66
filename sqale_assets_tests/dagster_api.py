"""The web server's GraphQL API as the UI uses it: what tests, benchmarks and `deploy/prove.py` ask of it."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

STAGES = (
    "source_schema", "domain_description", "extended_schema", "populated_database",
    "questions", "styled_questions", "gold_queries",
)  # fmt: skip
LOADED = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"
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


class DagsterApi:
    """A web server on the loopback that has loaded our definitions under the name `location`."""

    def __init__(self, port: int, location: str = "sqale_assets"):
        self.port, self.location = port, location

    def query(self, text: str, **variables: object) -> Any:
        """The answer's one field. Raises RuntimeError if the server reports an error, OSError if it is not there."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql",
            data=json.dumps({"query": text, "variables": variables}).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as response:
            answer = json.load(response)
        if answer.get("errors"):
            raise RuntimeError(answer["errors"])
        return next(iter(answer["data"].values()))

    def loaded(self) -> bool:
        return bool(self.query(LOADED).get("nodes"))

    def materialize(self, asset: str) -> str:
        """Launch a run of an unpartitioned asset; its id."""
        selector = {
            "repositoryName": "__repository__", "repositoryLocationName": self.location,
            "pipelineName": "__ASSET_JOB", "assetSelection": [{"path": [asset]}], "assetCheckSelection": [],
        }  # fmt: skip
        return self.query(MATERIALIZE, selector=selector)["run"]["runId"]

    def run_status(self, run_id: str) -> str | None:
        """How the run ended; None while it goes on."""
        status = self.query(RUN, id=run_id)["status"]
        return status if status in ("SUCCESS", "FAILURE", "CANCELED") else None

    def backfill(self, assets: Sequence[str], keys: Sequence[str]) -> str:
        """Launch a backfill; its id."""
        params = {"assetSelection": [{"path": [asset]} for asset in assets], "partitionNames": list(keys)}
        return self.query(BACKFILL, params=params)["backfillId"]

    def backfill_status(self, backfill_id: str) -> str | None:
        """How the backfill ended; None while it goes on."""
        status = self.query(STATUS, id=backfill_id)["status"]
        return None if status in ("REQUESTED", "CANCELING", "FAILING") else status

    def partition_keys(self, asset: str) -> list[str]:
        return self.query(KEYS, key={"path": [asset]})["partitionKeys"]

    def partition_stats(self, asset: str) -> dict[str, int]:
        return self.query(HEALTH, key={"path": [asset]})["partitionStats"]


def wait_until(ready: Callable[[], T | None], seconds: float, what: str) -> T:
    """What `ready` returns once it is not None or False. A server that is not up yet is waited for.

    Raises:
        TimeoutError: it took longer than `seconds`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if value := ready():
                return value
        time.sleep(0.5)
    raise TimeoutError(f"waited {seconds:.0f} s for {what}")
