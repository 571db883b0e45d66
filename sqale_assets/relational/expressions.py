"""Expressions inside DDL, from any dialect to what SQLite accepts: defaults and checks. sqlglot does the work."""

from __future__ import annotations

import logging
import re
import sqlite3
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from sqale_assets.relational.model import Kind
from sqale_assets.relational.sqlite import quote
from sqale_assets.relational.tokens import Unreadable

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of what we report ourselves

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_STRING = re.compile(r"(?:[nN]|_[a-z]\w*\s*)?'((?:[^'\\]|'')*)'")
_CLOCK = re.compile(
    r"(current[_ ]timestamp|now|getdate|getutcdate|sysdate|systimestamp|sysdatetime|sysutcdatetime|sysdatetimeoffset"
    r"|localtimestamp|localtime|transaction_timestamp|clock_timestamp|statement_timestamp|current[_ ]date|curdate"
    r"|current_time|curtime|utc_timestamp)\s*(\(\s*\d*\s*\))?",
    re.IGNORECASE,
)
_NUMERIC: tuple[Kind, ...] = ("integer", "decimal", "real", "boolean")
_TRUE, _FALSE = ("true", "t", "yes", "y", "on"), ("false", "f", "no", "n", "off")


class Default(NamedTuple):
    """A default in SQLite's SQL, None for none; `assigned` where the database counts the values itself."""

    sql: str | None
    assigned: bool = False


def default_sql(source: str, dialect: str | None, kind: Kind) -> Default:
    """The default as SQLite can express it.

    Raises:
        Unreadable: it cannot.
    """
    text = _bare(source.strip())
    if _NUMBER.fullmatch(text):
        return Default(_literal(text, kind, is_string=False))
    if (match := _STRING.fullmatch(text)) is not None:
        return Default(_literal(match[1].replace("''", "'"), kind, is_string=True))
    lowered = text.lower()
    if lowered in ("null", ""):
        return Default(None)
    if lowered in ("true", "false"):
        return Default(_literal(lowered, kind, is_string=False))
    if (match := _CLOCK.fullmatch(text)) is not None:
        return Default(_clock(match[1], kind))
    if re.search(r"\bnextval\b|\bnext\s+value\s+for\b", lowered):
        return Default(None, assigned=True)
    return Default(_parsed_default(text, dialect, kind))


def _bare(text: str) -> str:
    """Without the parentheses around all of it, as T-SQL scripts them (two deep; nobody needs more than a few)."""
    for _ in range(8):
        if not (text.startswith("(") and text.endswith(")")):
            break
        depth = 0
        for index, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0 and index < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text


def _literal(text: str, kind: Kind, is_string: bool) -> str:
    if kind == "boolean" and text.lower() in _TRUE + _FALSE:
        return "1" if text.lower() in _TRUE else "0"
    if not is_string and text in ("true", "false"):
        return "1" if text == "true" else "0"
    if kind in _NUMERIC and _NUMBER.fullmatch(text):
        return text
    return "'" + text.replace("'", "''") + "'" if is_string else text


def _clock(function: str, kind: Kind) -> str:
    function = function.lower().replace(" ", "_")
    if kind == "date" or function in ("current_date", "curdate"):
        return "CURRENT_DATE"
    if kind == "time" or function in ("current_time", "curtime", "localtime"):
        return "CURRENT_TIME"
    return "CURRENT_TIMESTAMP"


def _parsed_default(text: str, dialect: str | None, kind: Kind) -> str | None:
    tree = _parse(text, dialect)
    while isinstance(tree, exp.Paren | exp.Cast | exp.TryCast | exp.Collate | exp.AtTimeZone | exp.National):
        if isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal) and tree.this.name.lower() == "now":
            return _clock("current_date" if tree.to.is_type("date") else "now", kind)
        tree = tree.this
    constant = _constant(tree)
    if constant is not None:
        return _literal(constant, kind, is_string=True)
    if isinstance(tree, exp.Null):
        return None
    if isinstance(tree, exp.Literal) or (isinstance(tree, exp.Neg) and isinstance(tree.this, exp.Literal)):
        return _literal(tree.sql(), kind, is_string=False)
    if isinstance(tree, exp.Boolean):
        return _literal(str(tree.this).lower(), kind, is_string=False)
    if isinstance(tree, exp.BitString | exp.HexString) and kind in _NUMERIC:
        return str(int(str(tree.this) or "0", 2 if isinstance(tree, exp.BitString) else 16))
    if isinstance(tree, exp.CurrentTimestamp | exp.CurrentDate | exp.CurrentTime | exp.CurrentDatetime):
        return _clock({exp.CurrentDate: "current_date", exp.CurrentTime: "current_time"}.get(type(tree), "now"), kind)
    if isinstance(tree, exp.Column):
        raise Unreadable(f"the default {text[:60]!r} has no like in SQLite")
    clocks = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.CurrentDatetime)
    inside = tree.find(*clocks)
    if inside is not None and dialect != "sqlite":
        if isinstance(tree, exp.Func) and (not isinstance(tree, exp.Anonymous) or tree.name.lower() == "timezone"):
            return _clock("now", kind)
        raise Unreadable(f"the default {text[:60]!r} has no like in SQLite")
    written = _write(tree)
    if not accepted(f"SELECT {written}"):
        raise Unreadable(f"the default {text[:60]!r} has no like in SQLite")
    return written


def _constant(tree: exp.Expression) -> str | None:
    """The text of a string, maybe put together from parts, as the writer does it to avoid semicolons."""
    if isinstance(tree, exp.Literal) and tree.is_string:
        return tree.this
    if isinstance(tree, exp.National):
        return str(tree.this)
    if isinstance(tree, exp.Paren):
        return _constant(tree.this)
    if isinstance(tree, exp.Chr) and len(tree.expressions) == 1 and tree.expressions[0].name == "59":
        return ";"
    if isinstance(tree, exp.DPipe):
        left, right = _constant(tree.this), _constant(tree.expression)
        return left + right if left is not None and right is not None else None
    return None


# --- checks ---------------------------------------------------------------------------------------


class Check(NamedTuple):
    """A check in SQLite's SQL, or what it amounts to: `column` is one of `enum`, or NOT NULL, or JSON."""

    sql: str
    column: str | None = None
    enum: tuple[str, ...] = ()
    not_null: bool = False
    json: bool = False


def check_sql(
    source: str,
    dialect: str | None,
    columns: dict[str, str],
    *,
    binary: frozenset[str] = frozenset(),
    value: str | None = None,
) -> Check:
    """The check as SQLite can express it.

    `columns` maps lower-case names to their spelling, `binary` are those that hold binary data; `value` is the column
    that a domain's VALUE stands for.

    Raises:
        Unreadable: sqlglot cannot parse it, or it is about what neither SQLite nor a row can hold.
    """
    tree = _parse(source, dialect)
    if value is not None:
        tree = tree.transform(
            lambda node: exp.column(value) if isinstance(node, exp.Column) and node.name.upper() == "VALUE" else node
        )
    tree = _rewritten(tree, dialect)
    for column in tree.find_all(exp.Column):
        if column.name.lower() not in columns:
            raise Unreadable(f"a check on {column.name[:40]!r}, which is not a column of the table")
        column.replace(exp.column(exp.to_identifier(columns[column.name.lower()])))
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", quote(identifier.name) != identifier.name)
    if isinstance(tree, exp.Column):  # SQLite's parser takes it, but it says nothing
        return Check(_write(tree), tree.name)
    if isinstance(tree, exp.Not) and isinstance(tree.this, exp.Is):
        test = tree.this
        if isinstance(test.this, exp.Column) and isinstance(test.expression, exp.Null):
            return Check("", test.this.name, not_null=True)
    if isinstance(tree, exp.EQ) and isinstance(tree.this, exp.Anonymous) and tree.expression.name == "1":
        tree = tree.this if tree.this.name.lower() == "json_valid" else tree  # ISJSON(x) = 1
    if isinstance(tree, exp.Anonymous) and tree.name.lower() == "json_valid" and len(tree.expressions) == 1:
        return Check(_write(tree), tree.expressions[0].name, json=True)
    if any(column.name.lower() in binary for column in tree.find_all(exp.Column)):
        raise Unreadable("a check on binary data, which rows do not carry")
    column, values = _enumeration(tree)
    return Check(_write(tree), column, values)


def _enumeration(tree: exp.Expression) -> tuple[str | None, tuple[str, ...]]:
    """The column and values of `x IN ('a', 'b')` and `x = 'a' OR x = 'b'`; (None, ()) for other conditions."""
    if isinstance(tree, exp.In) and isinstance(tree.this, exp.Column) and tree.expressions:
        values = [_constant(value) for value in tree.expressions]
        if all(value is not None for value in values):
            return tree.this.name, tuple(dict.fromkeys(value for value in values if value is not None))
    if isinstance(tree, exp.Or):
        names, values = set(), []
        for part in tree.flatten():
            part = part.unnest()
            if not (isinstance(part, exp.EQ) and isinstance(part.this, exp.Column)):
                return None, ()
            names.add(part.this.name)
            values.append(_constant(part.expression))
        if len(names) == 1 and all(value is not None for value in values):
            return names.pop(), tuple(dict.fromkeys(value for value in values if value is not None))
    return None, ()


def _rewritten(tree: exp.Expression, dialect: str | None) -> exp.Expression:
    """The condition in SQLite's terms, rewritten from the leaves upwards."""
    for node in reversed(list(tree.walk())):
        rewritten = _simplified(node)
        if dialect == "tsql":
            rewritten = _pattern(rewritten)
        if rewritten is not node:
            if node is tree:
                tree = rewritten
            else:
                node.replace(rewritten)
    return tree.unnest()


def _simplified(node: exp.Expression) -> exp.Expression:
    """Without casts and parentheses that SQLite has no use for; functions by SQLite's names."""
    if isinstance(node, exp.Cast | exp.TryCast) and isinstance(node.this, exp.Column | exp.Literal | exp.Array):
        return node.this
    if isinstance(node, exp.National):
        return exp.Literal.string(str(node.this))
    if isinstance(node, exp.Paren) and isinstance(node.this, exp.Literal | exp.Column | exp.Paren | exp.Func):
        return node.this
    if isinstance(node, exp.Paren) and isinstance(node.this, exp.Predicate | exp.Array):
        return node.this if isinstance(node.parent, exp.And | exp.Or | exp.Any | exp.Cast) else node
    if isinstance(node, exp.EQ) and isinstance(node.expression, exp.Any):
        array = node.expression.this.unnest()
        if isinstance(array, exp.Array):  # what pg_dump makes of IN
            return exp.In(this=node.this, expressions=array.expressions)
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.JSON):
        return exp.Anonymous(this="json_valid", expressions=[node.this])
    if isinstance(node, exp.Anonymous) and node.name.lower() == "isjson":
        return exp.Anonymous(this="json_valid", expressions=node.expressions)
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("octet_length", "datalength"):
        return exp.func("length", *node.expressions)
    return node


def _pattern(node: exp.Expression) -> exp.Expression:
    """T-SQL's character classes in LIKE are SQLite's in GLOB."""
    if not isinstance(node, exp.Like) or not isinstance(node.expression, exp.Literal):
        return node
    pattern = node.expression.name
    if "[" not in pattern:
        return node
    translated = re.sub(r"\[[^\]]*\]|%|_", lambda match: {"%": "*", "_": "?"}.get(match[0], match[0]), pattern)
    return exp.Glob(this=node.this, expression=exp.Literal.string(translated))


def _parse(source: str, dialect: str | None) -> exp.Expression:
    error: Exception | None = None
    for name in dict.fromkeys((dialect or "sqlite", "postgres", "mysql")):
        try:
            engine = Dialect.get_or_raise(name)
            trees = engine.parser().parse_into(exp.Condition, engine.tokenize(source), source)
            if len(trees) == 1 and trees[0] is not None:
                return trees[0]
        except (SqlglotError, ValueError, RecursionError, AttributeError, IndexError, TypeError) as caught:
            error = error or caught
    raise Unreadable(f"sqlglot cannot parse {source[:60]!r}" + (f": {str(error)[:80]}" if error else ""))


def _write(tree: exp.Expression) -> str:
    try:
        return tree.transform(_is_not_null).sql(dialect="sqlite", comments=False).replace("\n", " ")
    except (SqlglotError, ValueError, RecursionError) as error:
        raise Unreadable(f"no like in SQLite: {error}") from error


def _is_not_null(node: exp.Expression) -> exp.Expression:
    """`x IS NOT NULL` as people write it instead of sqlglot's `NOT x IS NULL`."""
    test = node.this if isinstance(node, exp.Not) else None
    if isinstance(test, exp.Is) and isinstance(test.expression, exp.Null):
        return exp.Is(this=test.this, expression=exp.Not(this=exp.Null()))
    return node


@lru_cache(maxsize=1)
def _scratch() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


def accepted(statement: str) -> bool:
    """Whether SQLite compiles a statement on an empty database; it is not run."""
    try:
        _scratch().execute(f"EXPLAIN {statement}").close()
        return True
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return False
