"""Which domain the words of a schema speak for."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from pathlib import Path

from sqale_assets.llm.offline.describing.reading import ShownTable, words

#: How much a word counts by where it stands. A table's name says more than one of its columns.
_IN_TABLE_NAME, _IN_COLUMN, _IN_TEXT, _IN_SOURCE = 3.0, 0.6, 0.5, 1.5
_LEAST = 3.5  # below this score nothing has been said

#: Tables that every application of some framework has: their words speak for no domain.
_INFRASTRUCTURE = """
    migration schema_version flyway alembic session failed_job password_reset django auth_group admin_log
    databasechangelog ar_internal_metadata ci_session qrtz next_id
    ecopseq sequence cache token log setting config configuration
"""


def best_domain(source: str, tables: list[ShownTable]) -> str:
    """The label with the highest score; "general" where none is high enough."""
    scores = domain_scores(source, tables)
    label, score = max(scores.items(), key=lambda item: item[1])
    return label if score >= _LEAST else "general"


def domain_scores(source: str, tables: list[ShownTable]) -> dict[str, float]:
    """Score by label. A word counts by the logarithm of its weighted occurrences, so that many tables of one kind
    outweigh a single telling word but do not drown all others."""
    counts: Counter[str] = Counter()
    together: list[frozenset[str]] = []
    for table in tables:
        weight = 0.2 if infrastructure(table.name) else 1.0
        name, columns, text = words(table.name), words(" ".join(table.columns)), words(table.text)
        for found, place in ((name, _IN_TABLE_NAME), (columns, _IN_COLUMN), (text, _IN_TEXT)):
            for word in set(found):
                counts[word] += place * weight
        together.append(frozenset(name) | frozenset(columns))
    for word in set(words(source)):
        counts[word] += _IN_SOURCE
    subjects = [set(words(table.name)) for table in tables if not infrastructure(table.name)]
    return {
        label: sum(_score(entry, counts, together) for entry in entries) * _spread(entries, subjects)
        for label, entries in _lexicon().items()
    }


def infrastructure(table_name: str) -> bool:
    """Whether the table belongs to a framework rather than to the subject."""
    joined = "_".join(words(table_name))
    return any(f"_{entry}_" in f"_{joined}_" for entry in _INFRASTRUCTURE.split())


def telling_words(label: str) -> frozenset[str]:
    """The words that speak for the domain with some weight."""
    return _telling(_lexicon().get(label, []))


def _telling(entries: list[tuple[tuple[str, ...], float]]) -> frozenset[str]:
    return frozenset(word for parts, weight in entries if weight >= 2 for word in parts)


def _spread(entries: list[tuple[tuple[str, ...], float]], subjects: list[set[str]]) -> float:
    """0.4 to 1: how large a share of the tables is named after the domain. Lookups and logins touch only a few."""
    telling = _telling(entries)
    return 0.4 + 0.6 * sum(not telling.isdisjoint(name) for name in subjects) / max(len(subjects), 1)


def _score(entry: tuple[tuple[str, ...], float], counts: Counter[str], together: list[frozenset[str]]) -> float:
    parts, weight = entry
    if len(parts) == 1:
        occurrences = counts[parts[0]]
    else:
        occurrences = _IN_TABLE_NAME / 2 * sum(seen.issuperset(parts) for seen in together)
    return weight * math.log1p(occurrences)


@lru_cache
def _lexicon() -> dict[str, list[tuple[tuple[str, ...], float]]]:
    """Label -> entries of (words that must stand together, weight)."""
    text = (Path(__file__).parent / "domains.txt").read_text(encoding="utf-8")
    lexicon = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            label, _, entries = line.partition(":")
            lexicon[label] = [_entry(entry) for entry in entries.split()]
    return lexicon


def _entry(text: str) -> tuple[tuple[str, ...], float]:
    parts, _, weight = text.partition(":")
    return tuple(parts.split("+")), float(weight or 1)
