"""The benchmarks' provider: answers every chat completion after a fixed latency, for as little CPU as Python allows.

It reads no JSON and writes one prepared response, so that the figures are the client's. Its own CPU time is printed on
SIGTERM, in seconds. Faults are the business of `sqale_assets_tests/llm/server.py`; here there are only random 429s.

    python benchmarks/loopback.py --port 9000 --latency 0.2 --random-429 0.1
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import signal

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def response(status: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


ANSWER = response(
    "200 OK",
    {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": "bench",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok " * 200}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 150, "total_tokens": 1150},
    },
)
RATE_LIMITED = response("429 Too Many Requests", {"error": {"message": "rate limit reached", "code": "rate_limited"}})


class Connection(asyncio.Protocol):
    """One connection; its client sends one request after the other, as HTTP/1.1 clients do."""

    def connection_made(self, transport):
        self.transport, self.received = transport, bytearray()

    def data_received(self, data):
        self.received += data
        head = self.received.find(b"\r\n\r\n")
        length = _LENGTH.search(self.received, 0, head) if head >= 0 else None
        if length is None or len(self.received) < head + 4 + int(length[1]):
            return
        body = bytes(self.received[head + 4 :])
        self.received.clear()
        self.asked(body)

    def asked(self, body: bytes) -> None:
        """Answer a request."""
        raise NotImplementedError


class Provider(Connection):
    """Gives every request the same answer, or a 429."""

    latency = share_429 = 0.0
    draw = random.Random(0)

    def asked(self, body: bytes) -> None:
        if self.draw.random() < self.share_429:
            self.transport.write(RATE_LIMITED)
        else:
            asyncio.get_running_loop().call_later(self.latency, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    loop.add_signal_handler(signal.SIGTERM, ended.set_result, None)
    await loop.create_server(Provider, "127.0.0.1", port, backlog=1024)
    await ended
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{usage.ru_utime + usage.ru_stime:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--random-429", type=float, default=0.0, help="share of requests")
    arguments = parser.parse_args()
    Provider.latency, Provider.share_429 = arguments.latency, arguments.random_429
    asyncio.run(serve(arguments.port))


if __name__ == "__main__":
    main()
