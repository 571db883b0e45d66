"""Which concepts come next: the domain's own first, then its neighbours', business ones, and dependents."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from sqale_assets.llm.offline.extension.concepts import (
    BASE,
    Concept,
    ConceptColumn,
    business,
    classes,
    clients,
    consumers,
    dependents,
    every_concept,
    synonyms,
)
from sqale_assets.llm.offline.extension.domains import ranked_domains
from sqale_assets.llm.offline.extension.drafting import Draft, known
from sqale_assets.llm.offline.extension.request import KnownTable, Request, run_together
from sqale_assets.llm.offline.extension.spelling import Speller
from sqale_assets.relational.names import singular, singular_words, words

#: Of every answer, the shares that the pools get while they last: domain, business, dependents.
_SHARES = (("domain", 10), ("dependents", 6), ("lacks", 3), ("business", 1))
_MAX_DEPTH = 2
#: How often a dependent's suffix (note, history) may occur: a few times, more in very large schemas.
_SUFFIX_TIMES, _TABLES_PER_SUFFIX_TIME = 2, 90
_MAX_PER_BASE = 4
_MAX_BASE_WORDS = 2
#: Classes of what happens rather than of what is.
_HAPPENINGS = ("order", "money", "agreement", "request", "activity")
#: The component that the prompt's connected tables make; no table has this name.
_MAIN = ""
#: Persons who are written about rather than write.
_NOT_ACTING = ("contact", "profile", "guest", "candidate", "applicant", "parent", "child", "actor", "artist", "author")
#: Who plays a part that no table plays yet.
_STAND_INS = {"person": ("user", "employee"), "staff": ("employee", "user")}
#: How a table that leads nowhere else is tied to the people who keep it.
_KEEPERS = (("created", "by"), ("managed", "by"), ("registered", "by"), ("updated", "by"))
_GENERIC_HEADS = frozenset(["item", "line", "type", "status", "category", "group", "detail", "entry"])


class Chooser:
    """Draws drafts for one answer. `rng` decides between equals; the same request gives the same drafts."""

    def __init__(self, request: Request, speller: Speller, rng: random.Random):
        self.request, self.speller, self.rng = request, speller, rng
        self.drafts: list[Draft] = []
        self._tables = list(request.tables)
        self._taken = set(request.taken)
        self._heads = Counter(table.entity[-1] for table in request.tables)
        self._by_entity = {run_together(table.entity): table for table in reversed(request.tables)}
        self._resolved: dict[str, KnownTable] = {}
        self._joined: dict[str, str] = {
            table.name: _MAIN for table in request.tables if table.name not in request.alone
        }

    def choose(self) -> list[Draft]:
        """About as many drafts as the request asks for, each after those it refers to."""
        pools = {
            "domain": self._domain_concepts(),
            "lacks": self._lacking(),
            "dependents": self._dependents(),
            "business": self._shuffled(business()),
        }
        turns = [name for name, share in _SHARES for _ in range(share)]
        while len(self.drafts) < self.request.count and turns:
            name = turns.pop(self.rng.randrange(len(turns)))
            before = len(self.drafts)
            for concept, base in pools[name]:
                if self._take(concept, base):
                    break
            if len(self.drafts) > before:
                turns.append(name)
        return self.drafts

    # --- pools -----------------------------------------------------------------------------------

    def _lacking(self) -> Iterator[tuple[Concept, None]]:
        """Concepts named by what the prompt says the domain lacks."""
        every = every_concept()
        for lack in self.request.lacks:
            for concept in every.get("_".join(singular_words(words(lack))), ())[:1]:
                yield concept, None

    def _domain_concepts(self) -> Iterator[tuple[Concept, None]]:
        """The concepts of the domain, mixed with those of domains that are as likely; then of the next ones."""
        for group in ranked_domains(self.request):
            yield from self._shuffled([concept for domain in group for concept in domain.concepts])

    def _shuffled(self, concepts: Iterable[Concept]) -> Iterator[tuple[Concept, None]]:
        ordered = [concept for concept in concepts if concept.shape != "lookup"]
        self.rng.shuffle(ordered)
        return ((concept, None) for concept in ordered)

    def _dependents(self) -> Iterator[tuple[Concept, KnownTable]]:
        """Templates over the tables that the prompt shows, tables without keys first, one each in turn."""
        by_name = {table.name: table for table in self.request.tables}
        names = dict.fromkeys((*self.request.alone, *self.request.attach))
        bases = [by_name[name] for name in names if name in by_name and self._is_base(by_name[name])]
        templates = {base.name: self._templates(base) for base in bases}
        while templates:
            for base in bases:
                if base.name in templates:
                    concept = next(templates[base.name], None)
                    if concept is None:
                        del templates[base.name]
                    else:
                        yield concept, base

    def _templates(self, base: KnownTable) -> Iterator[Concept]:
        """What may hang on `base`, by its class and in general.

        The last of two words tells only what happened (seat booking), not what a thing is (media item); and only
        what has a name of its own has translations, aliases and followers.
        """
        kind = classes().get(base.entity[-1], "")
        happens = kind in _HAPPENINGS
        own = list(dependents().get(kind, ())) if len(base.entity) == 1 or happens else []
        if kind == "person" and own:
            own += dependents()["consumer" if base.entity[-1] in consumers() else "worker"]
        named = kind != "person" and not happens and len(base.entity) == 1
        any_table = [*dependents()["any"], *(dependents()["named"] if named else ())]
        self.rng.shuffle(own)
        self.rng.shuffle(any_table)
        seen: set[str] = set()
        for concept in _alternating(own, any_table) if own else any_table:
            if concept.name not in seen:
                seen.add(concept.name)
                yield concept

    def _is_base(self, table: KnownTable) -> bool:
        """Whether tables may hang on this one: a thing of this schema rather than a list, a log or a stock concept."""
        kinds = {classes().get(word) for word in table.entity}
        alone = table.name in self.request.alone
        stem = run_together(table.entity)
        hanging = sum(name.startswith(stem) and name != stem for name in self._taken)
        told = bool(kinds - {None}) or "_".join(table.entity) not in every_concept()
        return (
            table.key is not None
            and len(table.entity) <= _MAX_BASE_WORDS
            and "technical" not in kinds
            and (alone or (told and classes().get(table.entity[-1]) != "list" and not self._hangs(table)))
            and hanging < (1 if alone else _MAX_PER_BASE)
            and not any(word.isdigit() for word in table.entity)
        )

    def _hangs(self, table: KnownTable) -> bool:
        """Whether the table hangs on another by its name: student_skill where there is a student."""
        return any(run_together(table.entity[:size]) in self._taken for size in range(1, len(table.entity)))

    # --- taking ----------------------------------------------------------------------------------

    def _take(self, concept: Concept, base: KnownTable | None, depth: int = 0) -> KnownTable | None:
        """Draft the concept, and before it what it needs; None where it does not suit this schema."""
        entity = tuple(
            word for part in concept.words for word in (base.entity if part == BASE and base else (part,))
        )  # fmt: skip
        if self._is_taken(entity, concept, base):
            return None
        placed = len(self.drafts)
        stem = run_together(entity)
        self._taken.add(stem)
        itself = known(Draft(concept, entity, {}), self.speller)
        targets: dict[ConceptColumn, KnownTable] = {}
        for column in concept.references:
            if target := self._target(column, base, itself, depth):
                targets[column] = target
        if depth == 0 and not self._is_connected(targets):
            keeper = ConceptColumn(self.rng.choice(_KEEPERS), "integer", nullable=True, reference="staff")
            if target := self._resolve("staff", optional=False, depth=0):
                targets[keeper] = target
                concept = replace(concept, columns=(*concept.columns, keeper))
        required = [column for column in concept.references if not column.nullable]
        others = {target.name for target in targets.values()} - {itself.name}
        complete = all(column in targets for column in (required[:1] if concept.shape == "entity" else required))
        if not complete or (depth == 0 and not others):
            self._forget(placed, stem)
            return None
        self.drafts.append(Draft(concept, entity, targets))
        self._tables.append(itself)
        self._by_entity.setdefault(stem, itself)
        self._heads[entity[-1]] += 1
        for name in others:
            self._join(itself.name, name)
        return itself

    def _target(
        self, column: ConceptColumn, base: KnownTable | None, itself: KnownTable, depth: int
    ) -> KnownTable | None:
        if column.reference == "self":
            return itself if itself.key else None
        if column.reference == BASE:
            return base
        return self._resolve(column.reference or "", optional=column.nullable, depth=depth)

    def _is_connected(self, targets: dict[ConceptColumn, KnownTable]) -> bool:
        return any(self._component(target.name) == _MAIN for target in targets.values())

    def _component(self, name: str) -> str:
        """The component of the foreign-key graph that a table belongs to, named by one of its tables."""
        while (other := self._joined.get(name, name)) != name:
            name = other
        return name

    def _join(self, name: str, other: str) -> None:
        first, second = self._component(name), self._component(other)
        if first != second:
            loser, winner = (second, first) if first == _MAIN else (first, second)
            self._joined[loser] = winner

    def _forget(self, placed: int, stem: str) -> None:
        """Undo a draft that came to nothing, with what was drafted for it."""
        for draft in self.drafts[placed:]:
            entity = run_together(draft.entity)
            self._taken.discard(entity)
            table = self._by_entity.pop(entity, None)
            self._tables = [other for other in self._tables if other is not table]
            self._resolved = {name: other for name, other in self._resolved.items() if other is not table}
            self._heads[draft.entity[-1]] -= 1
            if table:
                self._joined.pop(table.name, None)
        del self.drafts[placed:]
        self._taken.discard(stem)

    def _is_taken(self, entity: tuple[str, ...], concept: Concept, base: KnownTable | None) -> bool:
        stem = run_together(entity)
        if stem in self._taken:
            return True
        if base is not None:
            allowed = _SUFFIX_TIMES + len(self._tables) // _TABLES_PER_SUFFIX_TIME
            suffix = run_together(concept.words[1:])
            hanging = sum(name.startswith(run_together(base.entity)) for name in self._taken) - 1
            return sum(name.endswith(suffix) for name in self._taken) >= allowed or hanging >= _MAX_PER_BASE
        head = singular(entity[-1])
        if len(entity) == 1:
            if any(noun in self._taken for noun in synonyms().get(entity[0], ())):
                return True
            return bool(self._heads[head])
        # a review table makes "product review" a repetition, unless it is a mere part (item, line)
        return head not in _GENERIC_HEADS and head in self._taken

    def _resolve(self, name: str, *, optional: bool, depth: int) -> KnownTable | None:
        """The table that plays the part of `name`, drafted now if the vocabulary knows it and none does."""
        if name in self._resolved:
            return self._resolved[name]
        found = self._existing(name)
        if found is None and depth < _MAX_DEPTH and (not optional or self.rng.random() < 0.5):
            for concept in (
                concept for part in _STAND_INS.get(name, (name,)) for concept in every_concept().get(part, ())
            ):
                if found := self._take(concept, None, depth + 1):
                    break
        if found is None and name not in ("person", "staff", "customer") and classes().get(name) == "person":
            found = self._anybody()
        if found is not None:
            self._resolved[name] = found
            if name in _STAND_INS and self._component(found.name) != _MAIN:
                self._bridge(name)
        return found

    def _created(self, name: str, depth: int) -> KnownTable | None:
        every = every_concept()
        concepts = (concept for part in _STAND_INS.get(name, (name,)) for concept in every.get(part, ()))
        return next((table for concept in concepts if (table := self._take(concept, None, depth + 1))), None)

    def _bridge(self, part: str) -> None:
        """Tie the table of those who play `part` to the rest: by what they did to one of its things."""
        by_name = {table.name: table for table in self.request.tables}
        concepts = [
            concept
            for concept in dependents()["any"]
            if any(column.reference == part and not column.nullable for column in concept.columns)
        ]
        for name in self.request.attach:
            if name in by_name and self._component(name) == _MAIN and self._is_base(by_name[name]):
                for concept in concepts:
                    if self._take(concept, by_name[name], depth=1):
                        return

    def _existing(self, name: str) -> KnownTable | None:
        """A table of that very name or of a synonym; any person for just a person; one whose name ends so."""
        nouns = (run_together(tuple(name.split("_"))), *synonyms().get(name, ()))
        for noun in nouns:
            if (table := self._by_entity.get(noun)) and table.key:
                return table
        if name in ("person", "staff", "customer") and (table := self._anybody(name)):
            return table
        ends = (table for table in self._tables if table.key and len(table.entity) == 2 and table.entity[-1] == name)
        return next(ends, None)

    def _anybody(self, part: str = "person") -> KnownTable | None:
        """The first table of persons who may play `part`: staff are no clients, customers are so by preference."""
        persons = [table for table in self._tables if table.key and _is_person(table)]
        if part == "staff":
            persons = [table for table in persons if table.entity[-1] not in clients()]
        wanted = part == "customer"
        return min(
            persons, key=lambda table: ((table.entity[-1] in clients()) != wanted, len(table.entity)), default=None
        )


def _is_person(table: KnownTable) -> bool:
    """Whether the table is about persons: users, sales users; not user groups, nor contacts or family."""
    last = table.entity[-1]
    return len(table.entity) <= 2 and classes().get(last) == "person" and last not in _NOT_ACTING


def _alternating(first: list[Concept], second: list[Concept]) -> list[Concept]:
    pairs = zip_longest(first, second)
    return [concept for pair in pairs for concept in pair if concept is not None]
