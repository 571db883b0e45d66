"""The leak guard: test questions and queries that also stand in the training set, or nearly so.

The test set is our own, or a held-out one such as BIRD's dev, to which the whole corpus is the training set.

MinHash finds the candidates, exact Jaccard similarity over word triples decides. Splitting by cluster keeps whole
schemas apart; this says how much is alike in spite of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqale_assets.relational.model import Model

THRESHOLD = 0.8
_PERMUTATIONS = 64
MOST_KEPT = 200
_TOKEN = re.compile(r"\w+|[^\s\w]")


class LeakItem(NamedTuple):
    """One question with its gold SQL."""

    question_id: str
    question: str
    sql: str


class Leak(Model):
    """A test item and its nearest training item. `similarity` is Jaccard over word triples, 1.0 for equal texts."""

    what: str
    test_id: str
    train_id: str
    similarity: float
    text: str


class LeakReport(Model):
    """How many test items have a near duplicate in the training set; `leaks` keeps the worst of them."""

    test_items: int
    train_items: int
    threshold: float
    leaked_questions: int
    leaked_sql: int
    #: Test items whose question and SQL are both near duplicates of the same training item.
    leaked_both: int
    leaks: tuple[Leak, ...]


class HeldOutReport(Model):
    """What of test sets of others, by their names, the whole corpus has nearly the same."""

    reports: dict[str, LeakReport]

    @property
    def leaked_both(self) -> int:
        return sum(report.leaked_both for report in self.reports.values())


def find_leaks(train: Iterable[LeakItem], test: Sequence[LeakItem], *, threshold: float = THRESHOLD) -> LeakReport:
    """Compare a test set, held in memory, with a training set, streamed."""
    questions = _Nearest("question", {item.question_id: item.question for item in test}, threshold)
    queries = _Nearest("sql", {item.question_id: item.sql for item in test}, threshold)
    both: set[str] = set()
    count = 0
    for item in train:
        count += 1
        alike = questions.compare(item.question_id, item.question)
        both |= alike & queries.compare(item.question_id, item.sql)
    worst = sorted(
        (*questions.best.values(), *queries.best.values()), key=lambda leak: (-leak.similarity, leak.what, leak.test_id)
    )
    return LeakReport(
        test_items=len(test),
        train_items=count,
        threshold=threshold,
        leaked_questions=len(questions.best),
        leaked_sql=len(queries.best),
        leaked_both=len(both),
        leaks=tuple(worst[:MOST_KEPT]),
    )


class _Nearest:
    """The test texts of one kind, indexed, with the nearest training text of each."""

    def __init__(self, what: str, texts: dict[str, str], threshold: float):
        from datasketch import MinHashLSH

        self.what, self.texts, self.threshold = what, texts, threshold
        self.shingles = {item_id: _shingles(text) for item_id, text in texts.items()}
        # MinHash only estimates: asked for less than the threshold, it misses few of those above it.
        self.index = MinHashLSH(threshold=0.7 * threshold, num_perm=_PERMUTATIONS)
        for item_id, shingles in self.shingles.items():
            self.index.insert(item_id, _minhash(shingles))
        self.best: dict[str, Leak] = {}

    def compare(self, train_id: str, text: str) -> set[str]:
        """The test items that are near duplicates of a training text."""
        shingles = _shingles(text)
        alike: set[str] = set()
        for item_id in self.index.query(_minhash(shingles)):
            similarity = len(shingles & self.shingles[item_id]) / len(shingles | self.shingles[item_id])
            if similarity < self.threshold:
                continue
            alike.add(item_id)
            known = self.best.get(item_id)
            if known is None or (similarity, known.train_id) > (known.similarity, train_id):
                self.best[item_id] = Leak(
                    what=self.what,
                    test_id=item_id,
                    train_id=train_id,
                    similarity=round(similarity, 4),
                    text=self.texts[item_id][:300],
                )
        return alike


def _shingles(text: str) -> frozenset[bytes]:
    """Word triples in lower case; of a shorter text, the text itself."""
    tokens = _TOKEN.findall(text.lower())
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return frozenset(" ".join(triple).encode() for triple in triples) or frozenset({" ".join(tokens).encode()})


def _minhash(shingles: frozenset[bytes]):
    from datasketch import MinHash

    minhash = MinHash(num_perm=_PERMUTATIONS, seed=1)
    minhash.update_batch(sorted(shingles))
    return minhash
