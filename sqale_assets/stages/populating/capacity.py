"""How many rows the keys of a table leave room for."""

from __future__ import annotations

from math import prod

from sqale_assets.relational.model import Table
from sqale_assets.stages.populating.links import Candidates, lowered, unique_sets
from sqale_assets.stages.populating.rules import TableRules

#: Without end, for all that a table could hold.
UNLIMITED = 10**9
#: At most this share of a key's combinations is used, where it is made of several foreign keys.
_COMBINATIONS = 0.5
#: At most this share of the parents has a row in a one-to-one table.
ONE_TO_ONE = 0.9


def capacity(table: Table, rules: TableRules, candidates: Candidates) -> int:
    """How many rows the keys of the table leave room for, given how many parents there are."""
    most = UNLIMITED
    for names in unique_sets(table):
        left, sizes = set(names), []
        for columns, values in candidates.lists.items():
            if set(columns) <= left:
                left -= set(columns)
                sizes.append(len(values))
        for name in sorted(left):
            rule = rules.columns[name]
            if rule.nullable and names != lowered(table.primary_key):
                break
            size = len(rule.allowed) or (2 if rule.column.kind == "boolean" else 0)
            if not size and rule.column.kind == "integer" and rule.high is not None and rule.high < 1000:
                size = int(rule.high - max(rule.low or 0, 0)) + 1
            if not size:
                break
            sizes.append(size)
        else:
            share = ONE_TO_ONE if len(sizes) == 1 and left == set() else _COMBINATIONS if len(sizes) > 1 else 1.0
            most = min(most, max(1, int(prod(sizes) * share)))
    return most
