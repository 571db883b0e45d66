"""All figures of a corpus of ours, in one pass over its members."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel

from sqale_assets.corpus.members import Member
from sqale_assets.records import STYLES
from sqale_assets.stages.literals import literals
from sqale_assets.statistics.process import FunnelStep, ProcessStatistics, ProcessTally
from sqale_assets.statistics.questions import (
    QuestionStatistics,
    StyleStatistics,
    question_statistics,
    style_statistics,
)
from sqale_assets.statistics.schemas import SchemaStatistics, schema_statistics, shape_of
from sqale_assets.statistics.sql import SqlStatistics, SqlTally, percent


class CorpusStatistics(BaseModel):
    """Figures over the schemas with accepted queries and over those queries."""

    records: int
    phrasings: int
    placeholder_phrasings: int
    grounded_literals_pct: float
    literals_per_question: float
    relevant_tables_median: float
    relevant_tables_histogram: dict[int, int]
    domains: dict[str, int]
    licences: dict[str, int]
    sql: SqlStatistics
    questions: QuestionStatistics
    styles: dict[str, StyleStatistics]
    schemas: SchemaStatistics
    process: ProcessStatistics


def corpus_statistics(members: Iterable[Member], schema_steps: Iterable[FunnelStep] = ()) -> CorpusStatistics:
    """Measure a corpus. Schemas without an accepted query count in `process` only.

    A literal is grounded when a proof of its own is stored with the question.
    """
    sql, process = SqlTally(), ProcessTally()
    shapes, phrasings = [], []
    relevant: Counter[int] = Counter()
    domains: Counter[str] = Counter()
    licences: Counter[str] = Counter()
    written = grounded = 0
    for member in members:
        answered = member.answered()
        process.add(member, answered)
        if not answered:
            continue
        shapes.append(shape_of(member.extended.definition, member.populated))
        domains[member.domain.label] += 1
        licences[member.source.source.licence or "unknown"] += 1
        for each in answered:
            sql.add(each.gold.sql)
            phrasings.append(each.styled.phrasings)
            relevant[len(each.question.relevant_tables)] += 1
            # Names may be ways of writing tables; what the gate took for literals of that kind has its proof.
            found = [literal.text for literal in literals(each.question.text) if literal.kind != "name"]
            proved = " ".join(proof.literal for proof in each.question.literals)
            written += len(found)
            grounded += sum(literal in proved for literal in found)
    styles = style_statistics(phrasings)
    return CorpusStatistics(
        records=len(phrasings),
        phrasings=len(phrasings) * len(STYLES),
        placeholder_phrasings=sum(style.placeholders for style in styles.values()),
        grounded_literals_pct=percent(grounded, written) if written else 100.0,
        literals_per_question=round(written / len(phrasings), 2) if phrasings else 0.0,
        relevant_tables_median=statistics.median(relevant.elements()) if relevant else 0,
        relevant_tables_histogram=dict(sorted(relevant.items())),
        domains=dict(domains.most_common()),
        licences=dict(licences.most_common()),
        sql=sql.statistics(),
        questions=question_statistics([each["verbose"] for each in phrasings]),
        styles=styles,
        schemas=schema_statistics(shapes),
        process=process.statistics(schema_steps),
    )
