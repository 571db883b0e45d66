"""CHECKs over NULLs alone, such as exclusive arcs: `(a IS NULL AND b IS NOT NULL) OR (a IS NOT NULL AND b IS NULL)`.

They say which combinations of given and missing values a row may have; a generated row is bent to one of those.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sqlglot import exp

from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.rules import TableRules, conjuncts

_MOST_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Arc:
    """`allowed` holds, per column of `columns` (lower case), whether it is given."""

    columns: tuple[str, ...]
    allowed: tuple[tuple[bool, ...], ...]


def arcs(data: TableData, rules: TableRules) -> Iterator[Arc]:
    """The CHECKs of the table that ask for NULLs and nothing else."""
    for check in data.table.checks:
        for term in conjuncts(check):
            columns = tuple(dict.fromkeys(column.name.lower() for column in term.find_all(exp.Column)))
            if not 1 < len(columns) <= _MOST_COLUMNS or not all(name in rules.columns for name in columns):
                continue
            if not _only_nulls(term):
                continue
            choices = [(True, False) if rules.columns[name].nullable else (True,) for name in columns]
            allowed = [given for given in product(*choices) if _holds(term, dict(zip(columns, given, strict=True)))]
            if allowed:
                yield Arc(columns, tuple(allowed))


def bend(data: TableData, arc: Arc, rng: random.Random) -> None:
    """Make every row fit: values are dropped, or taken over from another row where one is missing."""
    lists = [data.columns[name] for name in arc.columns]
    stock = [[value for value in values if value is not None] for values in lists]
    reachable = [
        given
        for given in arc.allowed
        if all(wanted <= bool(values) for wanted, values in zip(given, stock, strict=True))
    ]
    for row in range(len(data)):
        if not reachable:
            return
        present = tuple(values[row] is not None for values in lists)
        if present in arc.allowed:
            continue
        # Rather leave out than invent: combinations inside what the row has come first.
        inside = [
            given for given in reachable if all(wanted <= had for wanted, had in zip(given, present, strict=True))
        ]
        for values, known, wanted in zip(lists, stock, rng.choice(inside or reachable), strict=True):
            if not wanted:
                values[row] = None
            elif values[row] is None:
                values[row] = rng.choice(known)
        data.repairs["arc"] += 1


def _only_nulls(term: exp.Expression) -> bool:
    term = term.unnest()
    if isinstance(term, exp.And | exp.Or):
        return _only_nulls(term.left) and _only_nulls(term.right)
    if isinstance(term, exp.Not):
        return _only_nulls(term.this)
    return (
        isinstance(term, exp.Is)
        and isinstance(term.this.unnest(), exp.Column)
        and isinstance(term.expression, exp.Null)
    )


def _holds(term: exp.Expression, given: dict[str, bool]) -> bool:
    term = term.unnest()
    if isinstance(term, exp.And):
        return _holds(term.left, given) and _holds(term.right, given)
    if isinstance(term, exp.Or):
        return _holds(term.left, given) or _holds(term.right, given)
    if isinstance(term, exp.Not):
        return not _holds(term.this, given)
    return not given[term.this.unnest().name.lower()]
