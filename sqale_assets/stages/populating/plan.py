"""How many rows each table gets: its role in the foreign-key graph, then a skewed, seeded size.

Sizes are log-normal, as table sizes of real databases are. The medians per role are set so that the median over the
tables of a corpus is about `median_rows` (69 in the seed), extension included: most tables of a real run are added
ones, and those are facts more often than a source's own.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Literal

from sqale_assets.relational.model import Column, Model, Schema, Table
from sqale_assets.relational.names import singular, words
from sqale_assets.stages.populating.data import word_set

Role = Literal["lookup", "dimension", "fact", "junction", "log"]

#: Role -> median as a multiple of `median_rows`, spread of the logarithm, least and most rows (at scale 1).
SIZES: dict[Role, tuple[float, float, int, int]] = {
    "lookup": (0.22, 0.45, 5, 45),
    "dimension": (0.68, 0.55, 12, 300),
    "fact": (1.12, 0.6, 20, 700),
    "junction": (1.1, 0.55, 16, 600),
    "log": (1.4, 0.65, 24, 900),
}

LOG_WORDS = word_set(
    """
    log logs history histories audit audits event events activity activities session sessions visit visits
    login logins tracking trace traces transaction transactions message messages notification notifications
    measurement reading readings view views click clicks change changes queue archive job jobs execution
    executions
    """
)
LOOKUP_WORDS = word_set(
    """
    type status state kind category role level country currency unit language gender priority reason class
    group tag permission privilege region zone color colour size brand genre rank grade frequency method mode
    option setting config configuration parameter tenor market calendar season semester term shift kategori
    tipo estado
    """
)
_TIME_KINDS = ("date", "datetime", "time")
#: Columns that say nothing about what a table is: present in a junction as anywhere else.
_AUDIT_WORDS = word_set(
    """
    id uuid created updated modified deleted timestamp version active enabled order position sort ordinal
    """
)


class TablePlan(Model):
    """What one table is to become. `rows` counts original and generated ones together."""

    table: str
    role: Role
    rows: int


def referring_tables(schema: Schema) -> Counter[str]:
    """Lower-case table name -> how many other tables refer to it."""
    return Counter(
        target
        for table in schema.tables
        for target in {key.target_table.lower() for key in table.foreign_keys} - {table.name.lower()}
    )


def role_of(table: Table, children: int) -> Role:
    """The table's role, from its keys first and its name second. `children` counts the tables that refer to it."""
    parents = [key for key in table.foreign_keys if key.target_table.lower() != table.name.lower()]
    key_columns = {name.lower() for key in table.foreign_keys for name in key.columns}
    own = [column for column in table.columns if column.name.lower() not in key_columns]
    facts = [column for column in own if column.name not in table.primary_key and not _is_audit(column.name)]
    last = singular(words(table.name)[-1]) if words(table.name) else ""
    has_time = any(column.kind in _TIME_KINDS for column in own)

    if len(parents) >= 2 and not children and (_links_only(facts) or _keyed_by_parents(table, key_columns)):
        return "junction"
    if (set(words(table.name)) & LOG_WORDS or last in LOG_WORDS) and has_time and children <= 1:
        return "log"
    if not parents and len(table.columns) <= 7 and (last in LOOKUP_WORDS or (children and len(facts) <= 2)):
        return "lookup"
    if last in LOOKUP_WORDS and len(table.columns) <= 5 and children:
        return "lookup"
    if parents and (len(parents) >= 2 or not children):
        return "fact"
    return "dimension"


def plan_rows(
    schema: Schema, originals: dict[str, int], *, median_rows: int, scale: float, seed: str
) -> dict[str, TablePlan]:
    """Table name -> plan. `originals` counts the rows that are given; a table never gets fewer.

    A lookup that comes with rows of its own is complete as it is. Lookups grow with the root of `scale`
    (a hundred times the orders do not make a hundred times the order statuses), all others with `scale`.
    """
    plans = {}
    children = referring_tables(schema)
    for table in schema.tables:
        rng = random.Random(f"{seed}:plan:{table.name.lower()}")
        role = role_of(table, children[table.name.lower()])
        given = originals.get(table.name, 0)
        factor, spread, least, most = SIZES[role]
        drawn = rng.lognormvariate(0, spread) * factor * median_rows
        growth = scale**0.5 if role == "lookup" else scale
        rows = max(1, round(min(max(drawn, least), most) * growth))
        if role == "lookup" and given >= 3:
            rows = given
        plans[table.name] = TablePlan(table=table.name, role=role, rows=max(rows, given))
    return plans


def _is_audit(column: str) -> bool:
    return bool(set(words(column)) & _AUDIT_WORDS)


def _links_only(facts: list[Column]) -> bool:
    """Whether a row says no more than that its parents belong together; one amount makes it a fact."""
    return len(facts) <= 1 and all(column.kind not in ("integer", "decimal", "real") for column in facts)


def _keyed_by_parents(table: Table, key_columns: set[str]) -> bool:
    primary = {name.lower() for name in table.primary_key}
    return len(primary) >= 2 and primary <= key_columns
