"""The source text under construction: constants, what is set up once, what is done per row, one cell per column."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqale_assets.llm.offline.filling.facts import ColumnFacts, TableFacts

_RESERVED = frozenset(
    ("rows", "n", "i", "rng", "parents", "fake", "start", "seen", "row", "datetime", "timedelta", "str", "min", "max")
) | {"round", "int", "len", "range", "lines", "attempt", "re", "list", "divmod"}


@dataclass(slots=True)
class Script:
    """Builders add to it and return expressions, which are evaluated once per row in the order of `body`."""

    table: TableFacts
    meanings: dict[str, str]
    constants: dict[str, str] = field(default_factory=dict)
    setup: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    cells: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    limits: list[str] = field(default_factory=list)

    def constant(self, name: str, values: Sequence[Any]) -> str:
        """A module-level list; the same list is written once."""
        text = "[" + ", ".join(map(literal, values)) + "]"
        base = identifier(name).upper()
        spelled, number = base, 2
        while self.constants.setdefault(spelled, text) != text:
            spelled, number = f"{base}_{number}", number + 1
        return spelled

    def once(self, name: str, expression: str) -> str:
        """A variable of the row under that name, computed where it is first asked for."""
        if name not in self.variables:
            self.variables[name] = self.variable(name, expression)
        return self.variables[name]

    def variable(self, name: str, expression: str) -> str:
        """A new variable of the row."""
        spelled = self.free(name)
        self.body.append(f"{spelled} = {expression}")
        return spelled

    def free(self, name: str) -> str:
        """An identifier like `name` that is not taken."""
        base = identifier(name).lower()
        taken = _RESERVED | {line.split(" = ", 1)[0] for line in (*self.setup, *self.body)}
        spelled, number = base, 2
        while spelled in taken or keyword.iskeyword(spelled):
            spelled, number = f"{base}_{number}", number + 1
        return spelled

    def pick(self, name: str, values: Sequence[Any], weights: Sequence[float] | None = None) -> str:
        """An expression that chooses one of `values`."""
        if len(values) == 1:
            return literal(values[0])
        constant = self.constant(name, values)
        if weights is None:
            return f"rng.choice({constant})"
        # All at once: a weighted choice of one costs as much as six lookups.
        drawn = self.free(f"{name}_drawn")
        self.setup.append(f"{drawn} = rng.choices({constant}, {self.constant(constant + '_weights', weights)}, k=n)")
        return f"{drawn}[i]"

    def has(self, *meanings: str) -> ColumnFacts | None:
        """The first column of one of these meanings."""
        return next((column for column in self.table.columns if self.meanings[column.name] in meanings), None)

    def named(self, word: str) -> bool:
        """Whether a column's name ends in that word."""
        return any(column.last == word for column in self.table.columns)

    def source(self) -> str:
        """The module: constants and `generate_rows`."""
        lines = []
        if any("datetime" in line or "timedelta" in line for line in (*self.setup, *self.body, *self.cells.values())):
            lines += ["from datetime import datetime, timedelta", ""]
        lines += [f"{name} = {text}" for name, text in self.constants.items()]
        lines += ["", "", "def generate_rows(rng, n, parents):"] if lines else ["def generate_rows(rng, n, parents):"]
        lines += [f"    {line}" for line in (*self.setup, *self.limits)]
        lines += ["    rows = []", "    for i in range(n):"]
        lines += [f"        {line}" for line in self.body]
        lines += ["        rows.append({"]
        lines += [f"            {literal(column.name)}: {self.cells[column.name]}," for column in self.table.columns]
        lines += ["        })", "    return rows"]
        return "\n".join(lines)


def identifier(name: str) -> str:
    """`name` as a Python identifier in ASCII."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name).strip("_")
    return f"v_{kept}" if not kept or kept[0].isdigit() else kept


def literal(value: Any) -> str:
    """A Python literal, strings in double quotes."""
    if not isinstance(value, str):
        return repr(value)
    quoted = repr(value)
    return '"' + quoted[1:-1] + '"' if quoted[0] == "'" and '"' not in quoted else quoted


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def zipf(count: int) -> list[int]:
    """Weights for `count` values, the first the commonest."""
    return [max(1, round(60 / (rank + 1.4))) for rank in range(count)]
