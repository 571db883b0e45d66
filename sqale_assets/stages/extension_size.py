"""How large an extended schema becomes, and how wide its new tables: seeded draws, no model asked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from sqale_assets.relational.model import Schema
from sqale_assets.settings import ExtensionSettings

#: A beta density over 0..max fits the published p10 / median / p90 of 30 / 113 / 216 tables (and their bound of
#: 350) within 5%; a truncated gamma misses the median by 10%. Its own median is MEDIAN of the way to the maximum.
ALPHA, BETA, MEDIAN = 1.5, 2.95, 0.312
_SPAN = 1 / MEDIAN

#: Columns of an unremarkable table (median 5), counted in as so many tables more: a source of three tables says
#: little about how wide the rest would be.
_USUAL_COLUMNS = (3, 4, 4, 5, 5, 5, 6, 7)
MIN_COLUMNS, MAX_COLUMNS = 2, 14
#: What new tables are wide at most, as a share of what the source's tables are: dumps of legacy systems have a few
#: tables of 50 columns, which a growing product does not repeat.
_WIDEST_QUANTILE = 0.9


def target_tables(schema_id: str, source: Schema, settings: ExtensionSettings, seed: int) -> int:
    """How many tables the extended schema should have: never fewer than the source, never grown above the maximum."""
    present = len(source.tables)
    if settings.extra_tables is not None:
        return present + settings.extra_tables
    return max(present, drawn_tables(schema_id, settings, seed))


def drawn_tables(schema_id: str, settings: ExtensionSettings, seed: int) -> int:
    """The size that is drawn for a schema, whatever its source holds."""
    draw = random.Random(f"{seed}:{schema_id}:extension_size").betavariate(ALPHA, BETA)
    return min(settings.max_tables, round(draw * settings.median_tables * _SPAN))


def column_counts(schema_id: str, source: Schema, seed: int) -> Iterator[int]:
    """Endless seeded draws of a new table's number of columns, from the source's own distribution."""
    rng = random.Random(f"{seed}:{schema_id}:extension_columns")
    counts = sorted(len(table.columns) for table in source.tables)
    widest = min(MAX_COLUMNS, max(_quantile(counts, _WIDEST_QUANTILE), max(_USUAL_COLUMNS)))
    urn = [*counts, *_USUAL_COLUMNS]
    while True:
        yield max(MIN_COLUMNS, min(widest, rng.choice(urn)))


def call_sizes(missing: int, per_call: int) -> int:
    """How many tables the next call should ask for, so that the calls come out about equally large."""
    calls = -(-missing // per_call)
    return -(-missing // calls) if calls else 0


def _quantile(counts: Sequence[int], share: float) -> int:
    return counts[min(len(counts) - 1, int(share * len(counts)))] if counts else 0
