"""The reward of an answer: tiered as the seed says, and not to be had without answering the question.

    correct    1.0   the gold's result, on the database that the model explored and on instances of it that it never saw
    executes   0.1   runs within the limits and reads a table
    parses     0.05  one SELECT statement that does not run, or that reads no table
    nothing    0.0   no answer, not one SELECT statement, or something that the executor refuses

Results are equal by `sqlenv.compare`: rows are a multiset, in order where the gold orders. Some things are never
correct, whatever they return: what equals an empty gold (such a gold is no reference at all), what reads no table,
and what asks the clock or draws random numbers. The seed gives the tiers, not their values; the ones above are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

from pydantic import model_validator

from sqale_assets.evaluation.scoring import Gold, gold_of, score
from sqale_assets.relational.model import Model
from sqale_assets.sqlenv.compare import compare
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.determinism import unstable_parts, unstable_run
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.sqlfacts import NotASelect, sql_facts

Tier = Literal["correct", "executes", "parses", "nothing"]

#: Kinds of error of what should not have been tried: they pay nothing, even where the text is a SELECT.
_REFUSED = frozenset({"refused", "several_statements", "empty"})
#: Reasons of `unstable_parts` for which an answer that is right now may be wrong later.
_TIME_BOMBS = frozenset({"current_time", "random", "engine_state"})


class RewardScale(Model):
    """What each tier pays. Partial credit stays below half of a correct answer."""

    correct: float = 1.0
    executes: float = 0.1
    parses: float = 0.05
    nothing: float = 0.0

    @model_validator(mode="after")
    def _tiers(self) -> Self:
        if not self.nothing <= self.parses <= self.executes < self.correct / 2:
            raise ValueError("the tiers must rise: nothing <= parses <= executes < half of correct")
        return self


SCALE = RewardScale()


class Reward(NamedTuple):
    """What an answer got and why: the difference from the gold, the kind of error, or the rule that it broke."""

    value: float
    tier: Tier
    why: str = ""


class NoReference(ValueError):
    """A gold query that no reward can hang on. `reason` is a short code for counting."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class Reference(NamedTuple):
    """A gold query's answer on the database that the model explores, and on further instances: position -> answer.

    `instances` holds those on which the answer can be compared. `telling` is whether it differs on one of them, so that
    an answer written from the result cannot be taken for the query.
    """

    gold: Gold
    instances: tuple[tuple[int, Gold], ...] = ()

    @property
    def telling(self) -> bool:
        mine = self.gold.result
        return any(not compare(mine, gold.result, ordered=False).equal for _, gold in self.instances)


def reference_of(sql: str, database: Database, instances: Sequence[Database] = ()) -> Reference:
    """Run a gold query.

    Raises:
        NoReference: it fails, or its result is empty, all NULL or too large: anything could equal it, or nothing.
    """
    try:
        gold = gold_of(sql, database)
    except QueryError as error:
        raise NoReference("gold_fails", error.message) from None
    if reason := _unusable(gold):
        raise NoReference(reason, sql)
    numbered = ((number, _on_instance(sql, instance)) for number, instance in enumerate(instances))
    return Reference(gold, tuple((number, found) for number, found in numbered if found))


def reward(
    sql: str | None,
    reference: Reference,
    database: Database,
    instances: Sequence[Database] = (),
    scale: RewardScale = SCALE,
) -> Reward:
    """The reward of an answer. `database` and `instances` are those that `reference` was made on."""
    if sql is None or not sql.strip():
        return Reward(scale.nothing, "nothing", "no_answer")
    try:
        tables: tuple[str, ...] | None = sql_facts(sql).tables
        unstable = {part.reason for part in unstable_parts(sql, database.schema)}
    except NotASelect:
        tables, unstable = None, set()
    found = score(sql, reference.gold, database)
    if found.outcome == "fails":
        parses = tables is not None and found.difference not in _REFUSED
        tier: Tier = "parses" if parses else "nothing"
        return Reward(getattr(scale, tier), tier, found.difference)
    if tables is not None and not tables:
        return Reward(scale.parses, "parses", "reads_no_table")
    if not found.correct and tables is None:  # such as EXPLAIN or VALUES
        return Reward(scale.nothing, "nothing", "not_a_select")
    if not found.correct:
        return Reward(scale.executes, "executes", found.difference)
    if bombs := sorted(unstable & _TIME_BOMBS):
        return Reward(scale.executes, "executes", bombs[0])
    for number, gold in reference.instances:
        if not score(sql, gold, instances[number]).correct:
            return Reward(scale.executes, "executes", "correct_by_accident")
    return Reward(scale.correct, "correct")


def _unusable(gold: Gold) -> str | None:
    result = gold.result
    if result.truncated:
        return "gold_too_large"
    if not result.rows:
        return "gold_empty"
    return "gold_only_nulls" if all(cell is None for row in result.rows for cell in row) else None


def _on_instance(sql: str, instance: Database) -> Gold | None:
    """The gold's answer there; None where it proves nothing or could as well have been another one."""
    try:
        gold = gold_of(sql, instance)
        if _unusable(gold) or unstable_run(sql, instance, gold.result):
            return None
    except (QueryError, NotASelect):
        return None
    return gold
