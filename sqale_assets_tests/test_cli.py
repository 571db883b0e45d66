"""`sqale` as a person runs it: real processes, real files, and what it says when it is fed something bad."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from sqale_assets.assets.stages import STAGES
from sqale_assets.automation.jobs import PUBLICATION
from sqale_assets.cli.corpus import why_unfit
from sqale_assets.corpus.publish import read_rows
from sqale_assets.corpus.split import SPLITS
from sqale_assets.definitions import build_defs
from sqale_assets.settings import REPOSITORY, CatalogSettings, Settings
from sqale_assets.store import Store
from sqale_assets_tests.processes import copy_schemas, manifests, published, run, small_disk, sqale


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    folder = copy_schemas(tmp_path_factory.mktemp("source"))
    origin = ("museum_collection.sql", "owner/museum", "db/schema.sql", "c0ffee", "MIT")
    lines = ("\t".join(line) for line in (("file", "repo", "path", "commit", "licence"), origin))
    (folder / "INDEX.tsv").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def built(source, tmp_path_factory) -> Path:
    """A finished build of three schemas; its folder."""
    home = tmp_path_factory.mktemp("built")
    code, output, errors = run("build", "--source", source, home=home)
    assert code == 0, output + errors
    assert "What was built" in output and "3 / 0 / 0" in output
    return home


def test_building_again_does_nothing_twice(source, built):
    before = manifests(built)
    code, _, errors = run("build", "--source", source, home=built)
    assert code == 0, errors
    assert manifests(built) == before


def test_the_ledger_adds_up_to_what_each_asset_says_it_used(built):
    """Calls and tokens per asset and schema, which its metadata shows, are sums of ledger rows."""
    models = {stage.name: stage.models for stage in STAGES if stage.models}
    ledger = {
        (stage, schema_id): figures
        for stage, schema_id, *figures in duckdb.sql(
            "SELECT stage, schema_id, count(*), sum(tokens_in), sum(tokens_out)"
            f" FROM '{built}/store/ledger/*.parquet' GROUP BY ALL"
        ).fetchall()
    }
    said = [manifest for manifest in manifests(built).values() if manifest["asset"] in models]
    assert len(said) == 3 * len(models)
    for manifest in said:
        rows = [ledger[model, manifest["schema_id"]] for model in models[manifest["asset"]]]
        usage = manifest["usage"]
        assert [sum(column) for column in zip(*rows, strict=True)] == [
            usage["calls"] + usage["cached_calls"], usage["tokens_in"], usage["tokens_out"]
        ], manifest["asset"]  # fmt: skip


def test_a_killed_build_goes_on_where_it_was(source, built, tmp_path):
    process = sqale("build", "--source", source, home=tmp_path)
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "store").glob("populated_database/*/manifest.json"))) < 2:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    finished = manifests(tmp_path)
    assert finished and not list((tmp_path / "store").glob("published/**/*.parquet"))

    code, output, errors = run("build", "--source", source, home=tmp_path)
    assert code == 0, output + errors
    after = manifests(tmp_path)
    assert {name: after[name] for name in finished} == finished  # nothing finished was done again
    assert published(tmp_path) == published(built)  # and the corpus is, byte for byte, that of a build left in peace


def test_worker_processes_make_the_same_corpus(source, built, tmp_path):
    code, output, errors = run("build", "--source", source, home=tmp_path, SQALE_PROCESSES="2")
    assert code == 0, output + errors
    assert published(tmp_path) == published(built)


def test_two_builds_on_one_store(source, built, tmp_path):
    """The second one is told who is at work; the first one's corpus is what it would have been alone."""
    first = sqale("build", "--source", source, home=tmp_path)
    while not (lock := tmp_path / "store" / "build.lock").exists() or not lock.read_text():
        assert first.poll() is None, first.communicate()
        time.sleep(0.02)
    code, output, errors = run("build", "--source", source, home=tmp_path)
    assert code == 1 and f"process {first.pid}" in errors and "Traceback" not in output + errors
    output, errors = first.communicate(timeout=200)
    assert first.returncode == 0, output + errors
    assert published(tmp_path) == published(built)


def test_status_counts_what_would_be_computed_again(source, built):
    _, output, _ = run("status", "--source", source, home=built, SQALE_QUESTIONS__PER_SCHEMA="7")
    rows = (line.split() for line in output.splitlines())
    stale = {row[0]: int(row[5]) for row in rows if len(row) > 5 and row[1].isdigit()}
    assert set(stale.values()) == {0, 3}
    assert [name for name, count in stale.items() if count] == ["questions", "styled_questions", "gold_queries"]


def test_every_check_says_what_was_measured_against_what_bound(built):
    checks = [check for manifest in manifests(built).values() for check in manifest["checks"]]
    assert checks
    for check in checks:
        assert "bound" in check["metadata"] and len(check["metadata"]) > 1, check


def test_old_runs_are_pruned_and_nothing_looks_missing(source, built):
    log = built / "store" / "dagster" / "event_log.db"
    bytes_before = log.stat().st_size
    code, output, errors = run("prune", "--source", source, "--days", "0", home=built)
    assert code == 0 and "21 materializations reported again" in output, output + errors
    assert log.stat().st_size < bytes_before
    code, output, _ = run("prune", "--source", source, "--days", "0", home=built)
    assert code == 0 and "0 runs deleted" in output


def test_status_and_reconcile(source, built):
    code, output, _ = run("status", "--source", source, home=built)
    assert code == 0 and "gold_queries" in output
    shutil.rmtree(built / "store" / "dagster")
    code, output, errors = run("reconcile", "--source", source, home=built)
    assert code == 0 and "21 materializations" in output, errors


def test_only_what_passed_is_pushed(source, built):
    """Whatever was found out about a publication and is bad, damaged or missing is refused by name."""
    publish = ("publish", "--source", source, "--repo", "me/corpus", "--dry-run")
    code, output, errors = run(*publish, home=built)
    assert code == 0 and "Would push" in output, errors
    results = built / "store" / "quality_report" / "results.json"
    verification = built / "store" / "published" / "verification.json"
    store = Store(str(built / "store"))
    for path, spoil, said in (
        (results, _fail_an_expectation, "block publication failed (measures.databases)"),
        (results, lambda data: data[:100], "results.json cannot be read; run `sqale build`"),
        (results, None, "there is no quality report of this publication"),
        (verification, _differ_from_the_loader, "the publication has 3 differences"),
        (verification, lambda data: b"{}", "verification.json cannot be read; run `sqale build`"),
        (verification, None, "was not read back by the authors' loader"),
    ):
        kept = path.read_bytes()
        path.write_bytes(spoil(kept)) if spoil else path.unlink()
        try:
            assert said in why_unfit(store)
            if spoil is None:
                code, output, errors = run(*publish, home=built)
                assert code == 1 and said in " ".join(errors.split()) and "Traceback" not in errors, output + errors
        finally:
            path.write_bytes(kept)
    assert why_unfit(store) == ""


def _fail_an_expectation(data: bytes) -> bytes:
    run = json.loads(data)
    failing = next(result for result in run["results"] if result["blocking"])
    failing["passed"] = False
    return json.dumps(run).encode()


def _differ_from_the_loader(data: bytes) -> bytes:
    return json.dumps({**json.loads(data), "difference_count": 3}).encode()


def test_an_owner_who_wants_out_is_out_of_the_next_release(source, built, tmp_path):
    """A list of addresses: the schema goes with its questions, in every data set, and the release says so."""
    shutil.copytree(built / "store", tmp_path / "store")
    opt_outs = tmp_path / "opt_outs.txt"
    opt_outs.write_text("https://github.com/owner/museum/blob/c0ffee/db/schema.sql  # asked by mail\n")
    before = _published_ids(built)
    settings = Settings(store=str(tmp_path / "store"), source=source, catalog=CatalogSettings(opt_outs=opt_outs))
    job = build_defs(settings).resolve_implicit_global_asset_job_def()
    chosen = ("schema_catalog", *PUBLICATION, *_DESCRIBED)
    assert job.execute_in_process(asset_selection=[dg.AssetKey(name) for name in chosen]).success

    (gone,) = (schema_id for schema_id in before["schemas"] if schema_id.startswith("museum_collection"))
    left = {name: [each for each in ids if not each.startswith(gone)] for name, ids in before.items()}
    assert _published_ids(tmp_path) == left and len(left["schemas"]) == 2
    changes = (tmp_path / "store" / "published" / "CHANGES.md").read_text()
    assert f"- schemas removed: 1 ({gone})" in changes and "added" not in changes and "changed:" not in changes
    assert "museum" not in (tmp_path / "store" / "published" / "README.md").read_text()
    with duckdb.connect(str(tmp_path / "store" / "sqale.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM queries WHERE schema_id = ?", [gone]).fetchone() == (0,)
    assert "no quality report of this publication" in why_unfit(Store(str(tmp_path / "store")))


#: What is made again of a new publication, apart from what takes long.
_DESCRIBED = ("dataset_statistics", "dataset_card", "corpus_database")


def _published_ids(home: Path) -> dict[str, list[str]]:
    keys = {"schemas": "schema_id", "queries": "question_id", "provenance": "question_id"}
    folder = home / "store" / "published"
    return {
        name: sorted(row[key] for split in SPLITS for row in read_rows(folder / name, split, [key]))
        for name, key in keys.items()
    }


def test_retry_has_nothing_to_do(source, built):
    code, output, _ = run("retry", "--source", source, home=built)
    assert code == 0 and "No schema is left failed" in output


def test_status_before_any_build(source, tmp_path):
    code, _, errors = run("status", "--source", source, home=tmp_path)
    assert code == 2 and "run `sqale build` first" in errors


def _bad_sources(folder: Path) -> dict[str, tuple[Path, str]]:
    (folder / "empty").mkdir()
    (folder / "list.json").write_text("[1, 2]")
    (folder / "text.json").write_text("CREATE TABLE t (a int);")
    (folder / "cut.json.gz").write_bytes(gzip.compress(b'{"a.sql": {"INFO": {}, "TABLES": {}}}' * 50)[:-20])
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return {
        "missing": (folder / "nowhere", "no such file or folder"),
        "empty folder": (folder / "empty", "no .sql file"),
        "JSON of something else": (folder / "list.json", "SchemaPile"),
        "no JSON": (folder / "text.json", "JSON"),
        "truncated gzip": (folder / "cut.json.gz", "cut.json.gz"),
        "another kind of file": (folder / "picture.png", "expected"),
    }


@pytest.mark.parametrize(
    "case",
    ["missing", "empty folder", "JSON of something else", "no JSON", "truncated gzip", "another kind of file"],
)
def test_bad_sources_end_in_one_message(case, tmp_path):
    path, message = _bad_sources(tmp_path)[case]
    code, output, errors = run("build", "--source", path, home=tmp_path)
    assert code in (1, 2)
    assert message in errors.replace("\n", " ")
    assert "Traceback" not in output + errors


def test_an_unreadable_schema_is_rejected_and_the_others_are_built(source, tmp_path):
    folder = tmp_path / "mixed"
    shutil.copytree(source, folder)
    (folder / "noise.sql").write_bytes(bytes(range(256)) * 20)
    (folder / "poem.sql").write_text("Shall I compare thee to a summer's day?\nThou art more lovely.\n")
    code, output, errors = run("build", "--source", folder, home=tmp_path)
    assert code == 0, errors
    assert "3 / 2 / 0" in output
    code, output, _ = run("status", "--source", folder, home=tmp_path)
    assert "source_schema rejected: 2 no_tables" in output


def test_an_unknown_schema_is_refused(source, built):
    code, _, errors = run("build", "--source", source, "--select", "nowhere_000000", home=built)
    assert code == 1 and "no schema nowhere_000000" in errors and "Traceback" not in errors


def test_a_wrong_setting_is_named(source, tmp_path):
    code, _, errors = run("build", "--source", source, home=tmp_path, SQALE_SEED="many")
    assert code == 2 and "seed" in errors and "Traceback" not in errors


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "small", megabytes=3) as folder:
        yield folder


def test_a_full_disk_ends_in_one_message(source, disk):
    code, output, errors = run("build", "--source", source, home=disk)
    assert code == 1
    assert "full" in errors or "No space left" in errors
    assert "Traceback" not in output + errors


def test_output_that_cannot_be_written_does_not_change_the_exit_code():
    """A run's log captures it; on a full disk Python ended with 120, once in a while."""
    script = "import sys; from sqale_assets.cli.app import _end; sys.stdout.write('x'); _end('no', 1)"
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", script]
        process = subprocess.run(command, env=buffered, stdout=full, stderr=subprocess.PIPE, text=True)
    assert process.returncode == 1 and "sqale: no" in process.stderr


@pytest.mark.skipif(find_spec("trl") is not None, reason="TRL is installed")
def test_training_without_its_extra_says_so_before_tasks_are_selected(tmp_path):
    output = tmp_path / "run"
    code, _, errors = run("train", REPOSITORY / "training" / "sqale.yaml", "--output", output, home=tmp_path)
    assert code != 0 and "pip install '.[train]'" in errors
    assert not output.exists()
