"""Drafting comparisons: ranks, running totals, extremes, top lists, shares, values that two sets have in common."""

from __future__ import annotations

from sqale_assets.llm.offline.english.drafting.inspecting import refs_in
from sqale_assets.llm.offline.english.drafting.things import Things
from sqale_assets.llm.offline.english.meaning import (
    BestPerPeer,
    Combine,
    Compare,
    Entity,
    Extreme,
    PeerAverage,
    Rank,
    Ref,
    Request,
    Running,
    Share,
    Side,
    Top,
    VersusAverage,
)
from sqale_assets.llm.offline.english.picture import good_text


class Comparing(Things):
    """Requests that set rows or sets of rows against each other."""

    def combine(self) -> Request | None:
        op = self.rng.choice(["both", "both", "both", "minus", "either"])
        table = self.table(lambda name: self.picture.rows(name) >= 8)
        if table is None:
            return None
        column = self.pick(
            [
                c
                for c in self.picture.of(table, "category", "label", "text")
                if good_text(c.least) and (2 if op == "both" else 1) * c.distinct < c.rows
            ]
        )
        if column is None:
            return None
        ref = Ref(column.name)
        chain = self.chain(table) if "join" in self.wanted else ()
        if chain is None:
            return None
        sides = self.opposites(table, chain, exclude=ref, apart=op != "both")
        if sides is None:
            return None
        extra: tuple[Compare, ...] = ()
        if self.difficulty == "hard":
            extra = self.conditions(table, 1, broad=True, exclude=frozenset([ref, *refs_in(sides)]))
            if not extra:
                return None
        left, right = sides
        return Combine(op, Side(ref, Entity(table, (left, *extra))), Side(ref, Entity(table, (right, *extra))))

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
        entity = Entity(entity.table)  # or it would be open whether the average is over the rows that meet them
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

    def share(self) -> Request | None:
        table = self.table(lambda name: self.picture.rows(name) >= 5)
        if table is None:
            return None
        base = self.conditions(table, 1, broad=True) if self.difficulty != "moderate" or self.rng.random() < 0.3 else ()
        chain = self.chain(table) if "join" in self.wanted else ()
        if chain is None:
            return None
        condition = self.condition(table, chain, broad=True)
        if condition is None or condition.ref in refs_in(Entity(table, base)):
            return None
        return Share(Entity(table, base), condition)

    def extreme(self) -> Request | None:
        entity = self.entity(having="measure", filters=self.rng.choice([0, 0, 1]))
        if entity and any(isinstance(condition, VersusAverage) for condition in entity.conditions):
            return None  # the highest of those above the average says the average in vain
        key = self.measure(entity.table) if entity else None
        refs = self.refs(entity, also=(key.name,)) if entity and key else ()
        return Extreme(refs, entity, key.name, self.rng.random() < 0.7) if entity and key and refs else None

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
