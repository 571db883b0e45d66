"""What a database is about: a label from a fixed list, a short description, the key entities.

The evidence is the source repository where one is at hand, looked into with tools, else the schema itself with its
comments and a few of its rows.
"""

from __future__ import annotations

import json
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, field_validator

from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.task import Llm, Message, Task
from sqale_assets.records import DomainDescription, SourceSchema
from sqale_assets.relational.model import Row, Table
from sqale_assets.relational.names import singular_words, words
from sqale_assets.sqlenv.calls import Call, find_calls
from sqale_assets.stages.domains import DOMAINS
from sqale_assets.stages.repository import MAX_CALLS, TOOLS, Repository, run_call

MAX_TABLES = 150
MAX_COLUMNS = 1_600  # over all tables; each shows at least 8 and at most 30
MAX_TABLES_WITH_ROWS = 12
ROWS_SHOWN = 2
_VALUE_LENGTH = 40

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=40, max_length=1200)]
Noun = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]


class Annotation(BaseModel):
    """The answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    label: str
    description: Sentence
    entities: tuple[Noun, ...]

    @field_validator("label")
    @classmethod
    def _known(cls, label: str) -> str:
        known = label.strip().lower()
        if known not in DOMAINS:
            raise ValueError(f"{label!r} is not in the list of domains; take one of it as it is spelled there")
        return known

    @field_validator("entities")
    @classmethod
    def _several(cls, entities: tuple[str, ...]) -> tuple[str, ...]:
        nouns = (" ".join(singular_words(words(entity))) or entity for entity in entities)  # cropFamilies: crop family
        distinct = tuple(dict.fromkeys(nouns))
        if not distinct:
            raise ValueError("name at least one thing that the database is about")
        return distinct[:8]


class Turn(BaseModel):
    """An agent's turn: tool calls, or the final annotation."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    calls: tuple[Call, ...] = ()
    annotation: Annotation | None = None

    @classmethod
    def parse_text(cls, text: str) -> Self:
        calls, broken = find_calls(text)
        if calls:
            return cls(calls=tuple(calls))
        if broken:
            raise ValueError(f"a tool call could not be read: {broken}")
        return cls(annotation=parse_answer(Annotation, text))


class DescribeDomain(Task[Annotation]):
    """`source` says where the schema comes from; `shown` is the schema, "" where a repository is looked into."""

    prompt: ClassVar[str] = "describe_domain"
    answer: ClassVar[type[BaseModel]] = Annotation

    source: str
    shown: str = ""
    tool_turns: int = 0

    def variables(self) -> dict[str, object]:
        tools = TOOLS if self.tool_turns else ()
        return {
            "source": self.source,
            "schema": self.shown,
            "domains": DOMAINS,
            "tools": tools,
            "turns": self.tool_turns,
        }


class ExploreRepository(DescribeDomain):
    """The same conversation while tools may still be used."""

    answer: ClassVar[type[BaseModel]] = Turn


async def describe_domain(
    source: SourceSchema, llm: Llm, repository: Repository | None = None, *, tool_turns: int = 6
) -> DomainDescription:
    """Annotate a schema, from its source repository where one is given.

    The conversation about a repository depends on nothing but the repository: its schemas share one annotation, which
    the gateway's cache gives again at no cost. Raises what `llm.ask` raises.
    """
    if repository is None:
        reply = await llm.ask(DescribeDomain(source=_origin(source), shown=schema_text(source)))
        annotation = reply.value
    else:
        annotation = await _explore(repository, llm, tool_turns)
    return DomainDescription(
        schema_id=source.schema_id,
        label=annotation.label,
        description=annotation.description,
        entities=annotation.entities,
        evidence=repository.evidence if repository else "schema",
        usage=llm.usage,
    )


async def _explore(repository: Repository, llm: Llm, tool_turns: int) -> Annotation:
    origin, turns = f"repository: {repository.name}", ()
    for left in range(tool_turns, 0, -1):
        reply = await llm.ask(ExploreRepository(source=origin, tool_turns=tool_turns, turns=turns))
        if reply.value.annotation is not None:
            return reply.value.annotation
        results = [await _result(repository, call) for call in reply.value.calls[:MAX_CALLS]]
        results.append(
            f"[{left - 1} tool turns left]" if left > 1 else "No tool turns left. Give the final answer now."
        )
        turns += (
            Message(role="assistant", content=reply.text),
            Message(role="user", content="\n\n".join(results)),
        )
    reply = await llm.ask(DescribeDomain(source=origin, tool_turns=tool_turns, turns=turns))
    return reply.value


async def _result(repository: Repository, call: Call) -> str:
    asked = f"{call.tool} {json.dumps(call.args, ensure_ascii=False)[:1000]}"
    return f"{asked}\n```result\n{await run_call(repository, call)}\n```"


def schema_text(source: SourceSchema) -> str:
    """The schema as the prompt shows it: one block per table, the largest schemas cut short."""
    tables = source.definition.tables
    with_rows = [table.name for table in tables if source.rows.get(table.name)][:MAX_TABLES_WITH_ROWS]
    columns = max(8, min(30, MAX_COLUMNS // max(len(tables), 1)))
    blocks = [
        _table_text(table, columns, source.rows[table.name][:ROWS_SHOWN] if table.name in with_rows else ())
        for table in tables[:MAX_TABLES]
    ]
    if len(tables) > MAX_TABLES:
        blocks.append(f"(and {len(tables) - MAX_TABLES} more tables)")
    return "\n".join(blocks)


def _origin(source: SourceSchema) -> str:
    lines = [f"file: {source.source.name}"]
    if source.source.repository:
        lines.insert(0, f"repository: {source.source.repository}")
    return "\n".join(lines)


def _table_text(table: Table, columns: int, rows: tuple[Row, ...]) -> str:
    names = [_line(column.name, 60) for column in table.columns]
    shown = names[:columns] + (["..."] if len(names) > columns else [])
    lines = [f"- {_line(table.name, 80)}", f"  columns: {', '.join(shown)}"]
    targets = dict.fromkeys(_line(key.target_table, 80) for key in table.foreign_keys)
    if targets:
        lines.append(f"  references: {', '.join(targets)}")
    if table.comment:
        lines.append(f"  comment: {_line(table.comment, 200)}")
    notes = [f"{_line(column.name, 60)} = {_line(column.comment, 60)}" for column in table.columns if column.comment][
        :8
    ]
    if notes:
        lines.append(f"  notes: {' | '.join(notes)}")
    lines += [f"  row: {' | '.join(_line(value, _VALUE_LENGTH) for value in row[:12])}" for row in rows]
    return "\n".join(lines)


def _line(value: object, length: int) -> str:
    """The value on one line and without what would end the prompt's fence."""
    text = " ".join(str("" if value is None else value).replace("```", "'''").split())
    return text if len(text) <= length else text[: length - 3] + "..."
