from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from contextlib import closing

import pytest

from sqale_assets.llm.cache import CachedReply, ResponseCache, cache_key, cache_path
from sqale_assets.llm.task import GatewayUnavailable

REPLY = CachedReply("text with ünicode", 10, 5, 0.25, False)


def key(n: int = 0, **changes) -> bytes:
    content = {
        "model": "m", "messages": [{"role": "user", "content": str(n)}], "parameters": {"temperature": 0.5, "top_p": 1},
        "answer_schema": b"schema", "sample": 0,
    }  # fmt: skip
    return cache_key(**{**content, **changes})


@pytest.fixture
def cache(tmp_path):
    cache = ResponseCache(tmp_path / "cache.sqlite")
    yield cache
    cache.close()


def test_a_reply_is_found_again_after_reopening(cache, tmp_path):
    cache.put(key(), "m", "echo", REPLY)
    cache.close()
    assert ResponseCache(tmp_path / "cache.sqlite").get(key()) == REPLY
    assert cache.get(key(1)) is None


def test_everything_that_may_change_the_reply_is_in_the_key():
    changes = [
        {"model": "n"},
        {"messages": [{"role": "system", "content": "0"}]},
        {"parameters": {"temperature": 0.6, "top_p": 1}},
        {"answer_schema": b"other"},
        {"sample": 1},
    ]
    assert len({key(), *(key(**change) for change in changes)}) == len(changes) + 1
    assert key(parameters={"top_p": 1, "temperature": 0.5}) == key()


def test_the_cache_says_what_is_in_it_and_forgets_on_demand(cache):
    for n, (model, task) in enumerate([("m", "echo"), ("m", "echo"), ("m", "ask"), ("n", "ask")]):
        cache.put(key(n), model, task, REPLY)
    assert [(entry.model, entry.task, entry.replies) for entry in cache.entries()] == [
        ("m", "ask", 1),
        ("m", "echo", 2),
        ("n", "ask", 1),
    ]
    assert [entry.saved for entry in cache.entries()] == [0.25, 0.5, 0.25]
    assert cache.clear(task="ask") == 2
    assert [entry.task for entry in cache.entries()] == ["echo"]


def test_the_oldest_unused_replies_go_when_it_grows_too_big(tmp_path, monkeypatch):
    now = time.time()
    cache = ResponseCache(tmp_path / "cache.sqlite", megabytes=1)
    for n in range(2048):
        monkeypatch.setattr(time, "time", lambda n=n: now + n)
        cache.put(key(n), "m", "echo", CachedReply(os.urandom(1000).hex(), 1, 1, 0.0, False))
    assert cache.get(key(0)) is None
    assert cache.get(key(2047)) is not None
    cache.close()
    assert (tmp_path / "cache.sqlite").stat().st_size < 2 * 2**20


def test_a_used_reply_outlives_an_unused_one(tmp_path, monkeypatch):
    now = time.time()
    cache = ResponseCache(tmp_path / "cache.sqlite", megabytes=1)
    cache.put(key(-1), "m", "echo", REPLY)
    for n in range(2048):
        monkeypatch.setattr(time, "time", lambda n=n: now + n * 1000)
        cache.put(key(n), "m", "echo", CachedReply(os.urandom(1000).hex(), 1, 1, 0.0, False))
        if n % 100 == 0:
            assert cache.get(key(-1)) == REPLY


def test_a_hit_takes_less_than_a_millisecond(cache):
    for n in range(1000):
        cache.put(key(n), "m", "echo", CachedReply("select 1 " * 200, 10, 5, 0.0, False))
    began = time.process_time()
    for n in range(1000):
        assert cache.get(key(n))
    assert (time.process_time() - began) / 1000 < 0.001


WRITER = """
import sys
from sqale_assets_tests.llm.test_cache import REPLY, key
from sqale_assets.llm.cache import ResponseCache
from pathlib import Path
cache = ResponseCache(Path(sys.argv[1]))
for n in range(int(sys.argv[2]), 10**9):
    cache.put(key(n), "m", "echo", REPLY)
    print(n, flush=True)
"""


def test_what_was_put_survives_kill_9_while_others_write(tmp_path):
    path = tmp_path / "cache.sqlite"
    first = (0, 1_000_000)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(n)], stdout=subprocess.PIPE, text=True)
        for n in first
    ]
    written = []
    for writer in writers:
        for line in writer.stdout:
            if int(line) % 1_000_000 >= 50:
                break
    for writer, start in zip(writers, first, strict=True):
        writer.send_signal(signal.SIGKILL)
        lines = writer.stdout.read().split()
        writer.wait()
        written.append(range(start, int(lines[-2]) if len(lines) > 1 else start + 50))
    cache = ResponseCache(path)
    assert all(cache.get(key(n)) == REPLY for numbers in written for n in numbers)


def test_a_file_of_before_there_were_versions_is_brought_up_to_date(tmp_path):
    path = tmp_path / "cache.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(
            "CREATE TABLE reply (key BLOB PRIMARY KEY, model TEXT NOT NULL, task TEXT NOT NULL, text BLOB NOT NULL,"
            " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL, cut INTEGER NOT NULL,"
            " used_at INTEGER NOT NULL)"
        )
        text = zlib.compress(REPLY.text.encode())
        old.execute("INSERT INTO reply VALUES (?, 'm', 'echo', ?, 10, 5, 0.25, 0, 0)", (key(), text))
        old.commit()
    cache = ResponseCache(path)
    assert cache.get(key()) == REPLY
    cache.close()
    with closing(sqlite3.connect(path)) as new:
        assert new.execute("PRAGMA user_version").fetchone() == (ResponseCache.version,)


def test_a_file_of_a_newer_version_is_refused_and_left_alone(cache, tmp_path):
    cache.put(key(), "m", "echo", REPLY)
    cache.close()
    path = tmp_path / "cache.sqlite"
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(GatewayUnavailable, match="written by a newer sqale-assets"):
        cache.get(key())
    assert path.read_bytes() == before


def test_a_damaged_file_ends_the_run_and_is_left_alone(cache, tmp_path):
    for n in range(200):
        cache.put(key(n), "m", "echo", CachedReply(os.urandom(1000).hex(), 1, 1, 0.0, False))
    cache.close()
    path = tmp_path / "cache.sqlite"
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(GatewayUnavailable, match=r"cache\.sqlite.*restore it from a backup"):
        for n in range(200):
            cache.get(key(n))
    assert path.exists()


def test_a_remote_store_keeps_its_cache_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_path(str(tmp_path / "store")) == tmp_path / "store" / "llm_cache.sqlite"
    remote = cache_path("memory://bucket/store")
    assert remote.is_relative_to(tmp_path) and remote != cache_path("memory://bucket/other")
