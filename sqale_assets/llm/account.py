"""What all runs on a store have spent, and what their calls in flight may yet spend: one SQLite file, so that limits
"in total" hold for runs at the same time, and for a run after one that was killed.

Each gateway has a row of its own. Before a call it holds the call's worst case, in one statement that fails where a
limit would be crossed; afterwards it enters what the call took. What a dead process held is given back.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqale_assets.files import alive
from sqale_assets.llm.shared_file import SharedFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS share (
    gateway TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    dollars REAL NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    held_dollars REAL NOT NULL DEFAULT 0,
    held_tokens INTEGER NOT NULL DEFAULT 0,
    held_calls INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
"""
_HOLD = """
UPDATE share SET held_dollars = held_dollars + :dollars, held_tokens = held_tokens + :tokens,
                 held_calls = held_calls + :calls
WHERE gateway = :gateway AND (
    SELECT coalesce(sum(dollars + held_dollars) + :dollars <= :most_dollars, 1)
       AND coalesce(sum(tokens + held_tokens) + :tokens <= :most_tokens, 1)
       AND coalesce(sum(calls + held_calls) + :calls <= :most_calls, 1)
    FROM share)
"""
_SETTLE = """
UPDATE share SET dollars = dollars + ?, tokens = tokens + ?, calls = calls + ?,
                 held_dollars = max(0, held_dollars - ?), held_tokens = held_tokens - ?, held_calls = held_calls - ?
WHERE gateway = ?
"""
#: the row of what was spent before there was an account
_EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class Spending:
    """Amounts spent or about to be: US dollars, tokens in and out, provider calls."""

    dollars: float = 0.0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.dollars + other.dollars, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: Spending) -> Spending:
        return Spending(self.dollars - other.dollars, self.tokens - other.tokens, self.calls - other.calls)

    def crosses(self, dollars: float | None, tokens: int | None, calls: int | None) -> str | None:
        """The name of the first of these limits (None: no limit) that this is above."""
        for name, limit in (("dollars", dollars), ("tokens", tokens), ("calls", calls)):
            if limit is not None and getattr(self, name) > limit:
                return name
        return None


NOTHING = Spending()


class Account(SharedFile):
    """One gateway's share in the file at `path`. `earlier` tells, of a store without account, what was spent on it."""

    what, version = "the account", 1

    def __init__(self, path: Path, earlier: Callable[[], Spending] = lambda: NOTHING):
        super().__init__(path)
        self._earlier = earlier
        self._gateway = uuid.uuid4().hex

    def hold(self, worst: Spending, dollars: float | None, tokens: int | None, calls: int | None) -> bool:
        """Hold `worst`, unless what all have spent and hold would then cross one of these limits."""
        amounts = {"dollars": worst.dollars, "tokens": worst.tokens, "calls": worst.calls}
        limits = {"most_dollars": dollars, "most_tokens": tokens, "most_calls": calls}
        return self._execute(_HOLD, {**amounts, **limits, "gateway": self._gateway}).rowcount == 1

    def settle(self, held: Spending, actual: Spending) -> None:
        """A call ended: give back what it `held`, enter what it took."""
        amounts = (actual.dollars, actual.tokens, actual.calls, held.dollars, held.tokens, held.calls)
        self._execute(_SETTLE, (*amounts, self._gateway))

    def spent(self) -> Spending:
        """What all have spent, whatever they hold; what dead processes held is given back."""
        for (pid,) in self._execute("SELECT DISTINCT pid FROM share WHERE held_calls > 0").fetchall():
            if not alive(pid):
                self._execute(
                    "UPDATE share SET held_dollars = 0, held_tokens = 0, held_calls = 0 WHERE pid = ?", (pid,)
                )
        row = self._execute("SELECT total(dollars), sum(tokens), sum(calls) FROM share").fetchone()
        return Spending(*row)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")  # of several that open a new account, one asks what was spent earlier
        connection.execute(_SCHEMA)
        if not connection.execute("SELECT count(*) FROM share").fetchone()[0]:
            _enter(connection, _EARLIER, 0, self._earlier())
        _enter(connection, self._gateway, os.getpid(), NOTHING)
        connection.execute("COMMIT")


def _enter(connection: sqlite3.Connection, gateway: str, pid: int, spent: Spending) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO share (gateway, pid, dollars, tokens, calls) VALUES (?, ?, ?, ?, ?)",
        (gateway, pid, spent.dollars, spent.tokens, spent.calls),
    )
