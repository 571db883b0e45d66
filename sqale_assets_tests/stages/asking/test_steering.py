from __future__ import annotations

from collections import Counter
from random import Random

from sqale_assets.records import DIFFICULTIES
from sqale_assets.stages.asking.steering import Chooser, difficulties, steering


def asked(schemas: int, **kwargs) -> tuple[Counter, int]:
    """Features asked for over many schemas of 18 questions each."""
    plan, tally, total = steering(), Counter(), 0
    options = {"tables": 50, "self_references": True} | kwargs
    for number in range(schemas):
        rng = Random(f"{number}")
        chooser = Chooser(plan, rng, **options)
        for difficulty in difficulties(6, rng):
            for _ in range(3):
                tally.update(chooser.choose(difficulty))
                total += 1
    return tally, total


def test_every_target_is_asked_for_in_about_its_share():
    tally, total = asked(120)
    for feature, target in steering().targets.items():
        assert tally[feature] / total >= 0.7 * target, feature


def test_targets_lie_above_the_bars_of_the_corpus():
    targets = steering().targets
    assert (
        targets["nested"] > 0.234 and targets["multi_join"] / targets["join"] > 0.4 and targets["five_tables"] > 0.031
    )


def test_the_menu_asks_only_for_known_features_and_reaches_every_target():
    plan = steering()
    on_offer = {feature for entries in plan.menu.values() for features in entries for feature in features}
    assert set(plan.targets) <= on_offer and on_offer - set(plan.targets) == {"filter"}
    assert set(plan.menu) == set(plan.contracts) == set(DIFFICULTIES)


def test_small_schemas_are_not_asked_for_what_they_cannot_give():
    tally, _ = asked(20, tables=2, self_references=False)
    assert not tally["multi_join"] and not tally["five_tables"] and not tally["self_join"] and tally["join"]


def test_what_was_not_accepted_is_asked_for_again():
    chooser = Chooser(steering(), Random(0), tables=50, self_references=True)
    first = chooser.choose("hard")
    chooser.missed(first)
    again = Chooser(steering(), Random(0), tables=50, self_references=True)
    again.choose("hard")
    rest = [Counter(f for _ in range(12) for f in each.choose("hard")) for each in (chooser, again)]
    assert sum(rest[0][feature] for feature in first) >= sum(rest[1][feature] for feature in first)


def test_difficulties_take_turns():
    for seed in range(5):
        assert sorted(difficulties(6, Random(seed))) == sorted(DIFFICULTIES * 2)
