"""What a gold query must withstand before a judge looks at it.

`examine` runs the gates in order and stops at the first that fails, with a code for counting and evidence that tells
the writer what to mend. The codes: `not_a_select`, `fails`, `too_many_rows`, `no_rows`, `only_nulls`, `unstable_*`,
`foreign_table`, `constant_result`, `text_as_number`, `ungrounded_literal`, `copied_answer`, `unused_value`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.computing import shows_constants_only, text_as_number
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.determinism import unstable_run, unstable_text
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.grounding import Words, ungrounded, uses
from sqale_assets.sqlenv.joins import shortest_paths
from sqale_assets.sqlenv.sqlfacts import NotASelect, SqlFacts, sql_facts


class Failure(NamedTuple):
    """A gate that a query failed: a code, and what was seen."""

    reason: str
    evidence: str


class Examination(NamedTuple):
    """What the gates found. `facts` and `result` are there as far as the gates came; `failure` None means passed."""

    failure: Failure | None
    facts: SqlFacts | None = None
    result: QueryResult | None = None


def examine(
    sql: str,
    database: Database,
    *,
    question: str,
    relevant_tables: Iterable[str],
    known_literals: Iterable[str] = (),
    values: Iterable[str] = (),
) -> Examination:
    """Run every gate over `sql` as the answer to `question`.

    Args:
        relevant_tables: the subgraph that the question was asked over; tables on a shortest chain of foreign keys
            between two of them may be used as well.
        known_literals: literals of the question that were proven before.
        values: those that the data holds or that bound a column: the query must use each.
    """
    try:
        facts = sql_facts(sql)
    except NotASelect as error:
        return Examination(Failure("not_a_select", f"One SELECT statement is needed: {error}"))
    try:
        result = database.execute(sql)
    except QueryError as error:
        return Examination(Failure("fails", error.message), facts)
    words = Words(question, known_literals)
    failure = (
        _result(result)
        or _stable(sql, database, result)
        or _tables(facts, relevant_tables, database.schema)
        or _computing(sql, database)
        or _literals(facts, words, database)
        or _copied(facts, words, result)
        or _values(sql, values)
    )
    return Examination(failure, facts, result)


def _result(result: QueryResult) -> Failure | None:
    if result.truncated:
        return Failure("too_many_rows", f"The result has more than {len(result.rows):,} rows.")
    if not result.rows:
        return Failure("no_rows", "The query returns no rows. Look at the stored values that it filters on.")
    if all(cell is None for row in result.rows for cell in row):
        return Failure("only_nulls", "The query returns only NULLs.")
    return None


def _stable(sql: str, database: Database, result: QueryResult) -> Failure | None:
    unstable = unstable_text(sql, database.schema) or unstable_run(sql, database, result)
    return Failure(f"unstable_{unstable.reason}", unstable.evidence) if unstable else None


def _tables(facts: SqlFacts, relevant: Iterable[str], schema: Schema) -> Failure | None:
    if not facts.tables:
        return Failure("no_table", "The query reads no table.")
    allowed = {name.lower() for name in relevant}
    outside = [name for name in facts.tables if name.lower() not in allowed]
    if outside:
        allowed |= _between(sorted(allowed), schema)
        outside = [name for name in outside if name.lower() not in allowed]
    if not outside:
        return None
    return Failure("foreign_table", f"The question is not about these tables: {', '.join(outside)}.")


def _between(names: list[str], schema: Schema) -> set[str]:
    """Tables on shortest chains of foreign keys between any two of `names`, in lower case."""
    tables = [table.name for name in names if (table := schema.table(name))]
    return {
        name.lower()
        for at, start in enumerate(tables)
        for end in tables[at + 1 :]
        for path in shortest_paths(schema, start, end)
        for edge in path
        for name in (edge.from_table, edge.to_table)
    }


def _computing(sql: str, database: Database) -> Failure | None:
    if shows_constants_only(sql):
        return Failure("constant_result", "The result holds nothing of the data: select columns, or figures of them.")
    if wrong := text_as_number(sql, database):
        return Failure(
            "text_as_number",
            f"It computes with {wrong}; of a text SQLite only reads the leading digits. Dates become numbers with "
            "julianday(), or with strftime() and one part of them.",
        )
    return None


def _literals(facts: SqlFacts, words: Words, database: Database) -> Failure | None:
    constant = ungrounded(facts.literals, words, facts.tables, database)
    if constant is None:
        return None
    where = f" in {constant.table}.{constant.column}" if constant.table else ""
    return Failure("ungrounded_literal", f"{constant.value!r} is neither in the question nor stored{where}.")


def _copied(facts: SqlFacts, words: Words, result: QueryResult) -> Failure | None:
    """A query that looks for the value it returns, which the question does not name, was written from the answer."""
    if len(result.rows) != 1:
        return None
    answer = {str(cell).strip().lower() for cell in result.rows[0] if isinstance(cell, str)}
    for constant in facts.literals:
        value = constant.value
        if isinstance(value, str) and value.strip().lower() in answer and not words.mention(value):
            return Failure("copied_answer", f"{value!r} is the answer, not a condition: say how it is found.")
    return None


def _values(sql: str, values: Iterable[str]) -> Failure | None:
    """A value of the question that is nowhere in the query was asked for in vain."""
    unused = [value for value in values if not uses(sql, value)]
    if not unused:
        return None
    return Failure(
        "unused_value", f"The question asks about {', '.join(map(repr, unused))}; the query does not use it."
    )
