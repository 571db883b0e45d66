"""Primary keys and UNIQUE constraints: duplicates get a new value in the manner of the old one, or go.

What varies is a column of the key that refers to nothing, else another parent is tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from sqale_assets.relational.model import Value
from sqale_assets.stages.populating import globs
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.links import Candidates, unique_sets
from sqale_assets.stages.populating.rules import ColumnRule, TableRules

_TRIES = 60
_TRAILING_NUMBER = re.compile(r"(.*?)(\d+)(\D{0,3})\Z", re.DOTALL)


def repair_keys(data: TableData, rules: TableRules, candidates: Candidates, rng: random.Random) -> None:
    """Make every key of the table unique. Rows that no try can tell apart are dropped and counted."""
    primary = tuple(name.lower() for name in data.table.primary_key)
    keys = sorted(unique_sets(data.table), key=lambda key: (key != primary, len(key), key))
    for attempt in range(3):
        found = 0
        for key in keys:
            found += _repair(data, key, key == primary, rules, candidates, rng)
        if attempt == 0:
            data.duplicate_keys += found
        if not found:
            return
    for key in keys:
        data.drop(_repeated(data.key(key), nulls=key == primary))


def _repair(
    data: TableData, key: tuple[str, ...], primary: bool, rules: TableRules, candidates: Candidates, rng: random.Random
) -> int:
    values = data.key(key)
    wrong = _repeated(values, nulls=primary)
    if not wrong:
        return 0
    seen = set(values)
    lists = [data.columns[name] for name in key]
    variation = _Variation(key, values, rules, candidates, rng)
    gone = []
    for row in wrong:
        old = tuple(column[row] for column in lists)
        new = next((option for option in variation.options(old) if _as_value(option) not in seen), None)
        if new is None:
            gone.append(row)
            continue
        seen.add(_as_value(new))
        for column, value in zip(lists, new, strict=True):
            column[row] = value
        data.repairs["key"] += 1
    data.drop(gone)
    return len(wrong)


def _repeated(values: Sequence[Any], *, nulls: bool) -> list[int]:
    """Positions of values seen before; of NULLs as well where they are not allowed."""
    if not values or (len(set(values)) == len(values) and not (nulls and _any_null(values))):
        return []
    seen: set[Any] = set()
    wrong = []
    for at, value in enumerate(values):
        if value is None or (isinstance(value, tuple) and None in value):
            if nulls:
                wrong.append(at)
        elif value in seen:
            wrong.append(at)
        else:
            seen.add(value)
    return wrong


def _any_null(values: Sequence[Any]) -> bool:
    return None in values or (isinstance(values[0], tuple) and any(None in value for value in values))


def _as_value(option: tuple[Value, ...]) -> Any:
    return option if len(option) > 1 else option[0]


class _Variation:
    """Other values for a key, likeliest first."""

    def __init__(
        self, key: tuple[str, ...], values: Sequence[Any], rules: TableRules, candidates: Candidates, rng: random.Random
    ):
        self._rng, self._key = rng, key
        self._linked = {columns: lists for columns, lists in candidates.lists.items() if set(columns) & set(key)}
        linked = {name for columns in self._linked for name in columns}
        free = [at for at, name in enumerate(key) if name not in linked]
        #: Numbers vary best, then text, then the rest.
        order = {"integer": 0, "text": 1, "decimal": 2, "real": 2, "datetime": 3, "date": 4}
        self._free = sorted(free, key=lambda at: order.get(rules.columns[key[at]].column.kind, 5))
        self._rules = [rules.columns[name] for name in key]
        self._next: dict[int, int] = {}
        for at in self._free:
            numbers = [v[at] if isinstance(v, tuple) else v for v in values]
            self._next[at] = max((n for n in numbers if isinstance(n, int)), default=0) + 1

    def options(self, old: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
        for at in self._free:
            for value in self._varied(at, old[at], alone=len(old) == 1):
                yield (*old[:at], value, *old[at + 1 :])
        for columns, values in self._linked.items():
            if values and set(columns) <= set(self._key):
                places = [self._key.index(name) for name in columns]
                for chosen in self._parents(values):
                    option = list(old)
                    for place, part in zip(places, chosen if len(columns) > 1 else (chosen,), strict=True):
                        option[place] = part
                    yield tuple(option)

    def _parents(self, values: list[Any]) -> Iterator[Any]:
        if len(values) <= _TRIES:
            yield from self._rng.sample(values, len(values))
        else:
            for _ in range(_TRIES):
                yield self._rng.choice(values)

    def _varied(self, at: int, old: Value, *, alone: bool) -> Iterator[Value]:
        rule = self._rules[at]
        if rule.globs:
            yield from (globs.written(self._rng.choice(rule.globs), self._rng) for _ in range(4 * _TRIES))
            return
        if rule.allowed:
            yield from self._rng.sample(rule.allowed, len(rule.allowed))
            return
        match rule.column.kind:
            case "boolean":
                yield from (0, 1)
            case "integer":
                yield from self._numbers(at, rule, alone=alone)
            case "decimal" | "real":
                step = 10.0 ** -(rule.column.scale if rule.column.scale is not None else 2)
                base = old if isinstance(old, int | float) else 0.0
                for times in range(1, _TRIES):
                    yield round(base + times * step, 6)
            case "date" | "datetime" if isinstance(old, str):
                yield from _later(old)
            case _:
                yield from _reworded(str(old) if old is not None else rule.column.name, rule)

    def _numbers(self, at: int, rule: ColumnRule, *, alone: bool) -> Iterator[int]:
        if not alone:  # a line number within its order: the first that is free
            yield from range(max(1, int(rule.low or 1)), _TRIES)
        while rule.high is None or self._next[at] <= rule.high:
            self._next[at] += 1
            yield self._next[at] - 1
        taken_low = max(0, int(rule.low or 0))
        yield from range(taken_low, min(int(rule.high or 0), taken_low + 1000))


def _later(old: str) -> Iterator[str]:
    try:
        day = date.fromisoformat(old[:10])
    except ValueError:
        return
    for days in range(1, 400):
        yield (day + timedelta(days=days)).isoformat() + old[10:]


def _reworded(old: str, rule: ColumnRule) -> Iterator[str]:
    """Next numbers for what ends in a number (C-0012), a number before the @ of an address, else after the text."""
    limit = rule.max_length or 4000
    local, at, domain = old.partition("@")
    if at:
        for number in range(2, 3000):
            yield f"{local[: max(1, limit - len(domain) - 5)]}{number}@{domain}"[:limit]
        return
    match = _TRAILING_NUMBER.fullmatch(old)
    if match and " " not in old:
        stem, digits, rest = match.groups()
        for number in range(int(digits) + 1, int(digits) + 5000):
            text = f"{stem}{number:0{len(digits)}d}{rest}"
            if len(text) > limit:
                break
            yield text
    separator = " " if " " in old or old[1:2].islower() else ""
    for number in range(2, 10000):
        suffix = f"{separator}{number}"
        if len(suffix) > limit:
            break
        yield f"{old[: limit - len(suffix)]}{suffix}"
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for letter in letters[:62]:
        for second in ("", *letters) if limit > 1 else ("",):
            yield letter + second
