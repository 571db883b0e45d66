"""Exports loaded by the libraries that they are for, each in a Python that has it: `make test-exports`.

SQALE_EXPORTS_PYTHON is one with verifiers and SkyRL-Gym, SQALE_NEMO_GYM_PYTHON one with NeMo Gym, which needs Python
3.12; both conflict with this package's constraints. TRL is in the `train` extra.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sqale_assets.evaluation.corpora import open_corpus
from sqale_assets.settings import REPOSITORY
from sqale_assets.training import tiny
from sqale_assets.training.environment import Databases, EpisodeSettings
from sqale_assets.training.exports import FORMATS, export
from sqale_assets.training.selection import Criteria, HeldOut, select
from sqale_assets.training.tasks import TrainingTask
from sqale_assets_tests.training import frameworks
from sqale_assets_tests.training.test_assets import bird_form

pytestmark = pytest.mark.timeout(600)
PROGRAMS = Path(frameworks.__file__).parent


@pytest.fixture(scope="module")
def episode(tmp_path_factory) -> EpisodeSettings:
    return tiny.toy_episode(tmp_path_factory.mktemp("prompts"))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory, episode) -> list[TrainingTask]:
    """Selected from the toy corpus; its table of boats is held out, under another database's name."""
    folder = tmp_path_factory.mktemp("corpus")
    toy = tiny.toy_tasks(folder / "toy")
    bird_form(folder, toy, "train")
    bird_form(folder, [each.model_copy(update={"database_id": "fleet"}) for each in toy if "boats" in each.sql], "dev")
    train, dev = (open_corpus(folder, split, folder / "made") for split in ("train", "dev"))
    with Databases(folder / "instances", episode) as databases:
        return select(train, Criteria(count=12), databases, held_out=HeldOut([dev]), seed=0)[0]


def loaded(program: str, variable: str | None, library: str, *arguments: Path) -> dict:
    """What a program prints, run in the Python that has its library."""
    python = os.environ.get(variable or "") or (sys.executable if importlib.util.find_spec(library) else None)
    if python is None:
        pytest.skip(f"{library} is not installed: {'make test-exports' if variable else 'make test-train'}")
    done = subprocess.run(
        [python, "-W", "ignore", PROGRAMS / program, *arguments], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("form", FORMATS)
def test_no_held_out_schema_leaks_and_the_folder_stands_alone(form, tasks, episode, tmp_path):
    path = export(form, tasks, tmp_path / "out", episode)
    assert path.is_file()
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert not [file for file in files if "boats" in file.name or b"boats" in file.read_bytes()]
    databases = {file.stem for file in files if file.suffix == ".sqlite"}
    assert databases == {task.database_id for task in tasks} and len(databases) > 1


@pytest.mark.parametrize("form", ["trl", "verifiers", "nemo-gym"])
def test_the_gold_query_is_in_no_prompt(form, tasks, episode, tmp_path):
    rows = [json.loads(line) for line in export(form, tasks, tmp_path, episode).read_text().splitlines()]
    assert len(rows) == len(tasks)
    for row, task in zip(rows, tasks, strict=True):
        prompt = row.get("prompt") or row["responses_create_params"]["input"]
        assert task.sql not in json.dumps(prompt) and task.question in json.dumps(prompt)


def test_what_cannot_be_exported_is_said(tasks, tmp_path):
    with pytest.raises(ValueError, match="no format 'verl'; there are trl, verifiers, skyrl, nemo-gym"):
        export("verl", tasks, tmp_path)
    with pytest.raises(ValueError, match="no task"):
        export("trl", [], tmp_path)


def test_trl_trains_on_it(tasks, episode, tmp_path):
    if importlib.util.find_spec("trl"):
        tokenizer = tiny.tiny_tokenizer(tasks, episode)
        tiny.save_tiny(tiny.tiny_model(tokenizer), tokenizer, tmp_path / "model")
    export("trl", tasks, tmp_path / "out", episode)
    arguments = (tmp_path / "out", tmp_path / "model", tmp_path / "run")
    assert loaded("load_trl.py", None, "trl", *arguments) == {"rows": 12, "steps": 1}


def test_verifiers_plays_it_with_our_reward(tasks, episode, tmp_path):
    export("verifiers", tasks, tmp_path, episode)
    found = loaded("load_verifiers.py", "SQALE_EXPORTS_PYTHON", "verifiers", tmp_path)
    assert found["ids"] == [task.task_id for task in tasks] and found["in_order"]
    assert found["rewards"] == [1.0, 0.05, 0.0], "right; a constant; no answer"
    assert found["told"].startswith("[result 1] list_tables") and found["metrics"] == {
        "correct": 1.0,
        "tool_calls": 2.0,
    }


def test_skyrl_gym_plays_it(tasks, episode, tmp_path):
    export("skyrl", tasks, tmp_path, episode)
    found = loaded("load_skyrl.py", "SQALE_EXPORTS_PYTHON", "skyrl_gym", tmp_path)
    assert found["rewards"] == [1.0, 0.0] and found["golds"] == [1.0] * 12
    assert tasks[0].database_id in found["observation"] and found["turns"] == episode.tool_turns + 1


def test_nemo_gym_verifies_it(tasks, episode, tmp_path):
    export("nemo-gym", tasks, tmp_path, episode)
    found = loaded("load_nemo_gym.py", "SQALE_NEMO_GYM_PYTHON", "nemo_gym", tmp_path)
    assert found["golds"] == [1.0] * 12 and found["wrong"] == 0.0
    assert f"CREATE TABLE {tasks[0].database_id}" in found["prompt"]
