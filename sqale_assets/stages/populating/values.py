"""Values as SQLite will hold them: type and affinity, length, range, vocabulary, NOT NULL; column by column.

The common case, a column that is right already, costs one pass over its types. `Repairs` counts what was changed.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import orjson

from sqale_assets.relational.model import Column, Value
from sqale_assets.stages.populating import globs
from sqale_assets.stages.populating.rules import ColumnRule

Repairs = Counter[str]
MAX_INTEGER = 2**63 - 1
MAX_TEXT = 4000

_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?\Z")
_TRUE, _FALSE = frozenset({"true", "t", "yes", "y", "1", "on"}), frozenset({"false", "f", "no", "n", "0", "off"})


def conform(values: list[Any], rule: ColumnRule, rng: random.Random, repairs: Repairs) -> list[Value]:
    """`values` as the column may hold them; NULL stays where it may, and is filled where it must not be."""
    typed = _typed(values, rule.column, repairs)
    if rule.allowed:
        typed = _from_vocabulary(typed, rule, rng, repairs)
    elif rule.low is not None or rule.high is not None:
        typed = _in_range(typed, rule, rng, repairs)
    if rule.globs:
        typed = _shaped(typed, rule, rng, repairs)
    if rule.max_length is not None or rule.column.affinity == "TEXT":
        typed = _short_enough(typed, rule.max_length or MAX_TEXT, repairs)
    if not rule.nullable and None in typed:
        typed = _filled(typed, rule, rng, repairs)
    return typed


def _typed(values: list[Any], column: Column, repairs: Repairs) -> list[Value]:
    types = set(map(type, values))
    if _is_right(values, types, column):
        return values
    convert = _CONVERTERS.get(column.kind, _text)
    if types == {float} and column.kind in ("decimal", "real") and math.isfinite(sum(values)):
        scale = _scale(column)
        return values if column.kind == "real" else [round(value, scale) for value in values]
    out: list[Value] = []
    for value in values:
        converted = None if value is None else convert(value, column)
        if converted is None and value is not None:
            repairs["type"] += 1
        out.append(converted)
    return out


def _is_right(values: list[Any], types: set[type], column: Column) -> bool:
    """Whether nothing needs converting, told without looking at every value in Python where that is possible."""
    given = types - {type(None)}
    match column.kind:
        case "text" | "enum" | "uuid":
            return given <= {str}
        case "boolean":
            return given <= {int} and set(values) <= {0, 1, None}
        case "integer":
            known = values if given == types else [value for value in values if value is not None]
            return given <= {int} and (not known or (min(known) >= -MAX_INTEGER and max(known) <= MAX_INTEGER))
        case "datetime" if types == {str}:
            return all(len(value) == 19 and value[10] == " " for value in values)
        case "date" if types == {str}:
            return all(len(value) == 10 for value in values)
    return not given


def _integer(value: Any, column: Column) -> Value:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        text = value.strip()
        if not re.fullmatch(r"[+-]?\d{1,19}", text):
            return _integer(_real(text, column), column)
        value = int(text)
    if isinstance(value, int):
        return value if abs(value) <= MAX_INTEGER else None
    if isinstance(value, float | Decimal):
        number = _real(value, column)
        return int(value) if number is not None and abs(number) <= MAX_INTEGER else None
    if isinstance(value, date):
        return value.year if "YEAR" in column.declared_type.upper() else int(value.strftime("%Y%m%d"))
    return None


def _real(value: Any, column: Column) -> Value:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _decimal(value: Any, column: Column) -> Value:
    number = _real(value, column)
    if number is None:
        return None
    return round(number, _scale(column))


def _scale(column: Column) -> int:
    return column.scale if column.scale is not None else 4


def _boolean(value: Any, column: Column) -> Value:
    if isinstance(value, str):
        word = value.strip().lower()
        return 1 if word in _TRUE else 0 if word in _FALSE else None
    number = _real(value, column) if isinstance(value, int | float | Decimal) else None
    return None if number is None else int(number != 0)


def _text(value: Any, column: Column) -> Value:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict | list | tuple):
        try:
            return orjson.dumps(value, default=str).decode()
        except TypeError:
            return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _moment(value) if isinstance(value, date | time) else str(value)


def _moment(value: date | time) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return value.strftime("%H:%M:%S") if isinstance(value, time) else value.isoformat()


def _date(value: Any, column: Column) -> Value:
    if isinstance(value, str):
        match = _ISO_DATE.match(value)
        return match[1] if match else value or None
    return _epoch_or_text(value, 10)


def _datetime(value: Any, column: Column) -> Value:
    if isinstance(value, str):
        match = _ISO_DATE.match(value)
        return f"{match[1]} {match[2]}" if match else value or None
    return _epoch_or_text(value, 19)


def _time(value: Any, column: Column) -> Value:
    if isinstance(value, datetime):
        return value.strftime("%H:%M:%S")
    return _epoch_or_text(value, 8) if not isinstance(value, str) else value or None


def _epoch_or_text(value: Any, width: int) -> Value:
    """A date or time as ISO text; a plain number stays: some schemas keep seconds since 1970."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, int | float):
        return value if abs(value) <= MAX_INTEGER else None
    return _moment(value)[:width] if isinstance(value, date | time) else None


_CONVERTERS: dict[str, Callable[[Any, Column], Value]] = {
    "integer": _integer,
    "decimal": _decimal,
    "real": _real,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "time": _time,
}


def _from_vocabulary(values: list[Value], rule: ColumnRule, rng: random.Random, repairs: Repairs) -> list[Value]:
    known = set(rule.allowed)
    if known.issuperset(set(values) - {None}):
        return values
    spelled = {str(value).lower(): value for value in rule.allowed}
    out = []
    for value in values:
        if value is not None and value not in known:
            repairs["vocabulary"] += 1
            value = spelled[str(value).lower()] if str(value).lower() in spelled else rng.choice(rule.allowed)
        out.append(value)
    return out


def _in_range(values: list[Value], rule: ColumnRule, rng: random.Random, repairs: Repairs) -> list[Value]:
    low = -math.inf if rule.low is None else rule.low
    high = math.inf if rule.high is None else rule.high
    numbers = [value for value in values if type(value) is int or type(value) is float]
    if not numbers or (min(numbers) >= low and max(numbers) <= high):
        return values
    inside = [number for number in numbers if low <= number <= high]
    out: list[Value] = []
    for value in values:
        if isinstance(value, int | float) and not low <= value <= high:
            repairs["range"] += 1
            nearest = low if value < low else high
            value = rng.choice(inside) if inside else type(value)(nearest)
        out.append(value)
    return out


def _shaped(values: list[Value], rule: ColumnRule, rng: random.Random, repairs: Repairs) -> list[Value]:
    out: list[Value] = []
    for value in values:
        if value is not None and not any(globs.matches(pattern, str(value)) for pattern in rule.globs):
            repairs["shape"] += 1
            value = globs.written(rng.choice(rule.globs), rng)
        out.append(value)
    return out


def _short_enough(values: list[Value], limit: int, repairs: Repairs) -> list[Value]:
    if max(map(len, [value for value in values if type(value) is str]), default=0) <= limit:
        return values
    out = list(values)
    for at, value in enumerate(values):
        if isinstance(value, str) and len(value) > limit:
            out[at] = value[:limit].rstrip() or value[:limit]
            repairs["length"] += 1
    return out


def _filled(values: list[Value], rule: ColumnRule, rng: random.Random, repairs: Repairs) -> list[Value]:
    """NULLs replaced by values of the same column; by a plain value of its kind where it holds none."""
    known = [value for value in values if value is not None]
    repairs["not_null"] += len(values) - len(known)
    if not known:
        known = list(rule.allowed) or [plain_value(rule)]
    return [rng.choice(known) if value is None else value for value in values]


def plain_value(rule: ColumnRule) -> Value:
    """A value that the column accepts, for want of a better one."""
    low = 0 if rule.low is None or rule.low < 0 else rule.low
    match rule.column.kind:
        case "integer" | "boolean":
            return int(low)
        case "decimal" | "real":
            return float(low)
        case "date":
            return "2024-01-15"
        case "datetime":
            return "2024-01-15 09:00:00"
        case "time":
            return "09:00:00"
        case "json":
            return "{}"
    return "unknown"[: rule.max_length or 7]
