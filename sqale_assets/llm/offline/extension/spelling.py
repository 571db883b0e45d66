"""Names and types as the style facts of the prompt ask for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sqale_assets.llm.offline.extension.request import KnownTable
from sqale_assets.relational.model import Kind
from sqale_assets.relational.names import join, plural_words, words
from sqale_assets.relational.style import StyleProfile
from sqale_assets.relational.style_patterns import KEY, OTHER, TABLE

#: Types where the schema shows no habit for the kind.
_PLAIN_TYPES: dict[Kind, str] = {
    "integer": "INTEGER",
    "decimal": "DECIMAL(10,2)",
    "real": "REAL",
    "boolean": "BOOLEAN",
    "text": "VARCHAR",
    "date": "DATE",
    "time": "TIME",
    "datetime": "DATETIME",
}
_PRECISION = re.compile(r"\((\d+), ?\d+\)")
#: Numbers of fewer digits hold flags and percentages, not counts and amounts.
_MIN_PRECISION = 8
_INTEGER_DIGITS = 10
_LENGTH = re.compile(r"(?P<base>.*?)\s*\((?P<length>\d+)\)$")
_UNLIMITED = re.compile(r"(?i)(tiny|medium|long)?text|n?clob|string")
#: Above this share a length or type is used everywhere, below it lengths vary as the values do.
_RULE = 0.75
#: Above this share not even long texts get a type of their own.
_ONLY = 0.95
_PLAIN_KEYS = (("id",), ("uuid",), ("code",), ())
_DEFAULT_KEY = f"{TABLE} id"


@dataclass(frozen=True)
class Speller:
    """Spells the words of a concept in the style of `profile`."""

    profile: StyleProfile

    def table(self, entity: tuple[str, ...]) -> str:
        number = self.profile.table_number
        words = plural_words(entity) if number and number.value == "plural" else entity
        affix = self.profile.affix
        return f"{affix.prefix}{join(words, self.profile.table_case.value)}{affix.suffix}"  # type: ignore[arg-type]

    def column(self, words: tuple[str, ...]) -> str:
        name = join(words, self.profile.column_case.value)  # type: ignore[arg-type]
        return f"{name[:-2]}ID" if self._upper_id and name.endswith("Id") else name

    def primary_key(self, entity: tuple[str, ...]) -> str:
        habit = self.profile.primary_key
        pattern = habit.value if habit and habit.value != OTHER else _DEFAULT_KEY if habit else "id"
        return self.column(_filled(pattern, entity))

    @property
    def key_type(self) -> str:
        """The type of a new table's own key; `INTEGER` is the one that SQLite assigns by itself."""
        habit = self.profile.primary_key_type
        return habit.value if habit else "INTEGER"

    def foreign_key(self, target: KnownTable, role: tuple[str, ...]) -> str:
        """The name of the column that refers to `target`, in `role` if there is one."""
        if role and role[-1] in ("by", "to"):
            return self.column(role)
        pattern = self.profile.foreign_key.value if self.profile.foreign_key else _DEFAULT_KEY
        entity = target.entity[-2:] if len(target.entity) > 3 else target.entity
        if pattern == KEY:
            key = words(target.key or "")
            own = self.profile.primary_key.value if self.profile.primary_key else _DEFAULT_KEY
            if key not in _PLAIN_KEYS and not own.startswith("id "):
                return self.column((*role, *key)) if role else target.key or ""
            if key not in _PLAIN_KEYS and not role:
                return target.key or ""
            pattern = own if TABLE in own else _DEFAULT_KEY
        if pattern == OTHER:
            pattern = _DEFAULT_KEY
        return self.column(_filled(pattern, role or entity))

    def type_of(self, kind: Kind | Literal["long"], length: int | None) -> str:
        """The declared type of a column, as the schema declares such columns."""
        if kind in ("text", "enum", "long"):
            return self._text_type(length or 100, long=kind == "long")
        habit = self.profile.types.get(kind)
        if habit is None and kind == "decimal":
            habit = self.profile.types.get("real")
        return _with_parameters(habit.value, kind) if habit else _PLAIN_TYPES[kind]

    def _text_type(self, length: int, *, long: bool) -> str:
        habit = self.profile.types.get("text")
        value = habit.value if habit else _PLAIN_TYPES["text"]
        if _UNLIMITED.fullmatch(value):
            return value
        varied = value.endswith("(n)")
        if not varied and habit and habit.share >= (_ONLY if long else _RULE):
            return value
        if long:
            return "TEXT"
        if varied:
            return value.replace("(n)", f"({length})")
        if match := _LENGTH.match(value):
            return f"{match['base']}({length})"
        return value if habit else f"{value}({length})"

    @cached_property
    def _upper_id(self) -> bool:
        """Whether a PascalCase schema writes CustomerID rather than CustomerId."""
        habits = [self.profile.primary_key, self.profile.foreign_key]
        examples = [example for habit in habits if habit for example in habit.examples]
        return self.profile.column_case.value in ("PascalCase", "camelCase", "Pascal_Snake_Case") and any(
            example.endswith("ID") for example in examples
        )


def _with_parameters(usual: str, kind: str) -> str:
    """A type whose length or precision varies in the schema, or is a small one, as suits a plain column of the kind."""
    if (match := _PRECISION.search(usual)) and int(match[1]) < _MIN_PRECISION:
        usual = _PRECISION.sub("(p,s)", usual)
    usual = usual.replace("(p,s)", "(10,2)" if kind == "decimal" else "(10,0)")
    return usual.replace("(n)", f"({_INTEGER_DIGITS})" if kind == "integer" else "")


def _filled(pattern: str, entity: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a pattern, the placeholder replaced by the entity: "<table> id" of order item."""
    parts: list[str] = []
    for token in pattern.split():
        if token == TABLE:
            parts += entity
        elif token.startswith(TABLE):
            parts += [*entity[:-1], token.replace(TABLE, entity[-1])]
        elif TABLE in token:
            parts += [token.replace(TABLE, entity[0]), *entity[1:]]
        else:
            parts.append(token)
    return tuple(parts)
