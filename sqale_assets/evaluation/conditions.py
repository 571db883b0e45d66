"""How much of a database the model meets: the gold query's tables alone, with N distractors, or all (seed, Figure 8).

A condition is `gold`, `+N` or `full`. Below `full` the episode runs on a reduced copy: the kept tables with their rows
and indexes, in the order of the original. Distractors are drawn at random, by seed and question.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote as quote_path

from sqale_assets.evaluation.items import CorpusError, rank
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.names import quote

GOLD, FULL = "gold", "full"


def distractors(condition: str) -> int | None:
    """How many tables a condition adds to the gold query's; None for the whole database.

    Raises:
        ValueError: it is not a condition.
    """
    if condition == FULL:
        return None
    if condition == GOLD:
        return 0
    if re.fullmatch(r"\+[0-9]{1,5}", condition):
        return int(condition)
    raise ValueError(f"{condition!r} is no condition: gold, +N (as in +32) or full")


def kept_tables(
    schema: Schema, gold: Iterable[str], condition: str, *, seed: int, question_id: str
) -> list[str] | None:
    """The tables of a reduced copy in the schema's order; None where that is the whole database."""
    more = distractors(condition)
    if more is None:
        return None
    needed = {name.lower() for name in gold}
    names = [table.name for table in schema.tables]
    others = [name for name in names if name.lower() not in needed]
    if more >= len(others):
        return None
    drawn = set(sorted(others, key=lambda name: rank(seed, question_id, name))[:more])
    return [name for name in names if name.lower() in needed or name in drawn]


def reduced_copy(source: Path, tables: Sequence[str], target: Path) -> None:
    """Copy `tables` of the database at `source`, rows and indexes, into a new file at `target`.

    Keys that lead to tables left out stay declared, without effect; the tools show no key to a table that is not there.

    Raises:
        CorpusError: SQLite cannot copy a table.
    """
    unfinished = target.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None, uri=True)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("ATTACH ? AS whole", (f"file:{quote_path(str(source))}?mode=ro",))
        connection.execute("BEGIN")
        try:
            for name in tables:
                _copy_table(connection, name)
        except sqlite3.Error as error:
            raise CorpusError(f"{source}: cannot be reduced to {', '.join(tables)}: {error}") from None
        connection.execute("COMMIT")
    unfinished.replace(target)


def _copy_table(connection: sqlite3.Connection, name: str) -> None:
    ((sql,),) = connection.execute("SELECT sql FROM whole.sqlite_master WHERE type = 'table' AND name = ?", (name,))
    connection.execute(sql)
    # Generated columns (hidden 2 and 3) compute themselves.
    columns = connection.execute(
        "SELECT name FROM pragma_table_xinfo WHERE arg = ? AND schema = 'whole' AND hidden = 0", (name,)
    ).fetchall()
    listed, table = ", ".join(quote(column) for (column,) in columns), quote(name)
    connection.execute(f"INSERT INTO main.{table} ({listed}) SELECT {listed} FROM whole.{table}")
    indexes = "SELECT sql FROM whole.sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    for (index,) in connection.execute(indexes, (name,)).fetchall():
        connection.execute(index)
