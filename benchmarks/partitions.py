"""Many partitions: `python -m benchmarks.partitions build|backfill|pages [--schemas 10000] [--folder DIR]`.

Writes so many small schemas of three tables (all different in their names) and takes them through every stage with
the smallest settings: by `sqale build --no-publish`, or by a backfill launched through the web server's API, with the
daemon, on an instance of its own. Then it asks for the pages. Printed: what orchestration takes per partition and stage
(CPU of the process that runs Dagster, and what `run_stage` takes beside a stage's own work), the size of the event
storage, how fast the code location loads, and how fast the web server answers what its partition pages ask.

A backfill on a folder that `build` has filled finds every artefact unchanged: it measures Dagster alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqale_assets_tests.dagster_api import STAGES
from sqale_assets_tests.faults.services import Services

SMALLEST = {
    "SQALE_EXTENSION__EXTRA_TABLES": "0",
    "SQALE_POPULATION__MEDIAN_ROWS": "4",
    "SQALE_QUESTIONS__PER_SCHEMA": "1",
}
THINGS = ("invoice", "ticket", "sample", "vessel", "lesson", "permit", "parcel", "reading", "claim", "batch")
OWNERS = ("customer", "ward", "farm", "school", "depot", "station", "branch", "studio", "clinic", "harbour")
#: What the UI asks on the pages of an asset with partitions, as its JavaScript has it (dagster-webserver 1.13.27).
PAGES = {
    "partition health": """query PartitionHealthQuery($assetKey: AssetKeyInput!) {
        assetNodeOrError(assetKey: $assetKey) { ... on AssetNode { id
          partitionKeysByDimension { name type partitionKeys }
          assetPartitionStatuses { ... on DefaultPartitionStatuses {
            materializedPartitions materializingPartitions failedPartitions } } } } }""",
    "one partition": """query AssetPartitionDetailQuery($assetKey: AssetKeyInput!, $partitionKey: String!) {
        assetOrError(assetKey: $assetKey) { ... on Asset { id
          definition { id opNames latestRunForPartition(partition: $partitionKey) { id status endTime } }
          assetEventHistory(partitions: [$partitionKey] limit: 1000
            eventTypeSelectors: [MATERIALIZATION, OBSERVATION, FAILED_TO_MATERIALIZE]) {
              results { ... on MaterializationEvent { runId partition tags { key value } timestamp
                metadataEntries { label ... on TextMetadataEntry { text } ... on IntMetadataEntry { intValue } } } }
          } } } }""",
    "one partition stale": """query AssetPartitionStaleQuery($assetKey: AssetKeyInput!, $partitionKey: String!) {
        assetNodeOrError(assetKey: $assetKey) { ... on AssetNode { id
          staleStatus(partition: $partitionKey)
          staleCauses(partition: $partitionKey) { key { path } reason category dependency { path } } } } }""",
    "events": """query RecentAssetEventsQuery($assetKey: AssetKeyInput!) {
        assetOrError(assetKey: $assetKey) { ... on Asset { id
          assetEventHistory(limit: 100 eventTypeSelectors: [MATERIALIZATION, OBSERVATION, FAILED_TO_MATERIALIZE]) {
            results { ... on MaterializationEvent { runId partition timestamp metadataEntries { label } } }
            cursor } } } }""",
    "graph": """query AssetGraphLiveQuery($assetKey: AssetKeyInput!) {
        assetNodes(assetKeys: [$assetKey], loadMaterializations: true) { id
          partitionStats { numMaterialized numMaterializing numPartitions numFailed }
          assetMaterializations(limit: 1) { timestamp runId } } }""",
    "health of a check": """query AssetCheckPartitionHealthQuery($assetKey: AssetKeyInput!, $checkName: String!) {
        assetNodeOrError(assetKey: $assetKey) { ... on AssetNode { id
          assetCheckOrError(checkName: $checkName) { ... on AssetCheck { name
            partitionKeysByDimension { name type partitionKeys }
            partitionStatuses { ... on AssetCheckDefaultPartitionStatuses { succeededPartitions failedPartitions
              inProgressPartitions skippedPartitions executionFailedPartitions } } } } } } }""",
}


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


def build(home: Path) -> None:
    """`sqale build` in this process, whose CPU is the orchestration: the stages work in processes of their own."""
    from sqale_assets.assets import workers
    from sqale_assets.cli.app import app

    started, before = time.monotonic(), _cpu(resource.RUSAGE_SELF)
    app(["build", "--no-publish"], standalone_mode=False)
    for pool in workers._pools.values():
        pool.shutdown()
    artefacts = artefact_count(home)
    own, stages = _cpu(resource.RUSAGE_SELF) - before, _cpu(resource.RUSAGE_CHILDREN)
    print(
        f"{artefacts:,} artefacts in {time.monotonic() - started:,.0f} s; orchestration {own:,.0f} s of CPU, "
        f"{1000 * own / artefacts:.1f} ms per partition and stage; worker processes {stages:,.0f} s"
    )
    print(f"  of the workers' time run_stage itself takes {1000 * run_stage_seconds():.1f} ms per partition and stage")
    sizes(home / "store" / "dagster")


def run_stage_seconds(times: int = 300) -> float:
    """CPU of `run_stage` around a stage that does nothing: claim, fingerprint, scratch folder, record, manifest."""
    from sqale_assets.assets.stage import Stage, run_stage
    from sqale_assets.assets.work import Made
    from sqale_assets.records import DomainDescription
    from sqale_assets.settings import Settings
    from sqale_assets.store import Store

    async def nothing(work) -> Made:
        found = DomainDescription(schema_id=work.schema_id, label="x", description="x", entities=(), evidence="schema")
        return Made(found, counts={"n": 1})

    stage = Stage(
        name="nothing", position=0, group="g", description="d", upstream=(), version="1", record=DomainDescription,
        build=nothing,
    )  # fmt: skip

    async def all_of_them(store: Store) -> None:
        for number in range(times):
            await run_stage(stage, f"schema_{number}", settings, store, None)

    settings = Settings()
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        asyncio.run(all_of_them(Store(folder)))
        return (time.process_time() - started) / times


def backfill(home: Path, minutes: float) -> None:
    """A backfill of all stages through the API, watched until it ends or the time is up."""
    before = _cpu(resource.RUSAGE_CHILDREN)
    services = Services(home / "source", home / "ui", **_settings())
    services.start("web", "daemon")
    try:
        backfill_id, keys = services.build()
        started, status, done = time.monotonic(), None, 0
        while (
            status := services.api.backfill_status(backfill_id)
        ) is None and time.monotonic() - started < 60 * minutes:
            time.sleep(30)
            stats = {stage: services.api.partition_stats(stage) for stage in STAGES}
            done = sum(each["numMaterialized"] for each in stats.values())
            failed = sum(each["numFailed"] for each in stats.values())
            print(f"  {time.monotonic() - started:,.0f} s: {done:,} materialized, {failed:,} failed", flush=True)
        took = time.monotonic() - started
        print(f"{status or 'stopped'}: {done:,} of {len(keys) * len(STAGES):,} in {took:,.0f} s")
        pages(services, keys)
    finally:
        services.stop()
    each = (_cpu(resource.RUSAGE_CHILDREN) - before) / max(done, 1)
    print(f"  {1000 * each:.1f} ms of CPU each, all processes together")
    sizes(home / "ui" / "dagster")


def show(home: Path) -> None:
    """The pages of the instance that `build` made."""
    with tempfile.TemporaryDirectory() as logs:
        services = Services(home / "source", Path(logs), **_settings())
        services.environment["DAGSTER_HOME"] = str(home / "store" / "dagster")
        services.start("web")
        try:
            pages(services, services.api.partition_keys(STAGES[0]))
        finally:
            services.stop()


def pages(services: Services, keys: list[str]) -> None:
    """Time the pages' queries for every stage, three times each: the first is what a person waits for.

    Beside the clock, which others disturb, the CPU of the web server and of its code server.
    """
    from sqale_assets.assets.stages import STAGES as DEFINED

    server = services.processes["web"].pid
    for name, query in PAGES.items():
        first, again = [], []
        for stage in DEFINED:
            if "$checkName" in query and not stage.checks:
                continue
            variables = {"assetKey": {"path": [stage.name]}}
            variables |= {"partitionKey": keys[len(keys) // 2]} if "$partitionKey" in query else {}
            variables |= {"checkName": stage.checks[0][0]} if "$checkName" in query else {}
            for times in (first, again, again):
                started, before = time.monotonic(), _living_cpu(server)
                services.api.query(query, **variables)
                times.append((time.monotonic() - started, _living_cpu(server) - before))
        print(f"  {name}: at first {_seconds(first)}; again {_seconds(again)}", flush=True)


def _seconds(times: list[tuple[float, float]]) -> str:
    wall, cpu = zip(*times, strict=True)
    return (
        f"{statistics.median(wall):.2f} s, most {max(wall):.2f} s (CPU {statistics.median(cpu):.2f}, {max(cpu):.2f} s)"
    )


def _living_cpu(process: int) -> float:
    """Seconds of CPU of a process and of those right below it."""
    pids = {process}
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            pids |= {int(pid) for pid in (task / "children").read_text().split()}
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def sizes(instance: Path) -> None:
    """Event storage, and how long the code location takes."""
    print(f"  event storage {sum(file.stat().st_size for file in instance.rglob('*.db*')) / 1e6:,.0f} MB")
    wall, cpu = [], []
    for _ in range(3):
        started, before = time.monotonic(), _cpu(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", "import sqale_assets.definitions"], check=True)
        wall.append(time.monotonic() - started)
        cpu.append(_cpu(resource.RUSAGE_CHILDREN) - before)
    print(f"  code location loads in {statistics.median(wall):.1f} s, {statistics.median(cpu):.1f} s of CPU")


def artefact_count(home: Path) -> int:
    """Manifests of the partitioned stages."""
    return sum(1 for stage in STAGES for _ in (home / "store" / stage).glob("*/manifest.json"))


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("SQALE_") and name != "SQALE_SOURCE"}


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "backfill", "pages"))
    parser.add_argument("--schemas", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="a new temporary one by default")
    parser.add_argument("--minutes", type=float, default=600, help="time that a backfill is given")
    arguments = parser.parse_args()
    home = arguments.folder or Path(tempfile.mkdtemp(prefix="partitions-"))
    if not (home / "source").exists():
        write_source(home / "source", arguments.schemas)
    os.environ |= {**SMALLEST, "SQALE_STORE": str(home / "store"), "SQALE_SOURCE": str(home / "source")}
    if arguments.what == "build":
        build(home)
        show(home)
    elif arguments.what == "backfill":
        backfill(home, arguments.minutes)
    else:
        show(home)


if __name__ == "__main__":
    main()
