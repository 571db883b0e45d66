"""The one way to run SQL that somebody else wrote: read only, one statement, bounded in time and size.

Agent, judge, gates, verification and evaluation all go through `Database.execute`. The bounds, from the outside in:
the file is opened read-only and immutable; an authorizer refuses everything but reading; SQLite's own limits
bound statement, cell and pattern; a progress handler stops a statement that runs too long, wherever in it that
happens; rows and bytes are counted as they arrive; a heap limit of the process stops what is left.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Self
from urllib.parse import quote as quote_path

from sqale_assets.relational.model import Row, Schema, Value
from sqale_assets.sqlenv.authorizer import ReadOnly
from sqale_assets.sqlenv.errors import QueryError, explain
from sqale_assets.sqlenv.functions import REFUSAL, register
from sqale_assets.sqlenv.introspect import read_schema
from sqale_assets.sqlenv.names import quote

#: Virtual machine steps between two looks at the clock: some 20 microseconds of work.
_STEPS = 1_000
#: SQLite's heap limit, in bytes, for the whole process: a last line against memory bombs.
_HEAP = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one query: time in seconds, result in rows and bytes, one cell and the statement in bytes.

    The bound on cells holds inside a query as well. It is what keeps single calls of `replace` and `instr`, which take
    time in the square of it and cannot be stopped, under about a second. `steps` bounds the work in steps of SQLite's
    machine, 20 million a second or so: where a busy machine must not change an outcome, it is what stops a query.
    """

    seconds: float = 5.0
    rows: int = 10_000
    result_bytes: int = 20_000_000
    cell_bytes: int = 200_000
    sql_bytes: int = 100_000
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows of a query, in its order. `truncated` when there were more than `rows` holds.

    Values are as JSON can carry them: BLOBs are SQL literals (`X'0AFF'`), infinities the texts `Inf` and `-Inf`.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool
    seconds: float


class Database:
    """A database to read from. Not for use by two threads at a time."""

    def __init__(self, connection: sqlite3.Connection, limits: Limits, *, owned: bool):
        self.limits = limits
        self._connection, self._owned = connection, owned
        self._authorizer = ReadOnly()
        self._saved: dict[int, int] = {}
        self._row_counts: dict[str, int | None] = {}
        if owned:
            connection.isolation_level = None
        register(connection)
        connection.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
        for category, bound in _engine_limits(limits).items():
            self._saved[category] = connection.setlimit(category, bound)
        connection.set_authorizer(self._authorizer)

    @classmethod
    def open(cls, path: str | PathLike[str], *, limits: Limits = Limits()) -> Self:
        """Open the SQLite file at `path`, which must not change while it is open, unless it has a write-ahead log.

        Raises:
            QueryError: there is no such file, or it is not a SQLite database.
        """
        name = fspath(path)
        # Immutable means that nothing is locked and nothing written beside it; a write-ahead log would go unread.
        mode = "mode=ro" if Path(f"{name}-wal").exists() else "mode=ro&immutable=1"
        uri = f"file:{quote_path(name)}?{mode}"
        try:
            connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            connection.execute("PRAGMA temp_store = MEMORY")  # sorting must not fill the disk; the heap limit holds
        except sqlite3.Error as error:
            raise QueryError("other", f"{name}: {error}") from error
        return cls(connection, limits, owned=True)

    @classmethod
    def from_connection(cls, connection: sqlite3.Connection, *, limits: Limits = Limits()) -> Self:
        """Guard a connection of the caller's, which reads only until `close` gives it back.

        The stand-ins of `functions` stay; they do what SQLite's own functions do.
        """
        return cls(connection, limits, owned=False)

    def close(self) -> None:
        """Close the file, or give the caller's connection back."""
        with suppress(sqlite3.ProgrammingError):  # closed already
            if self._owned:
                self._connection.close()
                return
            self._connection.set_authorizer(None)
            for category, bound in self._saved.items():
                self._connection.setlimit(category, bound)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def schema(self) -> Schema:
        """The tables, columns and keys as SQLite sees them. Read once."""
        self._connection.set_authorizer(None)
        try:
            return read_schema(self._connection)
        finally:
            self._connection.set_authorizer(self._authorizer)

    @cached_property
    def ddl(self) -> dict[str, str]:
        """Table name -> its CREATE TABLE statement, in the order of creation."""
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL ORDER BY rowid"
        return {name: sql for name, sql in self._connection.execute(query) if not name.startswith("sqlite_")}

    def row_count(self, table: str) -> int | None:
        """The number of rows of a table, counted once; None where counting takes too long."""
        if table not in self._row_counts:
            try:
                ((count,),) = self.execute(f"SELECT count(*) FROM {quote(table)}").rows
            except QueryError:
                count = None
            self._row_counts[table] = count
        return self._row_counts[table]

    def execute(self, sql: str, *, max_rows: int | None = None, steps: int | None = None) -> QueryResult:
        """Run one SELECT statement.

        Args:
            sql: the statement, a trailing semicolon allowed.
            max_rows: keep so many rows and stop; the limit on rows bounds it.
            steps: stop after so many steps of SQLite's machine, which unlike seconds are the same on every machine;
                by default after as many as the limits say, if any.

        Raises:
            QueryError: refused, failed, or over time, cell or result size. More rows than allowed are no error.
        """
        if not sql.strip().strip(";").strip():
            raise QueryError("empty", "The query is empty.")
        keep = self.limits.rows if max_rows is None else min(max_rows, self.limits.rows)
        steps = self.limits.steps if steps is None else steps
        started = time.monotonic()
        with self._bounded(started + self.limits.seconds, steps):
            try:
                columns, rows, truncated = self._fetch(sql, keep)
            except (sqlite3.Error, sqlite3.Warning, UnicodeError, MemoryError, OverflowError) as error:
                raise self._explained(error) from None
        return QueryResult(columns, rows, truncated, time.monotonic() - started)

    def _fetch(self, sql: str, keep: int) -> tuple[tuple[str, ...], tuple[Row, ...], bool]:
        try:
            return self._rows(sql, keep)
        except sqlite3.OperationalError as error:
            # Text that is not UTF-8. Decoding every cell in Python is slow, so only the query that needs it pays.
            if "decode to UTF-8" not in str(error):
                raise
        factory = self._connection.text_factory
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            return self._rows(sql, keep)
        finally:
            self._connection.text_factory = factory

    def _rows(self, sql: str, keep: int) -> tuple[tuple[str, ...], tuple[Row, ...], bool]:
        rows: list[Row] = []
        size, truncated = 0, False
        with closing(self._connection.cursor()) as cursor:
            cursor.row_factory = None
            cursor.execute(sql)
            if cursor.description is None:
                raise QueryError("refused", "The statement returns no table. Only SELECT statements are allowed.")
            columns = tuple(column[0] for column in cursor.description)
            for row in cursor:
                if len(rows) == keep:
                    truncated = True
                    break
                rows.append(row)
                for value in row:
                    kind = type(value)
                    if kind is str or kind is bytes:
                        size += len(value)
                    elif kind is float and not math.isfinite(value):
                        rows[-1] = _portable(rows[-1])
                    if kind is bytes:
                        rows[-1] = _portable(rows[-1])
                if size > self.limits.result_bytes:
                    raise QueryError("too_big", f"The result is larger than {self.limits.result_bytes:,} bytes.")
        return columns, tuple(rows), truncated

    @contextmanager
    def _bounded(self, deadline: float, steps: int | None) -> Iterator[None]:
        self._authorizer.begin(deadline)
        clock, left = time.monotonic, (steps or 0) // _STEPS

        def count() -> bool:
            nonlocal left
            left -= 1
            return left < 0 or clock() > deadline

        handler = (lambda: clock() > deadline) if steps is None else count
        self._connection.set_progress_handler(handler, _STEPS)
        try:
            yield
        finally:
            self._connection.set_progress_handler(None, 0)
            self._authorizer.begin(float("inf"))

    def _explained(self, error: Exception) -> QueryError:
        message = str(error)
        if message == "interrupted" or self._authorizer.timed_out:
            after = f" after {self.limits.seconds:g} seconds" if self.limits.steps is None else ""
            return QueryError("timeout", f"The query was stopped{after}. Join on keys and filter early.")
        if self._authorizer.refused:
            return QueryError("refused", f"Only SELECT statements are allowed: {self._authorizer.refused} was refused.")
        if isinstance(error, MemoryError):
            return QueryError("memory", "The query needs too much memory. Join on keys and filter early.")
        if message == REFUSAL:
            return QueryError("too_big", "A width, a precision or a list of characters is too large.")
        if isinstance(error, sqlite3.DataError) and "too big" in message:
            bound = f"{self.limits.cell_bytes:,} bytes for a value, {self.limits.sql_bytes:,} for the query"
            return QueryError("too_big", f"{message}. At most {bound}.")
        return explain(message, lambda: self.schema)


def _portable(row: Row) -> Row:
    def value(cell: Value | bytes) -> Value:
        if isinstance(cell, bytes):
            return f"X'{cell.hex().upper()}'"
        if isinstance(cell, float) and not math.isfinite(cell):
            return "Inf" if cell > 0 else "-Inf"
        return cell

    return tuple(value(cell) for cell in row)


def _engine_limits(limits: Limits) -> dict[int, int]:
    return {
        sqlite3.SQLITE_LIMIT_LENGTH: max(limits.cell_bytes, limits.sql_bytes),
        sqlite3.SQLITE_LIMIT_SQL_LENGTH: limits.sql_bytes,
        sqlite3.SQLITE_LIMIT_ATTACHED: 0,
        sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
        sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
        sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 500,
        sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
        sqlite3.SQLITE_LIMIT_VDBE_OP: 1_000_000,
        sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    }
