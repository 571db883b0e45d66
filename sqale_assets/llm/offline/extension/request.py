"""What an `extend_schema` prompt asks for, read from its text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sqale_assets.llm.task import Message
from sqale_assets.relational.names import singular, words
from sqale_assets.relational.style import StyleProfile
from sqale_assets.relational.style_facts import read_facts
from sqale_assets.relational.style_patterns import entity_of

_FENCE = re.compile(r"^```(?P<info>\w+)[ \t]*\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)
_CREATE = re.compile(r'CREATE TABLE (?:IF NOT EXISTS )?("(?:[^"]|"")+"|\w+)', re.IGNORECASE)
_NAME = r'"(?:[^"]|"")+"|[^\s("]+'
_TABLE_LINE = re.compile(rf"(?P<name>{_NAME})(?:\((?P<key>{_NAME}) (?P<type>[^,]+(?:\(\d+, ?\d+\))?[^,]*)\))?")


@dataclass(frozen=True)
class KnownTable:
    """A table that a foreign key may refer to: its name, single key column and that column's type, if it has one."""

    name: str
    entity: tuple[str, ...]
    key: str | None
    key_type: str | None


@dataclass(frozen=True)
class Request:
    """A prompt's content. `attach` names the tables whose DDL it shows, `alone` those without a foreign key."""

    label: str
    description: str
    profile: StyleProfile
    tables: tuple[KnownTable, ...]
    attach: tuple[str, ...]
    attach_columns: dict[str, frozenset[str]]
    alone: tuple[str, ...]
    lacks: tuple[str, ...]
    count: int
    column_counts: tuple[int, ...]
    refused: tuple[str, ...]

    @cached_property
    def taken(self) -> frozenset[str]:
        """Entities that have a table, or had one in an earlier answer: singular words, run together."""
        affix = self.profile.affix
        names = [table.entity for table in self.tables] + [entity_of(name, affix) for name in self.refused]
        return frozenset(run_together(name) for name in names)


def run_together(entity: tuple[str, ...]) -> str:
    """The form in which entities are compared: singular words without separators."""
    return "".join(singular(word) for word in entity)


def read_request(messages: list[Message]) -> Request:
    """Raises ValueError when the prompt lacks a part that the rules need."""
    prompt = messages[1]["content"]
    blocks: dict[str, str] = {match["info"]: match["body"].strip("\n") for match in _FENCE.finditer(prompt)}
    missing = [name for name in ("domain", "style", "tables", "request") if name not in blocks]
    if missing:
        raise ValueError(f"the prompt has no block {', '.join(missing)}")
    profile = read_facts(blocks["style"].splitlines())
    label, _, description = blocks["domain"].partition("\n")
    request = dict(line.split(": ", 1) for line in blocks["request"].splitlines())
    sql = blocks.get("sql", "")
    replies = [message["content"] for message in messages[2:] if message["role"] == "assistant"]
    attach = tuple(map(_unquoted, _CREATE.findall(sql)))
    return Request(
        label=label,
        description=description,
        profile=profile,
        tables=tuple(_known_tables(blocks["tables"], profile)),
        attach=attach,
        attach_columns=dict(zip(attach, map(_column_names, _CREATE.split(sql)[2::2]), strict=True)),
        alone=tuple(blocks["alone"].splitlines()) if "alone" in blocks else (),
        lacks=tuple(blocks["lacks"].splitlines()) if "lacks" in blocks else (),
        count=_count(messages, int(request["tables"])),
        column_counts=tuple(int(count) for count in request["columns"].split()),
        refused=tuple(_unquoted(name) for reply in replies for name in _CREATE.findall(reply)),
    )


def _count(messages: list[Message], asked: int) -> int:
    """How many tables to write: after a refusal, as many as were refused."""
    last = messages[-1]
    refused = re.search(r"^Refused: (\d+)", last["content"], re.MULTILINE) if len(messages) > 2 else None
    return int(refused[1]) if refused else asked


def _known_tables(block: str, profile: StyleProfile) -> Iterator[KnownTable]:
    """The tables of the list; those with a composite key or none cannot be referred to by one column."""
    for line in block.splitlines():
        if match := _TABLE_LINE.match(line):
            whole = match.end() == len(line)
            key, key_type = (match["key"], match["type"]) if whole and match["key"] else (None, None)
            name = _unquoted(match["name"])
            yield KnownTable(name, entity_of(name, profile.affix), _unquoted(key) if key else None, key_type)


def _column_names(body: str) -> frozenset[str]:
    """The words of the columns of a CREATE TABLE body, for rules that ask what a table holds."""
    first = [line.split()[0] for line in body.splitlines()[1:] if line.startswith("    ") and line.split()]
    return frozenset(word for name in first for word in words(name))


def _unquoted(name: str) -> str:
    return name.strip('"').replace('""', '"')
