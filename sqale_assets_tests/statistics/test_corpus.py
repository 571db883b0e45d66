"""Parts of a corpus measured apart give the figures of the whole, and every figure is defined."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from sqale_assets.settings import REPOSITORY
from sqale_assets.statistics.comparison import load_reference
from sqale_assets.statistics.corpus import DEFINITIONS, CorpusStatistics, CorpusTally, corpus_statistics, tally
from sqale_assets.statistics.questions import SAMPLE, StyleTally
from sqale_assets_tests.corpus.conftest import make_member, phrasings


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    folder = tmp_path_factory.mktemp("members")
    return [make_member(folder, f"s{n}", questions=n % 3, subject=f"in town {n} ") for n in range(7)]


@pytest.mark.parametrize("cuts", [(0, 7), (1, 2, 3), (3,), (0, 0, 6)])
def test_merged_parts_are_the_whole(members, cuts):
    whole = corpus_statistics(members)
    merged = CorpusTally()
    for start, end in zip((0, *cuts), (*cuts, len(members)), strict=True):
        merged.merge(tally(members[start:end]))
    assert merged.statistics() == whole
    assert whole.records == 6 and whole.styles["casual"].distinct2 > 0


def test_a_schema_that_is_not_published_counts_in_the_process_only(members):
    found = tally(members, published={"s1", "s2"}).statistics()
    assert (found.records, found.schemas.schemas, found.sql.n) == (3, 2, 3)
    (step,) = (step for step in found.process.funnel if step.stage == "published_queries")
    assert (step.entered, step.passed) == (13, 3)
    assert step.rejected == {"no_gold_query": 7, "schema_not_published": 3}
    assert found.process.costs["questions"].calls == 14


def test_the_sample_of_phrasings_does_not_depend_on_order_or_division():
    numbered = [(f"q{n}", phrasings(f"Which of the {n} boats are red?")) for n in range(SAMPLE + 200)]
    forwards, first, second = StyleTally(), StyleTally(), StyleTally()
    for question in numbered:
        forwards.add(*question)
    for number, question in enumerate(reversed(numbered)):
        (first if number % 3 else second).add(*question)
    first.merge(second)
    assert first.sample == forwards.sample and len(first.sample) == SAMPLE
    assert first.statistics() == forwards.statistics()


def test_every_figure_has_a_definition():
    defined = load_reference(REPOSITORY / "quality" / "reference_statistics.json")["definitions"].keys() | DEFINITIONS
    assert [name for name in figures(CorpusStatistics) if name not in defined] == []


def figures(model: type[BaseModel]) -> Iterator[str]:
    """The names of all figures, those of nested models included."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from figures(field.annotation)
        elif name != "styles":
            yield name
