"""What a model is measured on: questions with gold SQL over databases, whatever form the corpus has on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sqale_assets.records import Difficulty
from sqale_assets.relational.model import Model


class CorpusError(ValueError):
    """The corpus cannot be read. Says which path, what was expected there and what was found."""


class Item(Model):
    """One question. `phrasings` maps a style to its text.

    Where the corpus tells: `domain` is what the database is about, `discrimination` the share of the gold query's parts
    that its data tells apart from a query without them.
    """

    question_id: str
    database_id: str
    phrasings: dict[str, str]
    sql: str
    difficulty: Difficulty | None = None
    domain: str | None = None
    discrimination: float | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """A split of a corpus, opened.

    Attributes:
        form: which adapter read it, e.g. "bird".
        database: the SQLite file of a database id, made on first use where the corpus holds rows instead of files.
            Raises CorpusError when there is none.
        remarks: what is odd about the corpus as a whole, for the report.
    """

    name: str
    form: str
    split: str
    items: tuple[Item, ...]
    database: Callable[[str], Path]
    remarks: tuple[str, ...] = ()


def rank(seed: int, *parts: str) -> str:
    """A place in a random order that depends on the seed and on nothing else that is in the corpus."""
    return sha256("\x1f".join((str(seed), *parts)).encode()).hexdigest()


def sample(items: Sequence[Item], count: int, *, seed: int = 0, databases: int | None = None) -> list[Item]:
    """`count` items in random order, from so many `databases` only. A larger sample begins with the smaller one."""
    if databases is not None:
        found = sorted({item.database_id for item in items}, key=lambda name: rank(seed, "database", name))
        kept = set(found[:databases])
        items = [item for item in items if item.database_id in kept]
    return sorted(items, key=lambda item: rank(seed, item.database_id, item.question_id))[:count]
