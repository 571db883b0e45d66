"""How much of real dumps the reader keeps, and how fast, against sqlglot's bare parse of the same statements.

    python benchmarks/reading.py            # the shared corpus: $SQALE_SHARED, else ../shared beside the checkout
    python benchmarks/reading.py FOLDER     # any folder of .sql files

Declared counts are taken from the text by simple patterns, independently of the reader. Every schema is created in
SQLite with foreign keys enforced.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import sqlglot
from rich.console import Console
from rich.table import Table as RichTable
from sqlglot.errors import SqlglotError

from sqale_assets.relational.dialect import detect
from sqale_assets.relational.fidelity import Reading
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import create_statements, open_memory
from sqale_assets.relational.statements import split
from sqale_assets.relational.text import decode

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
_COMMENT = re.compile(r"--[^\n]*|/\*(?!!).*?\*/|'(?:[^'\\\n]|\\.|'')*'", re.DOTALL)
_TABLE = re.compile(r"^\s*(?:/\*!\d+\s*)?create\s+(?:unlogged\s+)?table\s+(?!.*\bpartition\s+of\b)", re.I | re.M)
_REFERENCE = re.compile(r"\breferences\s+[^\s(]", re.IGNORECASE)


class Kept(NamedTuple):
    """Declared and kept counts of one file. `dangling` keys name a table or column that the file does not have."""

    tables: int
    kept_tables: int
    keys: int
    kept_keys: int
    dangling: int
    losses: int


def count(data: bytes, reading: Reading) -> Kept:
    """What the file's text declares, and what the schema holds of it."""
    text = _COMMENT.sub("''", decode(data).text)
    reasons = [loss.reason for loss in reading.fidelity.losses]
    return Kept(
        tables=len(_TABLE.findall(text)),
        kept_tables=len(reading.schema.tables),
        keys=len(_REFERENCE.findall(text)),
        kept_keys=reading.schema.foreign_key_count,
        dangling=sum("table that is not in the file" in reason or "unknown column" in reason for reason in reasons),
        losses=len(reasons),
    )


def check_in_sqlite(reading: Reading) -> None:
    """Create the schema and let SQLite check every key; raises sqlite3.Error where one does not hold."""
    connection = open_memory(reading.schema)
    for table in reading.schema.tables:
        listed = connection.execute(
            "SELECT count(DISTINCT id) FROM pragma_foreign_key_list(?)", (table.name,)
        ).fetchone()
        assert listed[0] == len(table.foreign_keys), table.name
    connection.execute("PRAGMA foreign_key_check").fetchall()


def definitions(data: bytes) -> tuple[str | None, list[str]]:
    """The dialect of a file and its CREATE TABLE and ALTER TABLE statements."""
    text = decode(data).text
    dialect = detect(text)
    return dialect, [s.text for s in split(text, dialect) if s.kind in ("create_table", "alter_table")]


def rates(files: list[bytes]) -> dict[str, float]:
    """Seconds for the definition statements of all files: sqlglot's bare parse, our reading, our writing."""
    scripts = [definitions(data) for data in files]
    seconds = {"parse": 0.0, "read": 0.0, "write": 0.0, "tables": 0.0}
    for dialect, statements in scripts:
        began = time.perf_counter()
        for statement in statements:
            with suppress(SqlglotError):  # it counts as parsed, in sqlglot's favour
                sqlglot.parse_one(statement, dialect=dialect)
        seconds["parse"] += time.perf_counter() - began
        script = ";\n".join(statements).encode()
        began = time.perf_counter()
        reading = read_sql(script)
        seconds["read"] += time.perf_counter() - began
        began = time.perf_counter()
        create_statements(reading.schema)
        seconds["write"] += time.perf_counter() - began
        seconds["tables"] += len(reading.schema.tables)
    return seconds


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "corpus" / "sql"
    paths = sorted(folder.rglob("*.sql"))
    console = Console(width=max(100, Console().width))
    table = RichTable(title=f"{len(paths)} files")
    for heading in ("file", "dialect", "tables", "foreign keys", "dangling", "losses", "rows", "seconds"):
        table.add_column(heading, justify="left" if heading in ("file", "dialect") else "right")
    totals = Kept(0, 0, 0, 0, 0, 0)
    for path in paths:
        data = path.read_bytes()
        began = time.perf_counter()
        reading = read_sql(data)
        elapsed = time.perf_counter() - began
        check_in_sqlite(reading)
        kept = count(data, reading)
        totals = Kept(*(a + b for a, b in zip(totals, kept, strict=True)))
        table.add_row(
            path.name[-44:],
            reading.fidelity.dialect or "?",
            f"{kept.kept_tables}/{kept.tables}",
            f"{kept.kept_keys}/{kept.keys}",
            str(kept.dangling),
            str(kept.losses),
            str(sum(map(len, reading.rows.values()))),
            f"{elapsed:.2f}",
        )
    table.add_section()
    table.add_row(
        "all", "", f"{totals.kept_tables}/{totals.tables}", f"{totals.kept_keys}/{totals.keys}", str(totals.dangling),
        str(totals.losses), "", "",
    )  # fmt: skip
    console.print(table)

    seconds = rates([path.read_bytes() for path in paths])
    ours = seconds["read"] + seconds["write"]
    console.print(
        f"{seconds['tables']:.0f} tables: bare sqlglot parse {seconds['tables'] / seconds['parse']:.0f} tables/s, "
        f"reading {seconds['tables'] / seconds['read']:.0f} tables/s, "
        f"writing {seconds['tables'] / seconds['write']:.0f} tables/s; "
        f"reading and writing take {ours / seconds['parse']:.2f} times the bare parse"
    )


if __name__ == "__main__":
    main()
