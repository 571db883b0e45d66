"""Whether a prediction is right: by our comparison, and beside it by BIRD's rule, for comparability.

Evaluation and training score with these functions. Both queries run in `sqlenv`, under limits wide enough for the gold
queries of BIRD; nothing that a prediction says can touch a database.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqale_assets.sqlenv.compare import Difference, compare
from sqale_assets.sqlenv.database import Database, Limits, QueryResult
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.sqlfacts import NotASelect, sql_facts
from sqale_assets.sqlenv.ties import ties_of

#: BIRD gives a query 30 seconds; some of its gold queries return tens of thousands of rows.
SCORING = Limits(seconds=30.0, rows=200_000, result_bytes=200_000_000)

Outcome = Literal["correct", "wrong_result", "fails", "nothing"]


class Gold(NamedTuple):
    """A gold query with its result on the whole database, and where rows tie in its order."""

    sql: str
    result: QueryResult
    ordered: bool
    ties: tuple[int, ...] | None


class Score(NamedTuple):
    """What became of a prediction.

    Attributes:
        outcome: `fails`: it does not run; `nothing`: there is none.
        bird: whether BIRD's rule calls it correct: the set of rows is the same.
        difference: in what the result differs from the gold's; for `fails`, the kind of error.
        both_empty: right, but both results are empty, which proves little.
    """

    outcome: Outcome
    bird: bool = False
    difference: Difference | str = ""
    both_empty: bool = False
    result: QueryResult | None = None

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"


def gold_of(sql: str, database: Database) -> Gold:
    """Run a gold query on its database.

    Raises:
        QueryError: it does not run.
    """
    result = database.execute(sql)
    try:
        ordered = sql_facts(sql).ordered
    except NotASelect:
        ordered = False
    return Gold(sql, result, ordered, ties_of(sql, result, database) if ordered else None)


def score(sql: str | None, gold: Gold, database: Database) -> Score:
    """Score a prediction by running it on `database`, the one that the model met."""
    if sql is None or not sql.strip():
        return Score("nothing")
    try:
        result = database.execute(sql)
    except QueryError as error:
        return Score("fails", difference=error.kind)
    bird = same_set(gold.result, result)
    found = compare(gold.result, result, ordered=gold.ordered, ties=gold.ties)
    if found.equal:
        return Score("correct", bird, both_empty=found.both_empty, result=result)
    return Score("wrong_result", bird, found.difference, result=result)


def same_set(gold: QueryResult, predicted: QueryResult) -> bool:
    """BIRD's rule: the rows are the same set. Order and repetitions do not matter, the order of columns does."""
    return not (gold.truncated or predicted.truncated) and set(gold.rows) == set(predicted.rows)
