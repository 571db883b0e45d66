"""Statements inside others: behind a condition, in an anonymous block, or in a string that is executed.

Scripts guard their DDL: `IF NOT EXISTS (...) BEGIN CREATE TABLE ... END` in T-SQL, `DO $$ BEGIN ALTER TABLE ...
EXCEPTION ... END $$` in PostgreSQL, `EXECUTE IMMEDIATE 'CREATE TABLE ...'` in PL/SQL. What they guard is the schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqale_assets.relational.kinds import kind_of
from sqale_assets.relational.statements import Statement, split

_GUARDED = re.compile(r"\b(?:CREATE\s+TABLE|ALTER\s+TABLE|CREATE\s+TYPE|INSERT\s+INTO)\b", re.IGNORECASE)
_ELEMENT = re.compile(r"\bCREATE\s+(?:UNIQUE\s+INDEX|INDEX|TABLE|VIEW|SEQUENCE|TRIGGER)\b", re.IGNORECASE)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")
_BODY = re.compile(r"\$(\w*)\$(.*)\$\1\$", re.DOTALL)
_EXECUTED = re.compile(
    r"\b(?:EXECUTE\s+IMMEDIATE|EXEC(?:UTE)?\s*\(?|sp_executesql|format\s*\()\s*"
    r"(?:[nN]?'((?:[^']|'')*)'|[qQ]'\[(.*?)\]'|[qQ]'\{(.*?)\}')",
    re.IGNORECASE | re.DOTALL,
)
_EXECUTABLE = re.compile(r"\s*(?:CREATE\s+TABLE|ALTER\s+TABLE|CREATE\s+UNIQUE\s+INDEX|COMMENT\s+ON)\b", re.IGNORECASE)
_BLOCKS = frozenset({"if", "begin", "else", "unknown", "end", "do", "declare", "exec", "execute"})


def unfold(statement: Statement, dialect: str | None) -> Iterator[Statement]:
    """The statement itself, or the DDL that it guards."""
    if statement.kind == "create_schema":
        yield from _schema_elements(statement)
        return
    if statement.kind not in _BLOCKS or _GUARDED.search(statement.text) is None:
        yield statement
        return
    inner = list(_inner(statement, dialect))
    yield from inner or [statement]


def _inner(statement: Statement, dialect: str | None) -> Iterator[Statement]:
    text = statement.text
    for match in _EXECUTED.finditer(text):
        number = next(index for index in (1, 2, 3) if match[index] is not None)
        executed = match[number].replace("''", "'") if number == 1 else match[number]
        if _EXECUTABLE.match(executed):
            yield from _within(statement, executed, match.start(number), dialect)
    if statement.kind == "do" and (body := _BODY.search(text)) is not None:
        for part in _within(statement, body[2], body.start(2), dialect):
            yield from _behind(part)
    elif statement.kind not in ("exec", "execute"):
        yield from _behind(statement)


def _schema_elements(statement: Statement) -> Iterator[Statement]:
    """CREATE SCHEMA, and the CREATE statements that may follow in it with nothing between them (SQL standard)."""
    text = statement.text
    starts = [match.start() for match in _ELEMENT.finditer(text) if _outside(text[: match.start()])]
    ends = [*starts, len(text)]
    yield Statement(text[: ends[0]], statement.line, statement.kind, statement.data, statement.versioned)
    for start, end in zip(starts, ends[1:], strict=True):
        part = text[start:end]
        line = statement.line + text.count("\n", 0, start)
        yield Statement(part, line, kind_of(part), statement.data, statement.versioned)


def _outside(prefix: str) -> bool:
    """Whether what follows `prefix` stands in no string, quoted name or parenthesis."""
    plain = _QUOTED.sub("", prefix)
    return plain.count("(") == plain.count(")") and "'" not in plain and '"' not in plain


def _within(statement: Statement, text: str, offset: int, dialect: str | None) -> Iterator[Statement]:
    """The statements of a text that stands at `offset` of another statement."""
    line = statement.line + statement.text.count("\n", 0, offset) - 1
    for inner in split(text, dialect):
        yield Statement(inner.text, inner.line + line, inner.kind, inner.data)


def _behind(statement: Statement) -> Iterator[Statement]:
    """The statement behind a condition or an opening BEGIN, unless it stands in a string."""
    match = _GUARDED.search(statement.text)
    if match is None or statement.text.count("'", 0, match.start()) % 2:
        return
    text = statement.text[match.start() :]
    line = statement.line + statement.text.count("\n", 0, match.start())
    yield Statement(text, line, kind_of(text), statement.data, statement.versioned)
