"""The suites pass on a sound corpus, fail where something is wrong, and say what."""

from __future__ import annotations

import re

import pytest
import yaml

from sqale_assets.corpus.expectations import SuiteError, group_bounds, load_suites, run_suites
from sqale_assets.corpus.publish import publish_provenance, publish_queries, publish_schemas
from sqale_assets.corpus.quality_frames import frames, measures_of
from sqale_assets.report.data_docs import offline
from sqale_assets.settings import REPOSITORY
from sqale_assets_tests.report.browser import browse, needs_chromium

QUALITY = REPOSITORY / "quality"


@pytest.fixture
def made(member, tmp_path):
    members, splits = (
        [member("s1", questions=6), member("s2", questions=6, subject="of yours ")],
        {"s1": "train", "s2": "test"},
    )
    folder = tmp_path / "out"
    publish_queries(members, splits, folder)
    publish_schemas(members, splits, folder)
    publish_provenance(members, splits, {"s1": "a", "s2": "b"}, folder)
    return frames(folder, map(measures_of, members))


def test_a_sound_corpus_passes_and_a_broken_one_is_told_where(made, tmp_path):
    queries = made["queries"]
    # The test's two schemas share one query and have an evidence phrasing without a note: only that may fail.
    queries["evidence_supported"] = queries["evidence_supported"] + ", evidence: a note"
    run = run_suites(load_suites(QUALITY), made, tmp_path / "docs")
    assert run.passed, [result for result in run.results if not result.passed and result.blocking]
    assert {result.group for result in run.results if not result.passed} == {"variety", "databases"}
    assert run.groups().keys() == set(group_bounds(QUALITY))
    assert (tmp_path / "docs" / "index.html").is_file()
    assert "rows must be at least 1" in group_bounds(QUALITY)["measures.databases"]
    assert "licence must not be null, mostly 0.9 (only warns)" in group_bounds(QUALITY)["provenance.sources"]

    queries.loc[0, "difficulty"] = "challenging"
    queries.loc[1, "question_id"] = queries.loc[0, "question_id"]
    queries.loc[2, "schema_in_same_split"] = False
    made["measures"].loc[0, "foreign_key_validity"] = 0.5
    run = run_suites(load_suites(QUALITY), made, tmp_path / "docs")
    failed = {f"{r.suite}.{r.group}": r for r in run.results if not r.passed and r.blocking}
    assert failed.keys() == {"queries.types", "queries.keys", "queries.joinability", "measures.databases"}
    assert failed["queries.types"].examples == ("challenging",)
    assert (failed["queries.keys"].failed, failed["queries.keys"].checked) == (2, 12)
    assert failed["measures.databases"].arguments["min_value"] == 1.0
    assert not run.passed
    offline(tmp_path / "docs", run)
    assert_docs_open_offline(tmp_path / "docs")


def assert_docs_open_offline(docs):
    pages = sorted(docs.rglob("*.html"))
    assert len(pages) == 9 and not (docs / "static").exists(), "the pages of the first run are gone"
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loads = re.findall(r"""(?:src|srcset)=|<link|url\(|@import|\$\(""", text)
        assert loads == [], page
        for target in re.findall(r'href="([^"#]+)', text):
            assert (page.parent / target).is_file(), (page, target)
    index = (docs / "index.html").read_text(encoding="utf-8")
    assert "Publication is blocked." in index and re.search(r">queries</a></td><td><i [^>]*></i> failed", index)


@needs_chromium
def test_data_docs_fold_and_filter_in_a_browser(made, tmp_path):
    made["queries"].loc[0, "difficulty"] = "challenging"
    suites = {name: [e for e in each if e["group"] == "types"] for name, each in load_suites(QUALITY).items()}
    run = run_suites({"queries": suites["queries"]}, made, tmp_path / "docs")
    offline(tmp_path / "docs", run)
    (page,) = (tmp_path / "docs" / "validations").rglob("*.html")
    script = """
        const parts = [...document.querySelectorAll("h5, .ge-section")];
        const visible = () => parts.filter((each) => each.offsetHeight).length;
        const all = visible();
        hideSucceededValidations(); const failed = visible();
        showAllValidations(); document.querySelector('[data-toggle="collapse"]').click();
        document.body.dataset.seen = JSON.stringify([all > failed, failed > 0, visible() >= all]);
    """
    dom, console = browse(page.read_text(encoding="utf-8"), tmp_path, script)
    assert console == "" and 'data-seen="[true,true,true]"' in dom


def test_the_frames_measure_what_they_do_not_load(made):
    schemas = made["schemas"]
    assert list(schemas["create_statements"]) == [3, 3] and list(schemas["populated_tables"]) == [2, 2]
    assert list(schemas["questions"]) == [6, 6]
    assert made["queries"]["unusable_phrasings"].sum() == 0
    assert bool(made["provenance"]["cluster_in_one_split"].all())


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"group": "g", "type": "expect_column_values_to_be_unique", "column": "$nothing"},
            "thresholds.yaml does not have",
        ),
        ({"type": "expect_column_values_to_be_unique"}, "needs a group"),
        ({"group": "g", "type": "expect_miracles"}, "no expectation 'expect_miracles'"),
        ({"group": "g", "type": "expect_column_values_to_be_unique", "colum": "x"}, "colum"),
    ],
)
def test_a_wrong_suite_is_a_clear_error(made, tmp_path, entry, message):
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "queries.yaml").write_text(yaml.safe_dump([entry]))
    (tmp_path / "thresholds.yaml").write_text("a: 1\n")
    with pytest.raises(SuiteError, match=message):
        run_suites(load_suites(tmp_path), made, tmp_path / "docs")
