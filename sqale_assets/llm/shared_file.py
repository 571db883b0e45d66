"""SQLite files that the gateways of several processes share: the response cache and the account."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path


class SharedFile:
    """A SQLite file at `path`, opened when it is first needed. Used by one thread of each process.

    Autocommit: each statement is its own transaction, safe once it returns, whatever then kills the process.
    """

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        self._prepare(connection)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make what is not there yet."""
        raise NotImplementedError

    def close(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()
            del self._connection
