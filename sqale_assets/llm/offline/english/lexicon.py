"""The phrases of a schema: what its tables, columns and keys are called in the controlled English.

A phrase depends on the table alone, so that a writer who sees a part of the schema and an agent who sees
another part say the same. Several tables or columns may go by one phrase; the lexicon then gives them all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

from sqale_assets.llm.offline.english import words
from sqale_assets.llm.offline.english.grammar import Terminal, Token, tokens
from sqale_assets.llm.offline.english.meaning import Day, Link
from sqale_assets.relational import names
from sqale_assets.relational.model import Schema, Table

#: Words before a table's name that say what kind of object it is.
_TECHNICAL_TEXT = "tb tbl tab table t dim fact fct mst ms tr m r g z"
_TECHNICAL = frozenset(_TECHNICAL_TEXT.split())
#: Words around a key's name that say that it is a key.
_KEY_TEXT = "id ids fk key no nr num number code uuid guid ref pk reference idx oid"
_KEY_WORDS = frozenset(_KEY_TEXT.split())
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
#: Words of a key that pick one of many: of a department's lecturers one is its head. The noun alone says too little.
_PICKING_TEXT = "head default main current primary preferred responsible first last previous next original latest chief"
_PICKING = frozenset(_PICKING_TEXT.split())
#: Words before "at" or "on", as the point in time is called; any other word is put before "date".
_TIMES = {
    "created": "creation date", "updated": "last update", "modified": "last update", "deleted": "deletion date",
    "starts": "start date", "ends": "end date", "begins": "start date", "expires": "expiry date", "given": "grant date",
}  # fmt: skip


def noun_of(table: str) -> str:
    """What one row of the table is called, in the singular: `tbl_order_items` gives "order item"."""
    spoken = words.spoken(table.rpartition(".")[2])
    while len(spoken) > 1 and spoken[0] in _TECHNICAL:
        spoken = spoken[1:]
    if len(spoken) > 1 and words.is_prefix(spoken[0]) and words.is_noun(spoken[-1]):
        spoken = spoken[1:]
    while len(spoken) > 1 and spoken[-1] in ("table", "tbl", "tb"):
        spoken = spoken[:-1]
    if not spoken:
        return "row"
    plural = spoken[-1].endswith("s") and names.singular(spoken[-1]) != spoken[-1]
    if not (plural or words.is_noun(spoken[-1])) or words.is_uncountable(spoken[-1]):
        return " ".join((*spoken, "record"))
    return " ".join(names.singular_words(spoken))


def _column_words(name: str, kind: str) -> tuple[str, ...]:
    spoken = words.spoken(name)
    if not spoken:
        return (name.lower(),)
    if words.is_flag(spoken):
        return (*spoken[1:], "flag")
    if kind == "boolean" and spoken[-1] != "flag":
        return (*spoken, "flag")
    if len(spoken) > 1 and spoken[-1] in ("at", "on"):
        head = _TIMES.get(spoken[-2], f"{spoken[-2]} date").split()
        before = spoken[:-3] if spoken[-3:-2] == tuple(head[:1]) else spoken[:-2]
        return (*before, *head)
    if len(spoken) > 1 and spoken[-1] == "by" and spoken[-2] in words.DOERS:
        return (*spoken[:-2], *words.DOERS[spoken[-2]].split())
    return spoken


def column_phrases(table: Table) -> dict[str, str]:
    """Column name -> phrase. Words that only repeat the table, or that all columns begin with, are left out."""
    full = {column.name: _column_words(column.name, column.kind) for column in table.columns}
    noun = tuple(noun_of(table.name).split())
    keys = {name for key in table.foreign_keys for name in key.columns}
    firsts = Counter(spoken[0] for name, spoken in full.items() if len(spoken) > 1)
    common = {first for first, count in firsts.items() if count >= 3 and count >= 0.6 * len(full)}
    short: dict[str, tuple[str, ...]] = {}
    for name, spoken in full.items():
        rest = spoken
        if name not in keys:
            if spoken[: len(noun)] == noun:
                rest = spoken[len(noun) :]
            elif abbreviates(names.words(name)[:1], noun[-1]) or spoken[0] == noun[-1] or spoken[0] in common:
                rest = spoken[1:]
            elif spoken[-len(noun) :] == noun:
                rest = spoken[: -len(noun)]
        short[name] = rest if rest and rest != ("flag",) else spoken
        if short[name] in (("number",), ("count",)):  # "their number" is how many there are
            short[name] = (noun[-1], *short[name])
    phrases: dict[str, str] = {}
    times = Counter(short.values())
    for name, spoken in short.items():
        phrases[name] = " ".join(spoken if times[spoken] == 1 else full[name])
    return phrases


def abbreviates(written: Sequence[str], noun: str) -> bool:
    """Whether the words of an identifier are one that begins the noun: doc in a doctor's table is no document."""
    return len(written) == 1 and len(written[0]) >= 3 and written[0] != noun and noun.startswith(written[0])


def links_of(table: Table) -> tuple[Link, ...]:
    """The table's foreign keys as links."""
    return tuple(Link(table.name, key.columns, key.target_table, key.target_columns) for key in table.foreign_keys)


def role_of(link: Link, rivals: Sequence[Link]) -> str:
    """What the child calls its parent: "manager" for `manager_id`, the parent's noun where the key says no more.

    `rivals` are all links of the child; where two lead to one table the phrase tells them apart.
    """
    noun = noun_of(link.parent)
    spoken = list(words.spoken(link.columns[0])) if len(link.columns) == 1 else []
    target = list(words.spoken(link.parent_columns[0]))
    while spoken and target and spoken[-1] == target[-1]:
        spoken.pop()
        target.pop()
    while spoken and spoken[-1] in _KEY_WORDS:
        spoken.pop()
    while spoken and spoken[0] in ("id", "fk", "cod", "ref"):
        spoken.pop(0)
    if len(spoken) > 1 and spoken[-1] == "by":
        spoken = [*spoken[:-2], *words.DOERS.get(spoken[-2], f"{spoken[-2]} by").split()]
    if len(spoken) > 1 and spoken[-1] == "to" and spoken[-2].endswith("ed"):
        spoken = [*spoken[:-1], "party"]
    written = [word for word in names.words(link.columns[0]) if word not in _KEY_WORDS]
    if len(link.columns) == 1 and abbreviates(written, noun.split()[-1]):
        spoken = noun.split()
    phrase = " ".join(spoken)
    parallel = sum(1 for rival in rivals if rival.parent == link.parent) > 1
    if (
        not phrase
        or phrase in (noun, noun_of(link.child))
        or names.singular_words(tuple(spoken)) == tuple(noun.split())
    ):
        return f"parent {noun}" if link.child == link.parent else noun
    if not all(words.is_readable(word) for word in spoken) or spoken[-1] in ("by", "to", "from", "of"):
        return f"{phrase} {noun}" if parallel or link.child == link.parent else noun
    named = _names_a_thing(spoken[-1])
    if parallel or link.child == link.parent:
        return phrase if named else f"{phrase} {noun}"
    if not named and _PICKING & set(spoken):
        return phrase if spoken[-1] == noun.split()[-1] else f"{phrase} {noun}"
    return phrase if named and not _same_words(phrase, noun) else noun


def _names_a_thing(word: str) -> bool:
    """Whether a key's last word can stand for what it leads to: a manager, a parent; but not a shipping."""
    return word.endswith(("er", "or", "ee")) or (words.is_noun(word) and not word.endswith(("ing", "tion")))


def _same_words(phrase: str, noun: str) -> bool:
    """Whether the key's name only abbreviates or repeats the parent's noun."""
    return set(phrase.split()) <= set(noun.split()) or phrase.replace(" ", "") == noun.replace(" ", "")


class Lexicon:
    """The phrases of a schema or a part of it. Keys to tables outside of the part are known by their role."""

    def __init__(self, schema: Schema):
        self.schema = schema
        self.tables = {table.name: table for table in schema.tables}
        self.nouns: dict[str, list[str]] = defaultdict(list)
        self._columns: dict[str, dict[str, str]] = {}
        self._links: dict[str, dict[Link, str]] = {}
        for table in schema.tables:
            self.nouns[noun_of(table.name)].append(table.name)
            self._columns[table.name] = column_phrases(table)
            links = [link for link in dict.fromkeys(links_of(table)) if link.parent in self.tables]
            self._links[table.name] = {link: role_of(link, links_of(table)) for link in links}

    def noun(self, table: str) -> str:
        return noun_of(table)

    def column(self, table: str, column: str) -> str:
        return self._columns[table][column]

    def columns_called(self, table: str, phrase: str) -> list[str]:
        return [name for name, each in self._columns[table].items() if each == phrase]

    def role(self, link: Link) -> str:
        return self._links[link.child][link]

    def links_out(self, table: str) -> list[Link]:
        return list(self._links[table])

    def links_in(self, table: str) -> list[Link]:
        return [link for links in self._links.values() for link in links if link.parent == table]

    def links_called(self, table: str, role: str) -> list[Link]:
        """The keys of the table that go by `role`, or that lead to a table of that name and have no rival."""
        exact = [link for link, each in self._links[table].items() if each == role]
        if exact:
            return exact
        to = [link for link in self._links[table] if noun_of(link.parent) == role]
        return to if len(to) == 1 else []

    @cached_property
    def terminals(self) -> dict[str, Terminal]:
        """Readers of the grammar's terminal symbols over this schema's phrases."""
        nouns = _Phrases((form, noun) for noun in self.nouns for form in (noun, words.plural(noun)))
        columns = {phrase for phrases in self._columns.values() for phrase in phrases.values()}
        column = _Phrases((form, phrase) for phrase in sorted(columns) for form in (phrase, words.plural(phrase)))
        flag = _Phrases((phrase[:-5], phrase) for phrase in sorted(columns) if phrase.endswith(" flag"))
        deed = _Phrases((done, phrase) for phrase in sorted(columns) if (done := words.deed(phrase)))
        roles = {role for links in self._links.values() for role in links.values()}
        roles |= {noun_of(link.parent) for links in self._links.values() for link in links}
        role = _Phrases((phrase, phrase) for phrase in sorted(roles))
        return {
            "noun.one": nouns, "noun.many": nouns, "column": column, "columns": column, "flag": flag, "role": role,
            "deed": deed, "past": deed, "text": _text, "number": _number, "several": _several, "day": _day,
            "month": _month,
        }  # fmt: skip


class _Phrases:
    """A terminal that reads any of a set of phrases."""

    def __init__(self, forms):
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for form, value in dict.fromkeys(forms):
            read = tuple(token.text for token in tokens(form))
            if read:
                self._by_first[read[0]].append((read, value))

    def __call__(self, read: Sequence[Token], start: int) -> list[tuple[str, int]]:
        if start >= len(read) or read[start].kind == "text":
            return []
        return [
            (value, start + len(form))
            for form, value in self._by_first.get(read[start].text, ())
            if tuple(token.text for token in read[start : start + len(form)]) == form
        ]


def _text(read: Sequence[Token], start: int) -> list[tuple[str, int]]:
    return [(read[start].raw, start + 1)] if start < len(read) and read[start].kind == "text" else []


def _number(read: Sequence[Token], start: int) -> list[tuple[int | float, int]]:
    if start >= len(read) or read[start].kind != "number":
        return []
    raw = read[start].raw
    return [(float(raw) if "." in raw else int(raw), start + 1)]


def _several(read: Sequence[Token], start: int) -> list[tuple[int | float, int]]:
    return [(value, end) for value, end in _number(read, start) if value >= 2 and isinstance(value, int)]


def _day(read: Sequence[Token], start: int) -> list[tuple[Day, int]]:
    return [(Day(read[start].raw), start + 1)] if start < len(read) and read[start].kind == "day" else []


def _month(read: Sequence[Token], start: int) -> list[tuple[int, int]]:
    if start < len(read) and read[start].text in _MONTHS:
        return [(_MONTHS.index(read[start].text) + 1, start + 1)]
    return []


#: Flags that read as adjectives: "marked as active", but not "marked as requires symbol".
_ADJECTIVE = re.compile(r"^\w*(?:ed|able|ible|al|ic|ive|ous|ent|ant|en|line|default|main|primary|new|free) flag$")

#: Worded values -> text, for rendering.
SPOKEN = {
    "noun.one": lambda noun: noun,
    "noun.many": words.plural,
    "column": lambda phrase: phrase,
    "columns": lambda phrase: phrase if phrase.endswith("flag") else words.plural(phrase),
    "flag": lambda phrase: phrase[:-5] if _ADJECTIVE.search(phrase) else _refuse(phrase),
    "deed": lambda phrase: words.deed(phrase) or _refuse(phrase),
    "past": lambda phrase: done if (done := words.deed(phrase)) and not done.endswith("ing") else _refuse(phrase),
    "role": lambda phrase: phrase,
    "text": lambda value: f'"{value}"' if isinstance(value, str) else _refuse(value),
    "number": lambda value: _refuse(value) if isinstance(value, str | Day | bool) else str(value),
    "several": lambda value: str(value) if isinstance(value, int) and value >= 2 else _refuse(value),
    "day": lambda value: value.iso if isinstance(value, Day) else _refuse(value),
    "month": lambda value: _MONTHS[value - 1].capitalize(),
}


def _refuse(value: object) -> str:
    raise LookupError(f"{value!r} has no wording here")
