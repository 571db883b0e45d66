"""What is done about failed partitions: which are due, what the sensor launches, what the check says."""

import io
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from rich.console import Console

from sqale_assets.assets.partitioned_stage import SCHEMAS
from sqale_assets.automation.failed import MAX_ATTEMPTS, due, failures
from sqale_assets.cli.terminal import status_table
from sqale_assets.definitions import build_defs
from sqale_assets.settings import Settings
from sqale_assets.store import FailureNote, Store
from sqale_assets.store.summary import StageSummary

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def note(schema_id: str, attempts: int = 1, minutes_ago: float = 60, now: datetime = NOW) -> FailureNote:
    failed_at = (now - timedelta(minutes=minutes_ago)).isoformat()
    return FailureNote(
        asset="questions", schema_id=schema_id, fingerprint="f", attempts=attempts, error="boom", failed_at=failed_at
    )


@pytest.mark.parametrize(
    ("attempts", "minutes_ago", "expected"),
    [
        (0, 9, False), (0, 11, True), (1, 9, False), (1, 11, True), (2, 19, False), (2, 21, True),
        (MAX_ATTEMPTS, 10_000, False),
        (1, -9, False), (1, -60 * 24, True),  # the clock was set back since
    ],
)  # fmt: skip
def test_attempts_are_bounded_and_back_off(attempts, minutes_ago, expected):
    assert due(note("a", attempts, minutes_ago), NOW) is expected


def test_the_sensor_launches_ranges_of_what_is_due(tmp_path):
    settings, store = Settings(source=tmp_path, store=str(tmp_path / "store")), Store(tmp_path / "store")
    for schema_id, attempts in (("a", 1), ("b", 2), ("d", MAX_ATTEMPTS)):
        store.note_failure(note(schema_id, attempts, now=datetime.now(UTC)))
    assert [each.schema_id for each in failures(store, ["a", "b", "c", "d"])["questions"]] == ["a", "b", "d"]
    defs = build_defs(settings)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(SCHEMAS.name, ["a", "b", "c", "d"])
        resources = {"store": store, "settings": settings}
        with dg.build_sensor_context(instance=instance, definitions=defs, resources=resources) as context:
            requests = defs.resolve_sensor_def("retry_failed_partitions").evaluate_tick(context).run_requests
    (request,) = requests
    assert request.job_name == "stage_questions"
    assert request.tags["dagster/asset_partition_range_start"] == "a"
    assert request.tags["dagster/asset_partition_range_end"] == "b"


def test_the_daily_check_names_what_is_failed_and_what_to_do(tmp_path):
    settings, store = Settings(source=tmp_path, store=str(tmp_path / "store")), Store(tmp_path / "store")
    job = build_defs(settings).resolve_job_def("failed_check")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(SCHEMAS.name, ["a", "b"])

        def outcome() -> dg.AssetCheckEvaluation:
            result = job.execute_in_process(instance=instance)
            (evaluation,) = result.get_asset_check_evaluations()
            return evaluation

        assert outcome().passed
        store.note_failure(note("b"))
        failed = outcome()
    assert not failed.passed
    assert failed.metadata["by_stage"].value == {"questions": 1} and failed.metadata["schemas"].value == 2
    assert failed.metadata["sample"].value == ["questions of b: boom"]
    assert "sqale retry" in failed.metadata["what_to_do"].value


def test_the_daily_report_waits_for_a_publication(tmp_path):
    settings, store = Settings(source=tmp_path, store=str(tmp_path / "store")), Store(tmp_path / "store")
    schedule = build_defs(settings).resolve_schedule_def("daily_quality_report")

    def tick():
        with dg.build_schedule_context(resources={"store": store}) as context:
            return schedule.evaluate_tick(context)

    assert tick().skip_message == "Nothing has been published yet."
    store.write(store.root / "published" / "datasets.json", b"{}")
    assert len(tick().run_requests) == 1


def test_status_names_the_errors_that_failed_the_most():
    down = {f"s{number}": "GatewayUnavailable: down" for number in range(200)}
    stage = StageSummary(asset="questions", failed=203, failures={"a": "boom", **down, "b": "crash", "c": "boom"})
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(status_table([stage]))
    lines = [line.strip() for line in console.export_text().splitlines() if "failed for" in line]
    assert lines == [
        "questions failed for s0, s1, s2 and 197 more: GatewayUnavailable: down",
        "questions failed for a, c: boom",
        "questions failed for b: crash",
    ]
