"""Which concepts come next: the domain's own first, then its neighbours', business ones, and dependents."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

from sqale_assets.llm.offline.extension.concepts import (
    BASE,
    Concept,
    ConceptColumn,
    Domain,
    business,
    classes,
    dependents,
    domains,
    every_concept,
    synonyms,
)
from sqale_assets.llm.offline.extension.drafting import Draft, known
from sqale_assets.llm.offline.extension.request import KnownTable, Request, run_together
from sqale_assets.llm.offline.extension.spelling import Speller
from sqale_assets.relational.names import singular, singular_words, words

#: Of every answer, the shares that the pools get while they last: domain, business, dependents.
_SHARES = (("domain", 9), ("dependents", 7), ("business", 4))
_MAX_DEPTH = 2
#: How often a dependent's suffix (note, history) may occur: a few times, more in very large schemas.
_SUFFIX_TIMES, _TABLES_PER_SUFFIX_TIME = 2, 90
_MAX_PER_BASE = 4
_MAX_BASE_WORDS = 2
_NEXT_DOMAIN_SCORE = 0.5
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
        self._resolved: dict[str, KnownTable | None] = {}

    def choose(self) -> list[Draft]:
        """About as many drafts as the request asks for, each after those it refers to."""
        pools = {
            "domain": chain(self._lacking(), self._domain_concepts()),
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
        for domain in _ranked_domains(self.request):
            yield from self._shuffled(domain.concepts)

    def _shuffled(self, concepts: Iterable[Concept]) -> Iterator[tuple[Concept, None]]:
        ordered = [concept for concept in concepts if concept.references]
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
        kinds = [kind for word in (base.entity[-1], base.entity[0]) if (kind := classes().get(word))]
        own = list(dependents()[kinds[0]]) if kinds else []
        any_table = list(dependents()["any"])
        self.rng.shuffle(own)
        self.rng.shuffle(any_table)
        connecting = base.name in self.request.alone
        mixed = (
            chain.from_iterable(zip(own, [*any_table, *own], strict=False)) if not connecting else [*own, *any_table]
        )
        seen: set[str] = set()
        for concept in mixed:
            if concept.name not in seen and (not connecting or len(concept.references) > 1):
                seen.add(concept.name)
                yield concept

    def _is_base(self, table: KnownTable) -> bool:
        kinds = {classes().get(word) for word in table.entity}
        stem = run_together(table.entity)
        hanging = sum(name.startswith(stem) and name != stem for name in self._taken)
        return (
            table.key is not None
            and len(table.entity) <= _MAX_BASE_WORDS
            and "technical" not in kinds
            and hanging < _MAX_PER_BASE
            and not any(word.isdigit() for word in table.entity)
        )

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
        targets: dict[ConceptColumn, KnownTable] = {}
        itself = known(Draft(concept, entity, {}), self.speller)
        for column in concept.references:
            target = (
                base
                if column.reference == BASE
                else itself
                if column.reference == "self"
                else self._resolve(column.reference or "", optional=column.nullable, depth=depth)
            )
            if target and target.key:
                targets[column] = target
        required = [column for column in concept.references if not column.nullable]
        others = {target.name for target in targets.values()} - {itself.name}
        attached = bool(others) or (depth > 0 and not required)
        complete = all(column in targets for column in required) or (len(others) >= 1 and concept.shape == "entity")
        if not attached or not complete:
            del self.drafts[placed:]
            self._taken.discard(stem)
            return None
        self.drafts.append(Draft(concept, entity, targets))
        self._tables.append(itself)
        self._by_entity.setdefault(stem, itself)
        self._heads[entity[-1]] += 1
        return itself

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
        """The table that plays the part of `name`, taken now if the vocabulary knows it and none does."""
        if name in self._resolved:
            return self._resolved[name]
        found = self._existing(name)
        if found is None and depth < _MAX_DEPTH and (not optional or self.rng.random() < 0.5):
            for concept in every_concept().get(name, ()):
                found = self._take(concept, None, depth + 1)
                if found:
                    break
        if found is not None:
            self._resolved[name] = found
        return found

    def _existing(self, name: str) -> KnownTable | None:
        entity = tuple(name.split("_"))
        if (exact := self._by_entity.get(run_together(entity))) and exact.key:
            return exact
        nouns = synonyms().get(name) or next((group for group in synonyms().values() if name in group), (name,))
        for noun in nouns:
            if (table := self._by_entity.get(noun)) and table.key:
                return table
        for noun in (name, *nouns):
            for table in self._tables:
                if table.key and table.entity[-1] == noun and len(table.entity) <= _MAX_BASE_WORDS:
                    return table
        return None


def _alternating(first: list[Concept], second: list[Concept]) -> list[Concept]:
    pairs = zip_longest(first, second)
    return [concept for pair in pairs for concept in pair if concept is not None]


def _ranked_domains(request: Request) -> list[Domain]:
    """The domain that the prompt speaks of, close seconds, their related ones; words count by their rarity."""
    spread = Counter(word for domain in domains().values() for word in domain.keywords)
    said = Counter(
        singular(word)
        for text, weight in ((request.label, 3), (request.description, 1))
        for word in words(text) * weight
    )
    for table in request.tables:
        said.update({singular(word): 1 for word in table.entity})
    scores = {
        domain.name: sum(min(said[word], 4) / spread[word] for word in domain.keywords if said[word])
        + 3 * (domain.name in said)
        for domain in domains().values()
    }
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    best = scores[ranked[0]]
    if best <= 0:
        return [domains()[name] for name in ("projects", "documents", "crm")]
    close = [name for name in ranked if scores[name] >= _NEXT_DOMAIN_SCORE * best][:3]
    names = dict.fromkeys((*close, *(other for name in close for other in domains()[name].related)))
    return [domains()[name] for name in names if name in domains()]
