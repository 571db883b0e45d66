"""Whether the phrasings of a question ask what its gold query answers.

Belongs here: comparing finished phrasings with the SQL. When the rewrites are made there is no query yet, so they are
checked against the question alone (`style_checks`); here both are at hand, and a question with a phrasing that does
not fit its query is not published.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from sqlglot import exp

from sqale_assets.sqlenv.grounding import Words
from sqale_assets.sqlenv.sqlfacts import Constant, parse_select, sql_facts
from sqale_assets.stages.mentions import column_words, thing
from sqale_assets.stages.style_checks import EVIDENCE, gives_away
from sqale_assets.stages.style_fidelity import LEAVES_OUT, kept

#: Constants that no words need stand for: what flags are stored as, none, one, several, a percentage.
_UNSAID = frozenset(("", "y", "n", "t", "f", "yes", "no", "true", "false"))
_COMMON = frozenset((0, 1, 2, 100))
_CODE = re.compile("[A-Z]{3,5}")


def misfits(phrasings: Mapping[str, str], sql: str) -> tuple[str, ...]:
    """What keeps each phrasing from asking for the rows of `sql`, as "style: reason"; empty when all of them fit.

    A constant that the query compares with stands in every phrasing whose style keeps values, or at least in the
    evidence. The note of the evidence speaks of what the query reads, puts its values where the query looks for them,
    and does not give the SQL away.
    """
    return _misfits(tuple(phrasings.items()), sql)


@lru_cache(maxsize=8192)
def _misfits(phrasings: tuple[tuple[str, str], ...], sql: str) -> tuple[str, ...]:
    texts = dict(phrasings)
    needed = [constant for constant in sql_facts(sql).literals if _needed(constant)]
    note = texts.get("evidence_supported", "").partition(EVIDENCE)[2]
    explained = [constant for constant in needed if _says(Words(note), constant)]
    # What the question says by a word, all styles that keep values say, if perhaps with a slip in it.
    shortened = [constant for constant in needed if _abbreviated(constant.value, texts.get("verbose", "").lower())]
    found = []
    for style, text in phrasings:
        words = Words(text)
        for constant in needed:
            said = _says(words, constant) or constant in explained or constant in shortened
            if style not in LEAVES_OUT and not said:
                found.append(f"{style}: it does not say {constant.value!r}, which the query compares with")
    found += [f"evidence_supported: {fault}" for fault in _note_faults(note, explained, sql)]
    return tuple(found)


def _needed(constant: Constant) -> bool:
    if isinstance(constant.value, str):
        return constant.value.strip("%").lower() not in _UNSAID
    return constant.value not in _COMMON


def _says(words: Words, constant: Constant) -> bool:
    return words.mention(constant.value, part=constant.use == "pattern")


def _abbreviated(value: int | float | str, text: str) -> bool:
    """Whether `value` is a code that a word of the text begins with: 'LEG' for legumes."""
    return bool(isinstance(value, str) and _CODE.fullmatch(value) and re.search(rf"\b{value.lower()}", text))


def _note_faults(note: str, explained: list[Constant], sql: str) -> Iterator[str]:
    if gives_away(note):
        yield "its note gives SQL or identifiers away"
    if not kept(_read(sql), note) and not explained:
        yield "its note speaks of nothing that the query reads"
    sentences = [(each, Words(each)) for each in re.split(r"(?<=[.;])\s+", note)]
    for value in dict.fromkeys(each.value for each in explained):
        places = [each for each in explained if each.value == value]
        about = " ".join(text for text, words in sentences if _says(words, places[0]))
        if all(each.column for each in places) and not any(kept(_place(each), about) for each in places):
            yield f"its note puts {value!r} elsewhere than {places[0].table or ''}.{places[0].column}"


def _place(constant: Constant) -> tuple[str, ...]:
    """The words for the column that a constant is compared with, or for its table."""
    return tuple(f"{column_words(constant.column or '')} {thing(constant.table or '')}".split())


@lru_cache(maxsize=8192)
def _read(sql: str) -> tuple[str, ...]:
    """The words for the tables and columns that a query names."""
    tree = parse_select(sql)
    tables = {thing(each.name) for each in tree.find_all(exp.Table)}
    columns = {column_words(each.name) for each in tree.find_all(exp.Column)}
    return tuple(sorted({word for name in tables | columns for word in name.split()}))
