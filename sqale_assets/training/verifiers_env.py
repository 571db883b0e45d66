"""The environment for verifiers: it is the user of the conversation, answers calls, and pays at the end.

`sqale export --format verifiers` writes the module that a run names; it needs verifiers beside this package.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import verifiers.v1 as vf

from sqale_assets.training.environment import Databases, EpisodeSettings, SqlEnvironment
from sqale_assets.training.exports import EPISODE, TASKS
from sqale_assets.training.tasks import TrainingTask


class SqlTaskData(vf.TaskData):
    """`folder` holds the task's database; `task` is a `TrainingTask`."""

    folder: str
    task: dict[str, Any]


class SqlTask(vf.Task[SqlTaskData, vf.State, vf.TaskConfig]):
    """A question over a database."""

    @property
    def training_task(self) -> TrainingTask:
        task = TrainingTask.model_validate(self.data.task)
        return task.model_copy(update={"database": Path(self.data.folder) / task.database})


class TasksInFolder(vf.Taskset[SqlTask, vf.TasksetConfig]):
    """The tasks of a folder that was exported."""

    folder: ClassVar[Path]

    def load(self) -> Iterator[SqlTask]:
        with (self.folder / TASKS).open(encoding="utf-8") as file:
            for line in file:
                yield SqlTask(SqlTaskData(folder=str(self.folder), **json.loads(line)), self.config.task)


class SqlEnvConfig(vf.EnvConfig):
    """The model has no tools but the episode's, which it calls in its replies."""

    solver: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class SqlEnv(vf.Env[SqlEnvConfig]):
    """Plays an episode and records its reward and figures."""

    async def run(self, task: SqlTask, agents: Any) -> None:
        environment = SqlEnvironment(_databases(task.data.folder))
        await asyncio.to_thread(environment.reset, task.training_task)
        async with agents.solver.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                step = await asyncio.to_thread(environment.step, segment.last_reply)
                if step.observation is None:
                    break
                segment = await interaction.turn(step.observation)
        if not environment.done:
            environment.cut_off()
        trace, figures = interaction.trace, environment.figures
        trace.record_reward("answer", environment.outcome.value if environment.outcome else 0.0, 1.0)
        trace.record_metrics({"correct": float(figures.tier == "correct"), "tool_calls": float(figures.tool_calls)})


@lru_cache(maxsize=8)
def _databases(folder: str) -> Databases:
    """One pool of connections per folder and process."""
    episode = EpisodeSettings.model_validate_json((Path(folder) / EPISODE).read_bytes())
    return Databases(Path(folder) / "instances", episode)
