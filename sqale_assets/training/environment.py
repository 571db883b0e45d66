"""The environment of reinforcement learning: reset, step, reward, done, over the episode that evaluation runs.

An environment holds one episode; hundreds may run at once, in one thread or many, over the same databases. `Databases`
lends them connections and keeps what is dear to make: instances and the gold's answers. What an episode says and pays
depends on the task and the replies alone: queries are stopped by counted work, not by the clock.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import NonNegativeInt, PositiveInt

from sqale_assets.llm.task import Message
from sqale_assets.relational.model import Model
from sqale_assets.sqlenv.database import Database, Limits
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.training.instances import make_instance
from sqale_assets.training.reward import SCALE, Reference, Reward, RewardScale, reference_of, reward
from sqale_assets.training.tasks import TrainingTask, opening

T = TypeVar("T")

#: Bytes of a database above which no instances of it are made.
LARGEST_COPIED = 64_000_000


class EpisodeSettings(Model):
    """The protocol's bounds (seed, "The models"), and what the reward asks for.

    Attributes:
        tokens: prompt, replies and tool answers of one episode together.
        turn_tokens: one reply at most.
        query_steps: work of one query, in steps of SQLite's machine; 100 million take about five seconds.
        instances: further instances of each database on which an answer must be right too.
        prompts: folder of another prompt than the one that models are measured with.
    """

    tool_turns: PositiveInt = 6
    failed_queries: PositiveInt = 4
    tokens: PositiveInt = 12_288
    turn_tokens: PositiveInt = 2_048
    query_steps: PositiveInt = 100_000_000
    instances: NonNegativeInt = 3
    prompts: Path | None = None

    @property
    def limits(self) -> Limits:
        # The clock is only there for what the machine's steps do not count.
        return Limits(seconds=120.0, steps=self.query_steps)


PROTOCOL = EpisodeSettings()


class Databases:
    """The databases of a training run, shared by its environments and safe for any number of threads.

    Args:
        workspace: where instances of databases are kept.
        kept: idle connections, and gold answers, that are kept for the next who asks.
    """

    def __init__(self, workspace: Path, settings: EpisodeSettings = PROTOCOL, *, kept: int = 256):
        self.workspace, self.settings, self.kept = workspace, settings, kept
        self._lock = threading.Lock()
        self._idle: list[tuple[Path, Database]] = []
        self._references: OrderedDict[str, Reference] = OrderedDict()
        self._making: defaultdict[Path | str, threading.Lock] = defaultdict(threading.Lock)
        self._unchangeable: set[Path] = set()

    @contextmanager
    def borrow(self, path: Path) -> Iterator[Database]:
        """A connection to the SQLite file at `path` for one thread. Raises QueryError when it cannot be opened."""
        with self._lock:
            at = next((at for at, (name, _) in enumerate(self._idle) if name == path), None)
            database = None if at is None else self._idle.pop(at)[1]
        database = database or Database.open(path, limits=self.settings.limits)
        try:
            yield database
        finally:
            self._give_back(path, database)

    def instances(self, path: Path) -> list[Path]:
        """The further instances of a database; none of one that is too large, or that SQLite cannot change.

        A file that is there already is used, such as a population of other seeds; others are made when first asked for.
        """
        targets = [self.workspace / f"{path.stem}.{number + 1}.sqlite" for number in range(self.settings.instances)]
        with self._making_of(path):
            if path in self._unchangeable or path.stat().st_size > LARGEST_COPIED:
                return []
            try:
                for seed, target in enumerate(targets, start=1):
                    if not target.exists():
                        make_instance(path, target, seed=seed)
            except sqlite3.Error:
                self._unchangeable.add(path)
                return []
        return targets

    def reference(self, task: TrainingTask) -> Reference:
        """The gold's answers, from the last that were asked for. Raises NoReference where no reward can hang on it."""
        with self._making_of(task.task_id):
            with self._lock:
                if task.task_id in self._references:
                    self._references.move_to_end(task.task_id)
                    return self._references[task.task_id]
            found = self._with_instances(
                task.database, lambda database, instances: reference_of(task.sql, database, instances)
            )
            with self._lock:
                self._references[task.task_id] = found
                while len(self._references) > self.kept:
                    self._references.popitem(last=False)
            return found

    def reward(self, sql: str | None, task: TrainingTask, scale: RewardScale) -> Reward:
        """The reward of an answer to a task."""
        reference = self.reference(task)
        return self._with_instances(
            task.database, lambda database, instances: reward(sql, reference, database, instances, scale)
        )

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            for _, database in self._idle:
                database.close()
            self._idle.clear()

    def __enter__(self) -> Databases:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_instances(self, path: Path, use: Callable[[Database, list[Database]], T]) -> T:
        paths = self.instances(path)
        with ExitStack() as stack:
            database = stack.enter_context(self.borrow(path))
            return use(database, [stack.enter_context(self.borrow(each)) for each in paths])

    def _making_of(self, key: Path | str) -> threading.Lock:
        with self._lock:
            return self._making[key]

    def _give_back(self, path: Path, database: Database) -> None:
        with self._lock:
            self._idle.append((path, database))
            while len(self._idle) > self.kept:
                self._idle.pop(0)[1].close()


class Step(NamedTuple):
    """What a reply led to. `observation` is the next user message, None when the episode is over.

    The reward comes with the last step; before that it is 0.
    """

    observation: str | None
    reward: float
    done: bool


class Figures(NamedTuple):
    """An ended episode in figures, as training is watched by (seed, Figure 7)."""

    tier: str
    why: str
    ended_by: str
    rounds: int
    tool_calls: int
    failed_calls: int


class SqlEnvironment:
    """One episode at a time: `reset` it with a task, `step` it with replies until it is done."""

    def __init__(self, databases: Databases, scale: RewardScale = SCALE):
        self.databases, self.scale = databases, scale
        self.task: TrainingTask | None = None
        self.outcome: Reward | None = None
        self._episode: Episode | None = None

    def reset(self, task: TrainingTask) -> list[Message]:
        """Begin an episode. Returns its first messages.

        Raises:
            NoReference: no reward can hang on the task's gold query; selection leaves such tasks out.
        """
        settings = self.databases.settings
        self.databases.reference(task)
        self.task, self.outcome = task, None
        with self.databases.borrow(task.database) as database:
            self._episode = Episode(database, settings.tool_turns, settings.failed_queries, submission_ends=True)
        return opening(task.question, settings.tool_turns, settings.prompts)

    def step(self, reply: str) -> Step:
        """Take the model's reply."""
        episode, task = self._running()
        with self.databases.borrow(task.database) as database:
            episode.database = database
            observation = episode.step(reply)
        return self._after(observation)

    def cut_off(self) -> Step:
        """End the episode because its tokens are used up; what counts is the last query that ran."""
        self._running()[0].cut_off("token_limit")
        return self._after(None)

    @property
    def done(self) -> bool:
        return self.outcome is not None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation after the first messages."""
        return list(self._episode.transcript) if self._episode else []

    @property
    def figures(self) -> Figures:
        """The figures of an episode that is done."""
        if self.outcome is None or self._episode is None:
            raise RuntimeError("the episode is not over")
        replies = sum(message["role"] == "assistant" for message in self._episode.transcript)
        failed = sum(done.answer.failed for done in self._episode.done)
        return Figures(
            self.outcome.tier, self.outcome.why, str(self._episode.ended_by), replies, len(self._episode.done), failed
        )

    def _running(self) -> tuple[Episode, TrainingTask]:
        if self._episode is None or self.task is None or self.done:
            raise RuntimeError("reset the environment with a task first")
        return self._episode, self.task

    def _after(self, observation: str | None) -> Step:
        episode, task = self._running()
        if not episode.ended_by:
            return Step(observation, 0.0, False)
        self.outcome = self.databases.reward(episode.sql, task, self.scale)
        return Step(None, self.outcome.value, True)
