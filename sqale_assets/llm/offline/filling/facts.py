"""What the prompt says, as facts: the fenced blocks of `fill_table`, read back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqale_assets.llm.task import Message
from sqale_assets.relational.names import singular, singular_words, words

_BLOCK = re.compile(r"^```(\w+)\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"^Table (.+) \((\w+) table\), (\d+) new rows\.$", re.MULTILINE)
_LANGUAGE = re.compile(r"^Language of names and texts: (\S+)$", re.MULTILINE)
_DOMAIN = re.compile(r"^The database is about: (.*)$", re.MULTILINE)
_COMPLAINT = re.compile(r"^- column (.+?): (.+) \(\d+ of \d+", re.MULTILINE)
#: What a table's name may end in without saying what it holds.
_NOISE = frozenset(("info", "master", "detail", "details", "data", "list", "record", "records", "entity", "tbl", "mst"))
_NOTES = re.compile(r"; (?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")


@dataclass(slots=True)
class ColumnFacts:
    """One line of the columns block. `at` is the item of the key's tuple, `seen` what the shown rows hold.

    `vocabulary` and `range` are what all original rows hold, where the prompt says so.
    """

    name: str
    kind: str
    words: tuple[str, ...]
    primary: bool = False
    unique: bool = False
    required: bool = False
    left_out: bool = False
    long: bool = False
    first_number: int | None = None
    parents: str | None = None
    at: int | None = None
    allowed: list[Any] = field(default_factory=list)
    length: int | None = None
    decimals: int = 2
    low: float | None = None
    high: float | None = None
    seen: list[Any] = field(default_factory=list)
    vocabulary: list[Any] = field(default_factory=list)
    range: tuple[float, float] | None = None

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""


@dataclass(slots=True)
class TableFacts:
    """The table to fill. `complaints` maps a column to what was wrong with its last values."""

    name: str
    words: tuple[str, ...]
    role: str
    count: int
    language: str
    domain: str
    columns: list[ColumnFacts]
    rows: list[dict[str, Any]]
    parents: dict[str, list[Any]]
    complaints: dict[str, str]

    @property
    def context(self) -> frozenset[str]:
        """Words of the domain's description, in the singular: what the database is about."""
        return frozenset(singular(word) for word in words(self.domain)) | frozenset(words(self.domain))

    @property
    def entity(self) -> tuple[str, ...]:
        """The words of one row's thing: order_items gives order, item."""
        return singular_words(self.words) or ("entry",)


def read_facts(messages: Sequence[Message]) -> TableFacts:
    """The facts of a conversation. Raises ValueError when the prompt lacks its table line or columns block."""
    prompt = messages[1]["content"]
    blocks = dict(_BLOCK.findall(prompt))
    head = _TABLE.search(prompt)
    if head is None or "columns" not in blocks:
        raise ValueError("the prompt names no table or shows no columns")
    rows = [json.loads(line) for line in blocks.get("rows", "").splitlines() if line.strip()]
    columns = [_column(line) for line in blocks["columns"].splitlines()]
    for column in columns:
        column.seen = [row[column.name] for row in rows if row.get(column.name) is not None]
    language, domain = _LANGUAGE.search(prompt), _DOMAIN.search(prompt)
    return TableFacts(
        name=head[1],
        words=_table_words(head[1]),
        role=head[2],
        count=int(head[3]),
        language=language[1] if language else "en_US",
        domain=domain[1] if domain else "",
        columns=columns,
        rows=rows,
        parents=dict(_parents(blocks.get("parents", ""))),
        complaints=dict(_COMPLAINT.findall(messages[-1]["content"])) if len(messages) > 2 else {},
    )


def _table_words(name: str) -> tuple[str, ...]:
    """Words of a table name without what schemas put before them (tbl_, dbo.)."""
    found = words(name.rsplit(".", 1)[-1])
    kept = tuple(
        word
        for word in found
        if word not in ("tbl", "tb", "t", "dbo", "public", "table", "tab", "m", "mst", "ref", "dim")
    )
    named = tuple(word for word in (kept or found) if not word.isdigit()) or found
    while len(named) > 1 and named[-1] in _NOISE:
        named = named[:-1]
    return named


def _column(line: str) -> ColumnFacts:
    name, kind, notes = line.split(" | ", 2)
    column = ColumnFacts(name=name, kind=kind, words=words(name) or (name.lower(),))
    for note in _NOTES.split(notes):
        _read_note(column, note)
    return column


def _read_note(column: ColumnFacts, note: str) -> None:
    if note.startswith(("primary key", "part of the primary key")):
        column.primary = True
        column.required = True
        column.unique = column.unique or note == "primary key"
    elif note == "unique":
        column.unique = True
    elif note == "required":
        column.required = True
    elif note == "long text":
        column.long = True
    elif note.startswith("leave None"):
        column.left_out = True
    elif match := re.match(r"numbered upwards from (\d+)", note):
        column.first_number = int(match[1])
    elif match := re.match(r'foreign key: pick from parents\["(.+?)"\](?:, item (\d+))?', note):
        column.parents, column.at = match[1], int(match[2]) if match[2] else None
    elif match := re.match(r"one of (\[.*\])", note):
        column.allowed = json.loads(match[1])
    elif match := re.match(r"original values (\[.*\])", note):
        column.vocabulary = json.loads(match[1])
    elif match := re.match(r"original range (\[.*\])", note):
        low, high = json.loads(match[1])
        column.range = (low, high)
    elif match := re.match(r"at most (\d+) characters", note):
        column.length = int(match[1])
    elif match := re.match(r"(\d+) decimals", note):
        column.decimals = int(match[1])
    elif match := re.match(r"at least (\S+)", note):
        column.low = float(match[1])
    elif match := re.match(r"at most (\S+)", note):
        column.high = float(match[1])


def _parents(block: str) -> list[tuple[str, list[Any]]]:
    found = []
    for line in block.splitlines():
        match = re.match(r'parents\["(.+?)"\]: .*? such as (\[.*\])$', line)
        if match:
            found.append((match[1], json.loads(match[2])))
    return found
