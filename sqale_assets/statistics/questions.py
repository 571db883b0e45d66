"""What questions look like: length, variety, and the share of phrasings that are usable."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from random import Random

from pydantic import BaseModel

from sqale_assets.records import STYLES
from sqale_assets.stages.placeholders import is_placeholder
from sqale_assets.statistics.sql import mean, percent

#: distinct-2 depends on how much text it is taken over, hence over a fixed sample.
SAMPLE = 1000
_TOKEN = re.compile(r"\w+")

#: What each figure is. Those that the reference statistics have too are defined there.
DEFINITIONS = {
    "phrasings": "questions times the eight styles",
    "placeholders": "phrasings that are empty or repeat the prompt's own placeholder (`...`, `<question>`, `**hard**`)",
    "words_mean": "mean whitespace words of the usable phrasings of a style",
    "distinct2": f"distinct bigrams / bigrams over a fixed sample of {SAMPLE} questions, the same in every style",
    "q_distinct2_n": "questions in the sample of distinct-2",
}


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


@dataclass(slots=True)
class StyleTally:
    """Running figures for each of the eight styles; a missing phrasing counts as a placeholder.

    Distinct-2 is taken over the same `SAMPLE` questions in every style, those whose id has the smallest hash: which
    they are does not depend on the order, nor on how a corpus is divided between tallies.
    """

    questions: int = 0
    placeholders: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    #: The sampled phrasings by (minus the hash, id), and a heap of these keys: the largest hash on top.
    sample: dict[tuple[int, str], Mapping[str, str | None]] = field(default_factory=dict)
    heap: list[tuple[int, str]] = field(default_factory=list)

    def add(self, question_id: str, phrasings: Mapping[str, str | None]) -> None:
        """Count a question's phrasings."""
        self.questions += 1
        for style in STYLES:
            text = phrasings.get(style)
            if text is None or is_placeholder(text):
                self.placeholders[style] += 1
            else:
                self.words[style] += len(text.split())
        self._keep((-_rank(question_id), question_id), phrasings)

    def merge(self, other: StyleTally) -> None:
        """Count what another tally has counted."""
        self.questions += other.questions
        self.placeholders.update(other.placeholders)
        self.words.update(other.words)
        for key, phrasings in other.sample.items():
            self._keep(key, phrasings)

    def statistics(self) -> dict[str, StyleStatistics]:
        """The figures so far, by style."""
        kept = list(self.sample.values())
        return {
            style: StyleStatistics(
                phrasings=self.questions,
                placeholders=self.placeholders[style],
                words_mean=mean(self.words[style], self.questions - self.placeholders[style], 2),
                distinct2=distinct2(text for each in kept if (text := each.get(style)) and not is_placeholder(text)),
            )
            for style in STYLES
        }

    def _keep(self, key: tuple[int, str], phrasings: Mapping[str, str | None]) -> None:
        if key in self.sample:
            return
        if len(self.sample) == SAMPLE:
            if key < self.heap[0]:
                return
            del self.sample[heapq.heappop(self.heap)]
        heapq.heappush(self.heap, key)
        self.sample[key] = phrasings


def distinct2(texts: Iterable[str]) -> float:
    """Distinct bigrams over all bigrams, words in lower case."""
    seen: set[tuple[str, str]] = set()
    bigrams = 0
    for text in texts:
        tokens = _TOKEN.findall(text.lower())
        bigrams += max(0, len(tokens) - 1)
        seen.update(pairwise(tokens))
    return round(len(seen) / bigrams, 4) if bigrams else 0.0


def _rank(question_id: str) -> int:
    return int.from_bytes(blake2b(question_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
