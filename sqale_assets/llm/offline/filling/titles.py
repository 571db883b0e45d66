"""Names of things and their codes: a row's own name is distinct, its code and slug follow from the name."""

from __future__ import annotations

import re

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.people import full_name
from sqale_assets.llm.offline.filling.script import Script, word_set
from sqale_assets.llm.offline.filling.vocabulary import Naming, naming, unknown, words_of
from sqale_assets.relational.names import singular

#: Words of a column that only say "name": what is left of the column's words names the thing.
_NAME_WORDS = word_set(
    """
    name names title titel titre judul nombre nome nama naam nom nm label designation libelle bezeichnung
    display caption term word heading denomination titulo keyword text full short en fr de es long official
    common local english value
    """
)
SETTINGS = Naming(("{setting}",))
_SLOT = re.compile(r"\{(\w+)\}")


def name(column: ColumnFacts, script: Script) -> str:
    """The name of what the column's words or else the table's say."""
    own = tuple(word for word in column.words if word not in _NAME_WORDS)
    if own and max(map(len, own)) <= 3 and not set(own) & set(script.table.words):
        return full_name(column, script)
    found = naming(own, script.table.context, script.table.language) if own else None
    if found is None and own and not set(map(singular, own)) & set(map(singular, script.table.words)):
        return from_naming(column, script, unknown(" ".join(own).title(), script.table.language), distinct=False)
    of_table = not own or bool(set(map(singular, own)) & set(map(singular, script.table.words)))
    found = (
        found
        or naming(script.table.words, script.table.context, script.table.language)
        or unknown(" ".join(script.table.entity).title(), script.table.language)
    )
    return from_naming(column, script, found, distinct=of_table and "own_name" not in script.variables)


def from_naming(column: ColumnFacts, script: Script, found: Naming, *, distinct: bool) -> str:
    if found.register:
        return _register(column, script, found.register, 0)
    if found.maker:
        if found.maker == "name":
            return full_name(column, script)
        if found.maker == "city":
            return f"{script.once('place', 'fake.place()')}[0]"
        return _owned(script, f"fake.{found.maker}()") if distinct else f"fake.{found.maker}()"
    if column.unique or (distinct and script.table.role in ("lookup", "dimension")):
        return _owned(script, _sequence(script, found)) if distinct else _sequence(script, found)
    draws = [_draw(script, pattern) for pattern in found.patterns]
    return _owned(script, _either(draws)) if distinct else _either(draws)


def _owned(script: Script, expression: str) -> str:
    script.variables["own_name"] = script.variable("name", expression)
    return script.variables["own_name"]


def _sequence(script: Script, found: Naming) -> str:
    """All combinations in a random order, each once as long as they last."""
    parts = []
    for pattern in found.patterns:
        slots = _SLOT.findall(pattern)
        loops = " ".join(
            f"for {slot} in {script.constant(slot, words_of(slot, script.table.language))}" for slot in slots
        )
        parts.append(
            f"[f{_quoted(pattern)} {loops}]"
            if len(slots) > 1 or pattern != f"{{{slots[0]}}}"
            else f"list({script.constant(slots[0], words_of(slots[0], script.table.language))})"
        )
    variable = script.free("names")
    script.setup += [f"{variable} = {' + '.join(parts)}", f"rng.shuffle({variable})"]
    known = len(found.patterns) == 1 and len(found.lists) == 1  # there are no more departments than these
    if known and (
        script.table.role == "lookup" or 3 * len(words_of(slots[0], script.table.language)) >= script.table.count
    ):
        script.limits.append(f"n = min(n, len({variable}))")
    return f"{variable}[i % len({variable})]"


def _draw(script: Script, pattern: str) -> str:
    slots = _SLOT.findall(pattern)
    if pattern == f"{{{slots[0]}}}":
        return f"rng.choice({script.constant(slots[0], words_of(slots[0], script.table.language))})"
    filled = _SLOT.sub(
        lambda match: f"{{rng.choice({script.constant(match[1], words_of(match[1], script.table.language))})}}", pattern
    )
    return f"f{_quoted(filled)}"


def _either(options: list[str]) -> str:
    if len(options) == 1:
        return options[0]
    return f"({options[0]} if rng.random() < {1 / len(options):.2f} else {_either(options[1:])})"


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text else repr(text)


#: What a country's own table says of it: meaning -> item of the register.
_OF_COUNTRY = {"address.country_code": 1, "country.prefix": 3, "code.currency": 4}


def of_country(column: ColumnFacts, script: Script, meaning: str) -> str | None:
    """Code, telephone prefix or currency of the country that the row is; None where it is none."""
    found = naming(script.table.words, script.table.context, script.table.language)
    if found is None or found.register != "country" or meaning not in _OF_COUNTRY:
        return None
    longer = meaning == "address.country_code" and column.length == 3
    return _register(column, script, "country", 2 if longer else _OF_COUNTRY[meaning])


def _register(column: ColumnFacts, script: Script, register: str, item: int) -> str:
    """Item of an official register: name, code, longer code or sign; of countries telephone prefix and currency."""
    if "register" not in script.variables:
        entries = [tuple(entry.split("/")) for entry in words_of(register, script.table.language)]
        variable = script.free("entries")
        script.setup += [f"{variable} = list({script.constant(register, entries)})", f"rng.shuffle({variable})"]
        if script.table.role in ("lookup", "dimension"):
            script.limits.append(f"n = min(n, len({variable}))")
        script.variables["register"] = f"{variable}[i % len({variable})]"
    return f"{script.variables['register']}[{item}]"


def code(column: ColumnFacts, script: Script) -> str:
    """A code: official where there is one, from the row's name in a lookup, else letters of the table and a number."""
    found = naming(script.table.words, script.table.context, script.table.language)
    limit = column.length or 40
    if found is not None and found.register:
        longer = (limit == 3 and found.register != "currency") or bool({"iso3", "symbol"} & set(column.words))
        return _register(column, script, found.register, 2 if longer else 1)
    own_name = script.variables.get("own_name")
    if (
        own_name
        and script.table.role == "lookup"
        and column.last not in ("number", "no", "num", "nr", "reference", "ref")
    ):
        if limit >= 8:
            return f'{own_name}.upper().replace(" ", "_").replace("\'", "")[:{limit}]'
        return f'{own_name}.upper().replace(" ", "")[:{max(2, min(3, limit))}]'
    if limit <= 2:
        return 'fake.bothify("?#")' if limit == 2 else 'fake.bothify("?")'
    prefix = _prefix(column, script)
    if limit < len(prefix) + 5:
        return f'fake.bothify("{"?" * min(2, limit - 1)}{"#" * (limit - min(2, limit - 1))}")'
    if column.unique or column.primary:
        digits = max(4, len(str(script.table.count * 3)))
        return f'f"{prefix}-{{{script.once("serial", "1000 + 3 * i + rng.randint(0, 2)")}:0{digits}d}}"'
    return f'f"{prefix}-{{rng.randint(1000, 9999)}}"'


def _prefix(column: ColumnFacts, script: Script) -> str:
    own = [
        word
        for word in column.words
        if word
        not in ("code", "cd", "no", "number", "num", "nr", "id", "identifier", "key", "ref", "kode", "nomor", "value")
    ]
    words = [word for word in (own or list(script.table.entity)) if word.isascii() and word.isalpha()] or ["ref"]
    return "".join(word[0] for word in words[:3]).upper() if len(words) > 1 else words[0][:3].upper()


def slug(column: ColumnFacts, script: Script) -> str:
    own_name = script.variables.get("own_name")
    if own_name:
        return f're.sub("[^a-z0-9]+", "-", {own_name}.lower()).strip("-")'
    return "fake.slug()"
