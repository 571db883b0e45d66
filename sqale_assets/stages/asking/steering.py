"""Choosing what the next calls ask for: difficulties in turn, features where the accepted questions lack them.

A schema gets some 18 questions, too few for a share of 5% to show in each. So every schema starts with a credit drawn
per feature: over many schemas a feature is asked for in its share, whatever the order in which they are built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random

from pydantic import BaseModel, ConfigDict

from sqale_assets.records import DIFFICULTIES, Difficulty
from sqale_assets.settings import settings

Features = tuple[str, ...]


class Steering(BaseModel):
    """The content of `quality/steering.yaml`, which explains it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    targets: dict[str, float]
    needs_tables: dict[str, int]
    contracts: dict[Difficulty, str]
    menu: dict[Difficulty, tuple[Features, ...]]

    def tables_for(self, features: Iterable[str]) -> int:
        """The least number of tables that a question with these features needs."""
        return max((self.needs_tables.get(feature, 1) for feature in features), default=1)


@lru_cache
def steering() -> Steering:
    """The steering of this checkout (or of the folder that settings name), read once."""
    import yaml

    return Steering.model_validate(yaml.safe_load((settings().quality / "steering.yaml").read_text("utf-8")))


class Chooser:
    """Chooses the features of a schema's questions, one after the other. `rng` draws the schema's credit."""

    def __init__(self, plan: Steering, rng: Random, *, tables: int, self_references: bool):
        self._plan, self._rng = plan, rng
        self._credit = {feature: rng.random() for feature in plan.targets}
        self._asked = 0
        self._tally: Counter[str] = Counter()
        self._menu = {
            difficulty: [
                features
                for features in plan.menu[difficulty]
                if plan.tables_for(features) <= tables and ("self_join" not in features or self_references)
            ]
            or list(plan.menu[difficulty])
            for difficulty in DIFFICULTIES
        }

    def choose(self, difficulty: Difficulty) -> Features:
        """The entry of the menu that the schema's questions lack most."""
        self._asked += 1
        chosen = max(self._menu[difficulty], key=lambda features: (self._lack(features), self._rng.random()))
        self._tally.update(chosen)
        return chosen

    def missed(self, features: Features) -> None:
        """A question with these features was asked for and not accepted: it has to be asked for again."""
        self._tally.subtract(features)
        self._asked -= 1

    def _lack(self, features: Features) -> float:
        """How much the entry is wanted: a feature that is due counts the more the rarer it is, one that is not
        counts against the entry."""
        wanted = 0.5 * self._rng.random()
        for feature in features:
            target = self._plan.targets.get(feature)
            if target is not None:
                due = target * self._asked + self._credit[feature] - self._tally[feature]
                wanted += min(due, 2.0) / target if due >= 1 else due - 1
        return wanted


def difficulties(calls: int, rng: Random) -> Sequence[Difficulty]:
    """A difficulty per call, each equally often up to one."""
    start = rng.randrange(len(DIFFICULTIES))
    return [DIFFICULTIES[(start + call) % len(DIFFICULTIES)] for call in range(calls)]
