"""Build the judge's labelled set again, from a store that holds the built sample.

    sqale build --store STORE --no-publish
    python quality/judge/build.py STORE [--bird bird_dev.json --bird-tables bird_dev_tables.json]

Writes `sample.jsonl` (right and wrong pairs over the sample's databases) and, with BIRD's dev set at hand,
`bird.jsonl`. Same store, same bytes. Read what changed before you commit it: the labels are only as good as the
right queries.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from pathlib import Path

from sqale_assets.records import GoldQueries, Questions
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.mutation import mutants
from sqale_assets.sqlenv.sqlfacts import base_tables, parse_select
from sqale_assets.stages.calibration import JudgePair, labelled_pairs
from sqale_assets.store import Store

HERE = Path(__file__).parent

#: BIRD's queries are not run here: its databases are not part of this project.
NOT_RUN = json.dumps({"columns": [], "rows": [], "row_count": None, "note": "not run"})
BIRD_QUERIES = 60
#: Gold queries taken from each schema, spread over its questions.
PER_SCHEMA = 10


def sample_pairs(store: Store) -> list[JudgePair]:
    """Pairs over every schema of the store, in the order of their ids."""
    pairs: list[JudgePair] = []
    for schema_id in store.schema_ids("gold_queries"):
        questions = {each.question_id: each for each in store.record(Questions, "questions", schema_id).questions}
        golds = [
            (query.question_id, questions[query.question_id].text, query.sql)
            for query in store.record(GoldQueries, "gold_queries", schema_id).queries
        ]
        golds = golds[:: max(1, len(golds) // PER_SCHEMA)][:PER_SCHEMA]
        tables = {name: question.relevant_tables for name, question in questions.items()}
        with store.local_database("populated_database", schema_id) as path, Database.open(path) as database:
            pairs += labelled_pairs(golds, database, origin=schema_id, tables=tables)
    return pairs


def bird_pairs(questions: Path, tables: Path) -> list[JudgePair]:
    """Pairs of BIRD dev questions with their query and with one that lacks a condition or aggregates otherwise."""
    ddl = {schema["db_id"]: bird_ddl(schema) for schema in json.loads(tables.read_text())}
    pairs: list[JudgePair] = []
    rows = json.loads(questions.read_text())
    for row in random.Random("bird pairs").sample(rows, len(rows)):
        tree = parse_select(row["sql"])
        changed = [each for each in mutants(tree) if each.part.startswith(("where", "aggregate"))]
        if not changed or len(pairs) == 2 * BIRD_QUERIES:
            continue
        wrong = changed[0]
        category = "wrong_filter" if wrong.part.startswith("where") else "wrong_aggregate"
        concerned = {name.lower() for name in base_tables(tree)}
        shared = {
            "origin": f"bird/{row['db_id']}",
            "question": f"{row['question']} ({row['evidence']})" if row["evidence"] else row["question"],
            "result": NOT_RUN,
            "schema_ddl": "\n".join(text for name, text in ddl[row["db_id"]].items() if name.lower() in concerned),
        }
        name = f"bird_{row['question_id']}"
        pairs.append(JudgePair(pair_id=f"{name}-right", sql=row["sql"], correct=True, **shared))
        pairs.append(
            JudgePair(
                pair_id=f"{name}-wrong", sql=wrong.sql, correct=False, category=category,
                change=f"without {wrong.part}", **shared,
            )
        )  # fmt: skip
    return pairs


def bird_ddl(schema: dict) -> dict[str, str]:
    """Table name -> CREATE TABLE, from an entry of BIRD's tables file."""
    names, columns = schema["table_names_original"], schema["column_names_original"]
    lines: dict[int, list[str]] = {at: [] for at in range(len(names))}
    for (table, column), kind in zip(columns, schema["column_types"], strict=True):
        if table >= 0:
            lines[table].append(f'"{column}" {kind.upper()}')
    for source, target in schema["foreign_keys"]:
        lines[columns[source][0]].append(
            f'FOREIGN KEY ("{columns[source][1]}") REFERENCES "{names[columns[target][0]]}" ("{columns[target][1]}")'
        )
    ddl = {name: f'CREATE TABLE "{name}" ({", ".join(lines[at])});' for at, name in enumerate(names)}
    sqlite3.connect(":memory:").executescript("\n".join(ddl.values()))
    return ddl


def write(path: Path, pairs: list[JudgePair]) -> None:
    path.write_text("".join(f"{pair.model_dump_json()}\n" for pair in pairs))
    print(f"{path.name}: {len(pairs)} pairs, {sum(not pair.correct for pair in pairs)} of them wrong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--bird", type=Path)
    parser.add_argument("--bird-tables", type=Path)
    options = parser.parse_args()
    write(HERE / "sample.jsonl", sample_pairs(Store(options.store)))
    if options.bird and options.bird_tables:
        write(HERE / "bird.jsonl", bird_pairs(options.bird, options.bird_tables))


if __name__ == "__main__":
    main()
