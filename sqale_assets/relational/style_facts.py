"""A style profile as short facts for a prompt, one `label: value` line each, and back again.

The lines are what a language model reads and what the offline model's rules read: `read_facts` takes
the very text that `style_facts` wrote, and gives an equal profile but for the figures the text rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from sqale_assets.relational.model import Kind
from sqale_assets.relational.style import Habit, StyleProfile

_HABITS = {
    "table_case": "table names",
    "table_affix": "table name pattern",
    "table_number": "table names are in the",
    "column_case": "column names",
    "primary_key": "primary key column",
    "primary_key_type": "primary key type",
    "foreign_key": "foreign key column",
    "foreign_key_action": "foreign keys on delete",
    "junction_key": "primary key of a many-to-many table",
}
_LINE = re.compile(
    r"^(?P<label>[^:]+): (?P<value>.*?)(?: \((?P<share>\d+)% of (?P<seen>\d+)(?:; e\.g\. (?P<examples>.*))?\))?$"
)


def style_facts(profile: StyleProfile) -> tuple[str, ...]:
    """The profile as lines, most telling first. `<table>` and `<key>` stand as in the profile."""
    lines = [_line(label, habit) for field, label in _HABITS.items() if (habit := getattr(profile, field))]
    lines += [_line("audit column", habit) for habit in profile.audit_columns]
    lines += [_line(f"type of {kind} columns", habit) for kind, habit in profile.types.items()]
    if profile.not_null is not None:
        lines.append(f"share of other columns that are NOT NULL: {round(profile.not_null * 100)}%")
    low, middle, high = profile.columns_per_table
    lines.append(f"columns per table: {low} to {high}, median {middle}")
    lines.append(f"foreign keys per table: {profile.foreign_keys_per_table}")
    lines.append(f"share of tables that declare foreign keys: {round(profile.foreign_key_tables * 100)}%")
    lines.append(f"share of lookup tables: {round(profile.lookup_share * 100)}%")
    if profile.lookup_columns:
        lines.append(f"columns of lookup tables: {', '.join(profile.lookup_columns)}")
    return tuple(lines)


def read_facts(lines: Iterable[str]) -> StyleProfile:
    """The profile that `style_facts` wrote as `lines`. Raises ValueError on a line it does not know."""
    fields: dict[str, object] = dict.fromkeys((*_HABITS, "not_null"))
    audit: list[Habit] = []
    types: dict[Kind, Habit] = {}
    fields |= {"lookup_columns": ()}
    labels = {label: field for field, label in _HABITS.items()}
    for line in lines:
        match = _LINE.match(line.strip())
        if match is None:
            raise ValueError(f"not a style fact: {line!r}")
        label, value = match["label"], match["value"]
        if label in labels:
            fields[labels[label]] = _habit(match)
        elif label == "audit column":
            audit.append(_habit(match))
        elif label.startswith("type of "):
            types[cast(Kind, label.split()[2])] = _habit(match)
        elif label == "share of other columns that are NOT NULL":
            fields["not_null"] = int(value.rstrip("%")) / 100
        elif label == "columns per table":
            low, high, middle = (int(number) for number in re.findall(r"\d+", value))
            fields["columns_per_table"] = (low, middle, high)
        elif label == "foreign keys per table":
            fields["foreign_keys_per_table"] = float(value)
        elif label == "share of tables that declare foreign keys":
            fields["foreign_key_tables"] = int(value.rstrip("%")) / 100
        elif label == "share of lookup tables":
            fields["lookup_share"] = int(value.rstrip("%")) / 100
        elif label == "columns of lookup tables":
            fields["lookup_columns"] = tuple(value.split(", "))
        else:
            raise ValueError(f"not a style fact: {line!r}")
    return StyleProfile.model_validate({**fields, "audit_columns": tuple(audit), "types": types})


def _line(label: str, habit: Habit) -> str:
    examples = f"; e.g. {', '.join(habit.examples)}" if habit.examples else ""
    return f"{label}: {habit.value} ({round(habit.share * 100)}% of {habit.seen}{examples})"


def _habit(match: re.Match[str]) -> Habit:
    return Habit(
        value=match["value"],
        share=int(match["share"]) / 100,
        seen=int(match["seen"]),
        examples=tuple(match["examples"].split(", ")) if match["examples"] else (),
    )
