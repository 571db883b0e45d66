"""What an agent has seen so far, read back from its conversation: tables, columns, query results, rejections."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from sqale_assets.llm.task import Message
from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.types import affinity, column_type
from sqale_assets.sqlenv.calls import Call, find_calls, strip_thoughts

_RESULT = re.compile(r"^\[result (\d+)\] (\w+)\n(.*)$", re.MULTILINE)
_REJECTED = re.compile(r"^\[rejected\] (.*?)\nMend the query", re.DOTALL | re.MULTILINE)
_LEFT = re.compile(r"^\[(\d+) tool turns? left", re.MULTILINE)


@dataclass
class Observations:
    """`names` maps the tables known to their rows, `described` holds those looked at, `queries` maps SQL to answers."""

    names: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    pages_seen: set[int] = field(default_factory=set)
    described: dict[str, Table] = field(default_factory=dict)
    pending: dict[str, list[Any]] = field(default_factory=dict)
    #: Tables whose description goes on, with the page to ask for.
    next_page: dict[str, int] = field(default_factory=dict)
    queries: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    rejections: list[str] = field(default_factory=list)
    submitted: list[str] = field(default_factory=list)
    turns_left: int | None = None
    final: bool = False

    @property
    def schema(self) -> Schema:
        """The part of the schema that has been described, in the database's order."""
        ordered = [name for name in self.names if name in self.described]
        return Schema(tables=tuple(self.described[name] for name in ordered))

    @classmethod
    def of(cls, turns: list[Message]) -> Observations:
        """Read the turns after the prompt."""
        seen = cls()
        calls: list[Call] = []
        for turn in turns:
            if turn["role"] == "assistant":
                calls, _ = find_calls(strip_thoughts(turn["content"]))
                seen.submitted += [str(call.args.get("sql")) for call in calls if call.tool == "submit_sql"]
                continue
            content = turn["content"]
            seen.rejections += _REJECTED.findall(content)
            left = _LEFT.findall(content)
            seen.turns_left = int(left[-1]) if left else seen.turns_left
            seen.final = "answer now with one submit_sql call" in content
            for number, tool, body in _RESULT.findall(content):
                position = int(number) - 1
                if position < len(calls) and calls[position].tool == tool:
                    seen._take(calls[position], _json(body))
        return seen

    def _take(self, call: Call, answer: dict[str, Any]) -> None:
        if call.tool == "run_query":
            self.queries[str(call.args.get("sql"))] = answer
        elif "error" in answer:
            return
        elif call.tool == "list_tables":
            self.names |= answer.get("tables", {})
            self.pages = answer.get("pages", 1)
            self.pages_seen.add(answer.get("page", 1))
        elif call.tool == "describe_table":
            self._describe(answer)
        elif call.tool == "distinct_values":
            self.values[answer["table"], answer["column"]] = answer

    def _describe(self, answer: dict[str, Any]) -> None:
        """A table, once all pages of its columns are there."""
        name = answer["table"]
        columns = self.pending.setdefault(name, [])
        columns += [entry for entry in answer["columns"] if entry not in columns]
        if answer.get("page", 1) < answer.get("pages", 1):
            self.next_page[name] = answer["page"] + 1
            return
        self.next_page.pop(name, None)
        self.described[name] = Table(
            name=name,
            columns=tuple(
                Column(
                    name=entry["name"], declared_type=entry["type"], kind=column_type(entry["type"]).kind,
                    affinity=affinity(entry["type"]), nullable=not entry.get("not_null", False),
                )
                for entry in columns
            ),
            primary_key=tuple(entry["name"] for entry in columns if entry.get("primary_key")),
            foreign_keys=tuple(_key(entry) for entry in answer["foreign_keys"]),
        )  # fmt: skip


def _key(entry: dict[str, Any]) -> ForeignKey:
    return ForeignKey(
        columns=tuple(entry["from_columns"]),
        target_table=entry["to_table"],
        target_columns=tuple(entry["to_columns"]),
    )


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {"error": "unreadable"}
    return value if isinstance(value, dict) else {"error": "unreadable"}
