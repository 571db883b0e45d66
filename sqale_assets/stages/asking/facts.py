"""What a writer is told of the data: figures per column, and rows of different tables that join with each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from sqale_assets.relational.model import Table, Value
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.names import quote
from sqale_assets.stages.mentions import column_words, thing

#: A column with at most so many different values has them listed, at most so many characters long each.
LISTED_VALUES, LISTED_CHARACTERS = 8, 40
CELL_CHARACTERS = 120

#: A story: rows that join with each other, one per table.
Story = dict[str, dict[str, Value]]


class Facts:
    """Figures about the tables of a database, each table looked at closely at most once."""

    def __init__(self, database: Database):
        self._database = database
        self._known: dict[str, dict[str, Any]] = {}

    def rows(self, table: str) -> int:
        ((rows,),) = self._database.execute(f"SELECT count(*) FROM {quote(table)}").rows
        return int(rows)

    def of(self, table: str) -> dict[str, Any]:
        """{"rows": n, "columns": {name: {"distinct", "nulls", "key"?, "min", "max", "values"?}}}.

        `key` marks columns of primary and foreign keys, also of those to tables that the writer is not shown. `values`
        lists [value, count] of columns with few values, most frequent first. Columns that are all NULL
        say only that.
        """
        if table not in self._known:
            self._known[table] = self._look(table)
        return self._known[table]

    def _look(self, name: str) -> dict[str, Any]:
        table = self._database.schema.table(name)
        assert table is not None
        source = quote(table.name)
        parts = ["count(*)"]
        for column in table.columns:
            cell = quote(column.name)
            parts += [f"count(DISTINCT {cell})", f"count({cell})", f"min({cell})", f"max({cell})"]
        ((rows, *figures),) = self._database.execute(f"SELECT {', '.join(parts)} FROM {source}").rows
        keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
        columns: dict[str, dict[str, Any]] = {}
        for position, column in enumerate(table.columns):
            distinct, known, least, most = figures[4 * position : 4 * position + 4]
            entry: dict[str, Any] = {"distinct": distinct, "nulls": rows - known}
            if column.name in keys:
                entry["key"] = True
            if known:
                entry |= {"min": shortened(least), "max": shortened(most)}
            if 0 < distinct <= LISTED_VALUES and distinct < known:
                cell = quote(column.name)
                listed = self._database.execute(
                    f"SELECT {cell}, count(*) FROM {source} WHERE {cell} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
                ).rows
                if all(len(str(value)) <= LISTED_CHARACTERS for value, _ in listed):
                    entry["values"] = [list(row) for row in listed]
            columns[column.name] = entry
        return {"rows": rows, "columns": columns}


def shortened(value: Value) -> Value:
    """A value as a prompt shows it."""
    if isinstance(value, str) and len(value) > CELL_CHARACTERS:
        return f"{value[:CELL_CHARACTERS]}…"
    return value


def ideas(told: Iterable[Story], facts: Mapping[str, Any]) -> list[str]:
    """What the stories tell besides keys and long texts, each once, in words: 'condition of copy "good"'."""
    found = (
        f"{column_words(column)} of {thing(table)} {json.dumps(value, ensure_ascii=False)}"
        for story in told
        for table, row in story.items()
        for column, value in row.items()
        if not facts[table]["columns"][column].get("key") and value is not None and len(str(value)) <= LISTED_CHARACTERS
    )
    return list(dict.fromkeys(found))


def stories(database: Database, tables: Sequence[str], rng: Random, *, count: int = 3) -> list[Story]:
    """Up to `count` different stories over connected tables: rows that join along their foreign keys.

    A table is left out of a story where no row of it joins.
    """
    schema = database.schema
    inside = {name: table for name in tables if (table := schema.table(name)) is not None}
    root = max(inside, key=lambda name: len(_reached(name, inside)))
    ((rows,),) = database.execute(f"SELECT count(*) FROM {quote(root)}").rows
    if not isinstance(rows, int) or rows == 0:
        return []
    offsets = rng.sample(range(rows), min(2 * count, rows))
    found = [_story(database, inside, root, offset, rng) for offset in offsets]
    # The fullest first; the order they were drawn in decides between equals.
    return sorted(found, key=lambda story: -len(story))[:count]


def _story(database: Database, tables: dict[str, Table], root: str, offset: int, rng: Random) -> Story:
    columns, rows = _rows(database, f"SELECT * FROM {quote(root)} LIMIT 1 OFFSET {offset}")
    story: Story = {root: dict(zip(columns, rows[0], strict=True))}
    open_ = [root]
    while open_:
        name = open_.pop(0)
        for other, condition in _steps(story[name], tables[name], tables, story):
            columns, rows = _rows(database, f"SELECT * FROM {quote(other)} WHERE {condition} LIMIT 5")
            if rows:
                story[other] = dict(zip(columns, rng.choice(rows), strict=True))
                open_.append(other)
    return {
        name: {column: shortened(value) for column, value in story[name].items()} for name in tables if name in story
    }


def _steps(row: dict[str, Value], table: Table, tables: dict[str, Table], story: Story):
    """From a row to tables not yet in the story: (table, SQL condition on it). Parents come before children."""
    for key in table.foreign_keys:
        if key.target_table in tables and key.target_table not in story:
            values = [row.get(column) for column in key.columns]
            yield from _step(key.target_table, key.target_columns, values, story)
    for other in tables.values():
        for key in other.foreign_keys:
            if key.target_table == table.name and other.name not in story:
                yield from _step(other.name, key.columns, [row.get(column) for column in key.target_columns], story)


def _step(table: str, columns: tuple[str, ...], values: list[Value], story: Story):
    if table not in story and all(value is not None for value in values):
        yield table, " AND ".join(f"{quote(c)} = {_literal(v)}" for c, v in zip(columns, values, strict=True))


def _reached(name: str, tables: dict[str, Table]) -> set[str]:
    """The tables that a row of `name` determines: those its keys lead to, and on."""
    seen: set[str] = set()
    open_ = [name]
    while open_:
        at = open_.pop()
        if at not in seen:
            seen.add(at)
            open_ += [key.target_table for key in tables[at].foreign_keys if key.target_table in tables]
    return seen


def _rows(database: Database, sql: str):
    result = database.execute(sql, max_rows=5)
    return result.columns, result.rows


def _literal(value: Value) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
