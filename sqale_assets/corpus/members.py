"""What of a schema's records belongs to the corpus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqale_assets.records import (
    STYLES,
    DomainDescription,
    ExtendedSchema,
    GoldQueries,
    GoldQuery,
    LlmUsage,
    PopulatedDatabase,
    Question,
    Questions,
    RejectedItem,
    SourceSchema,
    StyledQuestion,
    StyledQuestions,
)
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.gold_phrasings import misfits
from sqale_assets.stages.placeholders import is_placeholder

#: Opens a schema's populated database; what it gives is closed by leaving it.
OpenDatabase = Callable[[], AbstractContextManager[Database]]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with everything that makes it publishable."""

    question: Question
    styled: StyledQuestion
    gold: GoldQuery


@dataclass(frozen=True, slots=True)
class Member:
    """All records of one schema that went through the whole pipeline."""

    source: SourceSchema
    domain: DomainDescription
    extended: ExtendedSchema
    populated: PopulatedDatabase
    questions: Questions
    styled: StyledQuestions
    gold: GoldQueries
    open_database: OpenDatabase

    @property
    def schema_id(self) -> str:
        return self.source.schema_id

    def answered(self) -> list[Answered]:
        """The questions with a gold query and eight phrasings that fit it, in the order in which they were asked."""
        return answered(self.questions, self.styled, self.gold)

    def usage(self) -> dict[str, LlmUsage]:
        """What each stage of this schema cost, by asset name."""
        return {
            "domain_description": self.domain.usage,
            "extended_schema": self.extended.usage,
            "populated_database": self.populated.usage,
            "questions": self.questions.usage,
            "styled_questions": self.styled.usage,
            "gold_queries": self.gold.usage,
        }


def answered(questions: Questions, styled: StyledQuestions, gold: GoldQueries) -> list[Answered]:
    """The publishable questions of one schema; a schema without any is in neither split."""
    return [each for each in _complete(questions, styled, gold) if not misfits(each.styled.phrasings, each.gold.sql)]


def held_back(questions: Questions, styled: StyledQuestions, gold: GoldQueries) -> list[RejectedItem]:
    """The questions that have everything, but a phrasing that does not fit the gold query."""
    return [
        RejectedItem(
            stage="published_queries",
            reason="phrasing_misfits_gold",
            evidence="; ".join(wrong),
            item=f"{each.question.question_id}: {each.question.text}",
        )
        for each in _complete(questions, styled, gold)
        if (wrong := misfits(each.styled.phrasings, each.gold.sql))
    ]


def _complete(questions: Questions, styled: StyledQuestions, gold: GoldQueries) -> list[Answered]:
    """The questions with a gold query and eight phrasings."""
    phrasings = {each.question_id: each for each in styled.questions}
    queries = {each.question_id: each for each in gold.queries}
    return [
        Answered(question, phrasings[question.question_id], queries[question.question_id])
        for question in questions.questions
        if question.question_id in queries and _usable(phrasings.get(question.question_id))
    ]


def _usable(styled: StyledQuestion | None) -> bool:
    return styled is not None and not any(is_placeholder(styled.phrasings.get(style)) for style in STYLES)
