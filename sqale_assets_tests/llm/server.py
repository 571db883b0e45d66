"""A real OpenAI-compatible server on loopback, with faults on demand.

    async with FakeProvider(reply=lambda body: "hi", latency=0.2) as provider:
        provider.faults = random_429(0.1)
        ... provider.base_url ... provider.requests

A fault is a function of the request that returns what goes wrong, or None. Also a program of its own,
for benchmarks that want the server in another process: `python -m sqale_assets_tests.llm.server --port 9000`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Fault:
    """What the server does instead of answering: a status with a body, garbage for a body, or nothing at all."""

    status: int = 200
    body: str = "{}"
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False


@dataclass(frozen=True)
class Request:
    """A request as it arrived. `in_flight` counts those being answered, this one included."""

    body: dict[str, Any]
    headers: dict[str, str]
    in_flight: int

    @property
    def last_message(self) -> str:
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else content[-1]["text"]


Faults = Callable[[Request], Fault | None]


def rate_limited(retry_after: float | None = None) -> Fault:
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return Fault(429, json.dumps({"error": {"message": "rate limit reached", "code": "rate_limited"}}), headers)


def status(code: int, message: str = "something went wrong") -> Fault:
    return Fault(code, json.dumps({"error": {"message": message}}))


def answer(message: dict[str, Any], usage: dict[str, Any]) -> Fault:
    """A reply of this very content."""
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return Fault(200, json.dumps({"model": "fake", "choices": [choice], "usage": usage}))


GARBAGE = Fault(200, "<html>502 from a proxy that lies about it</html>")
HANG = Fault(hang=True)


def always(fault: Fault | None) -> Faults:
    return lambda _: fault


def in_turn(faults: Iterable[Fault | None]) -> Faults:
    """One fault per request, then none."""
    remaining = iter(faults)
    return lambda _: next(remaining, None)


def random_429(share: float, *, retry_after: float | None = None, seed: int = 0) -> Faults:
    """429 on a share of the requests, whatever the load."""
    draw = random.Random(seed)
    return lambda _: rate_limited(retry_after) if draw.random() < share else None


def over_capacity(limit: int, *, retry_after: float | None = None) -> Faults:
    """429 for what exceeds `limit` requests at once: a provider that is really overloaded."""
    return lambda request: rate_limited(retry_after) if request.in_flight > limit else None


class FakeProvider:
    """The server. `reply` is the text to answer with, or a list of native calls (name, arguments as JSON text).

    `usage` in tokens is derived from the lengths.
    """

    def __init__(
        self,
        reply: Callable[[Request], str | list[tuple[str, str]]] = lambda _: "ok",
        *,
        latency: float = 0.0,
        port: int = 0,
    ):
        self.reply, self.latency, self.port = reply, latency, port
        self.faults: Faults = always(None)
        self.requests: list[Request] = []
        self.answered = self.peak = self.in_flight = 0
        self._runner: web.AppRunner | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start, on the same port as before if it was stopped."""
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", self._complete)
        application.router.add_post("/v1/completions", self._complete)
        application.router.add_post("/v1/messages", self._message)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def _message(self, http: web.Request) -> web.Response:
        """The same in Anthropic's protocol, without faults."""
        request = Request(await http.json(), dict(http.headers), 1)
        self.requests.append(request)
        usage = {"input_tokens": 10, "output_tokens": 1}
        content = [{"type": "text", "text": self.reply(request)}]
        body = {"id": "msg_0", "type": "message", "role": "assistant", "model": request.body["model"]}
        return web.json_response({**body, "content": content, "stop_reason": "end_turn", "usage": usage})

    async def _complete(self, http: web.Request) -> web.Response:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            request = Request(await http.json(), dict(http.headers), self.in_flight)
            self.requests.append(request)
            if fault := self.faults(request):
                if fault.hang:
                    await asyncio.sleep(3600)
                return web.Response(status=fault.status, text=fault.body, headers=fault.headers)
            if self.latency:
                await asyncio.sleep(self.latency)
            self.answered += 1
            answer = _text_completion if "prompt" in request.body else _completion
            return web.json_response(answer(request, self.reply(request)))
        finally:
            self.in_flight -= 1


def _completion(request: Request, reply: str | list[tuple[str, str]]) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else ""
    calls = [] if isinstance(reply, str) else reply
    number = len(request.body["messages"])
    native = [
        {"id": f"call-{number}-{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]
    tokens_in = sum(len(message["content"]) for message in request.body["messages"]) // 4
    limit = request.body.get("max_tokens")
    cut = limit is not None and len(text) // 4 > limit
    text = text[: limit * 4] if cut else text
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": request.body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text} | ({"tool_calls": native} if native else {}),
                "finish_reason": "length" if cut else "tool_calls" if native else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": len(text) // 4,
            "total_tokens": tokens_in + len(text) // 4,
        },
    }


def _text_completion(request: Request, text: str) -> dict[str, Any]:
    tokens_in = len(request.body["prompt"]) // 4
    return {
        "id": "cmpl-0",
        "object": "text_completion",
        "created": 0,
        "model": request.body["model"],
        "choices": [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": len(text) // 4,
            "total_tokens": tokens_in + len(text) // 4,
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--random-429", type=float, default=0.0, help="share of requests")
    parser.add_argument("--reply", default="ok")
    arguments = parser.parse_args()

    async def serve() -> None:
        provider = FakeProvider(lambda _: arguments.reply, latency=arguments.latency, port=arguments.port)
        provider.faults = random_429(arguments.random_429)
        await provider.start()
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
