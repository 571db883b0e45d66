"""What can be found out about a sample before a model is asked: does its database open, does its gold query run?

A question that cannot be asked becomes a `Problem`; the others are made ready, with the gold's result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqale_assets.evaluation.behaviour import GoldNeeds, needs
from sqale_assets.evaluation.items import Corpus, CorpusError, Item
from sqale_assets.evaluation.records import Problem
from sqale_assets.evaluation.scoring import SCORING, Gold, gold_of
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError


@dataclass(frozen=True, slots=True)
class Ready:
    """A question that can be asked. `path` is the whole database, `schema` its tables."""

    item: Item
    question: str
    path: Path
    schema: Schema
    gold: Gold
    needs: GoldNeeds


class NotReady(Exception):
    """A question that cannot be asked: a code for counting, and what was seen."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


def prepare(
    corpus: Corpus, items: Iterable[Item], style: str, *, progress: Callable[[], None] = lambda: None
) -> tuple[list[Ready], list[Problem]]:
    """Make `items` ready, in their order, and say what keeps the others from it."""
    ready: list[Ready] = []
    problems: list[Problem] = []
    schemas: dict[str, Schema] = {}
    for item in items:
        try:
            ready.append(_ready(corpus, item, style, schemas))
        except NotReady as problem:
            problems.append(
                Problem(
                    question_id=item.question_id,
                    database_id=item.database_id,
                    reason=problem.reason,
                    detail=problem.detail[:500],
                )
            )
        progress()
    return ready, problems


def _ready(corpus: Corpus, item: Item, style: str, schemas: dict[str, Schema]) -> Ready:
    question = item.phrasings.get(style)
    if not question:
        raise NotReady("no_phrasing", f"there is no usable {style!r}; there are {', '.join(sorted(item.phrasings))}")
    with _opened(corpus, item.database_id) as (path, database):
        if item.database_id not in schemas:
            schemas[item.database_id] = database.schema
        try:
            gold = gold_of(item.sql, database)
        except QueryError as error:
            raise NotReady("gold_fails", f"{error.kind}: {error.message}") from None
    if gold.result.truncated:
        raise NotReady("gold_too_large", f"the gold query returns more than {SCORING.rows:,} rows")
    schema = schemas[item.database_id]
    return Ready(item, question, path, schema, gold, needs(item.sql, schema))


@contextmanager
def _opened(corpus: Corpus, database_id: str) -> Iterator[tuple[Path, Database]]:
    try:
        path = corpus.database(database_id)
    except CorpusError as error:
        raise NotReady("no_database", str(error)) from None
    try:
        database = Database.open(path, limits=SCORING)
    except QueryError as error:
        raise NotReady("unreadable_database", error.message) from None
    with database:
        yield path, database
