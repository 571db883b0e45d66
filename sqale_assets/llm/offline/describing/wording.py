"""Key entities, and a description in a few plain sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqale_assets.llm.offline.describing.reading import AFFIXES, ShownTable, thing_first, words
from sqale_assets.llm.offline.describing.scoring import infrastructure, telling_words
from sqale_assets.relational import names

_MOST_ENTITIES = 6
#: Things that most applications have whatever they are about.
_EVERYWHERE = frozenset(
    ("user", "account", "administrator", "role", "permission", "group", "member", "category", "status", "type", "file")
)
_OUTSIDE = frozenset({"general", "identity and access"})  # labels for which those things are the subject


@dataclass(frozen=True)
class Entity:
    """A noun with the names of the tables that keep it."""

    noun: str
    table: ShownTable


def describe(label: str, tables: list[ShownTable]) -> str:
    """Two to four sentences: what is recorded, what stands at the centre, what else there is."""
    entities = ranked(label, tables)
    opening = "This database" if label == "general" else f"This {label} database"
    sentences = [f"{opening} records {_listed([plural(entity.noun) for entity in entities[:4]])}."]
    told = {entity.noun for entity in entities[:4]}
    centre, children = _centre(entities)
    if centre:
        told.update(children[:4])
        verb = "belong" if len(children) > 1 or plural(children[0]).endswith("s") else "belongs"
        sentences.append(
            f"{_listed([plural(child) for child in children[:4]]).capitalize()} {verb} to {_with_article(centre)}."
        )
    rest = [plural(entity.noun) for entity in entities if entity.noun not in told][:5]
    if rest:
        sentences.append(f"It also keeps {_listed(rest)}.")
    if len(sentences) == 1:
        sentences.append(f"There {'is one table' if len(tables) == 1 else f'are {len(tables)} tables'} in all.")
    return " ".join(sentences)


def key_entities(label: str, tables: list[ShownTable]) -> list[str]:
    return [entity.noun for entity in ranked(label, tables)][:_MOST_ENTITIES]


def ranked(label: str, tables: list[ShownTable]) -> list[Entity]:
    """What the tables keep, most important first: named after the domain, referenced often, wide; mere links, lookups,
    users and the tables of frameworks come last."""
    referenced = Counter(name.lower() for table in tables for name in table.references)
    telling, common = telling_words(label), _common_word(tables)

    def weight(table: ShownTable) -> float:
        link = len(table.references) >= 2 and len(table.columns) <= len(table.references) + 1
        parts = set(words(table.name))
        factors = {
            0.3: link,
            0.6: len(table.columns) <= 2,
            0.1: infrastructure(table.name),
            0.4: label not in _OUTSIDE and parts <= _EVERYWHERE | AFFIXES,
            2.0: not telling.isdisjoint(parts),
        }
        score = 1 + 3 * min(referenced[table.name.lower()], 6) + min(len(table.columns), 15) / 3 + len(table.references)
        for factor, applies in factors.items():
            score *= factor if applies else 1
        return score / (1 + 0.15 * len(parts - AFFIXES))

    found: dict[str, Entity] = {}
    for table in sorted(tables, key=lambda table: (-weight(table), table.name)):
        name = noun(table.name, common)
        found.setdefault(name, Entity(name, table))
    subject = [entity for entity in found.values() if not infrastructure(entity.table.name)]
    return subject or list(found.values())


def noun(table_name: str, common: str | None = None) -> str:
    """The table's name as an English noun, without affixes and a word that most tables of the schema begin with."""
    parts = words(table_name)
    kept = [word for word in parts if word not in AFFIXES and len(word) > 1]
    if not kept:  # tab_a, tb_info
        kept = [word for word in parts[-1:] if len(word) > 1] or parts or [table_name.strip() or "record"]
    if common and len(kept) > 1 and kept[0] == common:
        kept = kept[1:]
    if len(kept) == 2 and thing_first(table_name):
        kept.reverse()
    return " ".join(dict.fromkeys(kept))


def plural(noun: str) -> str:
    """`episode of care` gives episodes of care."""
    head, of, rest = noun.partition(" of ")
    return " ".join(names.plural_words(head.split(" "))) + of + rest


def _centre(entities: list[Entity]) -> tuple[str | None, list[str]]:
    """The noun of the table that most others reference, and theirs; the most important one where several tie."""
    by_table = {entity.table.name.lower(): entity.noun for entity in entities}
    children: dict[str, list[str]] = {entity.noun: [] for entity in entities}
    for entity in entities:
        for target in entity.table.references:
            centre = by_table.get(target.lower())
            if centre and centre != entity.noun:
                children[centre].append(entity.noun)
    centre = max(children, key=lambda name: len(children[name]), default=None)
    return (centre, list(dict.fromkeys(children[centre]))) if centre and children[centre] else (None, [])


def _common_word(tables: list[ShownTable]) -> str | None:
    """The first word of most tables' names, as an application's prefix is."""
    first = Counter(next((word for word in words(table.name) if word not in AFFIXES), "") for table in tables)
    word, count = first.most_common(1)[0] if first else ("", 0)
    return word if count >= 3 and count > 0.6 * len(tables) else None


def _with_article(noun: str) -> str:
    vowel = noun[0] in "aeiou" and not noun.startswith(("user", "usage", "uni", "use ", "euro"))
    return f"{'an' if vowel else 'a'} {noun}"


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
