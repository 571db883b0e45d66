"""Many partitions: `python -m benchmarks.partitions [schemas] [folder]`, by default 10,000 in a temporary folder.

Writes so many small schemas of three tables, takes them through every stage with the smallest settings (`sqale build
--no-publish`), and prints what orchestration costs: the time of the build that no stage was at work, per partition and
stage; the size of Dagster's event storage; how fast the code location loads; and how fast the web server answers the
queries behind a partitioned asset's page.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqale_assets_tests.dagster_api import KEYS, STAGES, DagsterApi, wait_until

SMALLEST = {
    "SQALE_EXTENSION__EXTRA_TABLES": "0",
    "SQALE_POPULATION__MEDIAN_ROWS": "4",
    "SQALE_QUESTIONS__PER_SCHEMA": "1",
}
THINGS = ("invoice", "ticket", "sample", "vessel", "lesson", "permit", "parcel", "reading", "claim", "batch")
OWNERS = ("customer", "ward", "farm", "school", "depot", "station", "branch", "studio", "clinic", "harbour")
HEALTH = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
  partitionStats { numMaterialized numFailed numPartitions }
  assetPartitionStatuses { ... on DefaultPartitionStatuses { materializedPartitions failedPartitions } }
} } }"""


def main(schemas: int = 10_000, folder: str | None = None) -> None:
    home = Path(folder or tempfile.mkdtemp(prefix="partitions-"))
    write_source(home / "source", schemas)
    environment = {**os.environ, **SMALLEST, "SQALE_STORE": str(home / "store"), "SQALE_SOURCE": str(home / "source")}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-m", "sqale_assets.cli", "build", "--no-publish"], env=environment, check=True)
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done, work = manifests(home / "store")
    print(f"{schemas:,} schemas, {done:,} artefacts in {wall:,.0f} s, {cpu:,.0f} s of CPU, {work:,.0f} s in the stages")
    print(f"  {1000 * (cpu - work) / done:.1f} ms of CPU per partition and stage outside the stages")
    print(f"  event storage {sum(f.stat().st_size for f in (home / 'store' / 'dagster').rglob('*.db')) / 1e6:,.0f} MB")
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import sqale_assets.definitions"], env=environment, check=True)
    print(f"  code location loads in {time.monotonic() - started:.1f} s")
    pages(environment, home)


def write_source(folder: Path, schemas: int) -> None:
    """So many .sql files, each different from all others in its names."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(schemas):
        thing, owner = THINGS[number % 10], OWNERS[number // 10 % 10]
        suffix = f"{number // 100:03d}"
        (folder / f"{owner}_{thing}_{suffix}.sql").write_text(
            f"CREATE TABLE {owner}_{suffix} ({owner}_id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, city TEXT);\n"
            f"CREATE TABLE {thing}_{suffix} ({thing}_id INTEGER PRIMARY KEY, {owner}_id INTEGER NOT NULL REFERENCES "
            f"{owner}_{suffix}({owner}_id), title VARCHAR(80), amount DECIMAL(10,2), created_at TIMESTAMP);\n"
            f"CREATE TABLE {thing}_note_{suffix} (note_id INTEGER PRIMARY KEY, {thing}_id INTEGER NOT NULL REFERENCES "
            f"{thing}_{suffix}({thing}_id), body TEXT, status VARCHAR(20));\n"
        )


def manifests(store: Path) -> tuple[int, float]:
    """How many artefacts there are, and the seconds that their stages were at work."""
    seconds = [json.loads(path.read_bytes())["seconds"] for path in store.glob("*/*/manifest.json")]
    return len(seconds), sum(seconds)


def pages(environment: dict[str, str], home: Path) -> None:
    """Time the queries of the partition pages against a real web server on this instance."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "dagster_webserver", "-m", "sqale_assets.definitions", "-p", str(port)],
        env={**environment, "DAGSTER_HOME": str(home / "store" / "dagster")},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        api = DagsterApi(port)
        wait_until(api.loaded, 120, "the web server")
        for name, query in (("partition keys", KEYS), ("partition health", HEALTH)):
            times = [ask(api, query, stage) for stage in STAGES for _ in range(3)]
            print(f"  {name}: median {statistics.median(times):.2f} s, at most {max(times):.2f} s")
    finally:
        server.terminate()
        server.wait(20)


def ask(api: DagsterApi, query: str, asset: str) -> float:
    """Seconds until the answer is there."""
    started = time.monotonic()
    api.query(query, key={"path": [asset]})
    return time.monotonic() - started


if __name__ == "__main__":
    main(*(int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]))
