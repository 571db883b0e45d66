"""Drafting conditions: comparisons that a story's row meets, children, averages.

Conditions are taken from stories, so that one row at least meets all of them.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from sqale_assets.llm.offline.english.drafting.inspecting import Chain, flag, like, rounded, tables_of
from sqale_assets.llm.offline.english.meaning import Children, Compare, Has, Link, Node, Ref, VersusAverage
from sqale_assets.llm.offline.english.picture import Known, Picture, day, good_text


class Conditions:
    """Conditions over one picture. `wanted` are the features of the request; a story vouches for an answer."""

    def __init__(self, picture: Picture, wanted: frozenset[str], difficulty: str, rng: Random):
        self.picture, self.wanted, self.difficulty, self.rng = picture, wanted, difficulty, rng
        self.story: dict[str, dict[str, Any]] = rng.choice(picture.stories) if picture.stories else {}

    def conditions(
        self, table: str, count: int, *, details: bool = False, broad: bool = False, join: bool = False,
        exclude: frozenset[Ref] = frozenset(),
    ) -> tuple[Compare, ...]:  # fmt: skip
        """Up to `count` conditions on different columns, the first along keys where a join is wanted."""
        found: list[Compare] = []
        wide = self.apart(table) if "five_tables" in self.wanted else []
        for position in range(count):
            chain: Chain = ()
            if join and wide:
                chain = wide.pop()
            elif join and (position == 0 or self.rng.random() < 0.4):
                chain = self.chain(table) or ()
            told = details or (chain and self.picture.fan_out(chain[0])[0] >= 1.5)
            condition = self.condition(table, chain, broad=broad or not told)
            taken = {each.ref for each in found} | exclude
            if condition is not None and condition.ref not in taken:
                found.append(condition)
        return tuple(found)

    def condition(self, table: str, chain: Chain, *, broad: bool = False) -> Compare | None:
        """A condition that the story's row meets. Broad ones are met by several rows."""
        uses = (
            ("category", "category", "flag", "measure", "date")
            if broad
            else ("label", "category", "measure", "date", "text", "flag")
        )
        columns = [c for use in dict.fromkeys(uses) for c in self.at(table, chain, use)]
        self.rng.shuffle(columns)
        if self.rng.random() < 0.4:  # what is told by a name of its own asks more than a bound does
            columns.sort(key=lambda column: column.use not in ("label", "category", "text"))
        for column in columns[:4]:
            ref = Ref(column.name, chain)
            value = self.picture.value(self.story, table, ref)
            if (found := self.compare(column, ref, value, broad)) is not None:
                return found
        return None

    def compare(self, column: Known, ref: Ref, value: Any, broad: bool) -> Compare | None:
        chance = self.rng.random()
        if not ref.chain and 0.1 * column.rows < column.nulls < 0.9 * column.rows and chance < 0.2:
            return Compare(ref, self.rng.choice(["missing", "present"]))
        if value is None:
            return None
        if column.use == "flag":
            return flag(column, ref, value)
        if column.use == "measure" and isinstance(value, int | float):
            return self.compare_number(column, ref, value)
        if column.use == "date" and (when := day(value)) is not None:
            year, month = int(when.iso[:4]), int(when.iso[5:7])
            if chance < 0.35:
                return Compare(ref, "year", year)
            if chance < 0.55:
                return Compare(ref, "month", year, month)
            if column.unique or str(column.least)[:10] == when.iso == str(column.most)[:10]:
                return Compare(ref, "year", year)
            return (
                Compare(ref, "<", when)
                if chance > 0.78 and str(column.least)[:10] < when.iso
                else Compare(ref, ">=", when)
            )
        if not good_text(value):
            return self.contains(ref, value) if column.use == "text" and not broad else None
        if column.use == "category":
            others = [each for each, _ in column.values if each != value]
            if chance < 0.15 and len(others) > 1:
                pair = sorted([value, self.rng.choice(others)])
                return Compare(ref, "in", *pair)
            return Compare(ref, "=", value)
        if column.use == "text" or (chance < 0.25 and " " in value):
            return self.contains(ref, value)
        return Compare(ref, "=", value)

    def compare_number(self, column: Known, ref: Ref, value: int | float) -> Compare | None:
        least, most = column.least, column.most
        if not isinstance(least, int | float) or not isinstance(most, int | float):
            return None
        below, above = like(column, rounded(value * 0.9)), like(column, rounded(value * 1.1))
        chance = self.rng.random()
        if chance < 0.4 and least <= below < value:
            return Compare(ref, ">", below)
        if chance < 0.7 and value < above <= most:
            return Compare(ref, "<", above)
        if chance < 0.85 and least <= below < value < above <= most:
            return Compare(ref, "between", below, above)
        bound = like(column, value)
        return Compare(ref, self.rng.choice([">=", "<="]), bound) if bound == value else None

    def contains(self, ref: Ref, value: Any) -> Compare | None:
        """A word of a text."""
        if not isinstance(value, str):
            return None
        found = [word for word in value.split(" ")[:8] if len(word) > 3 and word.isalpha()]
        return Compare(ref, "contains", self.rng.choice(found)) if found else None

    def period(self, table: str, join: bool) -> Compare | None:
        """A year or month, of the row or of what it points to."""
        chains: list[Chain] = [()]
        if join and "join" in self.wanted:
            chains += self.picture.chains(table, 2)
        places = [(chain, c) for chain in chains for c in self.at(table, chain, "date")]
        self.rng.shuffle(places)
        for chain, column in places:
            when = day(self.picture.value(self.story, table, Ref(column.name, chain)))
            if when is not None:
                year, month = int(when.iso[:4]), int(when.iso[5:7])
                if self.rng.random() < 0.6:
                    return Compare(Ref(column.name, chain), "year", year)
                return Compare(Ref(column.name, chain), "month", year, month)
        return None

    def nested(self, table: str, others: tuple[Node, ...]) -> list[Node]:
        """Conditions that need a subquery; two of them where the question is to be hard.

        `others` are the conditions beside them: where they leave few rows, only what the story vouches for is asked.
        """
        found: list[Node] = []
        narrow = len(others) > 1 or any(isinstance(each, Compare) and each.op in ("=", "contains") for each in others)
        compared = {each.ref for each in others if isinstance(each, Compare)}
        links = self.picture.links_in(table)
        self.rng.shuffle(links)
        for link in links:
            if (has := self.has(link, narrow)) is not None:
                found.append(has)
            if len(found) == (5 if "eight_tables" in self.wanted else 2 if self.difficulty == "hard" else 1):
                break
            if (
                "eight_tables" in self.wanted
                and len(found) > 1
                and self.reach(table) + sum(map(tables_of, found)) >= (12 if "twelve_tables" in self.wanted else 8)
            ):
                break
        measure = self.pick([c for c in self.picture.of(table, "measure") if Ref(c.name) not in compared])
        if measure and not narrow and (not found or self.rng.random() < 0.35):
            versus = self.versus_average(table, measure)
            if "eight_tables" in self.wanted:
                return [*found, versus][-5:]
            return [versus, *found[:1]] if self.difficulty == "hard" else [versus]
        return found

    def has(self, link: Link, narrow: bool) -> Has | None:
        """So many children, or none. With `narrow`, only such as the story's row is known to have."""
        average, without = self.picture.fan_out(link)
        wide = "five_tables" in self.wanted
        if (narrow or wide or self.rng.random() < 0.6) and self.picture.joined(self.story, link):
            farthest = 3 if "eight_tables" in self.wanted else 2
            chains = [chain for chain in self.picture.chains(link.child, farthest) if chain[0] != link]
            if "eight_tables" in self.wanted:
                return self.far_reaching(link, chains)
            chance = 1.0 if wide else 0.6 if self.difficulty == "hard" else 0.0
            chain = self.rng.choice(chains) if chains and self.rng.random() < chance else ()
            found = self.condition(link.child, chain, broad=self.rng.random() < 0.7)
            if found is not None:
                return Has(Children(link, None, (found,)))
        if narrow:
            return None
        if without > 0 and self.rng.random() < 0.6:
            return Has(Children(link), "none", 0)
        if average >= 3:
            return Has(Children(link), self.rng.choice([">", ">="]), max(2, math.floor(average) - 1))
        return Has(Children(link)) if without > 0 else None

    def far_reaching(self, link: Link, chains: list[Chain]) -> Has:
        """Children told by what they point to, as far away as the story goes."""
        self.rng.shuffle(chains)
        mine = {link.parent, *(chain[-1].parent for chain in self.picture.chains(link.parent))}

        def new(chain: Chain) -> int:
            return len({each.parent for each in chain} - mine)

        for chain in sorted(chains, key=new, reverse=True):
            if (found := self.condition(link.child, chain, broad=self.rng.random() < 0.7)) is not None:
                return Has(Children(link, None, (found,)))
        return Has(Children(link))

    def versus_average(self, table: str, measure: Known) -> VersusAverage:
        op = self.rng.choice([">", ">", "<"])
        peers = [Ref("", (link,)) for link in self.picture.links_out(table) if self.picture.fan_out(link)[0] >= 2]
        if peers and self.rng.random() < 0.4:
            return VersusAverage(measure.name, op, table, self.rng.choice(peers))
        return VersusAverage(measure.name, op, table)

    def opposites(self, table: str, chain: Chain, exclude: Ref, *, apart: bool) -> tuple[Compare, Compare] | None:
        """Two conditions that set rows of the table against each other: two values of a column, or above and below.

        With `apart` no row meets both.
        """
        column = self.pick([c for c in self.at(table, chain, "category", "measure") if Ref(c.name, chain) != exclude])
        if column is None:
            return None
        ref = Ref(column.name, chain)
        if column.use == "category":
            first, second = self.rng.sample([value for value, _ in column.values], 2)
            return Compare(ref, "=", first), Compare(ref, "=", second)
        least, most = float(column.least), float(column.most)  # type: ignore[arg-type]
        low, high = rounded(least + (most - least) * 0.4), rounded(least + (most - least) * 0.6)
        if not least < low <= high < most:
            return None
        above, below = (high, low) if apart else (low, high)
        return Compare(ref, ">", like(column, above)), Compare(ref, "<", like(column, below))

    def chain(self, table: str, longest: int = 3) -> Chain | None:
        """A way along keys from the table, long enough for what is wanted; None where there is none."""
        chains = self.picture.chains(table, longest)
        if "multi_join" in self.wanted:
            chains = [chain for chain in chains if len(chain) >= 2] or chains
        return self.rng.choice(chains) if chains else None

    def apart(self, table: str) -> list[Chain]:
        """Ways along keys that share as little as can be, the longest last."""
        chains = self.picture.chains(table, 3)
        self.rng.shuffle(chains)
        taken: set[str] = set()
        found: list[Chain] = []
        for chain in sorted(chains, key=len, reverse=True):
            if chain[-1].parent not in taken:
                taken |= {link.parent for link in chain}
                found.append(chain)
        return found[::-1]

    def reach(self, table: str) -> int:
        """The number of tables that a row determines, its own included."""
        return len({table, *(chain[-1].parent for chain in self.picture.chains(table))})

    def width(self, table: str) -> int:
        """How many tables a question about the table's rows can need: `reach`, and five kinds of children."""
        mine = {table, *(chain[-1].parent for chain in self.picture.chains(table))}
        beyond = []
        for link in self.picture.links_in(table):
            ways = [chain for chain in self.picture.chains(link.child, 3) if chain[0] != link]
            beyond.append(1 + max((len(chain) for chain in ways if chain[-1].parent not in mine), default=0))
        return len(mine) + sum(sorted(beyond)[-5:])

    def at(self, table: str, chain: Chain, *uses: str) -> list[Known]:
        return self.picture.of(chain[-1].parent if chain else table, *uses)  # type: ignore[arg-type]

    def measure(self, table: str, exclude: frozenset[str] = frozenset()) -> Known | None:
        return self.pick([c for c in self.picture.of(table, "measure") if c.name not in exclude])

    def function(self, column: Known) -> str:
        return self.rng.choice(["sum", "avg", "max", "min", "avg"] if column.additive else ["avg", "max", "min", "avg"])

    def pick(self, columns: list[Known]) -> Known | None:
        return self.rng.choice(columns) if columns else None
