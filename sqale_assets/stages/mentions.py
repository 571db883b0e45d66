"""What the words of a question mean in the data: the columns and references that it speaks of.

Told to whoever writes a note on a question, in words instead of identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqale_assets.relational import names
from sqale_assets.relational.model import Schema, Table
from sqale_assets.stages.value_index import words_of

#: Mentions told of one question.
MOST = 8
#: Words that say what kind of object a table is, and nothing about what it holds.
_KIND_WORDS = frozenset(("tb", "tbl", "tab", "table", "t", "dim", "fact", "fct", "mst", "tr", "m", "r", "g", "z"))
_KEY_WORDS = frozenset(("id", "key", "fk", "no", "code", "uuid", "ref"))


def thing(table: str) -> str:
    """What one row of a table is called: `tbl_order_items` gives order item."""
    words = names.words(table.rpartition(".")[2])
    while len(words) > 1 and words[0] in _KIND_WORDS:
        words = words[1:]
    return " ".join(names.singular_words(words))


def column_words(name: str) -> str:
    """What a column is called: `unit_price` gives unit price, `shipped_at` shipped date."""
    words = names.words(name)
    return " ".join((*words[:-1], "date") if len(words) > 1 and words[-1] in ("at", "on") else words)


def mentions(question: str, tables: Sequence[str], schema: Schema) -> tuple[dict[str, str], ...]:
    """Terms of `question` with their place among `tables`, references first.

    {"term": "buyer", "of": "order", "refers to": "customer"} for a foreign key, {"term": "unit price", "of": "product"}
    for a column.
    """
    said = words_of(question)
    spoken = [table for name in tables if (table := schema.table(name)) and set(thing(name).split()) <= said]
    found = [mention for table in spoken for mention in _references(table, said)]
    found += [mention for table in spoken for mention in _columns(table, said)]
    return tuple(found[:MOST])


def _references(table: Table, said: frozenset[str]) -> Iterator[dict[str, str]]:
    for key in table.foreign_keys:
        target = thing(key.target_table)
        words = tuple(word for word in names.words(key.columns[0]) if word not in _KEY_WORDS)
        role = " ".join(words) if words and {names.singular(word) for word in words} <= said else target
        if set(role.split()) <= said and key.target_table != table.name:
            yield {"term": role, "of": thing(table.name), "refers to": target}


def _columns(table: Table, said: frozenset[str]) -> Iterator[dict[str, str]]:
    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    own = words_of(table.name)
    for column in table.columns:
        words = [word for word in column_words(column.name).split() if word not in own]
        if column.name not in keys and words and {names.singular(word) for word in words} <= said:
            yield {"term": " ".join(words), "of": thing(table.name)}
