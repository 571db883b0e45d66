"""A provider that gives each prompt the reply it got before, after a fixed latency, for little CPU.

    python -m benchmarks.replay --port 9000 --latency 1 --replies /tmp/replies.sqlite [--learn]

With `--learn`, a prompt that it does not know is answered by the offline rules, and kept. Without, that is an error:
the rules take more of the processor than the build that is measured. On SIGTERM it prints a JSON object: its own CPU in
seconds, the calls, the unknown prompts, and how many calls were under way in each quarter of a second since the first.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import resource
import signal
import sqlite3
import time
from pathlib import Path

import orjson

from benchmarks.loopback import Connection, response

STEP = 0.25
TEST_CALL = b"Reply with the single word: ok"


class Replies:
    """Replies by what was asked, in a SQLite file."""

    def __init__(self, path: Path, learn: bool):
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
            "CREATE TABLE IF NOT EXISTS reply (asked BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID"
        )
        self._learn = learn
        self.unknown = 0

    def __call__(self, body: bytes) -> bytes:
        asked = orjson.loads(body)
        key = hashlib.blake2b(orjson.dumps(asked["messages"]), digest_size=16).digest()
        found = self._connection.execute("SELECT answer FROM reply WHERE asked = ?", (key,)).fetchone()
        if found:
            return found[0]
        self.unknown += 1
        if not self._learn:
            return response("400 Bad Request", {"error": {"message": "a prompt that was not learnt"}})
        from sqale_assets.llm import offline

        answer = _completion(offline.respond(asked["messages"]))
        self._connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?)", (key, answer))
        return answer


def _completion(text: str) -> bytes:
    usage = {"prompt_tokens": 1000, "completion_tokens": len(text) // 4, "total_tokens": 1000 + len(text) // 4}
    choices = [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
    made = {"id": "0", "object": "chat.completion", "created": 0, "model": "rules", "usage": usage, "choices": choices}
    return response("200 OK", made)


class Provider(Connection):
    """Answers each request when its time is up, and counts those under way."""

    latency = 0.0
    replies: Replies
    calls = under_way = 0
    began: float | None = None
    timeline: list[int] = []

    def asked(self, body: bytes) -> None:
        if TEST_CALL in body:  # before the build begins, so not a part of it
            self.transport.write(_completion("ok"))
            return
        answer = self.replies(body)
        Provider.began = Provider.began or time.monotonic()
        Provider.under_way += 1
        asyncio.get_running_loop().call_later(self.latency, self.answer, answer)

    def answer(self, answer: bytes):
        Provider.under_way -= 1
        Provider.calls += 1
        if not self.transport.is_closing():
            self.transport.write(answer)


async def watch() -> None:
    """Note the calls under way, from the first one on."""
    while True:
        await asyncio.sleep(STEP)
        if Provider.began:
            Provider.timeline.append(Provider.under_way)


async def serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    loop.add_signal_handler(signal.SIGTERM, ended.set_result, None)
    await loop.create_server(Provider, "127.0.0.1", port, backlog=1024)
    watching = loop.create_task(watch())
    await ended
    watching.cancel()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    told = {
        "cpu": usage.ru_utime + usage.ru_stime, "calls": Provider.calls, "unknown": Provider.replies.unknown,
        "timeline": Provider.timeline,
    }  # fmt: skip
    print(json.dumps(told), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--replies", type=Path, required=True)
    parser.add_argument("--learn", action="store_true")
    arguments = parser.parse_args()
    Provider.latency, Provider.replies = arguments.latency, Replies(arguments.replies, arguments.learn)
    asyncio.run(serve(arguments.port))


if __name__ == "__main__":
    main()
