"""A provider that can be counted on: the offline rules behind OpenAI's protocol, on a loopback server in a thread."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from typing import Self

from sqale_assets.llm import offline
from sqale_assets_tests.llm.server import FakeProvider, Faults, Request, always


class RulesProvider:
    """The server, and every call that it answered. `stop` and `start` take it away and bring it back."""

    def __init__(self, *, latency: float = 0.0, faults: Faults | None = None):
        self.answered: Counter[str] = Counter()
        self.greeted = 0
        self._server = FakeProvider(self._reply, latency=latency)
        self._server.faults = faults or always(None)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def start(self) -> None:
        asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result(30)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(30)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a build ask this provider."""
        return {"SQALE_MODEL": "openai/rules", "OPENAI_API_BASE": self._server.base_url, "OPENAI_API_KEY": "local"}

    @property
    def calls(self) -> int:
        return self.answered.total()

    @property
    def rejected(self) -> int:
        """Requests that came and were not answered."""
        return len(self._server.requests) - self.calls - self.greeted

    @property
    def in_flight(self) -> int:
        """Requests being answered right now."""
        return self._server.in_flight

    def watch(self) -> None:
        """Begin to look for the most requests at once, which `peak` tells."""
        self._server.peak = self._server.in_flight

    @property
    def peak(self) -> int:
        return self._server.peak

    @property
    def wasted(self) -> int:
        """Answers that had been given before."""
        return self.calls - len(self.answered)

    def _reply(self, request: Request) -> str:
        if request.last_message.endswith("the single word: ok"):  # the gateway's test call
            self.greeted += 1
            return "ok"
        self.answered[json.dumps(request.body, sort_keys=True)] += 1
        return offline.respond(request.body["messages"])
