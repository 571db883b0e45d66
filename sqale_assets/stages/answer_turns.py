"""One turn of the answering agent, as a task: calls as text, native calls, or one call under a JSON schema."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from sqale_assets.llm.task import Task, Text
from sqale_assets.sqlenv.tools import TOOLS, tool_specs


class AnswerQuestion(Task[Text]):
    """One turn of the answering agent. It sees the question and what it found out itself, nothing else."""

    prompt: ClassVar[str] = "answer_question"
    answer: ClassVar[type[BaseModel]] = Text
    question: str
    tool_turns: int
    single_calls: bool = False
    native: bool = False


class AnswerWithTools(Task[Text]):
    """`AnswerQuestion` for models that call tools natively."""

    prompt: ClassVar[str] = "answer_question"
    answer: ClassVar[type[BaseModel]] = Text
    tools: ClassVar[tuple[dict[str, Any], ...]] = tool_specs()
    question: str
    tool_turns: int
    single_calls: bool = False
    native: bool = True


def _call_type(tool: str) -> type[BaseModel]:
    """The type of a call of `tool`, with its required arguments only: weak models fill in all that there is."""
    closed = ConfigDict(extra="forbid")
    needed = {name: (str, ...) for name in TOOLS[tool] if not name.endswith("?")}
    args = create_model(f"{tool}_args", __config__=closed, **needed)
    return create_model(tool, __config__=closed, tool=(Literal[tool], ...), args=(args, ...))


def _as_any_of(schema: dict[str, Any]) -> None:
    """Providers' strict mode knows `anyOf` only; validation keeps the discriminator for its clearer errors."""
    call = schema["properties"]["call"]
    call["anyOf"] = call.pop("oneOf")
    del call["discriminator"]


class OneCall(BaseModel):
    """A reply that holds exactly one call. The environment reads it from the reply's text like any other."""

    model_config = ConfigDict(json_schema_extra=_as_any_of)

    thought: str
    call: Annotated[Union[tuple(_call_type(tool) for tool in TOOLS)], Field(discriminator="tool")]  # noqa: UP007


class AnswerWithOneCall(Task[OneCall]):
    """`AnswerQuestion` for models that need a JSON schema to write calls that can be read."""

    prompt: ClassVar[str] = "answer_question"
    answer: ClassVar[type[BaseModel]] = OneCall
    question: str
    tool_turns: int
    single_calls: bool = True
    native: bool = False
