"""The agent's tools over a database: what it may look at, and how that is written.

Every tool answers with one JSON object on one line, which a model and a rule-based reader can take in exactly.
Answers are bounded: lists come in pages, rows and long texts are cut and say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqale_assets.relational.model import Row, Table, Value
from sqale_assets.sqlenv.database import Database, QueryResult
from sqale_assets.sqlenv.errors import QueryError, column_hint, table_hint
from sqale_assets.sqlenv.joins import Edge, edges_of, incoming, shortest_paths
from sqale_assets.sqlenv.names import identifier, quote

T = TypeVar("T")

#: Characters of one answer; list_tables may take twice as much, so that most databases fit one page.
ANSWER_CHARACTERS = 6_000
CELL_CHARACTERS = 200
#: Columns of a result that are shown.
MOST_COLUMNS = 100
#: The kind of error of a call that no tool could run as it was written.
BAD_CALL = "bad_call"

#: Tool -> its arguments, the optional ones with a question mark.
TOOLS: dict[str, tuple[str, ...]] = {
    "list_tables": ("contains?", "page?"),
    "describe_table": ("table_name", "page?"),
    "foreign_keys": ("table_name", "page?"),
    "join_path": ("table_a", "table_b"),
    "sample_rows": ("table_name", "limit?"),
    "distinct_values": ("table_name", "column_name", "limit?"),
    "run_query": ("sql",),
    "submit_sql": ("sql",),
}
#: Arguments that are whole numbers; the others are texts.
_NUMBERS = frozenset({"limit", "page"})
#: Names that models use for an argument all the same.
_ALIASES = {"table": "table_name", "column": "column_name", "query": "sql", "table1": "table_a", "table2": "table_b"}


class ToolError(ValueError):
    """A call that cannot be run as written. The text says what to mend."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer. `failed` when it is an error, of a `kind` for counting: a query's, or `bad_call`."""

    text: str
    failed: bool = False
    kind: str = ""


class Toolbox:
    """The tools over one database, answers at most `characters` long."""

    def __init__(self, database: Database, *, characters: int = ANSWER_CHARACTERS):
        self.database, self.characters = database, characters

    def call(self, tool: str, args: dict[str, Any]) -> Answer:
        """Run a tool. Nothing a caller can write makes this raise."""
        try:
            bound = bind(tool, args)
            content = getattr(self, tool)(**bound)
        except (ToolError, QueryError) as error:
            kind = error.kind if isinstance(error, QueryError) else BAD_CALL
            return Answer(_json({"error": str(error)}), failed=True, kind=kind)
        return Answer(_json(content))

    def list_tables(self, contains: str = "", page: int = 1) -> dict[str, Any]:
        """The tables, each with its number of rows. `contains` filters by a part of the name."""
        wanted = contains.lower()
        names = [table.name for table in self.database.schema.tables if wanted in table.name.lower()]
        shown, pages = _page(names, page, 2 * self.characters, lambda name: len(name) + 8)
        counts = {name: self.database.row_count(name) for name in shown}
        return {"tables": counts, "total": len(names), "page": page, "pages": pages}

    def describe_table(self, table_name: str, page: int = 1) -> dict[str, Any]:
        """Columns with type, primary key and NOT NULL, and the foreign keys that leave the table."""
        table = self._table(table_name)
        columns = []
        for column in table.columns:
            entry: dict[str, Any] = {"name": column.name, "type": column.declared_type}
            if column.name in table.primary_key:
                entry["primary_key"] = True
            elif column.nullable is False:
                entry["not_null"] = True
            columns.append(entry)
        shown, pages = _page(columns, page, self.characters, lambda entry: len(_json(entry)))
        answer = {"table": table.name, "rows": self.database.row_count(table.name), "columns": shown}
        if pages > 1:
            answer |= {"page": page, "pages": pages}
        return answer | {"foreign_keys": self._leaving(table)}

    def foreign_keys(self, table_name: str, page: int = 1) -> dict[str, Any]:
        """Keys that leave the table (`outgoing`) and keys of other tables that point at it (`incoming`)."""
        table = self._table(table_name)
        arriving = [edge.entry() for edge in incoming(self.database.schema, table.name)]
        shown, pages = _page(arriving, page, self.characters, lambda entry: len(_json(entry)))
        answer = {"table": table.name, "outgoing": self._leaving(table), "incoming": shown}
        return answer | ({"page": page, "pages": pages} if pages > 1 else {})

    def join_path(self, table_a: str, table_b: str) -> dict[str, Any]:
        """The shortest chains of foreign keys between two tables, each with a FROM clause to copy."""
        start, end = self._table(table_a).name, self._table(table_b).name
        paths = shortest_paths(self.database.schema, start, end)
        if not paths:
            return {"paths": [], "note": f"No chain of foreign keys connects {start} and {end}."}
        return {
            "paths": [{"joins": [edge.entry() for edge in path], "sql": from_clause(start, path)} for path in paths]
        }

    def sample_rows(self, table_name: str, limit: int = 5) -> dict[str, Any]:
        """The first rows of a table."""
        table = self._table(table_name)
        result = self.database.execute(f"SELECT * FROM {quote(table.name)} LIMIT {min(max(limit, 1), 50)}")
        return {"table": table.name, **_table_preview(result.columns, result.rows, self.characters)}

    def distinct_values(self, table_name: str, column_name: str, limit: int = 20) -> dict[str, Any]:
        """The most frequent values of a column as [value, count], the number of distinct values and of NULLs."""
        table = self._table(table_name)
        column = table.column(column_name)
        if column is None:
            hint = column_hint(f"{table.name}.{column_name}", self.database.schema)
            raise ToolError(f"{table.name} has no column {column_name[:100]}. {hint}")
        cell, source = quote(column.name), quote(table.name)
        values = self.database.execute(
            f"SELECT {cell}, count(*) FROM {source} WHERE {cell} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
            f" LIMIT {min(max(limit, 1), 200)}"
        )
        ((distinct, nulls),) = self.database.execute(
            f"SELECT count(DISTINCT {cell}), count(*) - count({cell}) FROM {source}"
        ).rows
        shown = _rows(values.rows, self.characters)
        answer = {"table": table.name, "column": column.name, "distinct": distinct, "nulls": nulls}
        answer["values"] = shown["rows"]
        return answer | ({"truncated": True} if len(shown["rows"]) < distinct else {})

    def run_query(self, sql: str) -> dict[str, Any]:
        """The rows of a SELECT statement."""
        return result_preview(self.database.execute(sql), self.characters)

    def submit_sql(self, sql: str) -> dict[str, Any]:
        """Submit the final query and end the work."""
        self.database.execute(sql)
        return {"submitted": True}

    def _leaving(self, table: Table) -> list[dict[str, Any]]:
        """The foreign keys of a table. SQLite lets keys be declared to tables that do not exist: those say nothing."""
        return [edge.entry() for edge in edges_of(table) if self.database.schema.table(edge.to_table) is not None]

    def _table(self, name: str) -> Table:
        table = self.database.schema.table(name.strip().strip('"`[]'))
        if table is None:
            raise ToolError(f"No such table: {name[:100]}. {table_hint(name, self.database.schema)}")
        return table


def bind(tool: str, args: dict[str, Any]) -> dict[str, Any]:
    """`args` under the names and types that `tool` takes.

    Raises:
        ToolError: no such tool, an argument is missing, not known or of the wrong type.
    """
    if tool not in TOOLS:
        raise ToolError(f"No such tool: {tool[:100]}. Tools: {', '.join(TOOLS)}.")
    known = {name.rstrip("?") for name in TOOLS[tool]}
    given = {name if name in known else _ALIASES.get(name, name): value for name, value in args.items()}
    usage = f"Call it as {usage_of(tool)}"
    if set(given) == {"arguments"}:
        raise ToolError(f"The arguments of {tool} are not a JSON object: {str(given['arguments'])[:100]}. {usage}")
    if unknown := sorted(given.keys() - known):
        raise ToolError(f"{tool} takes no argument {', '.join(unknown)}. {usage}")
    bound: dict[str, Any] = {}
    for name in (name.rstrip("?") for name in TOOLS[tool]):
        value = given.get(name)
        if value is None:
            if name in TOOLS[tool]:
                raise ToolError(f"{tool} needs the argument {name}. {usage}")
            continue
        if name in _NUMBERS:
            bound[name] = _whole(tool, name, value)
        elif isinstance(value, str):
            bound[name] = value
        else:
            raise ToolError(f"The argument {name} of {tool} must be a string. {usage}")
    return bound


def tool_specs() -> tuple[dict[str, Any], ...]:
    """The tools as OpenAI's API describes functions, for models that call them natively."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool,
                "description": getattr(Toolbox, tool).__doc__,
                "parameters": {
                    "type": "object",
                    "properties": {
                        name: {"type": "integer" if name in _NUMBERS else "string"}
                        for name in (argument.rstrip("?") for argument in arguments)
                    },
                    "required": [name for name in arguments if not name.endswith("?")],
                    "additionalProperties": False,
                },
            },
        }
        for tool, arguments in TOOLS.items()
    )


def usage_of(tool: str) -> str:
    """An example of a call, as JSON."""
    return json.dumps({"tool": tool, "args": {name: "..." for name in TOOLS[tool] if not name.endswith("?")}})


def result_preview(result: QueryResult, characters: int = ANSWER_CHARACTERS) -> dict[str, Any]:
    """Columns, first rows and number of rows of a result, as the tools and the judge's prompt show it."""
    answer = {**_table_preview(result.columns, result.rows, characters), "row_count": len(result.rows)}
    return answer | ({"row_count_is_minimum": True} if result.truncated else {})


def from_clause(start: str, path: Sequence[Edge]) -> str:
    """The joins of a path as a FROM clause; a table that comes twice (a self reference) gets an alias."""
    clause, at, alias = f"FROM {identifier(start)}", start, identifier(start)
    for number, edge in enumerate(path, start=1):
        forward = edge.from_table == at
        there = edge.to_table if forward else edge.from_table
        mine, theirs = (edge.from_columns, edge.to_columns) if forward else (edge.to_columns, edge.from_columns)
        name = identifier(there) if there != at else f"t{number}"
        on = " AND ".join(
            f"{alias}.{identifier(one)} = {name}.{identifier(other)}" for one, other in zip(mine, theirs, strict=True)
        )
        clause += f" JOIN {identifier(there)}{'' if there != at else f' AS {name}'} ON {on}"
        at, alias = there, name
    return clause


def _whole(tool: str, name: str, value: Any) -> int:
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e9:
        raise ToolError(f"The argument {name} of {tool} must be a whole number.")
    return int(value)


def _page(items: Sequence[T], page: int, characters: int, length: Callable[[T], int]) -> tuple[list[T], int]:
    """The items of a 1-based page and the number of pages; pages are filled up to `characters`."""
    pages: list[list[T]] = [[]]
    used = 0
    for item in items:
        size = length(item) + 1
        if used + size > characters and pages[-1]:
            pages.append([])
            used = 0
        pages[-1].append(item)
        used += size
    if not 1 <= page <= len(pages):
        raise ToolError(f"There is no page {page}; pages go from 1 to {len(pages)}.")
    return pages[page - 1], len(pages)


def _table_preview(columns: Sequence[str], rows: Sequence[Row], characters: int) -> dict[str, Any]:
    """The columns and as many rows as fit; of a very wide result the first columns only."""
    width = min(len(columns), MOST_COLUMNS)
    cell = max(20, min(CELL_CHARACTERS, characters // max(width, 1)))
    answer = {"columns": [_short(name, cell) for name in columns[:width]]}
    answer |= _rows([row[:width] for row in rows], characters, cell)
    return answer | ({"column_count": len(columns)} if width < len(columns) else {})


def _rows(rows: Sequence[Row], characters: int, cell: int = CELL_CHARACTERS) -> dict[str, Any]:
    shown: list[list[Value]] = []
    used = 0
    for row in rows:
        cells = [_short(value, cell) for value in row]
        used += len(_json(cells)) + 1
        if used > characters and shown:
            break
        shown.append(cells)
    return {"rows": shown} | ({"truncated": True} if len(shown) < len(rows) else {})


def _short(value: Value, most: int) -> Value:
    if isinstance(value, str) and len(value) > most:
        return f"{value[:most]}… ({len(value)} characters)"
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
