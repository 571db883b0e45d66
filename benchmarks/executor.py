"""What safety costs: the executor against bare sqlite3, the tools and the gates on a full-size database.

    python benchmarks/executor.py [--tables 350] [--rows 100] [--repeats 200]

Targets: executor overhead under 1 ms per query; gates under 50 ms per record. The mutation test reports its own cost.
"""

from __future__ import annotations

import argparse
import platform
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.gates import Examination, examine
from sqale_assets.sqlenv.mutation import discriminate
from sqale_assets.sqlenv.tools import Toolbox

QUERIES = {
    "one row by key": "SELECT * FROM entity_7 WHERE id = 5",
    "all rows of a table": "SELECT * FROM entity_7",
    "join, group, order": (
        "SELECT a.name, count(*) AS n FROM entity_8 b JOIN entity_7 a ON a.id = b.parent_id"
        " WHERE b.amount > 200 GROUP BY a.id ORDER BY n DESC, a.id LIMIT 5"
    ),
    "nested": "SELECT name FROM entity_9 WHERE amount = (SELECT max(amount) FROM entity_9)",
    "four joins": (
        "SELECT DISTINCT a.name FROM entity_5 a JOIN entity_6 b ON b.parent_id = a.id"
        " JOIN entity_7 c ON c.parent_id = b.id JOIN entity_8 d ON d.parent_id = c.id"
        " JOIN entity_9 e ON e.parent_id = d.id WHERE e.amount > 500 AND a.kind = 'k1'"
    ),
}


def build(path: Path, tables: int, rows: int) -> None:
    """A chain of tables, each referencing the one before it."""
    chance = random.Random("executor benchmark")
    with sqlite3.connect(path) as connection:
        for number in range(tables):
            parent = f"entity_{max(number - 1, 0)}"
            connection.execute(
                f"CREATE TABLE entity_{number} (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES {parent}(id),"
                " name VARCHAR(40) NOT NULL, kind TEXT, amount REAL, created DATE, note TEXT)"
            )
            connection.executemany(
                f"INSERT INTO entity_{number} VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (at, chance.randint(1, rows), f"name {number} {at}", f"k{at % 4}", round(chance.random() * 1000, 2),
                     f"20{10 + at % 15}-03-01", "x" * chance.randint(0, 80))
                    for at in range(1, rows + 1)
                ),
            )  # fmt: skip
    connection.close()


def milliseconds(call: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median and 95th percentile of the CPU time of a call: the machine may be shared."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        call()
        times.append((time.process_time() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=350)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    size = f"{options.tables} tables x {options.rows} rows"
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {size}; CPU time")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmark.sqlite"
        build(path, options.tables, options.rows)
        bare = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        with Database.open(path) as database:
            database.schema  # noqa: B018 - read once, not part of any query
            run(bare, database, options.repeats)


def run(bare: sqlite3.Connection, database: Database, repeats: int) -> None:
    print(f"\n{'query':24} {'bare ms':>9} {'ours ms':>9} {'overhead':>9}")
    for name, sql in QUERIES.items():
        plain, _ = milliseconds(lambda sql=sql: bare.execute(sql).fetchall(), repeats)
        ours, _ = milliseconds(lambda sql=sql: database.execute(sql), repeats)
        print(f"{name:24} {plain:9.3f} {ours:9.3f} {ours - plain:9.3f}")

    print(f"\n{'tool':24} {'median ms':>9} {'p95 ms':>9}")
    toolbox = Toolbox(database)
    for tool, args in (
        ("list_tables", {}),
        ("describe_table", {"table_name": "entity_9"}),
        ("foreign_keys", {"table_name": "entity_9"}),
        ("join_path", {"table_a": "entity_3", "table_b": "entity_90"}),
        ("sample_rows", {"table_name": "entity_9"}),
        ("distinct_values", {"table_name": "entity_9", "column_name": "kind"}),
    ):
        median, late = milliseconds(lambda tool=tool, args=args: toolbox.call(tool, args), max(repeats // 4, 20))
        print(f"{tool:24} {median:9.3f} {late:9.3f}")

    print(f"\n{'gates':24} {'median ms':>9} {'p95 ms':>9} {'mutation ms':>12}")
    tables = [f"entity_{number}" for number in range(5, 10)]
    question = "Which have more than 200, 500, or 5, are of kind k1, or are among the top five?"
    for name, sql in QUERIES.items():

        def gates(sql: str = sql) -> Examination:
            return examine(sql, database, question=question, relevant_tables=tables)

        median, late = milliseconds(gates, max(repeats // 10, 20))
        found = discriminate(sql, database)
        outcome = failure.reason if (failure := gates().failure) else "passed"
        print(f"{name:24} {median:9.3f} {late:9.3f} {found.seconds * 1000:12.1f}   {outcome}")


if __name__ == "__main__":
    main()
