"""Why a query gave no result, in words that help whoever wrote it, model or person.

SQLite's own message stays at the front; what it leaves out (which tables there are, what a limit was) follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Literal

from sqale_assets.relational.model import Schema

Kind = Literal[
    "empty", "refused", "several_statements", "syntax", "no_such_table", "no_such_column", "ambiguous_column",
    "no_such_function", "parameters", "timeout", "too_big", "memory", "other",
]  # fmt: skip


_MOST_MESSAGE = 500
_MOST_NAME = 100


class QueryError(Exception):
    """A query that was refused, failed or crossed a limit. `kind` is for counting, `message` for the writer."""

    def __init__(self, kind: Kind, message: str):
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message


#: What SQLite's message begins with or holds -> kind, in the order in which they are tried.
_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"no such table", "no_such_table"),
    (r"no such column", "no_such_column"),
    (r"ambiguous column name", "ambiguous_column"),
    (r"no such function|wrong number of arguments to function|misuse of (aggregate|window)", "no_such_function"),
    (r"string or blob too big|too many|too large|LIKE or GLOB pattern too complex|parser stack overflow", "too_big"),
    (r"expression tree is too large|query is too long|too much", "too_big"),
    (r"one statement at a time", "several_statements"),
    (r"number of bindings|binding", "parameters"),
    (r"syntax error|incomplete input|unrecognized token|null character|surrogates", "syntax"),
    (r"out of memory", "memory"),
    (r"not authorized|prohibited|readonly|attempt to write|may not be", "refused"),
)


def explain(message: str, schema: Callable[[], Schema]) -> QueryError:
    """SQLite's `message` as a `QueryError`. `schema` is called only where names can be suggested."""
    message = _shorter(message, _MOST_MESSAGE)  # it quotes the query, which may be long
    kind = next((kind for pattern, kind in _KINDS if re.search(pattern, message)), "other")
    hint = ""
    if kind == "no_such_table":
        hint = table_hint(message.partition(": ")[2], schema())
    elif kind == "no_such_column":
        hint = column_hint(message.partition(": ")[2], schema())
    elif kind == "ambiguous_column":
        hint = "Put the table's name or alias before the column."
    elif kind == "several_statements":
        hint = "Send one SELECT statement, without a second one after the semicolon."
    elif kind == "parameters":
        message, hint = "The query has placeholders (?, :name, @name, $name).", "Write the values into the query."
    elif kind == "syntax":
        misplaced = re.match(r'near "(INNER|LEFT|JOIN|CROSS)"', message, re.IGNORECASE)
        hint = "Joins stand between FROM and WHERE." if misplaced else "The dialect is SQLite."
    return QueryError(kind, f"{message}{'' if message.endswith(('.', '?')) else '.'} {hint}".strip())


def _shorter(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _close(name: str, names: list[str], most: int) -> list[str]:
    """Names like `name`, best first: by spelling without case and underscores, then those that contain it."""
    folded: dict[str, str] = {}
    for candidate in names:
        folded.setdefault(re.sub(r"\W|_", "", candidate.lower()), candidate)
    wanted = re.sub(r"\W|_", "", name.lower())[:_MOST_NAME]
    close = get_close_matches(wanted, folded, n=most, cutoff=0.6) if wanted else []
    if len(wanted) > 2:
        close += [key for key in folded if wanted in key and key not in close]
    return [folded[key] for key in close[:most]]


def table_hint(name: str, schema: Schema) -> str:
    """What to try instead of a table that does not exist."""
    close = _close(name.rpartition(".")[2], [table.name for table in schema.tables], 4)
    return f"Similar tables: {', '.join(close)}. Names must be exact." if close else "Use list_tables to see the names."


def column_hint(name: str, schema: Schema) -> str:
    """What to try instead of a column (`column` or `table.column`) that does not exist."""
    qualifier, _, column = name.rpartition(".")
    lowered = column.lower()
    holders = [table.name for table in schema.tables if table.column(lowered)]
    owner = schema.table(qualifier) if qualifier else None
    if owner:
        close = _close(column, [each.name for each in owner.columns], 4)
        hint = (
            f"Similar columns of {owner.name}: {', '.join(close)}." if close else f"It is not a column of {owner.name}."
        )
    else:
        close = _close(column, [each.name for table in schema.tables for each in table.columns], 4)
        hint = f"Similar columns: {', '.join(close)}." if close and not holders else ""
    if holders:
        more = f" and {len(holders) - 5} more" if len(holders) > 5 else ""
        hint = f"{hint} Tables that have {column}: {', '.join(holders[:5])}{more}.".strip()
    return hint or "Use describe_table to see the names."
