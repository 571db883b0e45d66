"""What is trained on: one question in one phrasing with its gold query, and what selection and curriculum look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from sqale_assets.files import write_whole
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.llm.task import Message
from sqale_assets.records import Difficulty
from sqale_assets.relational.model import Model
from sqale_assets.stages.answer_turns import AnswerQuestion


class TrainingTask(Model):
    """One episode's task.

    Attributes:
        database: path of the SQLite file that the model explores.
        tables: tables that the gold query reads.
        schema_tables: tables in the database.
        tokens: expected length of a direct episode; see `selection.expected_tokens`.
        discrimination: share of the gold query's parts that the data tells apart, where the corpus publishes it.
        telling: whether the gold's answer differs on an instance of the database, so that it cannot be copied.
    """

    question_id: str
    database_id: str
    database: Path
    question: str
    style: str
    sql: str
    difficulty: Difficulty | None = None
    tables: int
    schema_tables: int
    tokens: int
    discrimination: float | None = None
    telling: bool = False

    @property
    def task_id(self) -> str:
        """Tells the tasks of a selection apart: the same question may come in several phrasings."""
        return f"{self.database_id}/{self.question_id}/{self.style}"


def opening(question: str, tool_turns: int, prompts: Path | None = None) -> list[Message]:
    """The messages of an episode before the first reply: the prompt that gold is made and models are measured with.

    Args:
        prompts: a folder with another prompt file than the settings'.
    """
    return [dict(each) for each in _opening(question, tool_turns, prompts)]


@lru_cache(maxsize=4096)
def _opening(question: str, tool_turns: int, prompts: Path | None) -> tuple[Message, ...]:
    task = AnswerQuestion(question=question, tool_turns=tool_turns)
    return tuple(load_prompt(AnswerQuestion.prompt, prompts).render(task))


def write_tasks(path: Path, tasks: Iterable[TrainingTask]) -> None:
    """Write tasks as JSON lines, all or nothing. Databases below the file's folder are named relative to it."""
    lines = (_relative(task, path.parent).model_dump_json() for task in tasks)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_tasks(path: Path) -> list[TrainingTask]:
    """The tasks that `write_tasks` wrote.

    Raises:
        ValueError: not such a file; says which line.
    """
    return list(_read(path))


def _read(path: Path) -> Iterator[TrainingTask]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                task = TrainingTask.model_validate_json(line)
            except ValidationError as error:
                raise ValueError(f"{path}, line {number}: not a training task ({error.errors()[0]['msg']})") from None
            yield task.model_copy(update={"database": path.parent / task.database})


def _relative(task: TrainingTask, folder: Path) -> TrainingTask:
    database = task.database.resolve()
    inside = database.is_relative_to(folder.resolve())
    return task.model_copy(update={"database": database.relative_to(folder.resolve()) if inside else database})
