"""What questions look like: length, variety, and the share of phrasings that are usable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from random import Random

from pydantic import BaseModel

from sqale_assets.records import STYLES
from sqale_assets.stages.placeholders import is_placeholder
from sqale_assets.statistics.sql import mean, percent

#: distinct-2 depends on how much text it is taken over, hence over a fixed sample.
SAMPLE = 1000
_TOKEN = re.compile(r"\w+")


class QuestionStatistics(BaseModel):
    """Figures named and defined as in `quality/reference_statistics.json`. `q_distinct2_n` is the sample's size."""

    n: int
    q_words_mean: float
    q_unique_pct: float
    q_distinct2: float
    q_distinct2_n: int


class StyleStatistics(BaseModel):
    """Per style: number of phrasings, mean words, distinct-2, and how many are placeholders."""

    phrasings: int
    placeholders: int
    words_mean: float
    distinct2: float


def question_statistics(questions: Sequence[str]) -> QuestionStatistics:
    """The figures over question texts."""
    sample = Random(0).sample(questions, min(SAMPLE, len(questions)))
    return QuestionStatistics(
        n=len(questions),
        q_words_mean=mean(sum(len(question.split()) for question in questions), len(questions), 2),
        q_unique_pct=percent(len({question.lower() for question in questions}), len(questions)),
        q_distinct2=distinct2(sample),
        q_distinct2_n=len(sample),
    )


def style_statistics(phrasings: Iterable[Mapping[str, str | None]]) -> dict[str, StyleStatistics]:
    """The figures for each of the eight styles; a missing phrasing counts as a placeholder."""
    by_style: dict[str, list[str | None]] = {style: [] for style in STYLES}
    for question in phrasings:
        for style, texts in by_style.items():
            texts.append(question.get(style))
    return {style: _style(texts) for style, texts in by_style.items()}


def distinct2(texts: Iterable[str]) -> float:
    """Distinct bigrams over all bigrams, words in lower case."""
    seen: set[tuple[str, str]] = set()
    bigrams = 0
    for text in texts:
        tokens = _TOKEN.findall(text.lower())
        bigrams += max(0, len(tokens) - 1)
        seen.update(pairwise(tokens))
    return round(len(seen) / bigrams, 4) if bigrams else 0.0


def _style(texts: Sequence[str | None]) -> StyleStatistics:
    usable = [text for text in texts if text is not None and not is_placeholder(text)]
    return StyleStatistics(
        phrasings=len(texts),
        placeholders=len(texts) - len(usable),
        words_mean=mean(sum(len(text.split()) for text in usable), len(usable), 2),
        distinct2=distinct2(Random(0).sample(usable, min(SAMPLE, len(usable)))),
    )
