"""Time and memory of measuring another corpus: `python benchmarks/local_corpus.py [records] [--read-only]`.

Writes a file in the form and with the record size of SynSQL's `data.json` (one JSON array, 3.7 kB a record) and streams
it through `statistics.local`. Questions and SQL are BIRD dev's, numbered so that every question, query and skeleton is
different: the worst case for memory. With `--read-only` queries that differ in nothing else are parsed once, which
leaves memory as it is and most of the time out.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sqale_assets.statistics import sql
from sqale_assets.statistics.local import measure_pairs, read_pairs

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "reference"
REASONING = "To answer this question, look at the tables and their columns, one step at a time. " * 38


def main(records: int = 250_000, read_only: bool = False) -> None:
    if read_only:
        parse = lru_cache(maxsize=4096)(sql.query_shape)
        sql.query_shape = lambda text: parse(text.partition(" /* r")[0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        write(path, records)
        started = time.process_time()
        of_sql, of_questions = measure_pairs(told(read_pairs(path), records // 5))
        seconds = time.process_time() - started
        size = path.stat().st_size / 1e9
    print(
        f"{of_sql.n:,} records of {size:.1f} GB, {of_sql.unique_skeleton:,} skeletons, {of_questions.q_unique_pct}% "
        f"questions distinct; {seconds:.0f} CPU s, {1000 * seconds / records:.2f} ms a record, peak {peak():,.0f} MB"
    )


def told(pairs: Iterator[tuple[str, str]], every: int) -> Iterator[tuple[str, str]]:
    for number, pair in enumerate(pairs, 1):
        yield pair
        if number % every == 0:
            print(f"  {number:,} records: {peak():,.0f} MB", flush=True)


def write(path: Path, records: int) -> None:
    pairs = json.loads((SHARED / "bird_dev.json").read_text(encoding="utf-8"))
    with path.open("w", encoding="utf-8") as file:
        for number in range(records):
            pair = pairs[number % len(pairs)]
            record = {
                "db_id": f"db_{number % 16_575}", "sql_complexity": "Complex", "question_style": "Formal",
                "question": f"{pair['question']} (case {number})", "external_knowledge": "", "cot": REASONING,
                "sql": f"{pair['sql']} /* r{number} */",
            }  # fmt: skip
            file.write(("," if number else "[") + json.dumps(record, indent=4))
        file.write("]")


def peak() -> float:
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*map(int, [each for each in sys.argv[1:] if each.isdigit()]), read_only="--read-only" in sys.argv)
