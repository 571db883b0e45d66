"""The naming style of a schema: measured habits, and how well a table keeps to them.

A habit is the commonest way of doing one thing together with its share, so that a coin-flip habit is
told apart from a rule. `style_measure` finds the habits, `style_facts` writes them for a prompt and
reads them back; here are the profile's type and the conformity score.

The score weighs each habit by its strength: going against a rule (share near 1) counts fully, going
against a coin flip (share near 0.5) hardly, and what the table gives no occasion for does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqale_assets.relational.model import Kind, Model, Table
from sqale_assets.relational.names import cases_of, is_plural, words
from sqale_assets.relational.style_patterns import (
    KEY,
    OTHER,
    Affix,
    foreign_key_pattern,
    is_junction,
    is_plain_key,
    is_small_integer,
    key_role,
    primary_key_pattern,
    type_name,
)

#: Tables by lower-case name.
Tables = Mapping[str, Table]

#: Shares below this are no habit: nothing is expected of a table there.
COIN_FLIP = 0.5
#: So many coin flips are added to what was seen: one foreign key makes no rule, ten nearly do.
DOUBT = 2
#: An audit column counts as expected in this share of tables and above.
AUDIT_SHARE = 0.4


class Habit(Model):
    """The commonest value of something and the share (0 to 1) of the cases that have it; `seen` of them."""

    value: str
    share: float
    seen: int
    examples: tuple[str, ...] = ()

    @property
    def strength(self) -> float:
        """0 for a coin flip or a rarer value, towards 1 for a rule without exception that many cases bear out."""
        borne_out = (self.share * self.seen + COIN_FLIP * DOUBT) / (self.seen + DOUBT)
        return max(0.0, (borne_out - COIN_FLIP) / (1 - COIN_FLIP))


class StyleProfile(Model):
    """The habits of a schema. A habit is None where the schema gives no occasion to measure it.

    Patterns are words with `<table>` for the table's own or the target's singular name and `<key>` for the
    target's key column: primary key "<table> id", foreign key "<key>". `columns_per_table` are the 25%, 50%
    and 75% quantiles; `not_null` is the share of non-key columns declared NOT NULL, `foreign_key_tables` that of the
    tables that declare a foreign key.
    """

    table_case: Habit
    table_affix: Habit
    table_number: Habit | None
    column_case: Habit
    primary_key: Habit | None
    primary_key_type: Habit | None
    foreign_key: Habit | None
    foreign_key_action: Habit | None
    junction_key: Habit | None
    audit_columns: tuple[Habit, ...]
    types: dict[Kind, Habit]
    not_null: float | None
    columns_per_table: tuple[int, int, int]
    foreign_keys_per_table: float
    foreign_key_tables: float
    lookup_share: float
    lookup_columns: tuple[str, ...]

    @property
    def affix(self) -> Affix:
        """What stands before and after every table name."""
        return Affix.parse(self.table_affix.value)


def conformity(table: Table, profile: StyleProfile, tables: Tables) -> float:
    """How well `table` keeps to the profile, 0 to 1. `tables` holds its foreign keys' targets."""
    weight = missed = 0.0
    for _, habit, kept in _judged(table, profile, tables):
        weight += habit.strength
        missed += habit.strength * (1 - kept)
    return 1 - missed / weight if weight else 1.0


def deviations(table: Table, profile: StyleProfile, tables: Tables) -> tuple[str, ...]:
    """The habits that the table breaks, as "what: how the schema does it", strongest first."""
    broken = [(habit.strength * (1 - kept), what, habit) for what, habit, kept in _judged(table, profile, tables)]
    broken.sort(key=lambda item: -item[0])
    return tuple(f"{what}: {habit.value}" for cost, what, habit in broken if cost > 0)


Judgement = tuple[str, Habit, float]


def _judged(table: Table, profile: StyleProfile, tables: Tables) -> Iterator[Judgement]:
    """(what, the habit, how far the table keeps it: 0 to 1) for each habit it gives occasion for."""
    affix = profile.affix
    bare = affix.strip(table.name)
    if bare:
        yield "table names", profile.table_case, profile.table_case.value in cases_of(bare)
    yield "table name pattern", profile.table_affix, bare is not None
    name_words = words(bare or table.name)
    if (number := profile.table_number) and name_words and (seen := is_plural(name_words[-1])) is not None:
        yield "table names are in the", number, ("plural" if seen else "singular") == number.value
    cases = [profile.column_case.value in cases_of(column.name) for column in table.columns]
    yield "column names", profile.column_case, sum(cases) / len(cases)
    yield from _keys_judged(table, profile, tables)
    if not is_junction(table):
        for audit in profile.audit_columns:
            yield "audit column", audit, table.column(audit.value) is not None
    yield from _types_judged(table, profile)


def _keys_judged(table: Table, profile: StyleProfile, tables: Tables) -> Iterator[Judgement]:
    if is_junction(table):
        if habit := profile.junction_key:
            kept = ("composite" if len(table.primary_key) > 1 else "own column") == habit.value
            yield "primary key of a many-to-many table", habit, kept
    elif len(table.primary_key) == 1 and key_role(table) == "own":
        column = table.column(table.primary_key[0])
        if (habit := profile.primary_key) and habit.value != OTHER:
            yield "primary key column", habit, primary_key_pattern(table, profile.affix) == habit.value
        if (habit := profile.primary_key_type) and column:
            yield "primary key type", habit, _same_type(column.declared_type, habit.value)
    if habit := profile.foreign_key:
        targets = [tables.get(key.target_table.lower()) for key in table.foreign_keys]
        told = [
            pattern
            for key, target in zip(table.foreign_keys, targets, strict=True)
            if (pattern := foreign_key_pattern(key, target, profile.affix))
            and not (habit.value == KEY and target and is_plain_key(target, profile.affix))
        ]
        if told:
            yield "foreign key column", habit, sum(habit.value in pattern for pattern in told) / len(told)


def _types_judged(table: Table, profile: StyleProfile) -> Iterator[Judgement]:
    """One judgement per kind: the share of the table's columns of that kind that have its usual type."""
    keys = {name.lower() for key in table.foreign_keys for name in key.columns}
    keys |= {name.lower() for name in table.primary_key}
    for kind, habit in profile.types.items():
        columns = [
            column
            for column in table.columns
            if column.kind == kind and column.name.lower() not in keys and not is_small_integer(column)
        ]
        if columns:
            kept = sum(_same_type(column.declared_type, habit.value) for column in columns) / len(columns)
            yield f"type of {kind} columns", habit, kept


def _same_type(declared: str, usual: str) -> bool:
    if usual.endswith(("(n)", "(p,s)")):
        return type_name(declared) == type_name(usual)
    return declared.replace(" ", "").upper() == usual.replace(" ", "").upper()
