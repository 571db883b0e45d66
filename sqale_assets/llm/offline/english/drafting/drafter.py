"""Drafting requests: lists, counts, figures, groups; and the choice among all kinds.

A draft is None where the picture has nothing to make it of; the writer then tries another.
"""

from __future__ import annotations

from collections.abc import Callable

from sqale_assets.llm.offline.english.drafting.comparing import Comparing
from sqale_assets.llm.offline.english.drafting.inspecting import compared, like, refs_in, rounded, says_twice
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    Count,
    CountDistinct,
    GroupBy,
    Key,
    Listing,
    MostChildren,
    Order,
    PerParent,
    Ref,
    Request,
)
from sqale_assets.llm.offline.english.picture import Known


class Drafter(Comparing):
    """Drafts requests over one picture: what can be made of it with the wanted features."""

    def draft(self) -> Request | None:
        """One request of a kind that can have the wanted features."""
        made = self.rng.choice(self._kinds())()
        return None if made is None or says_twice(made) else made

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
        column = self.measure(entity.table, exclude=compared(entity))
        if column is None:
            return None
        if self.rng.random() < 0.15:
            first, second = self.rng.choice([("min", "max"), ("avg", "max"), ("avg", "min")])
            return Aggregate(first, Ref(column.name), entity, second)
        return Aggregate(self.function(column), Ref(column.name), entity)

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
            if not c.nulls and (chain or 2 * c.distinct <= c.rows) and Ref(c.name, chain) not in refs_in(entity)
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
            if over is None or (measure is None and entity.conditions):
                return None
        order = None
        # the grammar says a bound on the groups or their order, not both
        if over is None and ("order" in self.wanted or self.rng.random() < 0.15):
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
        share = {"sum": 0.6, "avg": 0.35}.get(function, 0.5)
        return like(measure, rounded(least + (most - least) * share))

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
        measure = self.measure(child, exclude=compared(children)) if self.rng.random() < 0.5 else None
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
