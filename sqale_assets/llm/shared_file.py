"""SQLite files that the gateways of several processes share: the response cache and the account.

Each says in `PRAGMA user_version` how it is laid out. An older layout is brought up to date where it lies; a newer one,
and a damaged file, end the run with a message: what lies in these files was paid for and is never thrown away unasked.
"""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from sqale_assets.llm.task import GatewayUnavailable


class Unkept(GatewayUnavailable):
    """What was paid for cannot be kept: a file is damaged, or the disk is full."""


class SharedFile:
    """A SQLite file at `path`, opened when it is first needed. Used by one thread of each process.

    Autocommit: each statement is its own transaction, safe once it returns, whatever then kills the process.
    """

    what: ClassVar[str]
    #: The layout that `_prepare` makes. Files of before there were versions say 0.
    version: ClassVar[int]

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found > self.version:
                raise GatewayUnavailable(
                    f"{self.what} {self.path} was written by a newer sqale-assets (layout {found}, this one knows "
                    f"{self.version}). Upgrade, or move the file away to begin a new one."
                )
            self._prepare(connection)
            if found < self.version:
                connection.execute(f"PRAGMA user_version = {self.version}")
        except BaseException as error:
            connection.close()  # and with it a transaction that was begun, for which all others would wait
            if isinstance(error, sqlite3.Error):
                raise self._trouble(error) from error
            raise
        return connection

    def _execute(self, statement: str, parameters: Any = ()) -> sqlite3.Cursor:
        """One statement.

        Raises:
            Unkept: the file cannot be read or written.
        """
        try:
            return self._connection.execute(statement, parameters)
        except sqlite3.Error as error:
            raise self._trouble(error) from error

    def _trouble(self, error: sqlite3.Error) -> Unkept:
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        advice = "See that the disk has room and that no other process locks it"
        if damaged:
            advice = "It is damaged: restore it from a backup, or move it away to begin a new one"
        return Unkept(f"{self.what} {self.path}: {error}. {advice}; what is finished is saved.")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make what is not there yet, and of an older layout the present one."""
        raise NotImplementedError

    def close(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()
            del self._connection
