"""The schema under construction: what statements add to and change, until `resolve` makes it a `Schema`.

Mutable on purpose, for DDL is a log of changes. Names are kept as written; look-ups ignore case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqale_assets.relational.fidelity import Loss
from sqale_assets.relational.model import Action
from sqale_assets.relational.statements import Statement


@dataclass(slots=True)
class DraftColumn:
    """A column as declared. `default` and the table's checks are source text in `dialect`."""

    name: str
    type: str
    nullable: bool | None = None
    default: str | None = None
    autoincrement: bool = False
    computed: bool = False
    comment: str | None = None
    dialect: str | None = None
    line: int = 0
    #: An explicit remark (COMMENT, extended property) wins over one found at the line's end.
    remark: str | None = None


@dataclass(slots=True)
class DraftKey:
    """A foreign key as declared; empty `target_columns` mean the target's primary key."""

    columns: list[str]
    qualifier: str | None
    target: str
    target_columns: list[str]
    line: int
    name: str | None = None
    on_delete: Action | None = None
    on_update: Action | None = None


@dataclass(slots=True)
class DraftCheck:
    expression: str
    line: int
    dialect: str | None
    name: str | None = None


@dataclass(slots=True)
class DraftTable:
    name: str
    qualifier: str | None
    line: int
    dialect: str | None
    columns: dict[str, DraftColumn] = field(default_factory=dict)
    primary_key: list[str] = field(default_factory=list)
    primary_key_name: str | None = None
    #: Constraint or index name (None where unnamed) and columns.
    unique: list[tuple[str | None, list[str]]] = field(default_factory=list)
    foreign_keys: list[DraftKey] = field(default_factory=list)
    checks: list[DraftCheck] = field(default_factory=list)
    comment: str | None = None
    #: Column names and raw values of the rows kept so far.
    rows: list[tuple[tuple[str, ...], list[object]]] = field(default_factory=list)
    parents: list[DraftTable] = field(default_factory=list)

    def column(self, name: str) -> DraftColumn | None:
        return self.columns.get(name.lower())

    def add_column(self, column: DraftColumn) -> bool:
        """Whether the column is new; a second one of the same name is refused."""
        if column.name.lower() in self.columns:
            return False
        self.columns[column.name.lower()] = column
        return True

    def rename_column(self, old: str, new: str) -> None:
        """Rename in place, wherever the table's own constraints use the name."""
        self.columns = {(new.lower() if key == old.lower() else key): column for key, column in self.columns.items()}
        self.columns[new.lower()].name = new

        def renamed(names: list[str]) -> list[str]:
            return [new if name.lower() == old.lower() else name for name in names]

        self.primary_key = renamed(self.primary_key)
        self.unique = [(name, renamed(names)) for name, names in self.unique]
        for key in self.foreign_keys:
            key.columns = renamed(key.columns)

    def drop_column(self, name: str) -> None:
        """Drop the column and every constraint of the table that it takes part in."""
        lowered = name.lower()
        self.columns.pop(lowered, None)

        def uses(names: list[str]) -> bool:
            return any(other.lower() == lowered for other in names)

        if uses(self.primary_key):
            self.primary_key = []
        self.unique = [(index, names) for index, names in self.unique if not uses(names)]
        self.foreign_keys = [key for key in self.foreign_keys if not uses(key.columns)]


@dataclass(slots=True)
class UserType:
    """A domain, alias or enumeration: what it stands for, and the constraints it brings."""

    type: str
    enum: tuple[str, ...] = ()
    nullable: bool | None = None
    default: str | None = None
    check: str | None = None
    dialect: str | None = None


class Draft:
    """Tables, types and the bookkeeping of what was lost on the way."""

    def __init__(self, rows_per_table: int) -> None:
        self.rows_per_table = rows_per_table
        self.tables: list[DraftTable] = []
        self._by_name: dict[str, list[DraftTable]] = {}
        self.dropped: list[DraftTable] = []
        self.types: dict[str, UserType] = {}
        self.indexes: dict[str, list[str]] = {}
        self.views: dict[str, int] = {}
        self.losses: list[Loss] = []
        self.notes: list[Loss] = []
        #: Constraints added to tables that only come later in the file, tried again at its end.
        self.at_end = False
        self.deferred: list[Callable[[], object]] = []
        self.kinds: Counter[str] = Counter()
        #: Names of tables that were left out on purpose: what refers to them is no loss.
        self.left_out: set[str] = set()

    def find(self, qualifier: str | None, name: str) -> DraftTable | None:
        """The table meant by a possibly qualified name: that of the qualifier, else the first of the name."""
        candidates = self._by_name.get(name.lower())
        if not candidates:
            return None
        return self._qualified(candidates, qualifier) or candidates[0]

    def exact(self, qualifier: str | None, name: str) -> DraftTable | None:
        """The table of just this name and qualifier."""
        return self._qualified(self._by_name.get(name.lower(), []), qualifier)

    @staticmethod
    def _qualified(candidates: list[DraftTable], qualifier: str | None) -> DraftTable | None:
        wanted = (qualifier or "").lower()
        return next((table for table in candidates if (table.qualifier or "").lower() == wanted), None)

    def add(self, table: DraftTable) -> None:
        self.tables.append(table)
        self._by_name.setdefault(table.name.lower(), []).append(table)

    def remove(self, table: DraftTable) -> None:
        self.tables.remove(table)
        self._by_name[table.name.lower()].remove(table)

    def drop(self, table: DraftTable) -> None:
        """Remove the table, but remember it: a script that drops all it created is a tear-down, not a design."""
        self.remove(table)
        self.dropped.append(table)

    def rename(self, table: DraftTable, name: str) -> None:
        """Give the table a new name; keys that named it follow, as in a database."""
        keys = list(self.keys_to(table))
        self._by_name[table.name.lower()].remove(table)
        table.name = name
        self._by_name.setdefault(name.lower(), []).append(table)
        for key in keys:
            key.target, key.qualifier = name, table.qualifier

    def lose(self, statement: Statement, reason: str, offset: int = 0) -> None:
        """Record a loss at `offset` of the statement's text."""
        self.losses.append(self._loss(statement, reason, offset))

    def note(self, statement: Statement, reason: str) -> None:
        """Record what is no loss: a table left out on purpose, say."""
        self.notes.append(self._loss(statement, reason, 0))

    @staticmethod
    def _loss(statement: Statement, reason: str, offset: int) -> Loss:
        line = statement.line + statement.text.count("\n", 0, offset)
        rest = statement.text[offset:].lstrip()
        excerpt = " ".join(rest[:200].split())
        return Loss(line=line, statement=excerpt[:120], reason=reason)

    def keys_to(self, table: DraftTable) -> Iterator[DraftKey]:
        """Every foreign key that names `table`."""
        for other in self.tables:
            for key in other.foreign_keys:
                if self.find(key.qualifier, key.target) is table:
                    yield key
