"""A table's rows while they are being repaired: columns of values, originals first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqale_assets.relational.model import Table, Value


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@dataclass(slots=True)
class TableData:
    """`columns` by lower-case name, all equally long; the first `originals` rows came with the source.

    `repairs` counts repaired cells by kind ("type", "foreign_key", ...), `dropped` the rows given up.
    """

    table: Table
    columns: dict[str, list[Value]]
    originals: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    dropped: int = 0
    foreign_key_cells: int = 0
    invalid_foreign_keys: int = 0
    duplicate_keys: int = 0

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def key(self, names: Sequence[str]) -> list[Value] | list[tuple[Value, ...]]:
        """The values of those columns per row: plain values for one column, tuples for more."""
        if len(names) == 1:
            return self.columns[names[0].lower()]
        return list(zip(*(self.columns[name.lower()] for name in names), strict=True))

    def drop(self, rows: Iterable[int]) -> None:
        """Remove the rows at those positions."""
        gone = set(rows)
        if not gone:
            return
        for name, values in self.columns.items():
            self.columns[name] = [value for at, value in enumerate(values) if at not in gone]
        self.originals -= sum(1 for at in gone if at < self.originals)
        self.dropped += len(gone)
