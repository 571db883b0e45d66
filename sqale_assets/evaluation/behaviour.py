"""What a model did in an episode: the tables it opened, the literals it saw, its rounds and calls, its errors.

Everything is read off the episode's own record; `docs/evaluation.md` states the definitions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sqale_assets.relational.model import Model, Schema
from sqale_assets.sqlenv.calls import Call, find_calls, native_calls, strip_thoughts
from sqale_assets.sqlenv.environment import Done, Episode
from sqale_assets.sqlenv.sqlfacts import NotASelect, sql_facts

#: Tools that show what is in the table that they are given.
_OPENING = frozenset({"describe_table", "foreign_keys", "sample_rows", "distinct_values"})
#: Tools whose answers hold stored values, as `rows` or as `values` with their counts.
_SHOWING_VALUES = frozenset({"sample_rows", "distinct_values", "run_query"})


class Behaviour(Model):
    """One episode in figures.

    Attributes:
        rounds: replies of the model, the final turn included.
        calls, distinct_calls: of each tool turn; a call written twice in a reply is one distinct call.
        opened: gold tables that the model opened, in lower case.
        literals, literals_seen: string literals of the gold query, and those of them that were seen in tool output.
        errors: failed calls by kind, and replies without a call as `no_call`.
    """

    rounds: int
    calls: tuple[int, ...]
    distinct_calls: tuple[int, ...]
    opened: tuple[str, ...]
    literals: int
    literals_seen: int
    errors: dict[str, int]


class StoredText(NamedTuple):
    """A text that must be stored for the query to find it; a `pattern` must be contained in what is stored."""

    text: str
    pattern: bool


class GoldNeeds(NamedTuple):
    """What a gold query needs: its tables, in the schema's spelling, and the texts that it compares columns with.

    `tables` is None where they cannot be told: sqlglot cannot read the query, or it reads views.
    """

    tables: tuple[str, ...] | None
    literals: tuple[StoredText, ...] = ()


def needs(sql: str, schema: Schema) -> GoldNeeds:
    """Tables and literals of a gold query."""
    try:
        facts = sql_facts(sql)
    except NotASelect:
        return GoldNeeds(None)
    tables = [schema.table(name) for name in facts.tables]
    literals = (
        StoredText(
            constant.value.strip("%_") if constant.use == "pattern" else constant.value, constant.use == "pattern"
        )
        for constant in facts.literals
        if isinstance(constant.value, str) and constant.column and constant.use in ("equal", "pattern")
    )
    kept = tuple(dict.fromkeys(each for each in literals if each.text))
    return GoldNeeds(None if None in tables else tuple(table.name for table in tables if table), kept)


def behaviour(episode: Episode, gold: GoldNeeds) -> Behaviour:
    """The figures of an episode that has ended."""
    written = [_calls(message) for message in episode.transcript if message["role"] == "assistant"]
    turns = written[: episode.turns]
    before = [done for done in episode.done if done.call.tool != "submit_sql"]
    opened = {name.lower() for done in before for name in _opened(done)}
    cells = list(_cells(before)) if gold.literals else []
    errors = Counter(done.answer.kind for done in episode.done if done.answer.failed)
    errors["no_call"] = sum(not calls for calls in turns)
    return Behaviour(
        rounds=len(written),
        calls=tuple(len(calls) for calls in turns),
        distinct_calls=tuple(len(set(calls)) for calls in turns),
        opened=tuple(name.lower() for name in gold.tables or () if name.lower() in opened),
        literals=len(gold.literals),
        literals_seen=sum(_seen(literal, cells) for literal in gold.literals),
        errors={kind: count for kind, count in sorted(errors.items()) if count},
    )


def _calls(message: dict) -> Sequence[Call]:
    if message.get("tool_calls"):
        return native_calls(message["tool_calls"])
    return find_calls(strip_thoughts(message["content"]))[0]


def _opened(done: Done) -> Iterator[str]:
    """The tables whose columns or rows a call showed."""
    if done.answer.failed:
        return
    if done.call.tool in _OPENING:
        table = json.loads(done.answer.text).get("table")
        if isinstance(table, str):
            yield table
    elif done.call.tool == "run_query":
        try:
            yield from sql_facts(str(next(iter(done.call.args.values()), ""))).tables
        except NotASelect:
            return


def _cells(done: Iterable[Done]) -> Iterator[str]:
    """The texts among the values that the tools showed, in lower case."""
    for each in done:
        if each.answer.failed or each.call.tool not in _SHOWING_VALUES:
            continue
        shown = json.loads(each.answer.text)
        for row in shown.get("rows") or shown.get("values") or ():
            yield from (cell.lower() for cell in row if isinstance(cell, str))


def _seen(literal: StoredText, cells: Iterable[str]) -> bool:
    text = literal.text.lower()
    return any(text in cell for cell in cells) if literal.pattern else text in cells
