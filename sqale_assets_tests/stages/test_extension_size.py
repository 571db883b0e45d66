"""Seeded sizes: how many tables, and how wide."""

from __future__ import annotations

from itertools import islice
from statistics import median, quantiles

from sqale_assets.relational.model import Column, Schema, Table
from sqale_assets.settings import ExtensionSettings
from sqale_assets.stages.extension_size import MAX_COLUMNS, MIN_COLUMNS, call_sizes, column_counts, target_tables


def schema(tables: int, columns: int = 5) -> Schema:
    column = [Column(name=f"c{i}", declared_type="INT", kind="integer", affinity="INTEGER") for i in range(columns)]
    return Schema(tables=tuple(Table(name=f"t{number}", columns=tuple(column)) for number in range(tables)))


def test_targets_over_a_corpus_are_as_published():
    """p10 / median / p90 about 30 / 113 / 216, none above 350 (seed, "The dataset"; within 10%)."""
    targets = [target_tables(f"schema_{n:06}", schema(2), ExtensionSettings(), seed=0) for n in range(9259)]
    deciles = quantiles(targets, n=10)
    assert 27 <= deciles[0] <= 33
    assert 108 <= median(targets) <= 118
    assert 205 <= deciles[8] <= 232
    assert max(targets) <= 350


def test_target_is_seeded_and_never_below_the_source():
    settings = ExtensionSettings()
    assert target_tables("a", schema(3), settings, 0) == target_tables("a", schema(3), settings, 0)
    assert len({target_tables("a", schema(3), settings, seed) for seed in range(20)}) > 10
    assert target_tables("a", schema(400), settings, 0) == 400
    assert all(target_tables(str(n), schema(90), settings, 0) >= 90 for n in range(100))


def test_settings_move_the_targets():
    small = ExtensionSettings(median_tables=20, max_tables=40)
    targets = [target_tables(str(n), schema(2), small, 0) for n in range(2000)]
    assert 18 <= median(targets) <= 22
    assert max(targets) == 40
    assert target_tables("a", schema(7), ExtensionSettings(extra_tables=0), 0) == 7
    assert target_tables("a", schema(7), ExtensionSettings(extra_tables=5), 0) == 12


def test_columns_follow_the_source():
    narrow = list(islice(column_counts("a", schema(60, columns=3), 0), 500))
    wide = list(islice(column_counts("a", schema(60, columns=12), 0), 500))
    tiny = list(islice(column_counts("a", schema(2, columns=40), 0), 500))
    assert median(narrow) == 3
    assert median(wide) == 12
    assert 4 <= median(tiny) <= 6, "two odd tables do not decide for a hundred new ones"
    assert all(MIN_COLUMNS <= count <= MAX_COLUMNS for count in narrow + wide + tiny)


def test_calls_come_out_equally_large():
    for missing in range(1, 400):
        left, sizes = missing, []
        while left:
            sizes.append(call_sizes(left, 20))
            left -= sizes[-1]
        assert max(sizes) <= 20
        assert max(sizes) - min(sizes) <= 1
