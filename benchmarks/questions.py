"""What the gates of questions and phrasings cost on a full-size database.

    PYTHONPATH=. python benchmarks/questions.py [--database FILE] [--tables 113] [--rows 71] [--questions 180]

Prints CPU milliseconds per question of the wording gates, the near-duplicate test and the grounding proof, and of the
style gates over its seven rewrites; and the time to index the database, alone and spread over a schema's questions. The
questions are the offline model's, asked through the stage with the tests' double, hence the checkout on the path.

Target: under 20 ms per question for gates, grounding and the index's share.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from executor import build

from sqale_assets.records import STYLES, DomainDescription, ExtendedSchema
from sqale_assets.settings import QuestionSettings, StyleSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.asking import gates
from sqale_assets.stages.grounding import GroundingIndex, ground
from sqale_assets.stages.literals import literals
from sqale_assets.stages.questions import ask_questions
from sqale_assets.stages.style_checks import faults
from sqale_assets.stages.styles import restyle
from sqale_assets_tests.doubles import OfflineLlm


def milliseconds(calls: list[Callable[[], object]]) -> str:
    """Median, 95th percentile and mean of the CPU time of the calls: the machine may be shared."""
    times = []
    for call in calls:
        started = time.process_time()
        call()
        times.append((time.process_time() - started) * 1000)
    p95 = statistics.quantiles(times, n=20)[-1]
    return f"median {statistics.median(times):6.2f}  p95 {p95:6.2f}  mean {statistics.mean(times):6.2f} ms"


def measure(database: Database, count: int) -> None:
    schema = database.schema
    rows = sum(database.execute(f'SELECT count(*) FROM "{table.name}"').rows[0][0] for table in schema.tables)
    print(f"{len(schema.tables)} tables, {rows} rows; Python {platform.python_version()}; CPU time")
    started = time.process_time()
    index = GroundingIndex(database)
    index.among(table.name for table in schema.tables)
    indexing = (time.process_time() - started) * 1000
    per_schema = QuestionSettings().per_schema
    print(f"index: {indexing:.0f} ms a database, {indexing / per_schema:.1f} ms a question at {per_schema} a schema")

    extended = ExtendedSchema(schema_id="full", definition=schema, target_tables=1, style_conformity=1.0)
    domain = DomainDescription(schema_id="full", label="full", description="x", entities=(), evidence="schema")
    settings, llm = QuestionSettings(per_schema=count), OfflineLlm()
    asked = asyncio.run(ask_questions(extended, domain, database, llm, settings=settings, seed=0))
    styled = asyncio.run(restyle(asked, schema, llm, settings=StyleSettings(), seed=0))
    texts = {question.question_id: question.text for question in asked.questions}
    known = gates.Known()

    def duplicate(text: str) -> None:
        known.like(text)
        known.add(text)

    def restyled(question_id: str, phrasings: dict[str, str]) -> None:
        found, others = literals(texts[question_id]), {"verbose": texts[question_id]}
        for style in STYLES[1:]:
            faults(style, phrasings[style], texts[question_id], found, others)
            others[style] = phrasings[style]

    for label, calls in (
        ("wording gates", [lambda t=t: gates.faults(t, schema) for t in texts.values()]),
        (f"near duplicates among {count}", [lambda t=t: duplicate(t) for t in texts.values()]),
        ("grounding", [lambda q=q: ground(q.text, q.relevant_tables, index) for q in asked.questions]),
        ("style gates, 7 rewrites", [lambda s=s: restyled(s.question_id, s.phrasings) for s in styled.questions]),
    ):
        print(f"{label:28} {milliseconds(calls)}  ({len(calls)} questions)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", type=Path)
    parser.add_argument("--tables", type=int, default=113)
    parser.add_argument("--rows", type=int, default=71)
    parser.add_argument("--questions", type=int, default=180)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.database or Path(folder) / "full.db"
        if options.database is None:
            build(path, options.tables, options.rows)
        with Database.open(path) as database:
            measure(database, options.questions)


if __name__ == "__main__":
    main()
