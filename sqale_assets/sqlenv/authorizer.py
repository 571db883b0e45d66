"""What SQLite may do for a query: read, call harmless functions, recurse. Everything else is refused.

SQLite asks an authorizer while it compiles a statement, so a refused statement never runs. The authorizer
also watches the clock, because SQLite 3.40 calls no progress handler while it compiles, and nested views or
CTEs can make compiling alone take for ever.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]

#: Functions that reach outside the database or into the process. Names in lower case.
REFUSED_FUNCTIONS = frozenset(
    {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "sqlite_log", "fts5", "rtreecheck"}
)
#: Virtual tables that show raw pages, other statements or the engine's memory.
REFUSED_TABLES = frozenset({"sqlite_dbpage", "dbstat", "sqlite_stmt", "bytecode", "tables_used", "completion"})

_REFUSED = {
    sqlite3.SQLITE_PRAGMA: "PRAGMA {}",
    sqlite3.SQLITE_ATTACH: "ATTACH",
    sqlite3.SQLITE_DETACH: "DETACH",
    sqlite3.SQLITE_INSERT: "INSERT into {}",
    sqlite3.SQLITE_UPDATE: "UPDATE of {}",
    sqlite3.SQLITE_DELETE: "DELETE from {}",
    sqlite3.SQLITE_TRANSACTION: "{} of a transaction",
    sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
    sqlite3.SQLITE_REINDEX: "REINDEX",
    sqlite3.SQLITE_ANALYZE: "ANALYZE",
}


class ReadOnly:
    """An authorizer that allows reading only. `refused` says what the last statement was refused for.

    Compiling is stopped at `deadline` (in `time.monotonic` seconds) and after that `timed_out` is true.
    """

    def __init__(self) -> None:
        self.refused: str | None = None
        self.timed_out = False
        self.deadline = float("inf")

    def begin(self, deadline: float) -> None:
        """Forget the last statement, and give the next one until `deadline`."""
        self.refused, self.timed_out, self.deadline = None, False, deadline

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, trigger: str | None
    ) -> int:
        if time.monotonic() > self.deadline:
            self.timed_out = True
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ:
            if first is None or first.lower() not in REFUSED_TABLES:
                return sqlite3.SQLITE_OK
            self.refused = f"reading {first}"
        elif action == sqlite3.SQLITE_FUNCTION:
            if second is None or second.lower() not in REFUSED_FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.refused = f"the function {second}"
        elif action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        # Keep the first reason: dropping a table, say, is asked for as a DELETE from sqlite_master later on.
        elif self.refused is None:
            self.refused = _REFUSED.get(action, "changing the database").format(first or "")
        return sqlite3.SQLITE_DENY
