from __future__ import annotations

from collections import Counter
from random import Random

from sqale_assets.records import DIFFICULTIES
from sqale_assets.stages.asking.steering import Chooser, difficulties, steering


def asked(schemas: int, *, refuse: str = "", **kwargs) -> tuple[Counter, int]:
    """Features asked for over many schemas of 18 questions each; those with `refuse` are not accepted."""
    plan, tally, total = steering(), Counter(), 0
    options = {"tables": 50, "self_references": True} | kwargs
    for number in range(schemas):
        rng = Random(f"{number}")
        chooser = Chooser(plan, rng, **options)
        for difficulty in difficulties(6, rng):
            for _ in range(3):
                features = chooser.choose(difficulty)
                tally.update(features)
                if refuse in features:
                    chooser.missed(features)
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


def test_what_is_not_accepted_is_asked_for_again():
    plain, _ = asked(40)
    refused, _ = asked(40, refuse="window")
    assert refused["window"] > 1.5 * plain["window"]


def test_difficulties_take_turns():
    for seed in range(5):
        assert sorted(difficulties(6, Random(seed))) == sorted(DIFFICULTIES * 2)
