"""One set of tasks in the formats of other trainers, each in a folder that holds its databases too.

    trl         train.jsonl: `prompt` as messages, the task beside it; played by `rollout_func`, as our trainer does
    verifiers   sqale.py: a taskset and the environment, ours, which plays the user; train.jsonl
    skyrl       train.parquet in the form of SkyRL-SQL, for SkyRL-Gym's own `text2sql`; databases in its layout
    nemo-gym    train.jsonl in the form of NeMo Gym's own `bird_sql` resources server; databases in its layout

The first two are rewarded by `training.reward`. The last two have their libraries' environments and rewards: a set of
rows of one database, `SELECT` or not, which can be had by copying an answer. The schema is shown where theirs needs it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqale_assets.files import write_whole
from sqale_assets.training.environment import PROTOCOL, EpisodeSettings
from sqale_assets.training.tasks import TrainingTask, opening

TASKS, EPISODE, PARQUET = "train.jsonl", "episode.json", "train.parquet"
#: Where SkyRL-Gym's `text2sql` and NeMo Gym's `bird_sql` look for a database.
SKYRL_DATABASES, NEMO_DATABASES = "SynSQL-2.5M/databases/{0}/{0}.sqlite", "dev_20240627/dev_databases/{0}/{0}.sqlite"

_SKYRL = """You answer a question about a SQLite database with one SQL query. You do not see the schema: look at it
with queries, such as SELECT name, sql FROM sqlite_master. You have {turns} turns.

In every turn first think between <think> and </think>. Then either write a query between <sql> and </sql>, whose
result comes back as an observation, or end with the answer between <solution> and </solution>."""
_NEMO = "You answer a question about a SQLite database with one SQL query. Write it between ```sql and ```."
_VERIFIERS = '''"""The tasks of this folder for verifiers: `--taskset.id sqale` with this folder on the module path."""

from pathlib import Path

from sqale_assets.training.verifiers_env import SqlEnv, TasksInFolder


class Sqale(TasksInFolder):
    folder = Path(__file__).parent


__all__ = ["Sqale", "SqlEnv"]
'''


def export(form: str, tasks: Sequence[TrainingTask], folder: Path, episode: EpisodeSettings = PROTOCOL) -> Path:
    """Write `tasks` into `folder` in one of `FORMATS`. Returns the file that the trainer is given.

    Raises:
        ValueError: no such format, or no task.
    """
    if form not in FORMATS:
        raise ValueError(f"no format {form!r}; there are {', '.join(FORMATS)}")
    if not tasks:
        raise ValueError("there is no task to export")
    return FORMATS[form](tasks, folder, episode)


def _trl(tasks: Sequence[TrainingTask], folder: Path, episode: EpisodeSettings) -> Path:
    placed = _with_databases(tasks, folder, "databases/{0}.sqlite")
    write_whole(folder / EPISODE, episode.model_dump_json(indent=1).encode())
    rows = ({"prompt": _opening(task, episode), "task": task.model_dump_json()} for task in placed)
    return _write_lines(folder / TASKS, rows)


def _verifiers(tasks: Sequence[TrainingTask], folder: Path, episode: EpisodeSettings) -> Path:
    placed = _with_databases(tasks, folder, "databases/{0}.sqlite")
    write_whole(folder / EPISODE, episode.model_dump_json(indent=1).encode())
    write_whole(folder / "sqale.py", _VERIFIERS.encode())

    def rows() -> Iterator[dict[str, Any]]:
        for task in placed:
            *before, user = _opening(task, episode)
            yield {
                "id": task.task_id,
                "name": task.question,
                "system_prompt": "\n\n".join(message["content"] for message in before),
                "prompt": user["content"],
                "task": task.model_dump(mode="json"),
            }

    return _write_lines(folder / TASKS, rows())


def _skyrl(tasks: Sequence[TrainingTask], folder: Path, episode: EpisodeSettings) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    turns = episode.tool_turns + 1  # theirs counts the answer as a turn
    rows = [
        {
            "data_source": "sqale",
            "prompt": [
                {"role": "system", "content": _SKYRL.format(turns=turns)},
                {"role": "user", "content": task.question},
            ],
            "env_class": "text2sql",
            "reward_spec": {"method": "rule", "ground_truth": task.sql},
            "db_id": task.database_id,
            "data": "synsql",  # by this their environment finds the layout of the databases
            "max_turns": turns,
            "extra_info": {"task_id": task.task_id, "difficulty": task.difficulty, "style": task.style},
        }
        for task in _with_databases(tasks, folder, SKYRL_DATABASES)
    ]
    path, partial = folder / PARQUET, folder / f".{PARQUET}.part"
    pq.write_table(pa.Table.from_pylist(rows), partial)
    partial.replace(path)
    return path


def _nemo_gym(tasks: Sequence[TrainingTask], folder: Path, episode: EpisodeSettings) -> Path:
    placed = _with_databases(tasks, folder, NEMO_DATABASES)
    schemas = {task.database_id: _create_statements(folder / task.database) for task in placed}
    rows = (
        {
            "responses_create_params": {
                "input": [
                    {"role": "system", "content": _NEMO},
                    {"role": "user", "content": f"{task.question}\n\nThe database:\n{schemas[task.database_id]}"},
                ]
            },
            "id": number,
            "question": task.question,
            "gt_sql": task.sql,
            "db_id": task.database_id,
            "difficulty": task.difficulty,
            "task_id": task.task_id,
        }
        for number, task in enumerate(placed)
    )
    return _write_lines(folder / TASKS, rows)


FORMATS: dict[str, Callable[[Sequence[TrainingTask], Path, EpisodeSettings], Path]] = {
    "trl": _trl,
    "verifiers": _verifiers,
    "skyrl": _skyrl,
    "nemo-gym": _nemo_gym,
}


def _opening(task: TrainingTask, episode: EpisodeSettings) -> list[dict[str, str]]:
    """The messages before the first reply, the question last."""
    return [dict(message) for message in opening(task.question, episode.tool_turns, episode.prompts)]


def _with_databases(tasks: Sequence[TrainingTask], folder: Path, layout: str) -> list[TrainingTask]:
    """The tasks with their databases copied into `folder`, and named relative to it."""
    files = {task.database_id: task.database for task in tasks}
    for name, file in files.items():
        place = folder / layout.format(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return [task.model_copy(update={"database": Path(layout.format(task.database_id))}) for task in tasks]


def _create_statements(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    return "\n".join(f"{sql};" for (sql,) in found)


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    write_whole(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    return path
