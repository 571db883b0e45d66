"""The paper's three runs, and what a wrong settings file says."""

from __future__ import annotations

import pytest

from sqale_assets.settings import REPOSITORY
from sqale_assets.training.config import SettingsError, read_run
from sqale_assets.training.place import run_files

RUNS = run_files(REPOSITORY / "training")


def test_the_three_runs_differ_in_data_and_curriculum_alone():
    assert set(RUNS) == {"bird", "own", "sqale", "synsql"}
    runs = [read_run(RUNS[name]) for name in ("sqale", "synsql", "bird")]
    rest = [run.model_dump(exclude={"name", "corpus", "curriculum"}) for run in runs]
    assert rest[0] == rest[1] == rest[2]
    assert len({run.corpus.path for run in runs}) == 3
    assert rest[0]["grpo"]["steps"] == 1800 and rest[0]["episode"]["tokens"] == 12288


def test_a_corpus_of_ones_own_is_trained_on_as_the_papers_are():
    own, paper = read_run(RUNS["own"]), read_run(RUNS["sqale"])
    assert own.model_dump(exclude={"name", "corpus", "held_out"}) == paper.model_dump(
        exclude={"name", "corpus", "held_out"}
    )
    assert own.corpus.path is None and [(part.path, part.split) for part in own.held_out] == [(None, "test")]


def test_a_wrong_file_names_the_field(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("model: m\ncorpus: {path: x}\ngrpo: {steps: none}\n")
    with pytest.raises(SettingsError, match=r"run\.yaml: grpo\.steps"):
        read_run(path)
    path.write_text("extends: run.yaml\n")
    with pytest.raises(SettingsError, match="extends itself"):
        read_run(path)
