"""What an evaluation keeps: which run it was, one record per episode, and what was wrong with the corpus."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from sqale_assets.evaluation.behaviour import Behaviour
from sqale_assets.evaluation.scoring import Outcome
from sqale_assets.records import Difficulty
from sqale_assets.relational.model import Model, Row
from sqale_assets.sqlenv.environment import EndedBy


class Run(Model):
    """Everything that decides what an episode is like, apart from its question and the tables it meets.

    `protocol` names bounds and sampling; `parameters` are the model's in billions, None where not known.
    """

    model: str
    corpus: str
    form: str
    split: str
    style: str
    seed: int
    prompt: str
    protocol: dict[str, Any]
    parameters: float | None = None

    @property
    def fingerprint(self) -> str:
        """Twelve digits that differ between runs whose episodes must not be mixed."""
        decisive = self.model_dump(mode="json", exclude={"parameters"})
        return sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]


class Table(Model):
    """The first rows of a result, for a reader. `count` is the number of all."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    count: int


class EpisodeRecord(Model):
    """One question put to the model under one condition, and what became of it.

    Attributes:
        condition: how much of the database there was: "gold", "+32", "full".
        schema_tables: tables in the database that the model met.
        gold_tables: tables that the gold query needs; None where they cannot be told.
        bird: correct by BIRD's rule; `correct` is by ours.
        difference: in what a wrong result differs, or the kind of error of one that fails.
        tokens_in, tokens_out: summed over the calls, each of which reads the whole conversation again.
        context_tokens: prompt and replies of the longest call: what is read when nothing is read twice.
        seconds: from the first call to the score, and `model_seconds` of it from asking to reply.
    """

    question_id: str
    database_id: str
    condition: str
    question: str
    gold_sql: str
    difficulty: Difficulty | None
    domain: str | None
    schema_tables: int
    gold_tables: tuple[str, ...] | None
    sql: str | None
    ended_by: EndedBy
    outcome: Outcome
    bird: bool
    difference: str
    both_empty: bool
    behaviour: Behaviour
    calls: int
    tokens_in: int
    tokens_out: int
    context_tokens: int
    cost: float
    seconds: float
    model_seconds: float
    gold_result: Table
    result: Table | None
    transcript: tuple[dict[str, Any], ...]

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells the episodes of a run apart."""
        return self.condition, self.database_id, self.question_id

    @property
    def opened_all(self) -> bool | None:
        """Whether the model opened every gold table; None where these cannot be told."""
        if self.gold_tables is None:
            return None
        return {name.lower() for name in self.gold_tables} <= set(self.behaviour.opened)


class Problem(Model):
    """A sampled question that cannot be asked, and why: it is reported and counted, never skipped in silence."""

    question_id: str
    database_id: str
    reason: str
    detail: str
