"""A provider's bound in requests and tokens per minute, kept by all processes that ask it.

Every call enters a window of a minute with the most it may take, and settles what it took. The window is exact: in no
minute do more calls arrive at the provider than the bound allows. It lies in a file that the processes of a machine
share, or in Redis for several machines, so the calls of all of them are counted together.

A call arrives some time after it entered: a busy event loop and a new connection may hold it up, so it is counted as
arriving LAG later, or when it was answered, whichever is sooner. A process' first call takes longer, while the
libraries behind it are loaded, so it is a short test call that everything else waits for.

The test calls of `sqale models`, and to a provider that went silent, are not counted.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from sqale_assets.llm.shared_file import SharedFile
from sqale_assets.llm.task import GatewayUnavailable

WINDOW, LAG = 60.0, 5.0
FIRST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Bound:
    """Requests and tokens per minute; None: no limit."""

    requests: int | None
    tokens: int | None


class Window(Protocol):
    """The calls of the last minute, per provider."""

    async def enter(self, provider: str, bound: Bound, entry: str, tokens: int) -> float:
        """Count a call of so many tokens and return 0, or the seconds after which there may be room for it.

        One that is counted already counts from now on.
        """
        ...

    async def settle(self, provider: str, entry: str, tokens: int) -> None:
        """A call that entered took so many tokens."""
        ...

    async def aclose(self) -> None:
        """Let go what the running loop holds open."""
        ...


class Rate:
    """One provider's bound, as one process keeps it. Calls enter one by one, in the order of asking."""

    def __init__(self, window: Window, provider: str, bound: Bound, first: Callable[[], Awaitable[None]] | None = None):
        """`first` is the process' first call, of at most FIRST_TOKENS."""
        self._window, self._provider, self._bound, self._first = window, provider, bound, first
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def enter(self, tokens: int) -> str:
        """Wait until a call of at most `tokens` fits into the bound. The entry that `settle` names.

        A call that is larger than the bound has a window to itself.
        """
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            if self._first:
                first, self._first = self._first, None
                entry = await self._entered(uuid.uuid4().hex, FIRST_TOKENS)
                await first()
                await self._entered(entry, FIRST_TOKENS)
            return await self._entered(uuid.uuid4().hex, tokens)

    async def _entered(self, entry: str, tokens: int) -> str:
        most = min(tokens, self._bound.tokens or tokens)
        while wait := await self._window.enter(self._provider, self._bound, entry, most):
            await asyncio.sleep(wait + random.uniform(0, 0.05))  # other processes wait for the same moment
        return entry

    async def settle(self, entry: str, tokens: int) -> None:
        await self._window.settle(self._provider, entry, tokens)


class FileWindow(SharedFile):
    """The window of one machine. Its clock is the machine's since it started, which nobody can set back."""

    what, version = "the file of calls per minute", 1

    def __init__(self, path: Path, *, seconds: float = WINDOW, lag: float = LAG):
        super().__init__(path)
        self._seconds, self._lag = seconds, lag

    async def enter(self, provider: str, bound: Bound, entry: str, tokens: int) -> float:
        self._execute("BEGIN IMMEDIATE")
        try:
            now = time.monotonic()
            latest = now + self._lag
            self._execute("DELETE FROM call WHERE at <= ? OR entry = ?", (now - self._seconds, entry))
            self._execute("UPDATE call SET at = ? WHERE at > ?", (latest, latest))  # of before the machine started anew
            calls = self._execute("SELECT at, tokens FROM call WHERE provider = ? ORDER BY at", (provider,)).fetchall()
            opens = _opens(calls, bound, tokens)
            if opens is None:
                self._execute("INSERT INTO call VALUES (?, ?, ?, ?)", (entry, provider, latest, tokens))
                return 0.0
            return max(0.001, opens + self._seconds - now)
        finally:
            self._execute("COMMIT")

    async def settle(self, provider: str, entry: str, tokens: int) -> None:
        now = time.monotonic()
        self._execute("UPDATE call SET tokens = ?, at = min(at, ?) WHERE entry = ?", (tokens, now, entry))

    async def aclose(self) -> None:
        self.close()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS call (entry TEXT PRIMARY KEY, provider TEXT NOT NULL, at REAL NOT NULL,"
            " tokens INTEGER NOT NULL) WITHOUT ROWID"
        )


def _opens(calls: list[tuple[float, int]], bound: Bound, tokens: int) -> float | None:
    """None if `tokens` fit beside `calls` (arrival, tokens); else the arrival of the call that must go first."""
    number, total = len(calls), sum(taken for _, taken in calls)
    opens = None
    for at, taken in calls:
        fits = (bound.requests is None or number < bound.requests) and (
            bound.tokens is None or total + tokens <= bound.tokens
        )
        if fits:
            return opens
        opens, number, total = at, number - 1, total - taken
    return opens


#: KEYS: calls by time (sorted set), tokens by call (hash). ARGV: window, requests, tokens (-1: no limit), call and its
#: tokens, lag. The clock is Redis' own; it may have been set back since a call was counted. Returns seconds, as text.
_ENTER = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local window, requests, bound = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local latest = now + ARGV[6]
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - window)
table.insert(gone, ARGV[4])
for _, call in ipairs(gone) do
  local taken = tonumber(redis.call('HGET', KEYS[2], call) or 0)
  redis.call('HINCRBY', KEYS[2], 'total', 0 - taken)
  redis.call('HDEL', KEYS[2], call)
  redis.call('ZREM', KEYS[1], call)
end
for _, call in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. latest, '+inf')) do
  redis.call('ZADD', KEYS[1], latest, call)
end
local number, total = redis.call('ZCARD', KEYS[1]), tonumber(redis.call('HGET', KEYS[2], 'total') or 0)
local function fits()
  return (requests < 0 or number < requests) and (bound < 0 or total + ARGV[5] <= bound)
end
if number == 0 or fits() then
  redis.call('ZADD', KEYS[1], latest, ARGV[4])
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
  redis.call('HINCRBY', KEYS[2], 'total', ARGV[5])
  redis.call('EXPIRE', KEYS[1], math.ceil(2 * window))
  redis.call('EXPIRE', KEYS[2], math.ceil(2 * window))
  return '0'
end
local opens = now
local calls = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for at = 1, #calls, 2 do
  opens, number, total = calls[at + 1], number - 1, total - (redis.call('HGET', KEYS[2], calls[at]) or 0)
  if fits() then break end
end
return tostring(math.max(0.001, opens + window - now))
"""
_SETTLE = """
local before = redis.call('HGET', KEYS[2], ARGV[1])
if before then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('HINCRBY', KEYS[2], 'total', ARGV[2] - before)
  local time = redis.call('TIME')
  local now = time[1] + time[2] / 1000000
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1])) > now then redis.call('ZADD', KEYS[1], now, ARGV[1]) end
end
"""


class RedisWindow:
    """The window of several machines, in the Redis at `url`; needs the `cluster` extra."""

    def __init__(self, url: str, *, seconds: float = WINDOW, lag: float = LAG):
        self.url, self._seconds, self._lag = url, seconds, lag
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    async def enter(self, provider: str, bound: Bound, entry: str, tokens: int) -> float:
        limits = (-1 if limit is None else limit for limit in (bound.requests, bound.tokens))
        return float(await self._run(_ENTER, provider, self._seconds, *limits, entry, tokens, self._lag))

    async def settle(self, provider: str, entry: str, tokens: int) -> None:
        await self._run(_SETTLE, provider, entry, tokens)

    async def _run(self, script: str, provider: str, *arguments: object) -> Any:
        try:
            from redis.asyncio import Redis
            from redis.exceptions import RedisError
        except ImportError:
            raise GatewayUnavailable("the setting `redis` needs the package redis: install .[cluster]") from None
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = Redis.from_url(self.url, socket_timeout=10, decode_responses=True)
        keys = (f"sqale:{{{provider}}}:calls", f"sqale:{{{provider}}}:tokens")  # one slot of a Redis cluster
        try:
            return await self._clients[loop].eval(script, len(keys), *keys, *arguments)
        except RedisError as error:
            raise GatewayUnavailable(
                f"the shared rate limit cannot be kept: Redis ({type(error).__name__}): {error}."
                " What is finished is saved; run again to resume."
            ) from None

    async def aclose(self) -> None:
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()
