"""Time and memory of the corpus statistics: `python benchmarks/corpus_statistics.py [schemas] [questions per schema]`.

The default is the size of the published SQaLe (9,259 schemas of 113 tables, 19 questions each, 177,000 in all). The
questions and gold queries are BIRD dev's, over and over; records are made as they are asked for, and making them is
not timed. `pip install sqlglotc` makes sqlglot, where most of the time goes, about 2.4 times as fast.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import cycle
from pathlib import Path

from sqale_assets.corpus.members import Member
from sqale_assets.records import (
    STYLES,
    DomainDescription,
    ExtendedSchema,
    GoldQueries,
    GoldQuery,
    PopulatedDatabase,
    Question,
    Questions,
    SourceFile,
    SourceSchema,
    StyledQuestion,
    StyledQuestions,
    TablePopulation,
    Verdict,
)
from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.statistics.corpus import corpus_statistics

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "reference"
TABLES = 113


def main(schemas: int = 9_259, questions: int = 19) -> None:
    pairs = json.loads((SHARED / "bird_dev.json").read_text(encoding="utf-8"))
    making = [0.0]
    started = time.process_time()
    found = corpus_statistics(_timed(_members(cycle(pairs), schemas, questions), making))
    seconds = time.process_time() - started - making[0]  # of one core: others may use the machine
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{found.records:,} records over {found.schemas.schemas:,} schemas of {TABLES} tables")
    print(f"{seconds:.1f} s, {1000 * seconds / found.records:.2f} ms a record, peak memory {megabytes:,.0f} MB")


def _timed(members: Iterator[Member], making: list[float]) -> Iterator[Member]:
    while True:
        started = time.process_time()
        member = next(members, None)
        making[0] += time.process_time() - started
        if member is None:
            return
        yield member


def _members(pairs: Iterator[dict[str, str]], schemas: int, questions: int) -> Iterator[Member]:
    definition = _definition()
    populated = tuple(
        TablePopulation(table=table.name, role="fact", planned_rows=69, original_rows=0, rows=69, attempts=1)
        for table in definition.tables
    )
    fidelity = Fidelity(dialect=None, encoding=None, statements=1, kept=1, skipped=0)
    for number in range(schemas):
        schema_id = f"schema_{number:06}"
        asked, styled, gold = [], [], []
        for place in range(questions):
            pair = next(pairs)
            question_id, text = f"{schema_id}_q{place}", f"{pair['question']} (case {number})"
            asked.append(
                Question(question_id=question_id, text=text, difficulty="simple", relevant_tables=("table_0",))
            )
            phrasings = {style: f"{text} {style} said so" for style in STYLES}
            styled.append(StyledQuestion(question_id=question_id, phrasings=phrasings))
            gold.append(
                GoldQuery(
                    question_id=question_id,
                    sql=pair["sql"],
                    columns=("a",),
                    result=((1,),),
                    row_count=1,
                    ordered=False,
                    tables=("table_0",),
                    measured_difficulty="simple",
                    rounds=4,
                    verdicts=(Verdict(accepted=True),),
                )
            )
        source = SourceFile(schema_id=schema_id, name="a.sql", format="sql", sha256="0", bytes=1, licence="MIT")
        domain = DomainDescription(
            schema_id=schema_id, label=f"domain {number % 50}", description="", entities=(), evidence="schema"
        )
        yield Member(
            source=SourceSchema(schema_id=schema_id, source=source, definition=definition, fidelity=fidelity),
            domain=domain,
            extended=ExtendedSchema(
                schema_id=schema_id, definition=definition, target_tables=TABLES, style_conformity=1.0
            ),
            populated=PopulatedDatabase(schema_id=schema_id, ddl={}, tables=populated),
            questions=Questions(schema_id=schema_id, questions=tuple(asked)),
            styled=StyledQuestions(schema_id=schema_id, questions=tuple(styled)),
            gold=GoldQueries(schema_id=schema_id, queries=tuple(gold)),
            open_database=nullcontext,
        )


def _definition() -> Schema:
    columns = tuple(
        Column(name=f"column_{number}", declared_type="TEXT", kind="text", affinity="TEXT") for number in range(5)
    )
    key = ForeignKey(columns=("column_1",), target_table="table_0", target_columns=("column_0",))
    return Schema(
        tables=tuple(
            Table(name=f"table_{number}", columns=columns, foreign_keys=(key,) if number else ())
            for number in range(TABLES)
        )
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
