"""The assets as Dagster runs them: a model is a partition, the report reads what was measured."""

from __future__ import annotations

import dagster as dg

from sqale_assets.assets.evaluation import EPISODES, MODELS, REPORT, report_measured
from sqale_assets.definitions import build_defs
from sqale_assets.settings import OFFLINE_MODEL, Settings
from sqale_assets_tests.evaluation.conftest import gold


def test_a_model_is_measured_and_reported(published, tmp_path):
    settings = Settings(store=str(tmp_path), evaluation={"style": "verbose", "tables": ("gold", "full")})
    job = build_defs(settings).resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(MODELS.name, [OFFLINE_MODEL])

        def run(asset, **chosen):
            return job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey(asset)], **chosen)

        (measured,) = run(EPISODES, partition_key=OFFLINE_MODEL).asset_materializations_for_node(EPISODES)
        assert measured.partition == OFFLINE_MODEL
        assert measured.metadata["episodes"].value == 8
        assert measured.metadata["figures"].md_str.count("| offline/rules | verbose |") == 2
        (reported,) = run(REPORT).asset_materializations_for_node(REPORT)
    assert (tmp_path / "evaluation" / "report.html").exists()
    assert {"figures", "accuracy", "schema_size", "literals"} <= reported.metadata.keys()


def test_nothing_measured_is_a_failure_that_says_what_to_do(tmp_path):
    job = build_defs(Settings(store=str(tmp_path))).resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey(REPORT)], raise_on_error=False)
        (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert "No model has been measured yet" in failure.step_failure_data.user_failure_data.description


def test_what_the_command_line_measured_shows_in_the_ui(bird, measure, tmp_path):
    evaluated, _, _ = measure(bird, gold)
    with dg.DagsterInstance.ephemeral() as instance:
        report_measured(instance, evaluated, tmp_path)
        assert list(instance.get_dynamic_partitions(MODELS.name)) == ["openai/m-2b"]
        event = instance.get_latest_materialization_event(dg.AssetKey(EPISODES))
        assert event.asset_materialization.partition == "openai/m-2b"
        assert event.asset_materialization.metadata["accuracy_full"].value == 100.0
