"""How a schema names and shapes single things: affixes of table names, key patterns, junctions, lookups.

A pattern is what remains of a name when the table it belongs to is replaced by a placeholder: the key
`order_id` of `tb_orders` has the pattern "<table> id". It is made of words, so it does not depend on case.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sqale_assets.relational.model import Column, ForeignKey, Table
from sqale_assets.relational.names import singular, singular_words, words

TABLE, KEY, OTHER = "<table>", "<key>", "other"

_AFFIX_SHARE = 0.7
_SUFFIXES = ("table", "tbl", "tab")
_PARAMETERS = re.compile(r"\([^)]*\)")
_PLAIN_KEYS = ("id", "uuid", "guid", "pk", "code", "oid")
_KNOWN_PREFIXES = ("tbl", "tb", "t", "tab")


class Affix(NamedTuple):
    """What stands before and after the entity in every table name, separators included: ("tb_", "")."""

    prefix: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}*{self.suffix}"

    @classmethod
    def parse(cls, text: str) -> Affix:
        prefix, _, suffix = text.partition("*")
        return cls(prefix, suffix)

    def strip(self, name: str) -> str | None:
        """The name without the affix, or None where it does not carry it."""
        if not name.startswith(self.prefix) or not name.endswith(self.suffix):
            return None
        return name[len(self.prefix) : len(name) - len(self.suffix)] or None


def affix_of(names: Sequence[str]) -> tuple[Affix, float]:
    """The affix that at least 70% of `names` carry, and the share that does; the empty one and 1.0 otherwise."""
    prefixes: Counter[str] = Counter()
    suffixes: Counter[str] = Counter()
    for name in names:
        for separator in "_.":
            head, found, tail = name.partition(separator)
            if found and tail:
                prefixes[head + separator] += 1
        if (parts := words(name)) and parts[0] in _KNOWN_PREFIXES and len(parts) > 1 and "_" not in name:
            prefixes[name[: len(parts[0])]] += 1
        head, found, tail = name.rpartition("_")
        if head and tail.lower() in _SUFFIXES:
            suffixes[found + tail] += 1
    for counter, make in ((prefixes, lambda text: Affix(text, "")), (suffixes, lambda text: Affix("", text))):
        for text, count in counter.most_common(1):
            known = text.strip("_.").lower() in (*_KNOWN_PREFIXES, *_SUFFIXES)
            if count / len(names) >= _AFFIX_SHARE and (len(names) >= 3 or (known and count == len(names))):
                return make(text), count / len(names)
    return _run_together(names)


def _run_together(names: Sequence[str]) -> tuple[Affix, float]:
    """A prefix without separator, as in COMTNFILE, COMTCCMMNCODE: only where no name has separators."""
    if len(names) >= 4 and not any("_" in name or len(words(name)) > 1 for name in names):
        prefix = os.path.commonprefix(list(names))  # noqa: RUF071 - of texts, not paths
        if len(prefix) >= 3 and all(len(name) > len(prefix) for name in names):
            return Affix(prefix, ""), 1.0
    return Affix(), 1.0


def entity_of(name: str, affix: Affix = Affix()) -> tuple[str, ...]:  # noqa: B008 - immutable
    """The entity a table is about, as singular words: `tb_OrderItems` gives order, item."""
    return singular_words(words(affix.strip(name) or name)) or (name.lower(),)


def pattern_of(column: str, name: str, affix: Affix) -> str:
    """The pattern of a column over the table `name`, or "other" where the column does not mention it."""
    parts = words(column)
    entity = tuple(singular(part) for part in entity_of(name, affix))
    whole = tuple(singular(part) for part in words(name))
    shorter = [entity[start:] for start in range(1, len(entity))]  # course_assignment: assignment_id
    tried = (
        _replaced(parts, entity),
        _replaced(parts, whole) if whole != entity else None,
        _replaced_inside(parts, "".join(entity)),
        *(_replaced(parts, some) for some in shorter),
    )
    return next((pattern for pattern in tried if pattern), OTHER)


def _replaced(parts: tuple[str, ...], entity: tuple[str, ...]) -> str | None:
    """The words with those of the entity, in whatever number, replaced by the placeholder."""
    size = len(entity)
    for start in range(len(parts) - size + 1):
        if tuple(singular(part) for part in parts[start : start + size]) == entity:
            return " ".join((*parts[:start], TABLE, *parts[start + size :]))
    return None


def _replaced_inside(parts: tuple[str, ...], joined: str) -> str | None:
    """The same where words are run together: userid, manimal_mid, order_itemid."""
    if len(joined) <= 2:
        return None
    for index, part in enumerate(parts):
        if joined in part:
            return " ".join((*parts[:index], part.replace(joined, TABLE, 1), *parts[index + 1 :]))
    run_together = "".join(parts)
    return run_together.replace(joined, TABLE, 1) if joined in run_together else None


def primary_key_pattern(table: Table, affix: Affix) -> str:
    """The pattern of a single-column primary key: "<table> id", "id <table>"; its own words without the table: "id"."""
    pattern = pattern_of(table.primary_key[0], table.name, affix)
    return pattern if pattern != OTHER else " ".join(words(table.primary_key[0]))


def is_plain_key(table: Table, affix: Affix) -> bool:
    """Whether the table's key is called the same as any other's (id), so that no other column can repeat it."""
    return len(table.primary_key) != 1 or table.primary_key[0].lower() in _PLAIN_KEYS


def foreign_key_pattern(key: ForeignKey, target: Table | None, affix: Affix) -> tuple[str, ...]:
    """The patterns a foreign-key column fits; empty for composite keys and for role names (created_by)."""
    if target is None or len(key.columns) != 1:
        return ()
    column, target_column = key.columns[0], key.target_columns[0]
    patterns = [KEY] if column.lower() == target_column.lower() else []
    found = pattern_of(column, target.name, affix)
    if found == OTHER and words(target_column) and len(words(target_column)) > 1:
        # a role in front of the key's name: parent_category_id
        size = len(words(target_column))
        if words(column)[-size:] == words(target_column):
            return (KEY,)
    return (*patterns, found) if found != OTHER else tuple(patterns)


def is_small_integer(column: Column) -> bool:
    """Whether the column is of the type of flags and small codes, which tells nothing about other numbers."""
    return column.kind == "integer" and column.declared_type.upper().startswith("TINYINT")


def type_name(declared: str) -> str:
    """The name of a declared type, upper case, without length or precision: VARCHAR(255) gives VARCHAR."""
    return " ".join(_PARAMETERS.sub(" ", declared).upper().split())


def key_role(table: Table) -> Literal["own", "inherited"]:
    """Whether the primary key is the table's own or (also) a foreign key, as in a 1:1 extension."""
    keys = {name.lower() for key in table.foreign_keys for name in key.columns}
    return "inherited" if any(name.lower() in keys for name in table.primary_key) else "own"


def is_junction(table: Table) -> bool:
    """Whether the table joins others many to many: keyed by its foreign keys, or nothing but them and an own key."""
    keys = {name.lower() for key in table.foreign_keys for name in key.columns}
    own = {name.lower() for name in table.primary_key} - keys
    rest = [column for column in table.columns if column.name.lower() not in keys | own]
    return len(table.foreign_keys) >= 2 and len(own) <= 1 and len(rest) <= (0 if own else 2)


def is_lookup(table: Table, referenced: frozenset[str]) -> bool:
    """Whether the table is a short list that others refer to. `referenced`: lower-case names of FK targets."""
    return len(table.columns) <= 4 and not table.foreign_keys and table.name.lower() in referenced
