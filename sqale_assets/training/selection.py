"""Which questions are trained on: filters, mixes and the guard that keeps held-out schemas out.

A task is kept when a reward can hang on it and, as a rule, when its answer cannot be copied (`TrainingTask.telling`).
Everything that is left out is counted under a reason.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from pydantic import Field, PositiveInt

from sqale_assets.evaluation.behaviour import needs
from sqale_assets.evaluation.items import Corpus, CorpusError, Item, rank
from sqale_assets.records import Difficulty
from sqale_assets.relational.clusters import is_near, names
from sqale_assets.relational.model import Model, Schema
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.tools import ANSWER_CHARACTERS
from sqale_assets.training.environment import PROTOCOL, Databases, EpisodeSettings
from sqale_assets.training.reward import NoReference
from sqale_assets.training.selection_statistics import SelectionStatistics, describe
from sqale_assets.training.tasks import TrainingTask, opening

#: What JSON and SQL take on the tokenizers of small models.
CHARACTERS_PER_TOKEN = 3

#: A closed range, open at an end that is None.
Bounds = tuple[int | None, int | None]
_ANY: Bounds = (None, None)


class Criteria(Model):
    """What is taken from a corpus.

    Attributes:
        count: tasks at most; None takes all that pass.
        difficulties: share of each difficulty among `count`; a difficulty that is not named is not taken.
        styles: weight of each phrasing; a question is asked in one of those that it has. Empty: the first it has.
        tables: tables that the gold query reads.
        schema_tables: tables in the database.
        per_database: tasks of one database at most.
        least_discrimination: the least share of the gold query's parts that the data tells apart. Questions of corpora
            that do not publish it pass.
        copyable: take questions too whose answer is the same on every instance of the database.
    """

    count: PositiveInt | None = None
    difficulties: dict[Difficulty, float] = Field(default_factory=dict)
    styles: dict[str, float] = Field(default_factory=dict)
    tables: Bounds = _ANY
    schema_tables: Bounds = _ANY
    per_database: PositiveInt | None = None
    least_discrimination: float = 0.0
    copyable: bool = False


class HeldOut:
    """The schemas that must not be trained on: those of the held-out corpora, and all that are near one of them."""

    def __init__(self, corpora: Iterable[Corpus]):
        self.near: set[str] = set()
        self._ids: set[str] = set()
        self._features: list[frozenset[str]] = []
        for corpus in corpora:
            for name in sorted({item.database_id for item in corpus.items}):
                self._ids.add(name)
                self._features.append(names(_schema(corpus, name)))

    def __len__(self) -> int:
        return len(self._ids)

    def holds(self, database_id: str, schema: Schema) -> bool:
        """Whether a database is held out, or resembles one that is."""
        if database_id in self._ids:
            return True
        features = names(schema)
        if any(is_near(features, each) for each in self._features):
            self.near.add(database_id)
            return True
        return False


def select(
    corpus: Corpus,
    criteria: Criteria,
    databases: Databases,
    *,
    held_out: HeldOut,
    seed: int,
) -> tuple[list[TrainingTask], SelectionStatistics]:
    """The tasks of a corpus that pass, in random order, and their statistics. Same seed, same tasks.

    Raises:
        CorpusError: a held-out schema is not to be read, so that nothing could be said about leaks.
    """
    ordered = sorted(corpus.items, key=lambda item: rank(seed, item.database_id, item.question_id))
    chosen = _Choice(corpus, criteria, databases, held_out, seed)
    tasks: list[TrainingTask] = []
    looked_at = 0
    for item in ordered:
        if criteria.count is not None and len(tasks) >= criteria.count:
            break
        looked_at += 1
        try:
            tasks.append(chosen.task(item))
        except _LeftOut as reason:
            chosen.dropped[str(reason)] += 1
    return tasks, describe(
        corpus,
        tasks,
        dropped=chosen.dropped,
        not_needed=len(ordered) - looked_at,
        held_out=len(held_out),
        near_held_out=held_out.near,
    )


def expected_tokens(
    question: str, sql: str, schema: Schema, tables: Sequence[str], episode: EpisodeSettings = PROTOCOL
) -> int:
    """The length of a direct episode: list the tables, describe those that the gold reads, run the query, submit it."""
    prompt = sum(len(message["content"]) for message in opening(question, episode.tool_turns, episode.prompts))
    listed = sum(len(table.name) + 8 for table in schema.tables)
    described = [schema.table(name) for name in tables]
    answers = [min(listed, 2 * ANSWER_CHARACTERS)]
    answers += [
        min(sum(len(column.name) + len(column.declared_type or "") + 22 for column in table.columns), ANSWER_CHARACTERS)
        for table in described
        if table is not None
    ]
    written = 2 * len(sql) + 60 * (3 + len(answers))
    return (prompt + sum(answers) + written) // CHARACTERS_PER_TOKEN


class _LeftOut(Exception):
    """A question that is not taken; the text is the reason's code."""


class _Choice:
    """What has been taken so far, and whether the next question is taken too: the cheap questions first."""

    def __init__(
        self,
        corpus: Corpus,
        criteria: Criteria,
        databases: Databases,
        held_out: HeldOut,
        seed: int,
    ):
        self.corpus, self.criteria, self.databases, self.held_out = corpus, criteria, databases, held_out
        self.seed = seed
        self.dropped: Counter[str] = Counter()
        self._of_database: Counter[str] = Counter()
        self._of_difficulty: Counter[str] = Counter()
        self._schemas: dict[str, Schema | str] = {}

    def task(self, item: Item) -> TrainingTask:
        """The task of a question. Raises _LeftOut."""
        criteria = self.criteria
        self._check_difficulty(item.difficulty)
        if criteria.per_database is not None and self._of_database[item.database_id] >= criteria.per_database:
            raise _LeftOut("enough_of_the_database")
        score = item.discrimination
        if score is not None and score < criteria.least_discrimination:
            raise _LeftOut("weak_discrimination")
        style = self._style(item)
        schema = self._schema(item.database_id)
        if not _within(len(schema.tables), criteria.schema_tables):
            raise _LeftOut("schema_size")
        tables = needs(item.sql, schema).tables
        if tables is None:
            raise _LeftOut("gold_not_read")
        if not _within(len(tables), criteria.tables):
            raise _LeftOut("tables")
        question = item.phrasings[style]
        task = TrainingTask(
            question_id=item.question_id,
            database_id=item.database_id,
            database=self.corpus.database(item.database_id),
            question=question,
            style=style,
            sql=item.sql,
            difficulty=item.difficulty,
            tables=len(tables),
            schema_tables=len(schema.tables),
            tokens=expected_tokens(question, item.sql, schema, tables, self.databases.settings),
            discrimination=score,
        )
        if task.tokens > self.databases.settings.tokens:
            raise _LeftOut("too_long")
        try:
            telling = self.databases.reference(task).telling
        except NoReference as reason:
            raise _LeftOut(reason.reason) from None
        if not telling and not criteria.copyable:
            raise _LeftOut("copyable")
        self._of_database[item.database_id] += 1
        self._of_difficulty[str(item.difficulty)] += 1
        return task.model_copy(update={"telling": telling})

    def _check_difficulty(self, difficulty: Difficulty | None) -> None:
        shares = self.criteria.difficulties
        if not shares:
            return
        if difficulty is None or not shares.get(difficulty):
            raise _LeftOut("difficulty")
        if self.criteria.count is not None:
            room = ceil(self.criteria.count * shares[difficulty] / sum(shares.values()))
            if self._of_difficulty[difficulty] >= room:
                raise _LeftOut("enough_of_the_difficulty")

    def _style(self, item: Item) -> str:
        weights = self.criteria.styles
        usable = [style for style in item.phrasings if not weights or weights.get(style)]
        if not usable:
            raise _LeftOut("no_phrasing")
        if not weights:
            return usable[0]
        rng = random.Random(rank(self.seed, "style", item.database_id, item.question_id))
        return rng.choices(usable, [weights[style] for style in usable])[0]

    def _schema(self, database_id: str) -> Schema:
        if database_id not in self._schemas:
            self._schemas[database_id] = self._look_at(database_id)
        found = self._schemas[database_id]
        if isinstance(found, str):
            raise _LeftOut(found)
        return found

    def _look_at(self, database_id: str) -> Schema | str:
        """The schema of a database, or why it is not trained on."""
        try:
            schema = _schema(self.corpus, database_id)
        except CorpusError:
            return "no_database"
        return "held_out" if self.held_out.holds(database_id, schema) else schema


def _schema(corpus: Corpus, database_id: str) -> Schema:
    """Raises CorpusError."""
    try:
        with Database.open(corpus.database(database_id)) as database:
            return database.schema
    except QueryError as error:
        raise CorpusError(error.message) from None


def _within(value: int, bounds: Bounds) -> bool:
    least, most = bounds
    return (least is None or value >= least) and (most is None or value <= most)
