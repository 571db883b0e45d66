"""The same rules over other corpora, where the user has a copy: BIRD, Spider, EHRSQL, SynSQL, SQaLe's own parquet.

Everything is streamed: SynSQL's 2.5 million records are never in memory together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from pydantic import BaseModel

from sqale_assets.settings import LocalCorpus
from sqale_assets.statistics.json_records import records
from sqale_assets.statistics.local_schemas import local_shapes
from sqale_assets.statistics.questions import SAMPLE, QuestionStatistics, distinct2
from sqale_assets.statistics.schemas import SchemaStatistics, schema_statistics
from sqale_assets.statistics.sql import SqlStatistics, SqlTally, mean, percent

#: The names under which corpora keep a question and its SQL.
_SQL = ("sql", "SQL", "query", "gold_sql")
_QUESTION = ("question", "Question", "nl", "utterance")


class MeasuredCorpus(BaseModel):
    """The figures of a copy."""

    name: str
    source: str
    sql: SqlStatistics | None = None
    questions: QuestionStatistics | None = None
    schemas: SchemaStatistics | None = None


def measure(corpus: LocalCorpus) -> MeasuredCorpus:
    """Measure a copy of a corpus.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is not in the form it should be in; says which and why.
    """
    places = (corpus.pairs, corpus.queries, corpus.tables, corpus.databases, corpus.schemas)
    parts = [path.name for path in places if path]
    sql = questions = schemas = None
    if corpus.pairs or corpus.queries:
        sql, questions = measure_pairs(local_pairs(corpus))
    if corpus.tables or corpus.schemas:
        schemas = schema_statistics(local_shapes(corpus))
    return MeasuredCorpus(
        name=corpus.name, source=f"local copy: {', '.join(parts)}", sql=sql, questions=questions, schemas=schemas
    )


def local_pairs(corpus: LocalCorpus) -> Iterator[tuple[str, str]]:
    """The (question, SQL) pairs of a copy, streamed; none where only its schemas are given."""
    if corpus.pairs:
        yield from read_pairs(corpus.pairs)
    elif corpus.queries:
        yield from _parquet_pairs(corpus.queries)


def measure_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[SqlStatistics, QuestionStatistics]:
    """The figures over (question, SQL) pairs in one pass; distinct-2 over a reservoir of a fixed size."""
    tally, rng = SqlTally(), Random(0)
    sample: list[str] = []
    unique: set[int] = set()
    words = count = 0
    for question, sql in pairs:
        tally.add(sql)
        count += 1
        words += len(question.split())
        unique.add(int.from_bytes(_digest(question.lower()), "big"))
        if len(sample) < SAMPLE:
            sample.append(question)
        elif (place := rng.randrange(count)) < SAMPLE:
            sample[place] = question
    questions = QuestionStatistics(
        n=count,
        q_words_mean=mean(words, count, 2),
        q_unique_pct=percent(len(unique), count),
        q_distinct2=distinct2(sample),
        q_distinct2_n=len(sample),
    )
    return tally.statistics(), questions


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """The (question, SQL) pairs of a JSON list or of JSON lines."""
    for number, record in enumerate(records(path)):
        if not isinstance(record, dict):
            raise ValueError(f"{path}: not a JSON list of objects: record {number} is {record!r:.60}")
        sql = next((record[name] for name in _SQL if isinstance(record.get(name), str)), None)
        question = next((record[name] for name in _QUESTION if isinstance(record.get(name), str)), None)
        if sql is None or question is None:
            raise ValueError(f"{path}: record {number} has no question and SQL; it has {', '.join(sorted(record))}")
        yield question, sql


def _parquet_pairs(folder: Path) -> Iterator[tuple[str, str]]:
    import pyarrow.parquet as pq

    for path in sorted(folder.rglob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=1000, columns=["sql", "questions"]):
            for row in batch.to_pylist():
                yield row["questions"].get("verbose") or "", row["sql"]


def _digest(text: str) -> bytes:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
