"""Drafting things: rows with conditions, what to show of them, their peers and children."""

from __future__ import annotations

from collections.abc import Callable

from sqale_assets.llm.offline.english.drafting.conditions import Conditions
from sqale_assets.llm.offline.english.drafting.inspecting import Chain, fixed, refs_in, tables_of
from sqale_assets.llm.offline.english.meaning import Children, Entity, Key, Node, Order, Ref
from sqale_assets.llm.offline.english.picture import Known

#: Things shown of what a row points to, at most.
MOST_SHOWN = 5
#: The same where a dozen tables are to be touched.
MOST_SHOWN_WIDE = 7


class Things(Conditions):
    """What requests are about and what they show."""

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
            if "eight_tables" in wanted and join:
                return self.width(name) >= (12 if "twelve_tables" in wanted else 8)
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
            nested = self.nested(table, tuple(conditions))
            if not nested:
                return None
            conditions += nested
        elif (
            "five_tables" in wanted
            and join
            and self.reach(table) < (12 if "twelve_tables" in wanted else 8 if "eight_tables" in wanted else 5)
        ):
            conditions += self.nested(table, tuple(conditions))
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

    def refs(self, entity: Entity, *, also: tuple[str, ...] = (), few: bool = False) -> tuple[Ref, ...]:
        """What to show: what tells the row, a detail or two that no condition fixes, and things it points to."""
        table, settled = entity.table, fixed(entity)
        shown = self.picture.shown(table)
        refs = [Ref(shown.name)] if shown and Ref(shown.name) not in settled else []
        refs += [Ref(name) for name in also if Ref(name) not in refs]
        details = [
            Ref(c.name)
            for c in self.picture.of(table, "label", "category", "measure", "date", "text")
            if Ref(c.name) not in settled and Ref(c.name) not in refs
        ]
        count = (0 if few else self.rng.choice([0, 1, 1, 2])) if refs else 1
        refs += self.rng.sample(details, min(count, len(details)))
        if self.wanted & {"multi_join", "five_tables"}:
            besides = sum(map(tables_of, entity.conditions))
            tables = self.rng.choice(
                [12, 13, 14, 16, 18, 20] if "twelve_tables" in self.wanted
                else [8, 8, 9, 10, 12] if "eight_tables" in self.wanted
                else [5, 5, 6, 7] if "five_tables" in self.wanted else [3, 3, 4]
            )  # fmt: skip
            return self.spread(table, tuple(refs), tables, besides=besides, fixed=frozenset(refs_in(entity)))
        if "join" in self.wanted and not any(ref.chain for ref in refs_in(entity)):
            return self.spread(table, tuple(refs), 2, fixed=frozenset(refs_in(entity)))
        return tuple(refs)

    def spread(
        self, table: str, refs: tuple[Ref, ...], tables: int, *, besides: int = 0, fixed: frozenset[Ref] = frozenset()
    ) -> tuple[Ref, ...]:
        """`refs` and what tells the things that the row points to, until so many tables are touched."""
        found = list(refs)
        touched: set[Chain] = {ref.chain[: end + 1] for ref in {*refs, *fixed} for end in range(len(ref.chain))}
        chains = self.picture.chains(table, 4)
        if "self_join" in self.wanted:
            chains = [chain for chain in chains if chain[-1].parent == table]
        self.rng.shuffle(chains)
        if "eight_tables" in self.wanted:  # few long ways: a list of twenty columns is no question
            chains.sort(key=lambda chain: len(chain) % 4, reverse=True)  # four keys in a row read badly
        for chain in chains:
            if len(found) - len(refs) >= (MOST_SHOWN_WIDE if "twelve_tables" in self.wanted else MOST_SHOWN):
                break
            read = {each[-1].parent for each in touched}
            if len(read) + 1 + besides >= tables:
                break
            if "twelve_tables" in self.wanted and {link.parent for link in chain} <= read:
                continue
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
            if not c.nulls and 2 * c.distinct <= c.rows and Ref(c.name) not in refs_in(entity)
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
