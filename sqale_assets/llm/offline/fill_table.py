"""Offline rules for `fill_table`: the prompt's facts in, the source of a Python function out."""

from __future__ import annotations

import re
from dataclasses import replace

from sqale_assets.llm.offline.filling import links, manner, numbers, people, texts, times, titles
from sqale_assets.llm.offline.filling.facts import ColumnFacts, TableFacts, read_facts
from sqale_assets.llm.offline.filling.meanings import meaning_of
from sqale_assets.llm.offline.filling.script import Script, zipf
from sqale_assets.llm.task import Message

#: Meanings that others are computed from come first, those that are computed come last.
_ORDER = {
    "name.first": 0, "name.last": 0, "gender": 0, "date.created": 0, "date.birth": 0, "number.quantity": 0,
    "money.unit": 0, "name": 0, "name.person": 1, "date.start": 1, "date.hired": 1, "time.start": 1,
    "money.subtotal": 1, "money.discount": 2, "money.tax": 2, "money.shipping": 2, "date.end": 2, "time.end": 2,
    "date.expiry": 2, "money.line": 3, "money.total": 3, "date.updated": 3, "date.deleted": 3, "email": 2,
    "username": 2, "code": 2, "file.mime": 2, "file.name": 1, "slug": 2,
}  # fmt: skip

#: Share of NULLs where a column may hold them.
_NULLS = {
    "text.description": 0.12, "text.comment": 0.3, "text.bio": 0.25, "text.reason": 0.3, "phone": 0.12,
    "name.middle": 0.5, "address.second": 0.7, "date.end": 0.15, "date.updated": 0.1, "url.image": 0.2,
    "url.page": 0.25, "money.discount": 0.2, "address.state": 0.1, "date.birth": 0.04, "number.rating": 0.1,
    "": 0.08,
}  # fmt: skip
_NEVER_NULL = frozenset(
    {
        "name", "name.first", "name.last", "name.person", "status", "type", "date.created",
        "date.start", "date.deleted", "money.unit", "money.total", "money.line", "number.quantity", "flag",
    }
)  # fmt: skip

_TIMES = {
    "date.created": times.created, "date.start": times.started, "date.text": times.started, "date.end": times.ended,
    "date.updated": times.updated, "date.expiry": times.expires, "date.deleted": times.deleted,
    "date.birth": times.birth, "date.past": times.past, "date.hired": times.hired, "date.epoch": times.epoch,
}  # fmt: skip
_PEOPLE = {
    "name.first": people.first_name, "name.last": people.last_name, "name.person": people.full_name,
    "email": people.email, "username": people.username, "gender": people.gender, "phone": people.phone,
    "company": people.company, "name": titles.name, "code": titles.code, "slug": titles.slug,
}  # fmt: skip
#: What `Script.pick` draws is short enough already.
_DRAWN = re.compile(r"\w+_drawn(_\d+)?\[i\]")
_INDOORS = frozenset(("meeting", "session", "training", "class", "lesson", "exam", "event", "course", "room", "office"))
_STAYS = frozenset(("booking", "reservation", "stay", "guest", "visit"))
_NUMERIC = ("integer", "decimal", "real", "boolean")


def respond(messages: list[Message]) -> str:
    """A reply with one Python block, as a language model would give it."""
    facts = read_facts(messages)
    meanings = _meanings(facts)
    script = Script(facts, meanings)
    links.write_keys(script)
    for column in sorted(facts.columns, key=lambda column: _ORDER.get(meanings[column.name], 1)):
        if column.name not in script.cells:
            script.cells[column.name] = _cell(column, script, meanings[column.name])
    source = script.source()
    if "re.sub(" in source:
        source = f"import re\n{source}"
    return f"```python\n{source}\n```"


def _meanings(facts: TableFacts) -> dict[str, str]:
    """Meanings of the columns, corrected by what stands beside them and by their limits."""
    meanings = {column.name: meaning_of(column.words, column.kind) for column in facts.columns}
    for column in facts.columns:
        meaning = meanings[column.name]
        if meaning == "name.first" and "first" not in column.name.lower() and "name.last" not in meanings.values():
            meanings[column.name] = "name"  # nombre, prenom: of whatever the table holds
        elif meaning in ("date.start", "date.end") and _STAYS & set(facts.words):
            if {"arrival", "arrives", "departure", "departs"} & set(column.words):  # guests arrive first, trains depart
                meanings[column.name] = "date.start" if column.words[0].startswith("arriv") else "date.end"
        elif meaning == "date.epoch" and column.high is not None and column.high < 1e9:
            meanings[column.name] = "flag"
    return meanings


def _cell(column: ColumnFacts, script: Script, meaning: str) -> str:
    expression = _expression(column, script, meaning)
    limited = column.kind in ("text", "enum") and column.length is not None and column.length < 60
    if limited and not _surely_short(expression):
        expression = f"({expression})[:{column.length}]"
    share = 0.0 if meaning in _NEVER_NULL or column.required else _NULLS.get(meaning, 0.05)
    if column.unique or share == 0.0 or script.table.count < 8:
        return expression
    given = f"({expression})" if " if " in expression else expression
    return f"{given} if rng.random() > {share} else None"


def _surely_short(expression: str) -> bool:
    return expression.startswith(('"', "fake.bothify(", "fake.hexify(", "str(")) or bool(_DRAWN.fullmatch(expression))


def _expression(column: ColumnFacts, script: Script, meaning: str) -> str:
    if column.allowed and (changed := texts.change(column, script, column.allowed)) is not None:
        return changed
    if column.allowed and column.words == ("contact", "type"):
        return script.once("contact kind", script.pick("contact_kinds", column.allowed, zipf(len(column.allowed))))
    if column.allowed:
        return script.pick(f"{column.name}_values", column.allowed, zipf(len(column.allowed)))
    if column.kind == "text" and meaning not in _TIMES and times.are_dates(column.seen):
        return times.started(column, script)
    if (as_before := manner.continued(column, script, meaning)) is not None:
        return as_before
    if column.words == ("contact", "value") and "contact kind" in script.variables:
        return f'fake.email() if {script.variables["contact kind"]} == "email" else fake.phone_number()'
    if column.kind in ("text", "enum") and (own := texts.own(column, script)) is not None:
        return own
    if column.name in script.table.complaints and column.kind in ("text", "enum"):
        return "fake.catch_phrase()"
    if meaning in _TIMES:
        return _TIMES[meaning](column, script)
    if meaning.startswith("time."):
        return times.time_of_day(column, script, meaning)
    if meaning == "flag" and column.kind in ("text", "enum"):
        return texts.flag_letter(column, script)
    if column.kind in _NUMERIC and not meaning.startswith(("phone", "address.", "code.", "status")):
        return numbers.number(column, script, meaning)
    if column.kind == "text" and meaning.startswith(("number.", "money.", "geo.")):
        whole = not meaning.startswith(("money.", "geo.", "number.percent", "number.weight", "number.temperature"))
        return f"str({numbers.number(replace(column, kind='integer' if whole else 'decimal'), script, meaning)})"
    return _text(column, script, meaning)


def _text(column: ColumnFacts, script: Script, meaning: str) -> str:
    if (known := titles.of_country(column, script, meaning)) is not None:
        return known
    if column.kind == "integer" and meaning == "status":
        return "rng.choices([0, 1, 2, 3], [14, 58, 18, 10])[0]"
    if column.kind == "integer" and meaning == "address.zip":
        return "rng.randint(10000, 98999)"
    if column.kind == "integer" and meaning.startswith("code."):
        return "rng.randint(1000000, 9999999)"
    if column.kind == "binary":
        return "fake.hexify(16)"
    if column.kind == "json":
        return texts.MACHINE["json"]
    if column.kind in ("date", "datetime"):
        return times.started(column, script)
    if meaning in ("address.city", "address.country", "address.country_code", "address.state"):
        short = column.length is not None and column.length <= 3
        if short and column.length == 3 and meaning != "address.state":
            return script.pick("iso3", ["USA", "GBR", "DEU", "FRA", "ESP", "ITA", "JPN", "CAN"], zipf(8))
        if short and meaning == "address.country":
            return people.place(column, script, "address.country_code")
        return people.place(column, script, meaning)
    if meaning == "period":
        return f"str({times.moment(script)})[:7]" if (column.length or 7) >= 7 else f"str({times.moment(script)})[2:7]"
    if meaning == "country.prefix":
        return script.pick("prefixes", ["+33", "+49", "+34", "+39", "+44", "+1", "+31", "+351"], zipf(8))
    if meaning == "name.setting":
        return titles.from_naming(column, script, titles.SETTINGS, distinct=False)
    if meaning == "address.street" and any("house" in other.words for other in script.table.columns):
        return "fake.street_name()"
    if meaning == "place.room" and column.last in ("text", "name") and not _INDOORS & set(script.table.words):
        return f"{script.once('place', 'fake.place()')}[0]"
    if meaning == "place.code":
        return texts.place_code(column, script)
    if meaning == "name.place":
        return titles.from_naming(
            column, script, titles.Naming((f"{{placeword}} {column.words[0].title()}",)), distinct=False
        )
    if meaning == "name.stage":
        return titles.from_naming(
            column, script, titles.naming(("artist",)) or titles.unknown("Artist"), distinct=False
        )
    if meaning == "file.path" and {"image", "images", "photo", "photos", "picture", "media"} & set(script.table.words):
        return texts.MACHINE["url.image"]
    if meaning == "url.page" and {"image", "images", "photo", "photos", "picture", "media"} & set(script.table.words):
        return texts.MACHINE["url.image"]
    if meaning in _PEOPLE:
        return _PEOPLE[meaning](column, script)
    if meaning == "file.name":
        return script.once("file", texts.MACHINE[meaning])
    if meaning == "file.mime" and "file" in script.variables:
        return texts.mime_of(script.variables["file"], script)
    if meaning in texts.MACHINE:
        hashed = meaning in ("hash", "token") and column.length is not None and column.length < 40
        return f"fake.hexify({column.length})" if hashed else texts.MACHINE[meaning]
    if meaning.startswith("text."):
        return texts.sentence(column, script, meaning)
    if column.unique and texts.closed(column, script, meaning):
        return titles.name(column, script)  # as many as there are rows, not a handful
    return texts.closed(column, script, meaning) or texts.fallback(column, script)
