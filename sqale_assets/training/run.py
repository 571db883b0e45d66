"""A run from corpus to trained model, as the command and the Dagster assets make it; `place` says which file is what.

Selection and training may share a folder or have their own: tasks name their databases wherever they lie.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqale_assets.evaluation.corpora import open_corpus
from sqale_assets.files import write_whole
from sqale_assets.store.lock import build_lock
from sqale_assets.training.config import CorpusPart, RunSettings, SettingsError
from sqale_assets.training.curriculum import order
from sqale_assets.training.environment import Databases
from sqale_assets.training.place import DATABASES, INSTANCES, RUN, SELECTION, TASKS
from sqale_assets.training.selection import HeldOut, select
from sqale_assets.training.selection_statistics import SelectionStatistics
from sqale_assets.training.tasks import read_tasks, write_tasks


def select_into(folder: Path, run: RunSettings, published: Path) -> SelectionStatistics:
    """Write a run's tasks and their statistics into `folder`, in place of those that are there.

    Args:
        published: the corpus of a run that names none.

    Raises:
        CorpusError: a corpus cannot be read.
        ValueError: no task is left.
    """

    def opened(part: CorpusPart) -> Any:
        return open_corpus(part.path or published, part.split, folder / DATABASES)

    with Databases(folder / INSTANCES, run.episode) as databases:
        held_out = HeldOut(opened(part) for part in run.held_out)
        tasks, found = select(opened(run.corpus), run.selection, databases, held_out=held_out, seed=run.seed)
    if not tasks:
        reasons = ", ".join(f"{reason} {count}" for reason, count in found.dropped.items())
        raise ValueError(f"no task is left of {found.questions} questions of {found.corpus}: {reasons}")
    write_whole(folder / SELECTION, found.model_dump_json(indent=1).encode())
    write_tasks(folder / TASKS, tasks)
    return found


def identity(run: RunSettings, tasks: Path) -> str:
    """What tells trainings apart: settings and tasks. The same two go on in the same folder."""
    return sha256(run.model_dump_json().encode() + tasks.read_bytes()).hexdigest()[:12]


def train_in(output: Path, run: RunSettings, tasks: Path, *, watch: Callable[[dict[str, Any]], None]) -> Path:
    """Train on the tasks in the file `tasks`, or go on where that was stopped. Returns the trained model's folder.

    Raises:
        SettingsError: `output` holds a run with other settings or tasks.
        StoreError: another process trains there.
        ModuleNotFoundError: the `train` extra is not installed.
    """
    # Of several processes on as many devices the first holds the folder for all.
    with build_lock(output, "training") if os.environ.get("RANK", "0") == "0" else nullcontext():
        claim(output, run, tasks)
        ordered = order(read_tasks(tasks), run.grpo.steps * run.grpo.prompts, run.curriculum, seed=run.seed)
        from sqale_assets.training.trainer import train

        with Databases(tasks.parent / INSTANCES, run.episode) as databases:
            return train(run, ordered, output, databases, watch=watch)


def claim(output: Path, run: RunSettings, tasks: Path | None = None) -> None:
    """Write down what `output` is used for. It must not change: tasks and checkpoints there are of that run.

    Raises:
        SettingsError: it is used for another run; names the settings that differ.
    """
    mine: dict[str, Any] = run.model_dump(mode="json")
    if tasks is not None:
        mine["tasks"] = sha256(tasks.read_bytes()).hexdigest()
    path = output / RUN
    theirs = json.loads(path.read_bytes()) if path.exists() else {}
    differing = sorted(_differences(theirs, {"tasks": theirs.get("tasks")} | mine)) if theirs else []
    if [name for name in differing if name != "tasks" or "tasks" in theirs]:
        raise SettingsError(f"{output} holds a run that differs in {', '.join(differing)}: choose another folder")
    write_whole(path, json.dumps(theirs | mine, indent=1).encode())


def _differences(one: Any, other: Any, name: str = "") -> list[str]:
    """The dotted names of the values in which two nested mappings differ."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return [] if one == other else [name]
    keys = one.keys() | other.keys()
    return [found for key in keys for found in _differences(one.get(key), other.get(key), f"{name}.{key}".strip("."))]
