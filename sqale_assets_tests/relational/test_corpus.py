"""The bar, on real dumps: 99% of tables and of foreign keys with a target survive, and SQLite takes them."""

from __future__ import annotations

import csv
import os
import re
from functools import lru_cache
from pathlib import Path

import pytest

from sqale_assets.relational.fidelity import Reading
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import create_statements, open_memory

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
FOLDER = SHARED / "corpus" / "sql"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"needs the shared corpus; set SQALE_SHARED ({FOLDER})")

#: CREATE TABLE statements that make no table: one is dropped again, one stands in a printed message.
NO_TABLES = {"SabreJim__sportorg__tables.sql": 1, "microsoft__sql-server-samples__instpubs.sql": 1}
#: Losses that say the file itself does not hold what the key needs.
DANGLING = re.compile("table that is not in the file|unknown column")


@lru_cache
def readings() -> dict[str, Reading]:
    return {path.name: read_sql(path.read_bytes()) for path in sorted(FOLDER.glob("*.sql"))}


def declared() -> dict[str, dict[str, str]]:
    with (FOLDER / "INDEX.tsv").open(encoding="utf-8") as lines:
        return {row["file"]: row for row in csv.DictReader(lines, delimiter="\t")}


def test_every_declared_table_is_there():
    wanted = {name: int(row["create_table"]) - NO_TABLES.get(name, 0) for name, row in declared().items()}
    assert {name: len(reading.schema.tables) for name, reading in readings().items()} == wanted


def test_declared_foreign_keys_survive():
    lost, kept = [], 0
    for name, reading in readings().items():
        kept += reading.schema.foreign_key_count
        for loss in reading.fidelity.losses:
            if "foreign key" in loss.reason and not DANGLING.search(loss.reason):
                lost.append((name, loss))
    assert kept >= 860
    assert len(lost) <= 0.01 * (kept + len(lost)), lost


def test_sqlite_takes_every_schema_and_finds_every_key():
    for name, reading in readings().items():
        connection = open_memory(reading.schema)
        for table in reading.schema.tables:
            listed = connection.execute("SELECT DISTINCT id FROM pragma_foreign_key_list(?)", (table.name,)).fetchall()
            assert len(listed) == len(table.foreign_keys), (name, table.name)
        # An unsatisfiable key ("foreign key mismatch") shows only here.
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == [], name


def test_what_is_written_reads_back_the_same():
    for name, reading in readings().items():
        script = "PRAGMA foreign_keys=OFF;\n" + ";\n".join(create_statements(reading.schema).values()) + ";"
        again = read_sql(script.encode())
        assert again.fidelity.losses == (), name
        for table in reading.schema.tables:
            assert again.schema.table(table.name) == table, name


def test_original_rows_fit_their_tables():
    total = refused = 0
    for reading in readings().values():
        connection = open_memory(reading.schema)
        connection.execute("PRAGMA foreign_keys = OFF")
        for name, rows in reading.rows.items():
            marks = ", ".join("?" * len(rows[0]))
            for row in rows:
                total += 1
                cursor = connection.execute(f'INSERT OR IGNORE INTO "{name}" VALUES ({marks})', row)
                refused += cursor.rowcount == 0
    assert total > 4000
    assert refused == 0


def test_dialects_are_recognised():
    guesses = {name: row["dialect_guess"] for name, row in declared().items()}
    wrong = {
        name: (reading.fidelity.dialect, guesses[name])
        for name, reading in readings().items()
        if reading.fidelity.dialect not in (guesses[name], None)
    }
    # The file calls itself SQL Server's, and is written in Oracle's dialect.
    assert wrong == {"012Sif-github__Microsoft-SQL-Server-Retail-DB__RetailSQLServer.sql": ("oracle", "tsql")}
