"""What goes through the gateway's door: a task in, a reply out. No provider and no litellm in here.

A task is a pydantic model that names its prompt file and the type of its answer; its fields are the
variables of the prompt's Jinja2 messages. The answer type decides how a reply's text is read: a plain
pydantic model is read as JSON; one that defines `parse_text` reads the text itself (fenced SQL, Python).

    class RestyleQuestion(Task["Phrasings"]):
        prompt: ClassVar[str] = "restyle_question"
        answer: ClassVar[type[BaseModel]] = Phrasings
        question: str

    reply = await llm.ask(RestyleQuestion(question="..."))
    reply.value.casual
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NotRequired, Protocol, Self, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from sqale_assets.records import LlmUsage

A = TypeVar("A", bound=BaseModel)


class Message(TypedDict):
    """A chat message as every provider takes it: role is "system", "user", "assistant" or "tool".

    An assistant's `tool_calls` are OpenAI's: `id`, `type`, `function` with `name` and `arguments` as JSON text. Each is
    answered by a message of role "tool" with its `tool_call_id`.
    """

    role: str
    content: str
    tool_calls: NotRequired[list[dict[str, Any]]]
    tool_call_id: NotRequired[str]


class Text(BaseModel):
    """The answer type of free text: an agent's turn, which its environment parses."""

    text: str

    @classmethod
    def parse_text(cls, text: str) -> Self:
        return cls(text=text)


@runtime_checkable
class ParsesText(Protocol):
    """An answer type that reads a reply's text itself. Raises ValueError with what to mend."""

    @classmethod
    def parse_text(cls, text: str) -> Any: ...


class Task(BaseModel, Generic[A]):
    """One call's content. `turns` follow the rendered messages: an agent's conversation so far.

    `tools` are the functions that the model may call natively, as OpenAI describes them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: ClassVar[str]
    answer: ClassVar[type[BaseModel]]
    tools: ClassVar[tuple[dict[str, Any], ...]] = ()

    turns: tuple[Message, ...] = ()
    #: room for the reply, in tokens, where the conversation has a budget: in the place of the prompt's `max_tokens`
    reply_tokens: int | None = None

    def variables(self) -> dict[str, Any]:
        """The variables of the prompt's messages: every field but those of this class, as Python values."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in Task.model_fields}


@dataclass(frozen=True, slots=True)
class Reply(Generic[A]):
    """A validated answer. `text` is the raw reply that became `value`; `model` the one that gave it.

    `tool_calls` are the native calls of a task with `tools`, as in `Message`.
    """

    value: A
    text: str
    model: str
    cached: bool
    tokens_in: int
    tokens_out: int
    tool_calls: tuple[dict[str, Any], ...] = ()


class Llm(Protocol):
    """What a stage sees of the gateway: one schema's view of it, already knowing stage and schema."""

    async def ask(self, task: Task[A], *, sample: int = 0) -> Reply[A]:
        """Answer `task`. `sample` tells apart calls that are meant to differ although their text does not.

        Raises:
            InvalidAnswer: the model's answer stayed invalid after it was shown its errors.
            GatewayUnavailable: the provider is down or the budget is spent; the partition fails, resumable.
        """
        ...

    @property
    def usage(self) -> LlmUsage:
        """The sums over this view's calls so far."""
        ...

    @property
    def native_tools(self) -> bool:
        """Whether litellm says that the model, and each that stands in for it, takes `Task.tools`."""
        ...


class LlmWrapper:
    """An `Llm` around another one; what wraps one differs in how it asks."""

    def __init__(self, llm: Llm):
        self._llm = llm

    async def ask(self, task: Task[A], *, sample: int = 0) -> Reply[A]:
        return await self._llm.ask(task, sample=sample)

    @property
    def usage(self) -> LlmUsage:
        return self._llm.usage

    @property
    def native_tools(self) -> bool:
        return self._llm.native_tools


class InvalidAnswer(Exception):
    """The answer stayed invalid. `errors` holds one validation message per attempt, `text` the last reply."""

    def __init__(self, task: str, errors: tuple[str, ...], text: str):
        super().__init__(f"{task}: no valid answer in {len(errors)} attempts; last: {errors[-1]}")
        self.task, self.errors, self.text = task, errors, text


class OutOfRoom(InvalidAnswer):
    """The reply was cut off where the task's `reply_tokens` end: there is no room to ask again."""


class GatewayUnavailable(Exception):
    """No call can be made now: provider down, key missing, budget spent. Says what to do."""
