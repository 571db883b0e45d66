"""From a call's content to a reply: fallbacks, cache, budget, throttle, provider, in this order.

`Caller` knows no tasks and no stages; gateway.py gives it rendered messages and reads what comes back.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass
from typing import Any

from sqale_assets.llm.account import Spending
from sqale_assets.llm.backend import CHARACTERS_PER_TOKEN, close_litellm, estimate_tokens
from sqale_assets.llm.budget import Budget
from sqale_assets.llm.cache import CachedReply, ResponseCache, cache_key
from sqale_assets.llm.direct import close_sessions
from sqale_assets.llm.errors import FormatUnsupported, Misconfigured, ProviderError
from sqale_assets.llm.formats import FORMATS, AnswerForm, response_format
from sqale_assets.llm.prices import price
from sqale_assets.llm.provider import Completion, complete, hello, takes_tools
from sqale_assets.llm.rate import Bound, Rate, Window
from sqale_assets.llm.routing import StageRoute, Target
from sqale_assets.llm.shared_file import Unkept
from sqale_assets.llm.task import GatewayUnavailable, Message
from sqale_assets.llm.throttle import Throttle

DEFAULT_MAX_TOKENS = 4096
#: A provider's silence is looked into after this part of the route's timeout, 20 s unless that was changed, and found
#: to be a hang after twice as long. Who allows longer replies has a slow model, which is silent for longer.
PATIENCES_PER_TIMEOUT = 6


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked. `sample` tells apart calls of the same content that are meant to differ."""

    task: str
    messages: list[Message]
    answer: AnswerForm
    temperature: float | None
    max_tokens: int | None
    stop: tuple[str, ...] = ()
    sample: int = 0
    tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with its circumstances: `seconds` from asking to reply (0 for the offline rules)."""

    completion: Completion
    model: str
    cached: bool = False
    retries: int = 0
    seconds: float = 0.0


class Caller:
    """Makes calls. Holds one throttle per target and knows which calls are being asked right now."""

    def __init__(self, cache: ResponseCache, budget: Budget, window: Window):
        self._cache, self._budget, self._window = cache, budget, window
        self._throttles: dict[Target, Throttle] = {}
        self._rates: dict[Target, Rate] = {}
        self._forms: dict[Target, int] = {}
        self._asking: dict[bytes, asyncio.Future[None]] = {}
        self._unkept: Unkept | None = None

    async def answer(self, route: StageRoute, call: Call) -> Answered:
        """The reply of the first target that can be reached.

        Raises:
            Refused: the provider will not answer this very call.
            GatewayUnavailable: no target can be reached, or the budget is spent.
        """
        for target in route.targets[:-1]:
            try:
                return await self._answer(target, call)
            except GatewayUnavailable:
                continue
        return await self._answer(route.targets[-1], call)

    def native_tools(self, route: StageRoute) -> bool:
        """Whether every target of the route calls tools natively."""
        return all(takes_tools(target) for target in route.targets)

    async def aclose(self) -> None:
        """Close the running loop's connections to providers and to Redis."""
        await self._window.aclose()
        await close_sessions()
        await close_litellm()

    async def _answer(self, target: Target, call: Call) -> Answered:
        if target.offline:
            return await answer_offline(target, call)
        wanted = {
            "temperature": call.temperature,
            "max_tokens": call.max_tokens,
            "stop": list(call.stop) or None,
            "tools": list(call.tools) or None,
        }
        parameters = {name: value for name, value in wanted.items() if value is not None}
        raw = {"raw prompt": target.opening} if target.endpoint == "completion" else {}
        raw |= {"thoughts": True} if target.keep_thoughts else {}
        began = time.monotonic()
        key = cache_key(
            target.model,
            call.messages,
            {**target.extra, **parameters, **raw},
            call.answer.digest,
            call.sample,
        )
        while (hit := self._cache.get(key)) is None and key in self._asking:
            await asyncio.wait([self._asking[key]])  # the same call is under way: its reply will be in the cache
        if hit:
            completion = Completion(hit.text, hit.tokens_in, hit.tokens_out, cut=hit.cut, tool_calls=hit.tool_calls)
            return Answered(completion, target.model, cached=True, seconds=time.monotonic() - began)
        self._asking[key] = asyncio.get_running_loop().create_future()
        try:
            completion, retries = await self._ask(target, call, parameters)
            reply = CachedReply(
                completion.text, completion.tokens_in, completion.tokens_out, completion.cost, completion.cut,
                completion.tool_calls,
            )  # fmt: skip
            self._cache.put(key, target.model, call.task, reply)
        except Unkept as error:
            self._unkept = error  # what cannot be kept shall not be paid for: no call from now on
            raise
        finally:
            self._asking.pop(key).cancel()
        return Answered(completion, target.model, retries=retries, seconds=time.monotonic() - began)

    async def _ask(self, target: Target, call: Call, parameters: dict[str, Any]) -> tuple[Completion, int]:
        throttle = self._throttles.get(target)
        if throttle is None:
            patience = target.timeout / PATIENCES_PER_TIMEOUT
            throttle = self._throttles[target] = Throttle(
                target.model, target.concurrency, probe=lambda: hello(target, patience), patience=patience
            )
        worst, rate, entry = _worst(target, call), self._rate(target), ""

        async def admitted() -> None:
            nonlocal entry
            if self._unkept:
                raise self._unkept
            if rate:
                entry = await rate.enter(worst.tokens)

        async with self._budget.reserve(worst) as reservation:
            while True:
                form = self._forms.get(target, 0)
                formatted = response_format(call.answer, FORMATS[form])
                sent = {**parameters, "response_format": formatted} if formatted else parameters
                try:
                    completion, retries = await throttle.run(
                        lambda sent=sent: complete(target, call.messages, sent), admitted
                    )
                except FormatUnsupported:
                    if not formatted:
                        raise
                    self._forms[target] = max(self._forms.get(target, 0), form + 1)
                except Misconfigured as error:
                    throttle.circuit.open(str(error))
                    raise GatewayUnavailable(f"{error}. Try `sqale models`.") from None
                else:
                    taken = completion.tokens_in + completion.tokens_out
                    reservation.actual = Spending(completion.cost, taken, 1)
                    if rate:
                        await rate.settle(entry, taken)
                    return completion, retries

    def _rate(self, target: Target) -> Rate | None:
        bound = Bound(target.requests_per_minute, target.tokens_per_minute)
        if bound == Bound(None, None):
            return None
        if target not in self._rates:

            async def first() -> None:
                with contextlib.suppress(ProviderError):  # the call after it will meet the same, and tell
                    await hello(target, target.timeout)

            self._rates[target] = Rate(self._window, f"{target.model}@{target.api_base or ''}", bound, first)
        return self._rates[target]


async def answer_offline(target: Target, call: Call) -> Answered:
    """The reply of the embedded rules."""
    await asyncio.sleep(0)  # rules never wait; others may run all the same
    return Answered(await complete(target, call.messages, {}), target.model)


def _worst(target: Target, call: Call) -> Spending:
    """The most that `call` can take."""
    tokens_in, tokens_out = estimate_tokens(call.messages), call.max_tokens or DEFAULT_MAX_TOKENS
    if call.tools:
        tokens_in += len(json.dumps(call.tools)) // CHARACTERS_PER_TOKEN
    price_in, price_out = price(target) or (0.0, 0.0)
    return Spending(tokens_in * price_in + tokens_out * price_out, tokens_in + tokens_out, 1)
