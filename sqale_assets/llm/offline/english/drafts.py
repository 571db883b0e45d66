"""Drafting what to ask: named requests over a picture of the data, by the features that are wanted.

A draft returns None where the picture has nothing to make it of; the writer then tries another. Conditions
are taken from stories, so that one row at least meets all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    BestPerPeer,
    Children,
    Combine,
    Compare,
    Count,
    CountDistinct,
    Entity,
    Extreme,
    GroupBy,
    Has,
    Key,
    Link,
    Listing,
    MostChildren,
    Node,
    Order,
    PeerAverage,
    PerParent,
    Rank,
    Ref,
    Request,
    Running,
    Share,
    Side,
    Top,
    VersusAverage,
)
from sqale_assets.llm.offline.english.picture import Known, Picture, day, good_text

Chain = tuple[Link, ...]


class Drafter:
    """Drafts over one picture. `wanted` are the features of the request, `hard` allows for more conditions."""

    def __init__(self, picture: Picture, wanted: frozenset[str], difficulty: str, rng: Random):
        self.picture, self.wanted, self.difficulty, self.rng = picture, wanted, difficulty, rng
        self.story: dict[str, dict[str, Any]] = rng.choice(picture.stories) if picture.stories else {}

    def draft(self) -> Request | None:
        """One request of a kind that can have the wanted features."""
        made = self.rng.choice(self._kinds())()
        return None if made is None or _says_twice(made) else made

    def _kinds(self) -> list[Callable[[], Request | None]]:
        wanted = self.wanted
        deep = wanted & {"five_tables", "multi_join"}
        if {"cte", "window"} <= wanted:
            return [self.best_per_peer]
        if "window" in wanted:
            if self.difficulty == "hard" and "multi_join" not in wanted:
                return [self.best_per_peer]
            return [self.rank, self.rank, self.running, self.peer_average, self.best_per_peer]
        if "cte" in wanted:
            kinds = [self.most_children, self.above_average_children, self.average_children]
            return [self.average_children] if self.difficulty == "moderate" else kinds
        if "set_operation" in wanted:
            return [self.combine]
        if "percentage" in wanted:
            return [self.share]
        if "top" in wanted:
            return [self.top]
        if "distinct" in wanted:
            return [self.distinct, self.count_distinct]
        if "group" in wanted:
            return [self.group_by, self.per_parent] if "join" in wanted and not deep else [self.group_by]
        if "aggregate" in wanted:
            return [self.count, self.aggregate, self.aggregate]
        if "nested" in wanted and self.rng.random() < 0.25 and not wanted & {"multi_join", "five_tables"}:
            return [self.extreme]
        return [self.listing]

    # --- requests

    def listing(self) -> Request | None:
        entity = self.entity(details=True)
        if entity is None:
            return None
        refs = self.refs(entity)
        if not refs:
            return None
        order = self.order(entity, refs) if "order" in self.wanted else None
        return Listing(refs, entity, False, order) if "order" not in self.wanted or order else None

    def distinct(self) -> Request | None:
        entity = self.entity()
        if entity is None:
            return None
        chain = self.chain(entity.table) if "join" in self.wanted else ()
        column = self.pick([c for c in self.at(entity.table, chain, "category", "label", "text") if not c.unique])
        return Listing((Ref(column.name, chain),), entity, True) if column and chain is not None else None

    def count_distinct(self) -> Request | None:
        entity = self.entity()
        if entity is None:
            return None
        chain = self.chain(entity.table) if "join" in self.wanted else ()
        if chain is None:
            return None
        column = self.pick([c for c in self.at(entity.table, chain, "category", "label") if chain or not c.unique])
        return CountDistinct(Ref(column.name, chain), entity) if column else None

    def count(self) -> Request | None:
        entity = self.entity()
        return Count(entity) if entity and entity.conditions else None

    def aggregate(self) -> Request | None:
        entity = self.entity(having="measure")
        if entity is None:
            return None
        column = self.measure(entity.table, exclude=_compared(entity))
        if column is None:
            return None
        if self.rng.random() < 0.15:
            first, second = self.rng.choice([("min", "max"), ("avg", "max"), ("avg", "min")])
            return Aggregate(first, Ref(column.name), entity, second)
        return Aggregate(self.function(column), Ref(column.name), entity)

    def top(self) -> Request | None:
        entity = self.entity(having="measure", filters=0 if self.difficulty == "simple" else None)
        if entity is None:
            return None
        key, tie = self.measure(entity.table), self.picture.identifier(entity.table)
        rows = self.picture.rows(entity.table)
        if key is None or tie is None or rows < 6:
            return None
        refs = self.refs(entity, also=(key.name,))
        number = self.rng.choice([n for n in (3, 4, 5, 6, 8, 10) if n < rows])
        return Top(number, refs, entity, Ref(key.name), Ref(tie.name), self.rng.random() < 0.75) if refs else None

    def extreme(self) -> Request | None:
        entity = self.entity(having="measure", filters=self.rng.choice([0, 0, 1]))
        key = self.measure(entity.table) if entity else None
        refs = self.refs(entity, also=(key.name,)) if entity and key else ()
        return Extreme(refs, entity, key.name, self.rng.random() < 0.7) if entity and key and refs else None

    def share(self) -> Request | None:
        table = self.table(lambda name: self.picture.rows(name) >= 5)
        if table is None:
            return None
        base = self.conditions(table, 1, broad=True) if self.difficulty != "moderate" or self.rng.random() < 0.3 else ()
        chain = self.chain(table) if "join" in self.wanted else ()
        if chain is None:
            return None
        condition = self.condition(table, chain, broad=True)
        if condition is None or condition in base:
            return None
        return Share(Entity(table, base), condition)

    def group_by(self) -> Request | None:
        wide = "five_tables" in self.wanted
        filters = 3 if wide else self.rng.choice([0, 0, 1])
        if "filter" in self.wanted:
            filters = {"simple": 1, "moderate": 2, "hard": 3}[self.difficulty]
        entity = self.entity(broad=True, filters=filters, join=wide or self.difficulty == "hard")
        if entity is None:
            return None
        chain = self.chain(entity.table) if "join" in self.wanted else ()
        if chain is None:
            return None
        fitting = [
            c
            for c in self.at(entity.table, chain, "category", "label")
            if not c.nulls and (chain or 2 * c.distinct <= c.rows) and Ref(c.name, chain) not in _refs(entity)
        ]
        column = self.pick(fitting)
        if column is None:
            return None
        group = Ref(column.name, chain)
        measure = self.measure(entity.table) if self.rng.random() < 0.6 else None
        function = self.function(measure) if measure else "count"
        over = None
        if "having" in self.wanted:
            over = self.threshold_of_groups(entity.table, column, measure, function)
            if over is None:
                return None
        order = None
        if "order" in self.wanted or (over is None and self.rng.random() < 0.15):
            order = Order(Key(None, self.rng.random() < 0.75), Key(group))
        return GroupBy(group, function, entity, measure.name if measure else None, over, order)

    def threshold_of_groups(
        self, table: str, column: Known, measure: Known | None, function: str
    ) -> int | float | None:
        """A figure that some groups exceed, as far as the writer can tell."""
        average = self.picture.rows(table) / max(column.distinct, 1)
        if measure is None:
            return max(2, int(average) - 1) if average >= 3 else None
        least, most = float(measure.least), float(measure.most)  # type: ignore[arg-type]
        if function == "sum":
            return _round(least + (most - least) * 0.6)
        return _round(least + (most - least) * (0.35 if function == "avg" else 0.5))

    def per_parent(self) -> Request | None:
        made = self.parent_and_children()
        if made is None:
            return None
        entity, children, refs = made
        if "having" in self.wanted:
            average, _ = self.picture.fan_out(children.link)  # type: ignore[arg-type]
            if average < 3 or children.conditions:
                return None
            return PerParent(refs, entity, children, "count", None, max(2, int(average) - 1))
        child = children.link.child  # type: ignore[union-attr]
        measure = self.measure(child, exclude=_compared(children)) if self.rng.random() < 0.5 else None
        order = None
        if "order" in self.wanted:
            last = self.picture.identifier(entity.table)
            if last is None:
                return None
            order = Order(Key(None, self.rng.random() < 0.75), Key(Ref(last.name)))
        function = self.function(measure) if measure else "count"
        return PerParent(refs, entity, children, function, measure.name if measure else None, None, order)

    def most_children(self) -> Request | None:
        made = self.parent_and_children(conditions=self.rng.random() < 0.4)
        return MostChildren(made[2], made[0], made[1]) if made else None

    def above_average_children(self) -> Request | None:
        made = self.parent_and_children(conditions=self.rng.random() < 0.3)
        return AboveAverageChildren(made[2], made[0], made[1]) if made else None

    def average_children(self) -> Request | None:
        made = self.parent_and_children(conditions=self.rng.random() < 0.6)
        if made is None:
            return None
        measures = [c for c in self.picture.of(made[1].link.child, "measure") if c.additive]  # type: ignore[union-attr]
        column = self.pick(measures) if self.rng.random() < 0.5 else None
        return AverageChildren(made[0], made[1], column.name if column else None)

    def combine(self) -> Request | None:
        op = self.rng.choice(["both", "both", "minus", "either"])
        table = self.table(lambda name: self.picture.rows(name) >= 8)
        if table is None:
            return None
        column = self.pick(
            [c for c in self.picture.of(table, "category", "label", "text") if not c.unique and good_text(c.least)]
        )
        if column is None:
            return None
        ref = Ref(column.name)
        chain = self.chain(table) if "join" in self.wanted else ()
        if chain is None:
            return None
        sides = self.opposites(table, chain, exclude=ref)
        if sides is None:
            return None
        extra: tuple[Compare, ...] = ()
        if self.difficulty == "hard":
            extra = self.conditions(table, 1, broad=True, exclude=frozenset([ref, *_refs(sides)]))
            if not extra:
                return None
        left, right = sides
        return Combine(op, Side(ref, Entity(table, (left, *extra))), Side(ref, Entity(table, (right, *extra))))

    def opposites(self, table: str, chain: Chain, exclude: Ref) -> tuple[Compare, Compare] | None:
        """Two conditions that rows of the table meet on either side: two values of a column, or above and below."""
        column = self.pick([c for c in self.at(table, chain, "category", "measure") if Ref(c.name, chain) != exclude])
        if column is None:
            return None
        ref = Ref(column.name, chain)
        if column.use == "category":
            first, second = self.rng.sample([value for value, _ in column.values], 2)
            return Compare(ref, "=", first), Compare(ref, "=", second)
        least, most = float(column.least), float(column.most)  # type: ignore[arg-type]
        low, high = _round(least + (most - least) * 0.4), _round(least + (most - least) * 0.6)
        if not least < low <= high < most:
            return None
        return Compare(ref, ">", _like(column, low)), Compare(ref, "<", _like(column, high))

    def rank(self) -> Request | None:
        made = self.peers()
        if made is None:
            return None
        entity, key, peer = made
        refs = self.refs(entity, also=(key.name,))
        return Rank(refs, entity, peer, key.name, self.rng.random() < 0.75) if refs else None

    def best_per_peer(self) -> Request | None:
        made = self.peers()
        if made is None:
            return None
        entity, key, peer = made
        refs = self.refs(entity, also=(key.name,))
        shown = (
            self.picture.shown(peer.chain[-1].parent)
            if not peer.column
            else self.picture.known(entity.table, peer.column)
        )
        if shown is None or not refs:
            return None
        told = Ref(shown.name, peer.chain)
        refs = refs if told in refs else (told, *refs)
        return BestPerPeer(refs, entity, peer, key.name, self.rng.random() < 0.75)

    def peer_average(self) -> Request | None:
        made = self.peers()
        if made is None:
            return None
        entity, key, peer = made
        refs = self.refs(entity, also=(key.name,))
        return PeerAverage(refs, entity, key.name, peer) if refs else None

    def running(self) -> Request | None:
        entity = self.entity(having="measure", filters=1 if self.difficulty == "hard" else 0)
        if entity is None:
            return None
        tie = self.picture.identifier(entity.table)
        column = self.pick([c for c in self.picture.of(entity.table, "measure") if c.additive and not c.nulls])
        by = self.pick([c for c in self.picture.of(entity.table, "date") if not c.nulls])
        if not (tie and column and by):
            return None
        refs = self.refs(entity, also=(by.name, column.name))
        return Running(refs, entity, column.name, Ref(by.name), Ref(tie.name)) if refs else None

    # --- things

    def peers(self) -> tuple[Entity, Known, Ref] | None:
        """Rows, a measure of them and what several of them share."""
        filters = self.rng.choice([1, 1, 2]) if self.difficulty == "hard" else self.rng.choice([0, 0, 1])
        entity = self.entity(having="measure", filters=filters, broad=True)
        if entity is None:
            return None
        key = self.pick([c for c in self.picture.of(entity.table, "measure") if not c.nulls])
        peers = [
            Ref("", (link,))
            for link in self.picture.links_out(entity.table)
            if not self.picture.optional(link) and self.picture.fan_out(link)[0] >= 1.5
        ]
        peers += [
            Ref(c.name)
            for c in self.picture.of(entity.table, "category")
            if not c.nulls and 2 * c.distinct <= c.rows and Ref(c.name) not in _refs(entity)
        ]
        return (entity, key, self.rng.choice(peers)) if key and peers else None

    def parent_and_children(self, conditions: bool | None = None) -> tuple[Entity, Children, tuple[Ref, ...]] | None:
        """A thing with rows that point at it, and what to show of it."""
        links = [
            link
            for link in self.picture.links
            if self.picture.fan_out(link)[0] >= 1.3 and self.picture.shown(link.parent) and link.child != link.parent
        ]
        if not links:
            return None
        link = self.rng.choice(links)
        wide = "multi_join" in self.wanted or "five_tables" in self.wanted
        inner: tuple[Node, ...] = ()
        if conditions or (conditions is None and self.rng.random() < 0.3):
            chain = self.rng.choice([(), *self.picture.chains(link.child, 2)]) if self.difficulty == "hard" else ()
            if chain and chain[0] == link:
                chain = ()
            found = self.condition(link.child, chain, broad=True)
            inner = (found,) if found else ()
        outer: tuple[Node, ...] = ()
        if self.difficulty == "hard" and self.rng.random() < 0.4:
            outer = self.conditions(link.parent, 1, broad=True)
        refs = self.refs(Entity(link.parent), few=True)
        if wide:
            refs = self.spread(link.parent, refs, 5 if "five_tables" in self.wanted else 3, besides=1)
        return Entity(link.parent, outer), Children(link, None, inner), refs

    def entity(
        self,
        *,
        having: str = "",
        filters: int | None = None,
        details: bool = False,
        broad: bool = False,
        join: bool = True,
    ) -> Entity | None:
        """Rows with conditions, as the wanted features ask. With `details` one row may be told by its name."""
        wanted = self.wanted
        needs_chain = join and bool(wanted & {"join", "multi_join", "five_tables"})

        def fits(name: str) -> bool:
            if having and not self.picture.of(name, having):  # type: ignore[arg-type]
                return False
            if "self_join" in wanted:
                return any(link.parent == name for link in self.picture.links_out(name))
            reach = len({link.parent for chain in self.picture.chains(name) for link in chain} - {name})
            if "five_tables" in wanted and join:
                return self.width(name) >= 5
            return not needs_chain or reach >= (2 if "multi_join" in wanted else 1)

        table = self.table(fits)
        if table is None:
            return None
        if filters is None:
            filters = self.how_many_filters()
        conditions = list(self.conditions(table, filters, details=details, broad=broad, join=needs_chain))
        if "period" in wanted:
            period = self.period(table, join)
            if period is None:
                return None
            conditions.insert(0, period)
        if "nested" in wanted and "cte" not in wanted and "set_operation" not in wanted:
            nested = self.nested(table)
            if not nested:
                return None
            conditions += nested
        elif "five_tables" in wanted and join and self.reach(table) < 5:
            conditions += self.nested(table)
        return Entity(table, tuple(conditions))

    def how_many_filters(self) -> int:
        if "period" in self.wanted and "filter" not in self.wanted:
            return 0 if self.difficulty == "simple" else self.rng.choice([0, 1])
        if "filter" in self.wanted:
            return {"simple": 1, "moderate": self.rng.choice([1, 2]), "hard": self.rng.choice([2, 2, 3])}[
                self.difficulty
            ]
        return self.rng.choice([0, 0, 1])

    def table(self, fits: Callable[[str], bool]) -> str | None:
        """A table that fits, those with more of the picture around them likelier."""
        names = [name for name in self.picture.tables if fits(name)]
        if not names:
            return None
        return self.rng.choices(names, [1 + len(self.picture.chains(name)) for name in names])[0]

    def chain(self, table: str, longest: int = 3) -> Chain | None:
        """A way along keys from the table, long enough for what is wanted; None where there is none."""
        chains = self.picture.chains(table, longest)
        if "multi_join" in self.wanted:
            chains = [chain for chain in chains if len(chain) >= 2] or chains
        return self.rng.choice(chains) if chains else None

    def reach(self, table: str) -> int:
        """The number of tables that a row determines, its own included."""
        return len({table, *(chain[-1].parent for chain in self.picture.chains(table))})

    def width(self, table: str) -> int:
        """The number of tables that a question about the table's rows can need: `reach`, and two kinds of children."""
        mine = {table, *(chain[-1].parent for chain in self.picture.chains(table))}
        beyond = []
        for link in self.picture.links_in(table):
            ways = [chain for chain in self.picture.chains(link.child, 2) if chain[0] != link]
            beyond.append(1 + max((len(chain) for chain in ways if chain[-1].parent not in mine), default=0))
        return len(mine) + sum(sorted(beyond)[-2:])

    def apart(self, table: str) -> list[Chain]:
        """Ways along keys that share as little as can be, the longest last."""
        chains = self.picture.chains(table, 4)
        self.rng.shuffle(chains)
        taken: set[str] = set()
        found: list[Chain] = []
        for chain in sorted(chains, key=len, reverse=True):
            if chain[-1].parent not in taken:
                taken |= {link.parent for link in chain}
                found.append(chain)
        return found[::-1]

    def at(self, table: str, chain: Chain, *uses: str) -> list[Known]:
        return self.picture.of(chain[-1].parent if chain else table, *uses)  # type: ignore[arg-type]

    def refs(self, entity: Entity, *, also: tuple[str, ...] = (), few: bool = False) -> tuple[Ref, ...]:
        """What to show: what tells the row, a detail or two that no condition fixes, and things it points to."""
        table, fixed = entity.table, _fixed(entity)
        shown = self.picture.shown(table)
        refs = [Ref(shown.name)] if shown and Ref(shown.name) not in fixed else []
        refs += [Ref(name) for name in also if Ref(name) not in refs]
        details = [
            Ref(c.name)
            for c in self.picture.of(table, "label", "category", "measure", "date", "text")
            if Ref(c.name) not in fixed and Ref(c.name) not in refs
        ]
        count = (0 if few else self.rng.choice([0, 1, 1, 2])) if refs else 1
        refs += self.rng.sample(details, min(count, len(details)))
        if self.wanted & {"multi_join", "five_tables"}:
            tables = 5 if "five_tables" in self.wanted else 3
            besides = sum(isinstance(condition, Has) for condition in entity.conditions)
            tables += self.rng.choice([0, 0, 1, 4]) if "five_tables" in self.wanted else self.rng.choice([0, 0, 1])
            return self.spread(table, tuple(refs), tables, besides=besides, fixed=frozenset(_refs(entity)))
        if "join" in self.wanted and not any(ref.chain for ref in _refs(entity)):
            return self.spread(table, tuple(refs), 2, fixed=frozenset(_refs(entity)))
        return tuple(refs)

    def spread(
        self, table: str, refs: tuple[Ref, ...], tables: int, *, besides: int = 0, fixed: frozenset[Ref] = frozenset()
    ) -> tuple[Ref, ...]:
        """`refs` and what tells the things that the row points to, until so many tables are touched."""
        found = list(refs)
        touched: set[Chain] = {ref.chain[: end + 1] for ref in {*refs, *fixed} for end in range(len(ref.chain))}
        chains = self.picture.chains(table, 6)
        if "self_join" in self.wanted:
            chains = [chain for chain in chains if chain[-1].parent == table]
        self.rng.shuffle(chains)
        for chain in chains:
            if len(touched) + 1 + besides >= tables:
                break
            shown = self.picture.shown(chain[-1].parent)
            if shown is not None and chain not in touched and Ref(shown.name, chain) not in {*found, *fixed}:
                touched |= {chain[: end + 1] for end in range(len(chain))}
                found.append(Ref(shown.name, chain))
        return tuple(found)

    def order(self, entity: Entity, refs: tuple[Ref, ...]) -> Order | None:
        """By a shown column, then by one without duplicates."""
        own = [ref for ref in refs if not ref.chain and not self.picture.known(entity.table, ref.column).nulls]
        last = self.picture.identifier(entity.table)
        if not own or last is None:
            return None
        first = self.rng.choice(own)
        if self.picture.known(entity.table, first.column).unique:
            return Order(Key(first, self.rng.random() < 0.5))
        return Order(Key(first, self.rng.random() < 0.5), Key(Ref(last.name)))

    # --- conditions

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
            return _flag(column, ref, value)
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
        below, above = _like(column, _round(value * 0.9)), _like(column, _round(value * 1.1))
        chance = self.rng.random()
        if chance < 0.4 and least <= below < value:
            return Compare(ref, ">", below)
        if chance < 0.7 and value < above <= most:
            return Compare(ref, "<", above)
        if chance < 0.85 and least <= below < value < above <= most:
            return Compare(ref, "between", below, above)
        bound = _like(column, value)
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

    def nested(self, table: str) -> list[Node]:
        """Conditions that need a subquery; two of them where the question is to be hard."""
        found: list[Node] = []
        links = self.picture.links_in(table)
        self.rng.shuffle(links)
        for link in links:
            if (has := self.has(link)) is not None:
                found.append(has)
            if len(found) == (2 if self.difficulty == "hard" else 1):
                break
        measure = self.pick([c for c in self.picture.of(table, "measure") if c.distinct > 3])
        if measure and (not found or self.rng.random() < 0.35):
            versus = self.versus_average(table, measure)
            return [versus, *found[:1]] if self.difficulty == "hard" else [versus]
        return found

    def has(self, link: Link) -> Has | None:
        average, without = self.picture.fan_out(link)
        chance = self.rng.random()
        inner: tuple[Node, ...] = ()
        if (chance < 0.6 or "five_tables" in self.wanted) and self.picture.joined(self.story, link):
            chains = [chain for chain in self.picture.chains(link.child, 2) if chain[0] != link]
            chance = 1.0 if "five_tables" in self.wanted else 0.6 if self.difficulty == "hard" else 0.0
            chain = self.rng.choice(chains) if chains and self.rng.random() < chance else ()
            found = self.condition(link.child, chain, broad=self.rng.random() < 0.7)
            inner = (found,) if found else ()
        if inner:
            return Has(Children(link, None, inner))
        if without > 0 and chance < 0.85:
            return Has(Children(link), "none", 0)
        if average >= 3:
            return Has(Children(link), self.rng.choice([">", ">="]), max(2, math.floor(average) - 1))
        return Has(Children(link)) if without > 0 else None

    def versus_average(self, table: str, measure: Known) -> VersusAverage:
        op = self.rng.choice([">", ">", "<"])
        peers = [Ref("", (link,)) for link in self.picture.links_out(table) if self.picture.fan_out(link)[0] >= 2]
        if peers and self.rng.random() < 0.4:
            return VersusAverage(measure.name, op, None, self.rng.choice(peers))
        return VersusAverage(measure.name, op, table)

    def measure(self, table: str, exclude: frozenset[str] = frozenset()) -> Known | None:
        return self.pick([c for c in self.picture.of(table, "measure") if c.name not in exclude])

    def function(self, column: Known) -> str:
        return self.rng.choice(["sum", "avg", "max", "min", "avg"] if column.additive else ["avg", "max", "min", "avg"])

    def pick(self, columns: list[Known]) -> Known | None:
        return self.rng.choice(columns) if columns else None


def _says_twice(node: Any) -> bool:
    """Whether the request shows a column twice, or shows nothing but what its conditions name."""
    refs = getattr(node, "refs", ())
    entity = getattr(node, "entity", None)
    if len(set(refs)) < len(refs):
        return True
    return bool(refs) and isinstance(entity, Entity) and set(refs) <= _refs(entity)


def _flag(column: Known, ref: Ref, value: Any) -> Compare | None:
    values = {str(each).lower() for each, _ in column.values}
    for true, false in (("1", "0"), ("true", "false"), ("y", "n"), ("yes", "no"), ("t", "f")):
        if values == {true, false} and not column.nulls:
            return Compare(ref, "true" if str(value).lower() == true else "false")
    return None


def _refs(node: Any) -> set[Ref]:
    """Every column mentioned in the conditions of a node."""
    if isinstance(node, Entity | Children):
        return set().union(*(_refs(condition) for condition in node.conditions))
    if isinstance(node, Compare):
        return {node.ref}
    if isinstance(node, tuple):
        return set().union(*map(_refs, node))
    return set()


def _fixed(entity: Entity) -> set[Ref]:
    """The columns that the conditions leave only one value."""
    return {c.ref for c in entity.conditions if isinstance(c, Compare) and c.op in ("=", "true", "false", "missing")}


def _compared(node: Entity | Children) -> frozenset[str]:
    return frozenset(ref.column for ref in _refs(node) if not ref.chain)


def _round(value: float) -> float:
    """The value to two significant digits."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)


def _like(column: Known, value: float) -> int | float:
    """The number as the column would hold it."""
    if isinstance(column.least, int) and isinstance(column.most, int):
        return round(value)
    return int(value) if value == int(value) else round(value, 2)
