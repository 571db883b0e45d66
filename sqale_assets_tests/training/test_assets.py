"""The training assets in Dagster: selection, a run that is killed and goes on, the report of its curves.

Where the `train` extra is installed the launched process is the real trainer (`make test-train`), else one that learns
nothing; command, Pipes, lock, checkpoints and metrics are the real ones either way.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest
import yaml

from sqale_assets.assets.training import build_training
from sqale_assets.resources import build_resources
from sqale_assets.settings import Settings
from sqale_assets.store import StoreError
from sqale_assets.store.lock import build_lock
from sqale_assets.training import tiny
from sqale_assets.training.config import SettingsError, read_run
from sqale_assets.training.pipes import FromDagster
from sqale_assets.training.place import run_files, training_folder
from sqale_assets.training.run import claim, select_into, train_in
from sqale_assets.training.tasks import read_tasks
from sqale_assets_tests.training import launched

REAL = importlib.util.find_spec("trl") is not None
pytestmark = pytest.mark.timeout(600)


def bird_form(folder: Path, tasks, split: str) -> None:
    """Tasks as a split of a corpus in BIRD's form."""
    for task in tasks:
        place = folder / f"{split}_databases" / task.database_id / f"{task.database_id}.sqlite"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(task.database, place)
    questions = [
        {"question_id": f"{task.database_id}-{task.question_id}", "db_id": task.database_id, "evidence": "",
         "question": task.question, "SQL": task.sql, "difficulty": "simple"}
        for task in tasks
    ]  # fmt: skip
    (folder / f"{split}.json").write_text(json.dumps(questions))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch) -> Settings:
    """A settings file of a run on the toy corpus; a copy of one of its databases under another name is held out."""
    toy = tmp_path / "toy"
    episode = tiny.toy_episode(toy / "prompts")
    tasks = tiny.toy_tasks(toy / "databases")
    held_out = [task.model_copy(update={"database_id": "fleet"}) for task in tasks if task.database_id == "boats"]
    bird_form(tmp_path / "corpus", tasks, "train")
    bird_form(tmp_path / "corpus", held_out, "dev")
    model = tmp_path / "model"
    if REAL:
        tokenizer = tiny.tiny_tokenizer(tasks, episode)
        tiny.save_tiny(tiny.tiny_model(tokenizer), tokenizer, model)
    run = {
        "model": str(model),
        "corpus": {"path": str(tmp_path / "corpus"), "split": "train"},
        "held_out": [{"path": str(tmp_path / "corpus"), "split": "dev"}],
        "selection": {"count": 20},
        "episode": json.loads(episode.model_dump_json()),
        "grpo": {"steps": 5, "prompts": 2, "generations": 2, "micro_batch": 4, "save_every": 2, "precision": "fp32",
                 "gradient_checkpointing": False},
    }  # fmt: skip
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "toy.yaml").write_text(yaml.safe_dump(run))
    monkeypatch.setenv("SQALE_TEST_KILL", f"{tmp_path / 'killed'}:3")
    launcher = [sys.executable, "-W", "ignore", "-m", launched.__name__]
    training = {"runs": tmp_path / "runs", "launcher": launcher, "retry_seconds": 0.1}
    return Settings(store=str(tmp_path / "store"), training=training)


def materialize(settings: Settings, instance: dg.DagsterInstance, *names: str, partition: str | None = "toy"):
    return dg.materialize(
        build_training(settings),
        selection=list(names),
        partition_key=partition,
        instance=instance,
        resources=build_resources(settings),
        raise_on_error=False,
    )


def metadata_of(result, name: str) -> dict:
    (event,) = result.asset_materializations_for_node(name)
    return {key: value.value for key, value in event.metadata.items()}


def test_a_run_that_is_killed_goes_on_and_its_curves_are_drawn(settings, tmp_path):
    with dg.DagsterInstance.ephemeral() as instance:
        selected = metadata_of(materialize(settings, instance, "training_selection"), "training_selection")
        assert selected["tasks"] == 20 and selected["held_out_databases"] == 1 and selected["near_held_out"] == 1
        tasks = read_tasks(Path(selected["file"]))
        assert not {task.database_id for task in tasks} & {"boats", "fleet"}

        result = materialize(settings, instance, "grpo_run")
        assert result.success and (tmp_path / "killed").exists()
        assert result.retry_attempts_for_node("grpo_run") == 1
        found = metadata_of(result, "grpo_run")
        assert found["steps"] == 5 and {"reward_last", "rounds_first", "tool_calls_last"} <= found.keys()
        assert Path(found["model"]).is_dir()
        lines = Path(found["metrics"]).read_text().splitlines()
        assert [json.loads(line)["step"] for line in lines] == [1, 2, 3, 4, 5]

        fetched = instance.fetch_observations(dg.AssetKey("grpo_run"), limit=50, ascending=True).records
        seen = [record.asset_observation for record in fetched]
        steps = [each.metadata["step"].value for each in seen]
        assert steps == [1, 2, 3, 3, 4, 5], "killed after step 3, and gone on from the checkpoint at step 2"
        assert {each.partition for each in seen} == {"toy"}
        figures = {"reward", "accuracy", "rounds", "tool_calls", "written_tokens", "episode_tokens"}
        assert all(figures <= each.metadata.keys() for each in seen)
        ended = instance.fetch_materializations(dg.AssetKey("grpo_run"), limit=1).records[0].timestamp
        assert max(record.timestamp for record in fetched[:-1]) < ended, "told as they came, not at the end"

        report = metadata_of(materialize(settings, instance, "training_report", partition=None), "training_report")
        assert report["finished"] == 1 and report["runs"]["toy"]["steps"] == 5
        assert "data:image/png" in report["figure_7"] and "<svg" in Path(report["report"]).read_text()

        again = materialize(settings, instance, "grpo_run")
        assert again.success and metadata_of(again, "grpo_run")["model"] == found["model"]
        assert len(instance.fetch_observations(dg.AssetKey("grpo_run"), limit=50).records) == 6, "not trained again"


def test_what_would_fail_again_is_not_tried_again(settings):
    path = settings.training.runs / "toy.yaml"
    with dg.DagsterInstance.ephemeral() as instance:
        missing = materialize(settings, instance, "grpo_run")
        assert not missing.success and missing.retry_attempts_for_node("grpo_run") == 0
        run = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump(run | {"selection": {"schema_tables": [50, None]}}))
        empty = materialize(settings, instance, "training_selection")
        error = empty.failure_data_for_node("training_selection").error
        assert "no task is left of 64 questions" in error.to_string() and "schema_size 56" in error.to_string()
        assert "materialize training_report" not in error.to_string()
        none = materialize(settings, instance, "training_report", partition=None)
        assert "No model has been trained yet" in none.failure_data_for_node("training_report").error.to_string()


def test_a_folder_is_of_one_run(settings, tmp_path):
    (path,) = run_files(settings.training.runs).values()
    run = read_run(path)
    select_into(tmp_path / "out", run, tmp_path)
    tasks = tmp_path / "out" / "tasks.jsonl"
    claim(tmp_path / "out", run)
    claim(tmp_path / "out", run, tasks)
    claim(tmp_path / "out", run, tasks)
    with pytest.raises(SettingsError, match=r"differs in grpo\.learning_rate, seed: choose another folder"):
        claim(tmp_path / "out", read_run(path, seed=1, grpo={"learning_rate": 1.0}), tasks)
    tasks.write_text(tasks.read_text().partition("\n")[0] + "\n")
    with pytest.raises(SettingsError, match="differs in tasks"):
        claim(tmp_path / "out", run, tasks)
    assert training_folder(settings) == tmp_path / "store" / "training"


def test_selection_goes_by_the_seed(settings, tmp_path):
    (path,) = run_files(settings.training.runs).values()
    files = []
    for at, seed in enumerate((0, 0, 1)):
        select_into(tmp_path / str(at), read_run(path, seed=seed), tmp_path)
        files.append((tmp_path / str(at) / "tasks.jsonl").read_text())
    assert files[0] == files[1] != files[2]


def test_a_trainer_whose_dagster_run_is_gone_stops(monkeypatch):
    told = []
    trainer = FromDagster(SimpleNamespace(report_custom_message=told.append))
    trainer.step({"step": 1})
    monkeypatch.setattr("os.getppid", lambda: 1)
    with pytest.raises(SystemExit, match="start it again to go on"):
        trainer.step({"step": 2})
    assert told == [{"step": 1}]


def test_two_trainers_never_share_a_folder(settings, tmp_path):
    (path,) = run_files(settings.training.runs).values()
    select_into(tmp_path / "out", read_run(path), tmp_path)
    with build_lock(tmp_path / "out", "training"), pytest.raises(StoreError, match="another training is at work"):
        train_in(tmp_path / "out", read_run(path), tmp_path / "out" / "tasks.jsonl", watch=print)
