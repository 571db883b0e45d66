"""The one door to language models: a task goes in, a validated reply comes out, whatever the provider.

An invalid answer goes back to the model with its error, at most twice. Every call leaves a row in the
ledger. One gateway per process; it may serve several event loops, one after the other.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel

from sqale_assets.llm import tracing
from sqale_assets.llm.account import Account
from sqale_assets.llm.budget import Budget, spent_in
from sqale_assets.llm.cache import ResponseCache, account_path, cache_path, rate_path
from sqale_assets.llm.call_server import RemoteCaller
from sqale_assets.llm.calls import Answered, Call, Caller
from sqale_assets.llm.errors import Refused
from sqale_assets.llm.formats import answer_form
from sqale_assets.llm.ledger import Ledger, LedgerRow, Outcome
from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.prompts import Prompt, load_prompt
from sqale_assets.llm.provider import Completion
from sqale_assets.llm.rate import FileWindow, RedisWindow
from sqale_assets.llm.routing import StageRoute, stage_routes
from sqale_assets.llm.task import GatewayUnavailable, InvalidAnswer, Message, OutOfRoom, Reply, Task
from sqale_assets.records import LlmUsage
from sqale_assets.settings import ModelStage, Settings

A = TypeVar("A", bound=BaseModel)

REPAIRS = 2
SHOWN_REPLY = 6000


class Gateway:
    """The process' way to its models. `for_schema` gives the view that a stage works with."""

    def __init__(self, settings: Settings, caller: RemoteCaller | None = None):
        """`caller` makes the calls in another process's stead; by default this one makes its own."""
        from upath import UPath

        store = UPath(settings.store)
        self.settings = settings
        self.routes = stage_routes(settings)
        self.ledger = Ledger(store / "ledger")
        self.cache = ResponseCache(cache_path(settings.store), megabytes=settings.cache_megabytes)
        self.account = Account(account_path(settings.store), earlier=lambda: spent_in(store / "ledger"))
        self.budget = Budget(settings.budget, self.account)
        self.window = RedisWindow(settings.redis) if settings.redis else FileWindow(rate_path())
        self.caller = caller or Caller(self.cache, self.budget, self.window)

    def for_schema(self, stage: ModelStage, schema_id: str) -> SchemaLlm:
        """One stage's view for one schema: an `Llm` that sums its own usage."""
        return SchemaLlm(self, self.routes[stage], schema_id)

    def record(self, row: LedgerRow) -> None:
        """Keep what a call was and took."""
        self.ledger.add(row)
        tracing.record(row)

    def close(self) -> None:
        """Write the rest of the ledger, close cache and account. The gateway stays usable: they open again."""
        self.ledger.close()
        tracing.flush()
        self.cache.close()
        self.account.close()

    async def aclose(self) -> None:
        """`close`, and close the running loop's connections."""
        self.close()
        await self.caller.aclose()


class SchemaLlm:
    """The gateway as one stage sees it while it works on one schema."""

    def __init__(self, gateway: Gateway, route: StageRoute, schema_id: str):
        self._gateway, self._route, self._schema_id = gateway, route, schema_id
        self._usage = LlmUsage()

    @property
    def usage(self) -> LlmUsage:
        """The sums over this view's calls so far."""
        return self._usage

    @property
    def native_tools(self) -> bool:
        """Whether every target of the route calls tools natively; see `Llm.native_tools`."""
        return self._gateway.caller.native_tools(self._route)

    async def ask(self, task: Task[A], *, sample: int = 0) -> Reply[A]:
        """Answer `task`; see `Llm.ask`."""
        prompt = load_prompt(task.prompt, self._gateway.settings.prompts)
        call = Call(
            task=task.prompt,
            messages=prompt.render(task),
            answer=answer_form(task.answer),
            temperature=_first(self._route.temperature, prompt.temperature),
            max_tokens=_room(task.reply_tokens, self._route.max_tokens, prompt.max_tokens),
            stop=prompt.stop,
            sample=sample,
            tools=task.tools,
        )
        errors: list[str] = []
        for attempt in range(REPAIRS + 1):
            answered = await self._answer(prompt, call, attempt)
            text = answered.completion.text
            try:
                value = parse_answer(task.answer, text)
            except ValueError as error:
                errors.append(str(error))
                self._enter(prompt, call, attempt, answered, errors[-1])
                if task.reply_tokens and answered.completion.cut:
                    raise OutOfRoom(task.prompt, tuple(errors), text) from None
                call = replace(call, messages=[*call.messages, *correction(answered.completion, errors[-1])])
                continue
            self._enter(prompt, call, attempt, answered)
            return Reply(
                value=value,
                text=text,
                model=answered.model,
                cached=answered.cached,
                tokens_in=answered.completion.tokens_in,
                tokens_out=answered.completion.tokens_out,
                tool_calls=answered.completion.tool_calls,
            )
        raise InvalidAnswer(task.prompt, tuple(errors), text)

    async def _answer(self, prompt: Prompt, call: Call, attempt: int) -> Answered:
        try:
            return await self._gateway.caller.answer(self._route, call)
        except (Refused, GatewayUnavailable) as error:
            outcome: Outcome = "refused" if isinstance(error, Refused) else "unavailable"
            nothing = Answered(Completion("", 0, 0), self._route.targets[0].model)
            self._gateway.record(self._row(prompt, call, attempt, outcome, nothing, str(error)))
            if isinstance(error, Refused):
                raise InvalidAnswer(call.task, (str(error),), "") from None
            raise

    def _enter(self, prompt: Prompt, call: Call, attempt: int, answered: Answered, error: str = "") -> None:
        """A reply into the ledger and into the sums."""
        row = self._row(prompt, call, attempt, "invalid" if error else "ok", answered, error)
        self._gateway.record(row)
        sums = self._usage
        self._usage = sums.model_copy(
            update={
                "calls": sums.calls + 1,
                "cached_calls": sums.cached_calls + row.cached,
                "tokens_in": sums.tokens_in + row.tokens_in,
                "tokens_out": sums.tokens_out + row.tokens_out,
                "cost": sums.cost + row.cost,
                "seconds": sums.seconds + row.seconds,
                "models": tuple(sorted({*sums.models, row.model})),
                "prompts": {**sums.prompts, row.task: row.prompt},
            }
        )

    def _row(
        self, prompt: Prompt, call: Call, attempt: int, outcome: Outcome, answered: Answered, error: str
    ) -> LedgerRow:
        completion = answered.completion
        return LedgerRow(
            asked_at=datetime.now(UTC) - timedelta(seconds=answered.seconds),
            stage=self._route.stage,
            schema_id=self._schema_id,
            task=call.task,
            prompt=prompt.label,
            model=answered.model,
            sample=call.sample,
            attempt=attempt,
            retries=answered.retries,
            outcome=outcome,
            cached=answered.cached,
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            tokens_cached=completion.tokens_cached,
            cost=completion.cost,
            seconds=answered.seconds,
            error=error,
        )


def correction(reply: Completion, error: str) -> list[Message]:
    """The turns that show a model its own invalid reply and what is wrong with it."""
    hint = "It was cut off: be brief enough to finish.\n" if reply.cut else ""
    shown = reply.text if len(reply.text) <= SHOWN_REPLY else reply.text[:SHOWN_REPLY] + "\n..."
    return [
        {"role": "assistant", "content": shown or "(empty)"},
        {
            "role": "user",
            "content": f"That answer is invalid:\n{error}\n{hint}Give the whole corrected answer, nothing else.",
        },
    ]


def _room(budgeted: int | None, routed: int | None, prompted: int | None) -> int | None:
    """`max_tokens` of a call. What a conversation has left bounds the route's."""
    if budgeted is None:
        return _first(routed, prompted)
    return budgeted if routed is None else min(budgeted, routed)


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
