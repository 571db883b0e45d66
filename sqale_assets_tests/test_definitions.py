"""The definitions as a whole: what is in the graph, how it reads in the UI, how fast it loads."""

import re
import subprocess
import sys

import dagster as dg
import pytest

from sqale_assets.definitions import build_defs
from sqale_assets.settings import REPOSITORY, Settings

# asset -> (group, partitioned, upstream). A change here is a change of what people see: make it on purpose.
GRAPH = {
    "schema_catalog": ("schemas", False, set()),
    "source_schema": ("schemas", True, {"schema_catalog"}),
    "domain_description": ("schemas", True, {"source_schema"}),
    "extended_schema": ("schemas", True, {"source_schema", "domain_description"}),
    "populated_database": ("databases", True, {"source_schema", "domain_description", "extended_schema"}),
    "questions": ("questions", True, {"domain_description", "extended_schema", "populated_database"}),
    "styled_questions": ("questions", True, {"extended_schema", "questions"}),
    "gold_queries": ("questions", True, {"extended_schema", "populated_database", "questions"}),
}
GLOBAL = {
    "schema_clusters": "corpus",
    "published_schemas": "corpus",
    "published_queries": "corpus",
    "published_provenance": "corpus",
    "dataset_card": "corpus",
    "corpus_database": "corpus",
    "dataset_statistics": "reports",
    "dataset_comparison": "reports",
    "judge_calibration": "reports",
    "quality_report": "reports",
    "quarantine": "reports",
    "evaluation_episodes": "evaluation",
    "evaluation_report": "evaluation",
    "training_selection": "training",
    "grpo_run": "training",
    "training_report": "training",
}


@pytest.fixture(scope="module")
def graph():
    return build_defs(Settings()).resolve_asset_graph()


def test_the_graph(graph):
    seen = {}
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        seen[key.to_user_string()] = (
            node.group_name,
            node.is_partitioned,
            {parent.to_user_string() for parent in node.parent_keys},
        )
    for name, (group, partitioned, upstream) in GRAPH.items():
        assert seen.pop(name) == (group, partitioned, upstream)
    assert {name: group for name, (group, _, _) in seen.items()} == GLOBAL


def test_every_asset_says_what_it_is(graph):
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description and node.owners and node.kinds, key


def test_every_asset_leads_to_its_documentation(graph):
    for key in graph.get_all_asset_keys():
        node, name = graph.get(key), key.to_user_string()
        assert f"[docs/assets.md#{name}](file:///" in node.description
        assert len(node.metadata["documentation"].value) > 40, f"docs/assets.md has no section {name}"
    text = (REPOSITORY / "docs" / "assets.md").read_text(encoding="utf-8")
    assert all((REPOSITORY / "docs" / page).is_file() for page in re.findall(r"\]\(([\w.]+)\)", text))


def test_links_to_the_documentation_go_where_the_settings_say():
    node = (
        build_defs(Settings(docs_url="https://example.org/main/")).resolve_asset_graph().get(dg.AssetKey("questions"))
    )
    assert "(https://example.org/main/docs/assets.md#questions)" in node.description
    assert "[gold.md](https://example.org/main/docs/gold.md)" in node.metadata["documentation"].value


def test_every_check_says_its_bound(graph):
    for key in graph.asset_check_keys:
        assert re.search(r"\(bound: .+\)", graph.get(key).description), key


def test_neighbouring_stages_have_different_run_sizes(graph):
    """Equal sizes would put two stages into one run, where a failure in the first holds back the second."""
    sizes = [graph.get(dg.AssetKey(name)).backfill_policy.max_partitions_per_run for name in list(GRAPH)[1:]]
    assert len(set(sizes)) == len(sizes)


def test_checks_are_partitioned_like_their_stage(graph):
    checks = [graph.get(key) for key in graph.asset_check_keys]
    names = {node.key.name for node in checks}
    assert {"primary_keys_unique", "foreign_keys_valid", "tables_populated", "literals_grounded"} <= names
    assert {"no_placeholders", "gold_executes", "gold_returns_rows", "loader_verification"} <= names


def test_loading_imports_nothing_slow():
    code = "import sys, sqale_assets.definitions as d; print([m for m in {slow!r} if m in sys.modules])"
    slow = ("litellm", "great_expectations", "altair", "datasets", "faker", "polars", "pandas")
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code.format(slow=slow)], capture_output=True, text=True, check=True
    ).stdout
    assert output.strip() == "[]"


def test_jobs_schedules_and_sensors():
    defs = build_defs(Settings())
    names = {job.name for job in defs.resolve_all_job_defs()}
    assert {"publish", "report", "failed_check", "stage_gold_queries"} <= names
    for name in ("daily_quality_report", "daily_failed_check"):
        schedule = defs.resolve_schedule_def(name)
        assert schedule.cron_schedule == "0 6 * * *"
        assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
    sensor = defs.resolve_sensor_def("retry_failed_partitions")
    assert sensor.default_status == dg.DefaultSensorStatus.STOPPED
