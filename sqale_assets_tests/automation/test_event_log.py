"""The event log in one file says what Dagster's own says of the same run, in less, and loses nothing."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from sqale_assets.automation.event_log import LocalEventLog
from sqale_assets.automation.ranges import RANGE_END, RANGE_START
from sqale_assets.settings import REPOSITORY

PARTS = dg.DynamicPartitionsDefinition(name="part")
KEYS = [f"k{number:03d}" for number in range(80)]
BAD = {"k003", "k017"}


@dg.asset(
    partitions_def=PARTS,
    output_required=False,
    check_specs=[dg.AssetCheckSpec("even", asset="thing", partitions_def=PARTS)],
)
def thing(context: dg.AssetExecutionContext):
    for key in context.partition_keys:
        if key not in BAD:
            tags = {"dagster/data_version": key}
            yield dg.AssetMaterialization("thing", partition=key, metadata={"n": int(key[1:])}, tags=tags)
            wanted = dg.AssetRecordsFilter(dg.AssetKey("thing"), asset_partitions=[key])
            (made,) = context.instance.fetch_materializations(wanted, limit=1).records
            target = AssetCheckEvaluationTargetMaterializationData(
                storage_id=made.storage_id, run_id=made.run_id, timestamp=made.timestamp
            )
            passed = int(key[1:]) % 2 == 0
            yield dg.AssetCheckEvaluation(
                asset_key=dg.AssetKey("thing"), check_name="even", partition=key, passed=passed, metadata={"of": key},
                target_materialization_data=target,
            )  # fmt: skip
    yield dg.Output(None, output_name="thing_even")
    raise dg.Failure("some failed", allow_retries=False)


def open_instance(folder, own: bool) -> dg.DagsterInstance:
    """An instance with the event log of `dagster.yaml`, or with Dagster's."""
    folder.mkdir(exist_ok=True)
    ours = yaml.safe_load((REPOSITORY / "dagster.yaml").read_text())["event_log_storage"]
    config = {"telemetry": {"enabled": False}} | ({"event_log_storage": ours} if own else {})
    (folder / "dagster.yaml").write_text(yaml.safe_dump(config))
    os.environ["DAGSTER_HOME"] = str(folder)
    return dg.DagsterInstance.get()


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", "")
    with open_instance(tmp_path / "ours", own=True) as instance:
        yield instance


def run(instance: dg.DagsterInstance, keys=KEYS) -> str:
    instance.add_dynamic_partitions(PARTS.name, keys)
    tags = {RANGE_START: keys[0], RANGE_END: keys[-1]}
    return dg.materialize([thing], instance=instance, tags=tags, raise_on_error=False).run_id


def told(instance: dg.DagsterInstance) -> dict:
    """What Dagster's pages are made of, without times and run ids."""
    run_id = run(instance)
    key, check = dg.AssetKey("thing"), dg.AssetCheckKey(dg.AssetKey("thing"), "even")
    storage = instance.event_log_storage
    status = get_and_update_asset_status_cache_value(instance, key, PARTS)
    latest = instance.get_latest_materialization_event(key)
    history = storage.get_asset_check_execution_history(check, limit=100)
    with partition_loading_context(dynamic_partitions_store=instance):
        state = storage.get_asset_check_state([(check, PARTS)])[check]
    return {
        "materialized": set(instance.get_materialized_partitions(key)),
        "failed": set(status.deserialize_failed_partition_subsets(PARTS).get_partition_keys()),
        "latest": (latest.asset_materialization.partition, latest.asset_materialization.metadata["n"].value),
        "data versions": {
            partition: record.asset_materialization.tags["dagster/data_version"]
            for partition in KEYS[:5]
            for record in [
                each.event_log_entry
                for each in instance.fetch_materializations(
                    dg.AssetRecordsFilter(asset_key=key, asset_partitions=[partition]), limit=1
                ).records
            ]
        },
        "checks": {
            record.partition_key: record.latest_execution_status.value
            for record in storage.get_asset_check_partition_info([check])
        },
        "check states": {
            status.name: set(subset.subset_value.get_partition_keys()) for status, subset in state.subsets.items()
        },
        "evaluations": sorted(
            (record.partition, record.event.asset_check_evaluation.metadata["of"].value)
            for record in history
            if record.event and record.event.asset_check_evaluation
        ),
        "log": [event.dagster_event_type for event in instance.all_logs(run_id)],
        "run": instance.get_run_by_id(run_id).status,
    }


def test_it_says_what_dagsters_own_says(tmp_path, monkeypatch, instance):
    ours = told(instance)
    assert isinstance(instance.event_log_storage, LocalEventLog)
    assert ours["failed"] == BAD and len(ours["materialized"]) == len(ours["evaluations"]) == len(KEYS) - len(BAD)
    with open_instance(tmp_path / "dagsters", own=False) as other:
        theirs = told(other)
    assert ours == theirs
    assert ours["check states"]["SUCCEEDED"] and ours["check states"]["FAILED"]
    instance.event_log_storage.vacuum()
    size = (tmp_path / "ours" / "event_log.db").stat().st_size
    assert size < 0.7 * sum(file.stat().st_size for file in (tmp_path / "dagsters" / "history" / "runs").glob("*.db"))


def test_planned_checks_grow_with_the_partitions_not_with_their_square(instance):
    run(instance)
    with closing(sqlite3.connect(instance.event_log_storage.get_db_path())) as connection:
        (longest,) = connection.execute(
            "SELECT max(length(evaluation_event)) FROM asset_check_executions WHERE execution_status = 'PLANNED'"
        ).fetchone()
    assert longest is None


def test_an_event_is_stored_with_all_that_is_noted_of_it_or_not_at_all(instance, monkeypatch):
    def fail(*_) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(instance.event_log_storage, "_store_asset_event", fail)
    event = dg.AssetMaterialization("thing", partition="k000", tags={"dagster/data_version": "1"})
    with pytest.raises(OSError):
        instance.report_runless_asset_event(event)
    monkeypatch.undo()
    assert not instance.get_materialized_partitions(dg.AssetKey("thing"))
    instance.report_runless_asset_event(event)
    assert instance.get_materialized_partitions(dg.AssetKey("thing")) == {"k000"}


WRITER = """
import sys, dagster as dg
with dg.DagsterInstance.get() as instance:
    for number in range(60):
        key, tags = f"{sys.argv[1]}-{number}", {"dagster/data_version": "1"}
        event = dg.AssetMaterialization("thing", partition=key, tags=tags)
        instance.report_runless_asset_event(event)
"""


def test_processes_that_open_and_write_at_once_lose_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", "")
    open_instance(tmp_path / "home", own=True).dispose()
    for file in (tmp_path / "home").glob("event_log.db*"):  # each finds none and makes it
        file.unlink()
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in "abc"]
    assert [writer.wait(90) for writer in writers] == [0, 0, 0]
    with dg.DagsterInstance.get() as instance:
        assert len(instance.get_materialized_partitions(dg.AssetKey("thing"))) == 180


def test_the_run_page_is_told_of_what_another_process_writes(tmp_path, instance):
    """The web server watches a run; its worker writes through a connection of its own."""
    seen, ended = [], threading.Event()

    def callback(entry, _cursor) -> None:
        seen.append(entry.dagster_event_type)
        if entry.dagster_event_type == dg.DagsterEventType.RUN_FAILURE:
            ended.set()

    with dg.DagsterInstance.get() as web_server:
        run_id = run(instance)
        web_server.watch_event_logs(run_id, None, callback)
        assert ended.wait(10)
        assert seen.count(dg.DagsterEventType.ASSET_MATERIALIZATION) == len(KEYS) - len(BAD)
        web_server.end_watch_event_logs(run_id, callback)


def test_deleted_runs_give_their_room_back(instance):
    path = instance.event_log_storage.get_db_path()
    run_id = run(instance)
    for _ in range(3):
        instance.delete_run(run(instance))
    instance.event_log_storage.vacuum()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert len(instance.all_logs(run_id)) > len(KEYS)


OPENS = """
import subprocess, sys
from sqale_assets.automation.event_log import LocalEventLog
print(LocalEventLog.from_config_value(None, {}).get_db_path(), flush=True)
if len(sys.argv) > 1:
    subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""


def test_without_a_home_the_processes_of_dagster_dev_share_a_folder_that_goes_with_the_first():
    """Plain `dagster dev` has a temporary instance; a stack trace about a variable was its first word."""
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    command = [sys.executable, "-c", OPENS, OPENS]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, second = output.stdout.split()
    assert first == second and not Path(first).parent.exists()
