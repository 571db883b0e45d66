"""What a column's declaration and the table's CHECKs demand of its values, in a form that rows can be tested by.

Understood: IN lists, OR of equalities, BETWEEN, comparisons with a number or between two columns, LENGTH, GLOB, LIKE.
Any other CHECK is left to SQLite itself, which refuses the row when it is inserted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sqale_assets.relational.model import Column, Table, Value
from sqale_assets.stages.populating.globs import pattern_of

_COMPARISONS = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


@dataclass(slots=True)
class ColumnRule:
    """Demands on one column. `low` and `high` are inclusive; `nullable` is False for NOT NULL and key columns."""

    column: Column
    nullable: bool
    allowed: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    max_length: int | None = None
    min_length: int | None = None
    #: GLOB patterns, one of which a text must match.
    globs: tuple[str, ...] = ()


@dataclass(slots=True)
class TableRules:
    """`columns` by lower-case name; `ordered` holds (smaller, larger, strict) pairs of lower-case names."""

    columns: dict[str, ColumnRule] = field(default_factory=dict)
    ordered: list[tuple[str, str, bool]] = field(default_factory=list)


def table_rules(table: Table) -> TableRules:
    """The rules of `table`."""
    primary = {name.lower() for name in table.primary_key}
    rules = TableRules()
    for column in table.columns:
        low, high = _range_of_type(column)
        rules.columns[column.name.lower()] = ColumnRule(
            column=column,
            nullable=column.nullable is not False and column.name.lower() not in primary,
            allowed=column.enum,
            low=low,
            high=high,
            max_length=column.length if column.kind in ("text", "enum", "uuid") else None,
        )
    for check in table.checks:
        for term in conjuncts(check):
            _add(rules, term)
    return rules


def _range_of_type(column: Column) -> tuple[float | None, float | None]:
    declared = column.declared_type.upper()
    if column.kind == "decimal" and column.precision is not None:
        most = 10 ** (column.precision - (column.scale or 0)) - 10 ** -(column.scale or 0)
        return (0 if "UNSIGNED" in declared else -most), most
    if column.kind != "integer":
        return None, None
    if column.precision is not None and column.precision < 18:
        return -(10**column.precision - 1), 10**column.precision - 1
    bits = next((bits for name, bits in _BITS if name in declared), 63)
    if "UNSIGNED" in declared:
        return 0, 2 ** min(bits, 63) - 1
    return -(2 ** min(bits - 1, 63)), 2 ** min(bits - 1, 63) - 1


_BITS = (("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("BIGINT", 64), ("INT", 32))


@lru_cache(maxsize=4096)
def conjuncts(check: str) -> tuple[exp.Expression, ...]:
    """The terms of a CHECK that must all hold; none where the expression cannot be read."""
    try:
        return tuple(_flatten(parse_one(check, dialect="sqlite")))
    except (SqlglotError, RecursionError):
        return ()


def _flatten(term: exp.Expression) -> Iterator[exp.Expression]:
    term = term.unnest()
    if isinstance(term, exp.And):
        yield from _flatten(term.left)
        yield from _flatten(term.right)
    else:
        yield term


def _add(rules: TableRules, term: exp.Expression) -> None:
    if isinstance(term, exp.In) and (rule := _rule(rules, term.this)) is not None:
        _allow(rule, [_literal(item) for item in term.expressions])
    elif isinstance(term, exp.Or | exp.EQ | exp.Glob | exp.Like):
        _add_alternatives(rules, term)
    elif isinstance(term, exp.Between) and (rule := _rule(rules, term.this)) is not None:
        _bound(rule, ">=", _literal(term.args["low"]))
        _bound(rule, "<=", _literal(term.args["high"]))
    elif type(term) in _COMPARISONS:
        _add_comparison(rules, _COMPARISONS[type(term)], term.left, term.right)


def _add_alternatives(rules: TableRules, term: exp.Expression) -> None:
    """`a = 1 OR a IN (2, 3)` and `a GLOB 'x*' OR a = 'y'`: what one column may be. `OR a IS NULL` changes nothing."""
    sides = [side.unnest() for side in (term.flatten() if isinstance(term, exp.Or) else [term])]
    sides = [side for side in sides if not (isinstance(side, exp.Is) and isinstance(side.expression, exp.Null))]
    if len(sides) == 1 and not isinstance(sides[0], exp.EQ | exp.Glob | exp.Like):
        _add(rules, sides[0])
        return
    owners: dict[int, ColumnRule] = {}
    values: list[Value] = []
    globs: list[str] = []
    for side in sides:
        if shape := pattern_of(side):
            owner = _rule(rules, shape[0])
            globs.append(shape[1])
        elif isinstance(side, exp.EQ | exp.In):
            owner = _rule(rules, side.this)
            values += [_literal(item) for item in ([side.right] if isinstance(side, exp.EQ) else side.expressions)]
        else:
            return
        if owner is None:
            return
        owners[id(owner)] = owner
    if len(owners) != 1:
        return
    rule = next(iter(owners.values()))
    if globs:  # a value is a pattern too, of nothing but itself
        rule.globs = (*globs, *(re.sub(r"([*?[])", r"[\1]", value) for value in values if isinstance(value, str)))
    else:
        _allow(rule, values)


def _add_comparison(rules: TableRules, operator: str, left: exp.Expression, right: exp.Expression) -> None:
    left, right = left.unnest(), right.unnest()
    if isinstance(left, exp.Length) and (rule := _rule(rules, left.this)) is not None:
        number = _literal(right)
        if isinstance(number, int | float):
            strict = int(operator in ("<", ">"))
            if operator.startswith("<"):
                rule.max_length = min(int(number) - strict, rule.max_length or 10**9)
            else:
                rule.min_length = int(number) + strict
        return
    first, second = _rule(rules, left), _rule(rules, right)
    if first is not None and second is not None:
        smaller, larger = (first, second) if operator.startswith("<") else (second, first)
        rules.ordered.append((smaller.column.name.lower(), larger.column.name.lower(), "=" not in operator))
    elif first is not None:
        _bound(first, operator, _literal(right))
    elif second is not None:
        _bound(second, _MIRRORED[operator], _literal(left))


def _rule(rules: TableRules, node: exp.Expression) -> ColumnRule | None:
    node = node.unnest()
    while isinstance(node, exp.Cast):
        node = node.this.unnest()
    return rules.columns.get(node.name.lower()) if isinstance(node, exp.Column) else None


def _literal(node: exp.Expression) -> Value:
    node = node.unnest()
    while isinstance(node, exp.Cast):
        node = node.this.unnest()
    if isinstance(node, exp.Neg):
        value = _literal(node.this)
        return -value if isinstance(value, int | float) else None
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return node.this
    return float(node.this) if any(c in node.this for c in ".eE") else int(node.this)


def _allow(rule: ColumnRule, values: list[Value]) -> None:
    given = [value for value in values if value is not None]
    if given:
        rule.allowed = tuple(v for v in rule.allowed if v in given) or tuple(given)


def _bound(rule: ColumnRule, operator: str, limit: Value) -> None:
    if not isinstance(limit, int | float):
        return
    if operator in (">", "<"):
        step = 1 if rule.column.kind == "integer" else 10 ** -(rule.column.scale or 2)
        limit = limit + step if operator == ">" else limit - step
    if operator.startswith(">"):
        rule.low = limit if rule.low is None else max(rule.low, limit)
    else:
        rule.high = limit if rule.high is None else min(rule.high, limit)
