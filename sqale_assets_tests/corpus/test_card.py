"""The card and the Croissant metadata say what is in the files, and readers find the splits through them."""

from __future__ import annotations

import hashlib
import json

import pytest
import yaml

from sqale_assets.corpus.card import Release, dataset_card, known_issues
from sqale_assets.corpus.croissant import croissant
from sqale_assets.corpus.leaks import LeakItem, find_leaks
from sqale_assets.corpus.publish import publish_provenance, publish_queries, publish_schemas
from sqale_assets.corpus.verify import verify
from sqale_assets.statistics.corpus import corpus_statistics


@pytest.fixture
def release(member, tmp_path):
    members = [member("s1"), member("s2")]
    splits, folder = {"s1": "train", "s2": "test"}, tmp_path / "out"
    datasets = {
        "queries": publish_queries(members, splits, folder),
        "schemas": publish_schemas(members, splits, folder),
        "provenance": publish_provenance(members, splits, {"s1": "a", "s2": "b"}, folder),
    }
    made = Release(
        name="Test corpus",
        datasets=datasets,
        statistics=corpus_statistics(members),
        verification=verify(folder),
        leaks=find_leaks([], []),
        models=("offline/rules",),
        schemas_rejected={"no_foreign_keys": 3},
    )
    (folder / "README.md").write_text(dataset_card(made), encoding="utf-8")
    return made, folder


def test_the_front_matter_leads_load_dataset_to_train_and_test(release, tmp_path, monkeypatch):
    _, folder = release
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    ignored = []
    monkeypatch.setattr("datasets.info.logger.warning", ignored.append)
    for name, rows in (("queries", 2), ("schemas", 1), ("provenance", 2)):
        loaded = datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path / "cache"))
        assert {split: len(part) for split, part in loaded.items()} == {"train": rows, "test": rows}
    assert len(datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))["train"][0]["questions"]) == 8
    assert ignored == [], "the sizes in the card are what the reader takes"


def test_the_card_has_counts_fields_licences_issues_and_citation(release):
    _, folder = release
    _, front, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    front = yaml.safe_load(front)
    assert (front["license"], front["size_categories"]) == ("mit", ["n<1K"])
    assert [config["config_name"] for config in front["configs"]] == ["queries", "schemas", "provenance"]
    (info, *_) = front["dataset_info"]
    assert [(split["name"], split["num_examples"]) for split in info["splits"]] == [("train", 2), ("test", 2)]
    assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"]) > 2_000
    for part in (
        "4 questions with gold SQL over 2 databases",
        "| `execution_result` | string |",
        "| MIT | 2 |",
        "@article",
    ):
        assert part in body
    assert "score of the gold queries 1.000, 0 differences" in body


def test_known_issues_are_computed(release):
    made, _ = release
    text = "\n".join(known_issues(made))
    assert "deterministic rules" in text
    assert "33.3% of the tables are empty" in text
    assert "no_foreign_keys 3" in text
    assert "at least 4 of 4 questions are of another level" in text
    assert "No query has a CTE, a window function, a set operation." in text


def test_croissant_names_every_file_and_column(release):
    made, folder = release
    metadata = json.loads(json.dumps(croissant(made, folder, version="1.0.0")))
    files = {entry["@id"]: entry for entry in metadata["distribution"] if entry["@type"] == "cr:FileObject"}
    assert len(files) == 6
    for name, entry in files.items():
        assert entry["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    identifiers = {entry["@id"] for entry in metadata["distribution"]}
    for record_set in metadata["recordSet"]:
        names = [field["@id"] for field in record_set["field"]]
        assert record_set["key"]["@id"] in names
        for field in record_set["field"]:
            assert field["source"]["fileSet"]["@id"] in identifiers
    (queries,) = (each for each in metadata["recordSet"] if each["@id"] == "queries")
    (questions,) = (field for field in queries["field"] if field["@id"] == "queries/questions")
    assert len(questions["subField"]) == 8


@pytest.mark.filterwarnings("ignore")  # deprecations inside mlcroissant
def test_croissant_is_valid_and_its_records_can_be_read(release):
    mlcroissant = pytest.importorskip("mlcroissant")
    made, folder = release
    path = folder / "croissant.json"
    path.write_text(json.dumps(croissant(made, folder, version="1.0.0", published="2026-01-31")), encoding="utf-8")
    dataset = mlcroissant.Dataset(jsonld=str(path))  # raises where it is not valid
    assert (list(dataset.metadata.ctx.issues.errors), list(dataset.metadata.ctx.issues.warnings)) == ([], [])
    records = list(dataset.records("queries"))
    assert {record["queries/split_of_file"] for record in records} == {b"train", b"test"}
    assert sorted(record["queries/question_id"] for record in records) == [b"s1_q0", b"s1_q1", b"s2_q0", b"s2_q1"]


def test_known_issues_name_what_held_out_sets_have_in_common_with_the_corpus(release):
    made, _ = release
    item = LeakItem("q", "How many orders does each customer have, question 1?", "SELECT 1")
    leaked = made.model_copy(update={"held_out": {"BIRD dev": find_leaks([item], [item])}})
    (line,) = (issue for issue in known_issues(leaked) if "BIRD dev" in issue)
    assert line.startswith("Of the 1 records of BIRD dev, 1 questions and 1 queries have a near duplicate")
