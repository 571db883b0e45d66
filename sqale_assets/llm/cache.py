"""The response cache: every reply once paid for, addressed by what was asked. SQLite, so that several
processes share it and a killed one leaves it whole.

One row per call: model, messages, parameters, answer schema and sample make the key, so an edited
prompt or one new row costs exactly its own calls. The oldest unused rows go when the file outgrows its
bound.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from sqale_assets.llm.shared_file import SharedFile
from sqale_assets.llm.task import Message

_SCHEMA = """
CREATE TABLE IF NOT EXISTS reply (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    task TEXT NOT NULL,
    text BLOB NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost REAL NOT NULL,
    cut INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    tool_calls TEXT
);
CREATE INDEX IF NOT EXISTS reply_used_at ON reply (used_at);
"""
_DAY = 86_400
_CHECK_EVERY = 512
_EVICT_TO = 0.9


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A reply as it came: text, tokens, what it cost then (US dollars), whether max_tokens cut it off, native calls."""

    text: str
    tokens_in: int
    tokens_out: int
    cost: float
    cut: bool
    tool_calls: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A row of `sqale cache`: one task's replies of one model. `saved` is what they cost, in US dollars."""

    model: str
    task: str
    replies: int
    bytes: int
    tokens: int
    saved: float


def cache_key(
    model: str, messages: list[Message], parameters: dict[str, Any], answer_schema: bytes, sample: int
) -> bytes:
    """sha256 over everything that may change the reply."""
    asked = orjson.dumps([model, messages, parameters, sample], option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(asked + b"\n" + answer_schema).digest()


def cache_path(store: str) -> Path:
    """Where `store` keeps its cache: in it, or in the user's cache folder if it is remote (SQLite needs a disk)."""
    from upath import UPath

    root = UPath(store)
    if isinstance(root, Path):
        return root / "llm_cache.sqlite"
    return _user_caches() / hashlib.sha256(str(root).encode()).hexdigest()[:16] / "llm_cache.sqlite"


def rate_path() -> Path:
    """Where a machine counts its calls of the last minute: all stores on it ask the same providers."""
    return _user_caches() / "rate.sqlite"


def _user_caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sqale"


def account_path(store: str) -> Path:
    """Where `store` keeps what was spent on it: beside its cache, so of a remote store once per machine."""
    return cache_path(store).with_name("llm_account.sqlite")


class ResponseCache(SharedFile):
    """Replies by key in one SQLite file of at most `megabytes`."""

    what, version = "the response cache", 1

    def __init__(self, path: Path, *, megabytes: int = 4096):
        super().__init__(path)
        self._bound = megabytes * 1024 * 1024
        self._puts = 0

    def get(self, key: bytes) -> CachedReply | None:
        row = self._execute(
            "SELECT text, tokens_in, tokens_out, cost, cut, used_at, tool_calls FROM reply WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        if row[5] < int(time.time()) - _DAY:  # once a day is enough to tell used from unused
            self._execute("UPDATE reply SET used_at = ? WHERE key = ?", (int(time.time()), key))
        calls = tuple(json.loads(row[6])) if row[6] else ()
        return CachedReply(zlib.decompress(row[0]).decode(), row[1], row[2], row[3], bool(row[4]), calls)

    def put(self, key: bytes, model: str, task: str, reply: CachedReply) -> None:
        text = zlib.compress(reply.text.encode(errors="replace"), 1)
        sums = (reply.tokens_in, reply.tokens_out, reply.cost, reply.cut)
        calls = json.dumps(reply.tool_calls) if reply.tool_calls else None
        row = (key, model, task, text, *sums, int(time.time()), calls)
        self._execute("INSERT OR REPLACE INTO reply VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._puts += 1
        if self._puts % _CHECK_EVERY == 0:
            self._evict()

    def entries(self) -> Iterator[CacheEntry]:
        """What is in it, by model and task."""
        yield from (
            CacheEntry(*row)
            for row in self._execute(
                "SELECT model, task, count(*), sum(length(text)), sum(tokens_in + tokens_out), sum(cost)"
                " FROM reply GROUP BY model, task ORDER BY model, task"
            )
        )

    def clear(self, *, model: str | None = None, task: str | None = None) -> int:
        """Forget the replies of `model` and `task` (all of them by default); the number forgotten."""
        cursor = self._execute(
            "DELETE FROM reply WHERE model = coalesce(?, model) AND task = coalesce(?, task)", (model, task)
        )
        self._execute("VACUUM")
        return cursor.rowcount

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.executescript(_SCHEMA)
        if "tool_calls" not in {row[1] for row in connection.execute("PRAGMA table_info(reply)")}:
            connection.execute("ALTER TABLE reply ADD COLUMN tool_calls TEXT")  # a file made before there were any

    def _evict(self) -> None:
        (used,) = self._execute(
            "SELECT (page_count - freelist_count) * page_size"
            " FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        ).fetchone()
        if used <= self._bound:
            return
        (count,) = self._execute("SELECT count(*) FROM reply").fetchone()
        surplus = int(count * (1 - _EVICT_TO * self._bound / used)) + 1
        self._execute(
            "DELETE FROM reply WHERE key IN (SELECT key FROM reply ORDER BY used_at, key LIMIT ?)", (surplus,)
        )
