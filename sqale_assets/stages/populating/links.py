"""Foreign keys: which values a column may refer to, how popular each is, and what to do with wrong ones.

Popularity is Zipf-like and some parents stay unused, whatever the generated function does: the list of
candidates it is given is itself such a draw, so that picking from it evenly gives the skew.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from sqale_assets.relational.graph import may_be_null
from sqale_assets.relational.model import ForeignKey, Schema, Table, Value
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.rules import TableRules
from sqale_assets.stages.populating.values import conform

#: Share of parents that no child refers to, where there are enough of them.
UNUSED = 0.12
ZIPF = 0.75
#: Share of a tree's rows that have no parent.
ROOTS = 0.08


class KeyStore:
    """The values of every referenced key, kept while children are filled."""

    def __init__(self, schema: Schema):
        self._wanted: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for table in schema.tables:
            for key in table.foreign_keys:
                self._wanted[key.target_table.lower()].add(lowered(key.target_columns))
        self._values: dict[tuple[str, tuple[str, ...]], list[Any]] = {}

    def keep(self, data: TableData) -> None:
        """Remember the key values of a table that is complete."""
        name = data.table.name.lower()
        for columns in sorted(self._wanted[name]):
            if all(column in data.columns for column in columns):
                self._values[name, columns] = [value for value in data.key(columns) if not _has_null(value)]

    def values(self, key: ForeignKey) -> list[Any]:
        """Values (tuples for a composite key) that `key` may take, in the parent's row order."""
        return self._values.get((key.target_table.lower(), lowered(key.target_columns)), [])


def lowered(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def is_self(table: Table, key: ForeignKey) -> bool:
    return key.target_table.lower() == table.name.lower()


def usable_keys(table: Table, schema: Schema) -> list[ForeignKey]:
    """Keys whose target exists, composite ones first: they decide, and those inside them follow."""
    return sorted(
        (
            key
            for key in table.foreign_keys
            if (target := schema.table(key.target_table)) is not None
            and all(target.column(name) is not None for name in key.target_columns)
            and all(table.column(name) is not None for name in key.columns)
        ),
        key=lambda key: -len(key.columns),
    )


class Candidates:
    """Per key columns of one table: the values allowed by every key over exactly these columns."""

    def __init__(self, table: Table, keys: Sequence[ForeignKey], store: KeyStore, rules: TableRules):
        self.lists: dict[tuple[str, ...], list[Any]] = {}
        for key in keys:
            columns = lowered(key.columns)
            values = _as_child(store.values(key), columns, rules)
            if columns in self.lists:
                values_set = set(values)
                values = [value for value in self.lists[columns] if value in values_set]
            self.lists[columns] = list(dict.fromkeys(values))

    def drawn(self, columns: tuple[str, ...], n: int, rng: random.Random, *, once: bool, used: set[Any]) -> list[Any]:
        """About `n` values to pick from: each `once` where the key is unique, else popular ones repeated."""
        values = self.lists[columns]
        if once:
            free = [value for value in values if value not in used]
            return rng.sample(free, min(n, len(free)))
        return Popularity(values, rng).draw(n)


class Popularity:
    """A seeded Zipf-like draw over `values`; a share of them never comes up."""

    def __init__(self, values: Sequence[Any], rng: random.Random):
        shuffled = rng.sample(values, len(values))
        self._values = shuffled[: max(1, round(len(shuffled) * (1 - UNUSED)))] if len(shuffled) >= 6 else shuffled
        self._sums = list(accumulate((rank + 2.0) ** -ZIPF for rank in range(len(self._values))))
        self._rng = rng

    def draw(self, n: int) -> list[Any]:
        if not self._values:
            return []
        return self._rng.choices(self._values, cum_weights=self._sums, k=n)

    def one(self) -> Any:
        return self._values[bisect(self._sums, self._rng.random() * self._sums[-1])]


def repair_links(
    data: TableData,
    keys: Sequence[ForeignKey],
    candidates: Candidates,
    unique: set[tuple[str, ...]],
    rng: random.Random,
) -> None:
    """Make every key of `keys` valid: another parent, else NULL, else the row is dropped.

    Args:
        unique: column tuples on which rows must differ, so that a replacement is an unused parent.
    """
    fixed: set[str] = set()
    for key in keys:
        columns = lowered(key.columns)
        values = data.key(columns)
        valid = set(candidates.lists[columns])
        missing = [at for at, value in enumerate(values) if _has_null(value)] if _any_null(values) else []
        data.foreign_key_cells += len(values) - len(missing)
        wrong = [at for at, value in enumerate(values) if value not in valid and not _has_null(value)]
        wrong += [] if _optional(data.table, key) else missing
        if wrong:
            data.invalid_foreign_keys += sum(1 for at in wrong if not _has_null(values[at]))
            _relink(data, key, sorted(wrong), candidates.lists[columns], fixed, columns in unique, rng)
        fixed.update(columns)


def _relink(
    data: TableData,
    key: ForeignKey,
    wrong: list[int],
    valid: list[Any],
    fixed: set[str],
    once: bool,
    rng: random.Random,
) -> None:
    columns = lowered(key.columns)
    shared = [at for at, name in enumerate(columns) if name in fixed]
    lists = [data.columns[name] for name in columns]
    used = set(data.key(columns)) if once else set()
    popularity = Popularity(valid, rng)
    by_shared: dict[tuple[Value, ...], list[Any]] = defaultdict(list)
    if shared and len(shared) < len(columns):
        for value in valid:
            by_shared[tuple(value[at] for at in shared)].append(value)
    gone = []
    for row in wrong:
        chosen = None
        if not shared and valid:
            chosen = popularity.one() if not once else next((v for v in valid if v not in used), None)
        elif len(shared) < len(columns):
            options = by_shared.get(tuple(lists[at][row] for at in shared))
            chosen = rng.choice(options) if options else None
        if chosen is not None:
            used.add(chosen)
            for values, part in zip(lists, chosen if len(columns) > 1 else (chosen,), strict=True):
                values[row] = part
            data.repairs["foreign_key"] += 1
        elif (null := _nullable_column(data.table, key, fixed)) is not None:
            data.columns[null][row] = None
            data.repairs["foreign_key_null"] += 1
        else:
            gone.append(row)
    data.drop(gone)


def grow_tree(data: TableData, key: ForeignKey, rng: random.Random) -> None:
    """Close a self-reference: rows refer to earlier rows, a few are roots (NULL, or themselves where NOT NULL)."""
    columns, targets = lowered(key.columns), lowered(key.target_columns)
    if columns == lowered(data.table.primary_key) and not set(targets) & set(columns):
        _turn_ring(data, columns, targets)
        return
    lists = [data.columns[name] for name in columns]
    rows = data.key(targets)
    known = set(rows)
    shared = [at for at, (own, target) in enumerate(zip(columns, targets, strict=True)) if own == target]
    groups: dict[tuple[Value, ...], list[Any]] = defaultdict(list)
    optional = _optional(data.table, key)
    null = _nullable_column(data.table, key, {columns[at] for at in shared})
    unique = columns in unique_sets(data.table)
    taken: set[Any] = set()
    for row in range(len(data)):
        value, own = data.key(columns)[row] if len(columns) == 1 else tuple(v[row] for v in lists), rows[row]
        group = groups[tuple(lists[at][row] for at in shared)]
        keep = row < data.originals and (_has_null(value) or value in known)
        if keep and (optional or not _has_null(value)):
            chosen = None
        elif group and not (optional and rng.random() < ROOTS):
            chosen = _parent(group, rng) if not unique else next((v for v in reversed(group) if v not in taken), None)
        else:
            chosen = None
        if chosen is not None:
            taken.add(chosen)
            for values, part in zip(lists, chosen if len(columns) > 1 else (chosen,), strict=True):
                values[row] = part
        elif not keep and null is not None and optional:
            data.columns[null][row] = None
        elif not keep:
            for values, part in zip(lists, own if len(columns) > 1 else (own,), strict=True):
                values[row] = part
        group.append(own)
    data.foreign_key_cells += sum(1 for value in data.key(columns) if not _has_null(value))


def _turn_ring(data: TableData, columns: tuple[str, ...], targets: tuple[str, ...]) -> None:
    """Close a primary key that refers to a unique column of its own table: as many values there as keys, each once.

    What varies is the column referred to. Every generated row is referred to by the one before it.
    """
    for own, target in zip(columns, targets, strict=True):
        keys = data.columns[own][data.originals :]
        data.columns[target][data.originals :] = [*keys[1:], *keys[:1]]
    data.foreign_key_cells += len(data)


def _parent(group: list[Any], rng: random.Random) -> Any:
    """Early rows have more children, so that trees are a few levels deep."""
    return group[int(len(group) * rng.random() ** 2.2)]


def unique_sets(table: Table) -> set[tuple[str, ...]]:
    """The column tuples on which rows differ: primary key and UNIQUE constraints, in lower case."""
    return {lowered(columns) for columns in (table.primary_key, *table.unique) if columns}


def _as_child(values: list[Any], columns: tuple[str, ...], rules: TableRules) -> list[Any]:
    """Parent values with the child columns' types: TEXT '5' and INTEGER 5 are not equal in SQLite's eyes."""
    parts = [list(part) for part in zip(*values, strict=True)] if len(columns) > 1 else [list(values)]
    typed = []
    for name, part in zip(columns, parts, strict=bool(values)):
        rule = rules.columns[name]
        converted = conform(part, type(rule)(column=rule.column, nullable=True), random.Random(0), Counter())
        typed.append([new if _same(new, old) else old for new, old in zip(converted, part, strict=True)])
    return list(zip(*typed, strict=True)) if len(columns) > 1 else typed[0]


def _same(new: Value, old: Value) -> bool:
    """Whether the converted value still equals the parent's in SQLite's eyes (18.29 as an INTEGER would not)."""
    return new is not None and (new == old or str(new) == str(old))


def _optional(table: Table, key: ForeignKey) -> bool:
    return may_be_null(table, key)


def _nullable_column(table: Table, key: ForeignKey, fixed: set[str]) -> str | None:
    primary = set(lowered(table.primary_key))
    for name in lowered(key.columns):
        column = table.column(name)
        if column is not None and column.nullable is not False and name not in primary and name not in fixed:
            return name
    return None


def _any_null(values: Sequence[Any]) -> bool:
    return None in values or (bool(values) and isinstance(values[0], tuple) and any(None in value for value in values))


def _has_null(value: Any) -> bool:
    return value is None or (isinstance(value, tuple) and None in value)
