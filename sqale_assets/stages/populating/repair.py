"""All repairs of one table in their order: types and rules, foreign keys, keys, trees, order between columns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from sqale_assets.relational.model import Column, ForeignKey, Table, Value
from sqale_assets.relational.names import words
from sqale_assets.stages.populating.arcs import arcs, bend
from sqale_assets.stages.populating.data import TableData, word_set
from sqale_assets.stages.populating.keys import repair_keys
from sqale_assets.stages.populating.links import Candidates, grow_tree, is_self, lowered, repair_links, unique_sets
from sqale_assets.stages.populating.rules import TableRules
from sqale_assets.stages.populating.values import conform

_EARLIER = word_set(
    """
    created create creation start starts begin begins from opened hired hire joined registered ordered order
    requested birth born
    """
)
_LATER = word_set(
    """
    updated update modified modification end ends finish until to closed completed ended changed edited
    deleted shipped delivered returned left resolved expires expiry
    """
)

_CREATED = word_set("created create creation")
_CHANGED = word_set("updated update modified modification deleted changed")
_BOUNDS = tuple(
    tuple(pair.split("/")) for pair in ("min/max", "minimum/maximum", "low/high", "lower/upper", "from/to", "start/end")
)


def repair(
    data: TableData,
    keys: Sequence[ForeignKey],
    later: Sequence[ForeignKey],
    candidates: Candidates,
    rules: TableRules,
    rng: random.Random,
) -> None:
    """Repair `data` in place.

    Args:
        keys: the foreign keys whose parents are complete, self-references included.
        later: keys closed in the second pass; their columns hold NULL, or a stand-in where NOT NULL, until then.
    """
    table = data.table
    unique = unique_sets(table)
    linked = {name for key in keys for name in lowered(key.columns)}
    alone = {names[0] for names in unique if len(names) == 1}
    for name, values in data.columns.items():
        rule = rules.columns[name]
        free = name in alone or name in linked
        fits = (
            type(rule)(**{field: getattr(rule, field) for field in rule.__slots__} | {"nullable": True})
            if free
            else rule
        )
        data.columns[name] = conform(values, fits, rng, data.repairs)
    outward = [key for key in keys if not is_self(table, key)]
    _set_aside(data, later, linked, rules)
    repair_links(data, outward, candidates, unique, rng)
    repair_keys(data, rules, candidates, rng)
    for arc in arcs(data, rules):
        bend(data, arc, rng)
    for key in keys:
        if is_self(table, key):
            grow_tree(data, key, rng)
    _order(data, rules)


def _set_aside(data: TableData, later: Sequence[ForeignKey], linked: set[str], rules: TableRules) -> None:
    for key in later:
        for name in set(lowered(key.columns)) - linked:
            rule = rules.columns[name]
            integer = rule.column.affinity in ("INTEGER", "NUMERIC", "REAL")
            data.columns[name] = [
                None if rule.nullable else (-at if integer else f"~{at}") for at in range(1, len(data) + 1)
            ]


def _order(data: TableData, rules: TableRules) -> None:
    """Swap what a CHECK, or the sense of two columns' names, wants the other way round."""
    for smaller, larger, strict in rules.ordered:
        _swap(data, smaller, larger, strict, 0)
    for smaller, larger in likely_pairs(data.table):
        _swap(data, smaller, larger, False, data.originals)


def likely_pairs(table: Table) -> list[tuple[str, str]]:
    """(smaller, larger) columns of the same kind by their names: start_date and end_date, min_price and max_price."""
    keys = {
        name.lower() for names in (table.primary_key, *(key.columns for key in table.foreign_keys)) for name in names
    }
    columns = [column for column in table.columns if column.name.lower() not in keys]
    return [
        (first.name.lower(), second.name.lower())
        for first in columns
        for second in columns
        if first is not second and first.kind == second.kind and _in_order(first, second)
    ]


def _in_order(first: Column, second: Column) -> bool:
    earlier, later = set(words(first.name)), set(words(second.name))
    if first.kind in ("integer", "decimal", "real"):
        return any(low in earlier and high in later and earlier - {low} == later - {high} for low, high in _BOUNDS)
    if (
        first.kind not in ("date", "datetime", "time")
        or not earlier & _EARLIER
        or not later & _LATER
        or later & _EARLIER
    ):
        return False
    return bool((earlier - _EARLIER) & (later - _LATER)) or bool(earlier & _CREATED and later & _CHANGED)


def _swap(data: TableData, smaller: str, larger: str, strict: bool, start: int) -> None:
    low, high = data.columns[smaller], data.columns[larger]
    for at in range(start, len(data)):
        first, second = low[at], high[at]
        if first is None or second is None or not _comparable(first, second):
            continue
        if first > second:  # type: ignore[operator]
            low[at], high[at] = second, first
            data.repairs["order"] += 1
        elif strict and first == second and isinstance(second, int | float):
            high[at] = second + 1
            data.repairs["order"] += 1


def _comparable(first: Value, second: Value) -> bool:
    numbers: tuple[Any, ...] = (int, float)
    return (isinstance(first, str) and isinstance(second, str)) or (
        isinstance(first, numbers) and isinstance(second, numbers)
    )
