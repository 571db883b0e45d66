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
