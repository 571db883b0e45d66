"""The factory on an ephemeral instance with a real store: the three outcomes, partial failure, resumption."""

from typing import ClassVar

import dagster as dg
import pytest
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from sqale_assets.assets.partitioned_stage import SCHEMAS, STOPPED, partitioned_stage
from sqale_assets.assets.stage import Stage, stale_schemas
from sqale_assets.assets.work import Made
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.records import DomainDescription, Rejected
from sqale_assets.resources import NoProgress
from sqale_assets.settings import Settings
from sqale_assets.store import CheckOutcome, Manifest, Store, StoreError

KEYS = [f"schema_{number}" for number in range(6)]
RANGE = {
    "dagster/asset_partition_range_start": KEYS[0],
    "dagster/asset_partition_range_end": KEYS[-1],
}


class Project:
    """Two toy stages over a real store and an ephemeral instance. `broken` and `unfit` schemas misbehave."""

    def __init__(self, folder):
        self.settings = Settings(source=folder, store=str(folder / "store"), schemas_in_flight=3)
        self.store = Store(self.settings.store)
        self.broken: dict[str, Exception] = {}
        self.unfit: set[str] = set()
        self.built: list[tuple[str, str]] = []
        self.version, self.record = "1", DomainDescription

    def stages(self) -> list[Stage]:
        async def build(stage: str, work) -> Made:
            self.built.append((stage, work.schema_id))
            if stage == "first" and work.schema_id in self.broken:
                raise self.broken[work.schema_id]
            if stage == "first" and work.schema_id in self.unfit:
                raise Rejected("no_tables", "nothing here")
            record = self.record(schema_id=work.schema_id, label="x", description=stage, entities=(), evidence="schema")
            passed = work.schema_id != KEYS[1]
            return Made(record, counts={"n": 1}, checks=(CheckOutcome(name="ok", passed=passed, metadata={"n": 1}),))

        def stage(name, position, upstream):
            return Stage(
                name=name, position=position, group="g", description="d", upstream=upstream,
                version=self.version, record=self.record, build=lambda work: build(name, work),
                checks=(("ok", "is ok"),),
            )  # fmt: skip

        return [stage("first", 0, ()), stage("second", 1, ("first",))]

    def run(self, instance, name: str, **settings):
        chosen = self.settings.model_copy(update=settings)
        assets = [partitioned_stage(stage, chosen) for stage in self.stages()]
        self.built.clear()
        return dg.materialize(
            assets,
            selection=[name],
            instance=instance,
            tags=RANGE,
            raise_on_error=False,
            resources={"settings": chosen, "store": self.store, "gateway": None, "progress": NoProgress()},
        )


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(SCHEMAS.name, KEYS)
        yield instance


def failed_and_materialized(instance, asset: str) -> tuple[set, set]:
    value = get_and_update_asset_status_cache_value(instance, dg.AssetKey(asset), SCHEMAS)
    with dg.partition_loading_context(None, instance):
        return (
            set(value.deserialize_failed_partition_subsets(SCHEMAS).get_partition_keys()),
            set(value.deserialize_materialized_partition_subsets(SCHEMAS).get_partition_keys()),
        )


def check_states(instance, asset: str) -> dict[str, set[str]]:
    """Partitions by the state of the check, as its page in the UI has them; those without one are left out."""
    check = dg.AssetCheckKey(dg.AssetKey(asset), "ok")
    with dg.partition_loading_context(None, instance):
        state = instance.event_log_storage.get_asset_check_state([(check, SCHEMAS)])[check]
        keys = {status.name: set(each.subset_value.get_partition_keys()) for status, each in state.subsets.items()}
    return {name: found for name, found in keys.items() if found}


def test_a_check_counts_as_made_of_what_is_materialized_now(project, instance):
    for _ in range(2):  # the second time nothing is computed, and all is reported again
        project.run(instance, "first")
        assert check_states(instance, "first") == {"SUCCEEDED": set(KEYS) - {KEYS[1]}, "FAILED": {KEYS[1]}}


def test_every_schema_done(project, instance):
    assert project.run(instance, "first").success
    assert failed_and_materialized(instance, "first") == (set(), set(KEYS))
    assert sorted(project.built) == [("first", key) for key in KEYS]


def test_one_broken_schema_fails_alone_and_is_repaired_by_running_again(project, instance):
    project.broken[KEYS[2]] = RuntimeError("bug")
    assert not project.run(instance, "first").success
    assert failed_and_materialized(instance, "first") == ({KEYS[2]}, set(KEYS) - {KEYS[2]})
    note = project.store.failure("first", KEYS[2])
    assert note and note.attempts == 1 and "bug" in note.error
    assert project.store.manifest("first", KEYS[2]) is None

    project.broken.clear()
    assert project.run(instance, "first").success
    assert project.built == [("first", KEYS[2])]  # nothing finished is done again
    assert failed_and_materialized(instance, "first") == (set(), set(KEYS))
    assert project.store.failure("first", KEYS[2]) is None


def test_attempts_are_counted(project, instance):
    project.broken[KEYS[2]] = RuntimeError("bug")
    for expected in (1, 2, 3):
        project.run(instance, "first")
        assert project.store.failure("first", KEYS[2]).attempts == expected


def test_rejection_is_data_and_is_passed_on(project, instance):
    project.unfit.add(KEYS[3])
    assert project.run(instance, "first").success
    assert project.run(instance, "second").success
    assert ("second", KEYS[3]) not in project.built
    for asset in ("first", "second"):
        manifest = project.store.manifest(asset, KEYS[3])
        assert manifest.status == "rejected"
        assert manifest.rejection.stage == "first" and manifest.rejection.reason == "no_tables"
        assert KEYS[3] in failed_and_materialized(instance, asset)[1]


def test_missing_upstream_says_what_to_do(project, instance):
    result = project.run(instance, "second")
    message = result.failure_data_for_node("second").user_failure_data.description
    assert "materialize first first" in message and not result.success


def test_dead_provider_stops_the_run_early(project, instance):
    project.broken = {key: GatewayUnavailable("provider is down") for key in KEYS}
    project.run(instance, "first")
    assert len(project.built) <= 3  # those in flight
    assert failed_and_materialized(instance, "first")[0] == set(KEYS)
    notes = {key: project.store.failure("first", key) for key in KEYS}
    assert {key: note.attempts for key, note in notes.items()} == {  # the others are failed too, without an attempt
        key: int(("first", key) in project.built) for key in KEYS
    }


def test_a_note_of_failure_goes_when_the_artefact_is_current_again(project, instance):
    project.run(instance, "first")
    project.version, project.broken = "2", {KEYS[0]: RuntimeError("bug")}
    project.run(instance, "first")
    assert project.store.failure("first", KEYS[0])
    project.version = "1"
    project.run(instance, "first")
    assert project.store.failure("first", KEYS[0]) is None


def test_changed_version_rebuilds_and_is_marked(project, instance):
    project.run(instance, "first")
    project.version = "2"
    project.run(instance, "first")
    assert len(project.built) == len(KEYS)


def test_a_new_version_of_the_record_rebuilds_what_the_old_one_wrote(project, instance):
    class Second(DomainDescription):
        version: ClassVar[int] = 2

    project.run(instance, "first")
    project.record = Second
    with pytest.raises(StoreError, match="written as version 1 of its record, this sqale-assets reads 2"):
        project.store.record(Second, "first", KEYS[0])
    assert stale_schemas(project.stages()[:1], KEYS, project.settings, project.store) == {"first": set(KEYS)}
    project.run(instance, "first")
    assert len(project.built) == len(KEYS)
    assert isinstance(project.store.record(Second, "first", KEYS[0]), Second)
    with pytest.raises(StoreError, match="written as version 2 of its record"):  # by who has gone back to the old one
        project.store.record(DomainDescription, "first", KEYS[0])


def test_force_recomputes(project, instance):
    project.run(instance, "first")
    project.run(instance, "first", force=True)
    assert len(project.built) == len(KEYS)


def test_corrupt_artefact_is_built_again(project, instance):
    project.run(instance, "first")
    (project.store.folder("first", KEYS[4]) / "record.json").write_bytes(b"{")
    project.run(instance, "first")
    assert project.built == [("first", KEYS[4])]


def test_checks_are_recorded_per_partition(project, instance):
    project.run(instance, "first")
    check = dg.AssetCheckKey(dg.AssetKey("first"), "ok")
    statuses = {
        record.partition_key: record.latest_execution_status.value
        for record in instance.event_log_storage.get_asset_check_partition_info([check])
    }
    assert statuses == {key: "FAILED" if key == KEYS[1] else "SUCCEEDED" for key in KEYS}


def test_materialization_carries_versions_and_figures(project, instance):
    project.run(instance, "first")
    project.run(instance, "second")
    event = instance.get_latest_materialization_event(dg.AssetKey("second")).asset_materialization
    upstream: Manifest = project.store.manifest("first", event.partition)
    assert event.tags["dagster/input_data_version/first"] == upstream.fingerprint
    assert event.metadata["status"].value == "done" and event.metadata["n"].value == 1


def test_a_single_partition_run_is_the_same(project, instance):
    """What the UI launches for one partition: no range tags, the plain partition tag."""
    assets = [partitioned_stage(stage, project.settings) for stage in project.stages()]
    resources = {"settings": project.settings, "store": project.store, "gateway": None, "progress": NoProgress()}
    result = dg.materialize(assets, selection=["first"], instance=instance, partition_key=KEYS[0], resources=resources)
    assert result.success
    assert failed_and_materialized(instance, "first") == (set(), {KEYS[0]})


def test_what_stops_a_run_is_told_apart_from_a_broken_schema(project, instance):
    project.broken[KEYS[2]] = RuntimeError("bug")
    result = project.run(instance, "first")
    assert result.failure_data_for_node("first").user_failure_data.metadata[STOPPED].value == ""
    project.broken = {KEYS[2]: GatewayUnavailable("the budget is spent")}
    result = project.run(instance, "first")
    assert result.failure_data_for_node("first").user_failure_data.metadata[STOPPED].value == "the budget is spent"
