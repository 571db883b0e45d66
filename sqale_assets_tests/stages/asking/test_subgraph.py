from __future__ import annotations

from collections import Counter
from random import Random
from statistics import median

import pytest

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.stages.asking.subgraph import Sampler, connected


def table(name: str, *targets: str, extra: int = 3) -> Table:
    """A table with an id, `extra` more columns and a key to each target."""

    def column(each: str) -> Column:
        return Column(name=each, declared_type="INTEGER", kind="integer", affinity="INTEGER")

    keys = [(f"k{number}_id", target) for number, target in enumerate(targets)]
    return Table(
        name=name,
        columns=tuple(map(column, ["id", *(f"c{n}" for n in range(extra)), *(each for each, _ in keys)])),
        primary_key=("id",),
        foreign_keys=tuple(
            ForeignKey(columns=(each,), target_table=target, target_columns=("id",)) for each, target in keys
        ),
    )


def sampler(schema: Schema, seed: int = 0, **kwargs: int) -> Sampler:
    return Sampler(schema, {each.name: 10 for each in schema.tables}, Random(seed), **kwargs)


#: A hub that 40 tables point at, each of which has a child of its own.
HUB = Schema(
    tables=(
        table("hub"),
        *(table(f"spoke{n}", "hub") for n in range(40)),
        *(table(f"leaf{n}", f"spoke{n}", "hub") for n in range(40)),
    )
)


def test_subgraphs_are_connected_and_sized_as_published():
    draws = [sampler(HUB, seed).draw() for seed in range(400)]
    assert all(connected(HUB, names) and len(set(names)) == len(names) for names in draws)
    sizes = [len(names) for names in draws]
    assert 4 <= median(sizes) <= 6 and max(sizes) > 14 and min(sizes) == 1 and max(sizes) <= 20


def test_every_table_is_used_and_the_hub_does_not_dominate():
    draw = sampler(HUB)
    uses = Counter(name for _ in range(60) for name in draw.draw())
    assert set(uses) == {each.name for each in HUB.tables}
    assert uses["hub"] < 60 and max(count for name, count in uses.items() if name != "hub") <= 12


def test_the_other_side_of_a_junction_comes_with_it():
    schema = Schema(
        tables=(table("student"), table("course"), table("enrolment", "student", "course", extra=0), table("room"))
    )
    with_junction = [n for seed in range(100) if "enrolment" in (n := sampler(schema, seed).draw()) and len(n) >= 3]
    assert with_junction and all({"student", "course"} <= set(names) for names in with_junction)


def test_deep_draws_reach_as_many_tables_by_keys():
    chain = Schema(tables=(table("t0"), *(table(f"t{n}", f"t{n - 1}") for n in range(1, 9)), table("lone")))
    for seed in range(30):
        names = sampler(chain, seed).draw(deep=5)
        numbers = sorted(int(name[1:]) for name in names)
        assert len(numbers) >= 5 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_empty_tables_and_those_behind_them_are_not_drawn():
    schema = Schema(tables=(table("a"), table("b", "a"), table("c", "b")))
    draw = Sampler(schema, {"a": 5, "b": 0, "c": 5}, Random(0))
    assert {draw.draw() for _ in range(20)} == {("a",), ("c",)}
    assert Sampler(schema, {}, Random(0)).draw() == ()


def test_largest_bounds_and_the_seed_decides():
    assert max(len(sampler(HUB, seed, largest=6).draw()) for seed in range(60)) == 6
    assert sampler(HUB, 3).draw() == sampler(HUB, 3).draw()


@pytest.mark.parametrize(("names", "expected"), [(("hub", "spoke1"), True), (("spoke1", "spoke2"), False), ((), True)])
def test_connected(names, expected):
    assert connected(HUB, names) is expected


def test_wide_questions_get_room_around_a_table_that_leads_far():
    drawn = [sampler(HUB, seed).draw(deep=8) for seed in range(10)]
    assert all(len(names) >= 12 and connected(HUB, names) for names in drawn)
