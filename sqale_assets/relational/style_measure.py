"""Measure the style profile of a schema: counts over its original tables, nothing guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import quantiles
from typing import TypeVar

from sqale_assets.relational.model import Column, Kind, Schema, Table
from sqale_assets.relational.names import CASES, cases_of, is_plural, words
from sqale_assets.relational.style import AUDIT_SHARE, Habit, StyleProfile
from sqale_assets.relational.style_patterns import (
    OTHER,
    TABLE,
    Affix,
    affix_of,
    entity_of,
    foreign_key_pattern,
    is_junction,
    is_lookup,
    is_small_integer,
    key_role,
    primary_key_pattern,
    type_name,
)

T = TypeVar("T", bound=Hashable)

MAX_EXAMPLES = 3
MIN_COMMON_KEYS = 3
#: A type with its length is a habit in this share of cases and above; below, its name is.
TYPE_RULE = 0.7
#: Kinds of bookkeeping columns that tell themselves by standing everywhere, in whatever language.
_MARKS: tuple[Kind, ...] = ("datetime", "date", "boolean")
_AUDIT_STEMS = ("creat", "updat", "modif", "delet", "insert", "chang", "edit")
_AUDIT_WORDS = frozenset(("timestamp", "version", "author", "by", "at", "on", "date", "time", "is", "user", "last"))
#: Kinds of which a table's type habit is told; the rest follow from the values.
_TYPED: tuple[Kind, ...] = ("text", "integer", "decimal", "real", "boolean", "date", "datetime", "time", "uuid", "json")


def style_profile(schema: Schema) -> StyleProfile:
    """The habits of `schema`'s original and inferred tables; added ones do not count."""
    tables = [table for table in schema.tables if table.origin != "added"]
    names = [table.name for table in tables]
    affix, affix_share = affix_of(names)
    bare = [stripped for name in names if (stripped := affix.strip(name))]
    columns = [column for table in tables for column in table.columns]
    single = [table for table in tables if len(table.primary_key) == 1 and key_role(table) == "own"]
    keys = [key for table in tables for key in table.foreign_keys]
    referenced = frozenset(key.target_table.lower() for key in keys)
    lookups = [table for table in tables if is_lookup(table, referenced)]
    return StyleProfile(
        table_case=_case_habit(bare),
        table_affix=Habit(value=str(affix), share=affix_share, seen=len(names), examples=_examples(names)),
        table_number=_habit(bare, _number),
        column_case=_case_habit([column.name for column in columns]),
        primary_key=_key_habit(single, affix),
        primary_key_type=_habit([_key_column(table) for table in single], lambda column: column.declared_type),
        foreign_key=_foreign_key_habit(tables, affix),
        foreign_key_action=_habit(keys, lambda key: key.on_delete or "none", of=lambda key: key.columns[0]),
        junction_key=_habit(
            [table for table in tables if is_junction(table) and table.primary_key],
            lambda table: "composite" if len(table.primary_key) > 1 else "own column",
            of=lambda table: table.name,
        ),
        audit_columns=_audit_habits(tables),
        types=_type_habits(tables),
        not_null=_not_null(tables),
        columns_per_table=_quartiles([len(table.columns) for table in tables]),
        foreign_keys_per_table=round(len(keys) / len(tables), 2),
        foreign_key_tables=round(sum(bool(table.foreign_keys) for table in tables) / len(tables), 2),
        lookup_share=round(len(lookups) / len(tables), 2),
        lookup_columns=_common_columns(lookups),
    )


def _habit(items: Sequence[T], value: Callable[[T], str | None], of: Callable[[T], str] | None = None) -> Habit | None:
    """The commonest value over `items` (those with value None left out); `of` names an item as an example."""
    values = [(found, item) for item in items if (found := value(item)) is not None]
    if not values:
        return None
    counts = Counter(found for found, _ in values)
    best = min(counts, key=lambda found: (found == OTHER, -counts[found], found))
    if best != OTHER and counts[OTHER] > 3 * counts[best]:
        best = OTHER
    name = of or (lambda item: item if isinstance(item, str) else getattr(item, "name", str(item)))
    examples = [name(item) for found, item in values if found == best]
    return Habit(value=best, share=round(counts[best] / len(values), 3), seen=len(values), examples=_examples(examples))


def _key_habit(tables: Sequence[Table], affix: Affix) -> Habit | None:
    """A key that does not mention its table is a pattern where one word serves many tables: id, oid, mid."""
    patterns = Counter(primary_key_pattern(table, affix) for table in tables)

    def pattern(table: Table) -> str:
        found = primary_key_pattern(table, affix)
        common = " " not in found and patterns[found] >= max(MIN_COMMON_KEYS, len(tables) / 2)
        return found if TABLE in found or found == "id" or common else OTHER

    return _habit(tables, pattern, of=lambda table: table.primary_key[0])


def _examples(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:MAX_EXAMPLES]


def _case_habit(names: Sequence[str]) -> Habit:
    """Names that fit one case only decide; those that fit several (`name`) count for the winner."""
    fits = [cases_of(name) for name in names]
    sure: Counter[str] = Counter(next(iter(found)) for found in fits if len(found) == 1)
    loose: Counter[str] = Counter(case for found in fits for case in found)
    if not loose:
        return Habit(value="snake_case", share=0.0, seen=len(names), examples=_examples(names))
    best = min(CASES, key=lambda case: (-loose[case], -sure[case], CASES.index(case)))
    if sure[best] == 0 and not sure and best in ("lowercase", "UPPERCASE"):
        best = "snake_case" if best == "lowercase" else "UPPER_SNAKE_CASE"
    longest = sorted(
        (name for name, found in zip(names, fits, strict=True) if best in found), key=lambda n: -len(words(n))
    )
    return Habit(value=best, share=round(loose[best] / len(names), 3), seen=len(names), examples=_examples(longest))


def _number(name: str) -> str | None:
    parts = words(name)
    plural = is_plural(parts[-1]) if parts else None
    return None if plural is None else "plural" if plural else "singular"


def _key_column(table: Table) -> Column:
    column = table.column(table.primary_key[0])
    assert column is not None, f"{table.name}: primary key without its column"
    return column


def _foreign_key_habit(tables: Sequence[Table], affix: Affix) -> Habit | None:
    """A column may fit two patterns (order_id both repeats the key and names the table): both are counted."""
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    by_name = {table.name.lower(): table for table in tables}
    seen = 0
    for table in tables:
        for key in table.foreign_keys:
            patterns = foreign_key_pattern(key, by_name.get(key.target_table.lower()), affix)
            seen += bool(patterns)
            for pattern in patterns:
                counts[pattern] += 1
                examples.setdefault(pattern, []).append(key.columns[0])
    if not seen:
        return None
    best = min(counts, key=lambda pattern: (-counts[pattern], pattern))
    return Habit(value=best, share=round(counts[best] / seen, 3), seen=seen, examples=_examples(examples[best]))


def _audit_habits(tables: Sequence[Table]) -> tuple[Habit, ...]:
    """Bookkeeping columns that at least 40% of the entity tables carry; `examples` holds the declared type."""
    entities = [table for table in tables if not is_junction(table)]
    keys = {name.lower() for table in tables for name in table.primary_key}
    keys |= {name.lower() for table in tables for key in table.foreign_keys for name in key.columns}
    columns = [column for table in entities for column in table.columns if column.name.lower() not in keys]
    counts = Counter(column.name for column in columns)
    marks = {column.name for column in columns if column.kind in _MARKS}
    habits = []
    for name, count in counts.items():
        share = count / len(entities)
        parts = set(words(name))
        stems = {part for part in parts if part.startswith(_AUDIT_STEMS)}
        bookkeeping = bool(stems) and parts - stems <= _AUDIT_WORDS
        everywhere = len(entities) >= 5 and share >= 0.6 and name in marks
        if share >= AUDIT_SHARE and count >= 2 and (bookkeeping or everywhere):
            types = Counter(c.declared_type for table in entities for c in table.columns if c.name == name)
            declared = min(types, key=lambda declared: (-types[declared], declared))
            habits.append(Habit(value=name, share=round(share, 3), seen=len(entities), examples=(declared,)))
    return tuple(habits[:6])


def _type_habits(tables: Sequence[Table]) -> dict[Kind, Habit]:
    """By kind; a schema that declares no booleans but small integers uses those for its flags."""
    declared: dict[Kind, list[str]] = {}
    flags: list[str] = []
    for table in tables:
        keys = {name.lower() for name in table.primary_key}
        keys |= {name.lower() for key in table.foreign_keys for name in key.columns}
        for column in table.columns:
            if is_small_integer(column):
                flags.append(column.declared_type)
            elif column.name.lower() not in keys:
                declared.setdefault(column.kind, []).append(column.declared_type)
    if flags:
        declared.setdefault("boolean", flags)
    found = {kind: _type_habit(declared[kind]) for kind in _TYPED if kind in declared}
    return {kind: habit for kind, habit in found.items() if habit}


def _type_habit(declared: Sequence[str]) -> Habit | None:
    """The commonest type; its name alone, with `(n)` or `(p,s)` for what varies, where no one length is the rule."""
    habit = _habit(declared, lambda text: text)
    if habit is None or habit.share >= TYPE_RULE:
        return habit
    by_name = _habit(declared, type_name)
    if by_name is None:
        return habit
    varied = [text for text in declared if type_name(text) == by_name.value and "(" in text]
    parameters = "" if not varied else "(p,s)" if any("," in text for text in varied) else "(n)"
    return by_name.model_copy(update={"value": by_name.value + parameters, "examples": _examples(varied)})


def _not_null(tables: Sequence[Table]) -> float | None:
    told = [
        column.nullable
        for table in tables
        for column in table.columns
        if column.nullable is not None and column.name not in table.primary_key
    ]
    return round(1 - sum(told) / len(told), 2) if told else None


def _quartiles(counts: Sequence[int]) -> tuple[int, int, int]:
    if len(counts) < 2:
        return (counts[0],) * 3 if counts else (0, 0, 0)
    low, middle, high = (round(cut) for cut in quantiles(counts, n=4, method="inclusive"))
    return low, middle, high


def _common_columns(lookups: Sequence[Table]) -> tuple[str, ...]:
    """The column names that at least half of the lookup tables share, the table's own name as `<table>`."""
    if len(lookups) < 2:
        return ()
    names: Counter[str] = Counter()
    for table in lookups:
        entity = set(entity_of(table.name))
        names.update({column.name for column in table.columns if not entity & set(words(column.name))})
    return tuple(name for name, count in sorted(names.items()) if count * 2 >= len(lookups))
