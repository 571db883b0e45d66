"""All figures of a corpus of ours, in one pass over its members.

A tally holds sums, hashes, counts and the verbose questions. Tallies of parts of a corpus can be merged, so that the
parts can be measured in processes of their own.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from pydantic import BaseModel

from sqale_assets.corpus.members import Member
from sqale_assets.records import STYLES
from sqale_assets.stages.literals import literals
from sqale_assets.statistics import process, questions, schemas, sql
from sqale_assets.statistics.process import FunnelStep, ProcessStatistics, ProcessTally
from sqale_assets.statistics.questions import QuestionStatistics, StyleStatistics, StyleTally, question_statistics
from sqale_assets.statistics.schemas import SchemaShape, SchemaStatistics, schema_statistics, shape_of
from sqale_assets.statistics.sql import SqlStatistics, SqlTally, percent


class CorpusStatistics(BaseModel):
    """Figures over the schemas with accepted queries and over those queries; `DEFINITIONS` says what each one is."""

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


#: What each figure is, apart from those that the reference statistics define.
DEFINITIONS = {
    "records": "questions with a gold query and eight usable phrasings",
    "phrasings": "question records times the eight styles",
    "placeholder_phrasings": "phrasings that are empty or repeat the prompt's own placeholder",
    "grounded_literals_pct": "% of the literals in questions that have a stored proof of where the data has them",
    "literals_per_question": "literals (numbers, dates, quoted values) / verbose questions",
    "relevant_tables_median": "median number of connected tables that a question was made from",
    "relevant_tables_histogram": "questions by the number of tables that they were made from",
    "domains": "databases by what they are about",
    "licences": "databases by the licence of their source",
    **sql.DEFINITIONS,
    **schemas.DEFINITIONS,
    **questions.DEFINITIONS,
    **process.DEFINITIONS,
}


@dataclass(slots=True)
class CorpusTally:
    """Running figures over members. Merging in the order of the members gives what one tally over all would."""

    sql: SqlTally = field(default_factory=SqlTally)
    process: ProcessTally = field(default_factory=ProcessTally)
    styles: StyleTally = field(default_factory=StyleTally)
    shapes: list[SchemaShape] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    relevant: Counter[int] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    literals: int = 0
    grounded: int = 0

    def add(self, member: Member, *, published: bool = True) -> None:
        """Count a schema. One that is not published, or has no accepted query, counts in `process` only.

        A literal is grounded when a proof of its own is stored with the question.
        """
        answered = member.answered()
        self.process.add(member, answered, published=published)
        if not (answered and published):
            return
        self.shapes.append(shape_of(member.extended.definition, member.populated))
        self.domains[member.domain.label] += 1
        self.licences[member.source.source.licence or "unknown"] += 1
        for each in answered:
            self.sql.add(each.gold.sql)
            self.styles.add(each.question.question_id, each.styled.phrasings)
            self.texts.append(each.styled.phrasings["verbose"])
            self.relevant[len(each.question.relevant_tables)] += 1
            # Names may be ways of writing tables; what the gate took for literals of that kind has its proof.
            found = [literal.text for literal in literals(each.question.text) if literal.kind != "name"]
            proved = " ".join(proof.literal for proof in each.question.literals)
            self.literals += len(found)
            self.grounded += sum(literal in proved for literal in found)

    def merge(self, other: CorpusTally) -> None:
        """Count what another tally has counted, as coming after what is counted here."""
        for part in ("sql", "process", "styles"):
            getattr(self, part).merge(getattr(other, part))
        self.shapes += other.shapes
        self.texts += other.texts
        for name in ("relevant", "domains", "licences"):
            getattr(self, name).update(getattr(other, name))
        self.literals += other.literals
        self.grounded += other.grounded

    def statistics(self, schema_steps: Iterable[FunnelStep] = ()) -> CorpusStatistics:
        """The figures so far. `schema_steps` are the stages before the questions, which count schemas."""
        records, styles = len(self.texts), self.styles.statistics()
        return CorpusStatistics(
            records=records,
            phrasings=records * len(STYLES),
            placeholder_phrasings=sum(style.placeholders for style in styles.values()),
            grounded_literals_pct=percent(self.grounded, self.literals) if self.literals else 100.0,
            literals_per_question=round(self.literals / records, 2) if records else 0.0,
            relevant_tables_median=statistics.median(self.relevant.elements()) if self.relevant else 0,
            relevant_tables_histogram=dict(sorted(self.relevant.items())),
            domains=dict(self.domains.most_common()),
            licences=dict(self.licences.most_common()),
            sql=self.sql.statistics(),
            questions=question_statistics(self.texts),
            styles=styles,
            schemas=schema_statistics(self.shapes),
            process=self.process.statistics(schema_steps),
        )


def tally(members: Iterable[Member], published: Container[str] | None = None) -> CorpusTally:
    """Everything counted over `members`, one at a time; `published` names those in the release (None: all)."""
    counted = CorpusTally()
    for member in members:
        counted.add(member, published=published is None or member.schema_id in published)
    return counted


def corpus_statistics(members: Iterable[Member], schema_steps: Iterable[FunnelStep] = ()) -> CorpusStatistics:
    """Measure a corpus in one pass."""
    return tally(members).statistics(schema_steps)
