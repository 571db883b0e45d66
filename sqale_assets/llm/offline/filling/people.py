"""People, organisations, places and addresses of every sort: values that belong together within a row."""

from __future__ import annotations

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script
from sqale_assets.llm.offline.filling.vocabulary import words_of

_PLACES = {"address.city": 0, "address.country": 1, "address.country_code": 2, "address.state": 3}


def first_name(column: ColumnFacts, script: Script) -> str:
    """One person per row; the first name suits a gender column where there is one."""
    if script.meanings[column.name] == "name.first":
        if "written first" in script.variables:  # firstname2 is another one
            return "fake.first_name()"
        script.variables["written first"] = column.name
    if script.has("gender"):
        female = script.once("female", "rng.random() < 0.5")
        return script.once("first_name", f"fake.first_name_female() if {female} else fake.first_name_male()")
    return script.once("first_name", "fake.first_name()")


def last_name(column: ColumnFacts, script: Script) -> str:
    """The person's surname; a second one (apellido2) is another."""
    if (
        "last_name" in script.variables
        and script.meanings[column.name] == "name.last"
        and "written last" in script.variables
    ):
        return "fake.last_name()"
    if script.meanings[column.name] == "name.last":
        script.variables["written last"] = column.name
    return script.once("last_name", "fake.last_name()")


def full_name(column: ColumnFacts, script: Script) -> str:
    """The row's person; a second person of the same row (father, mother) is someone else."""
    if "full_name" in script.variables:
        return "fake.name()"
    if script.has("name.first", "name.last", "gender"):
        return script.once("full_name", f'{first_name(column, script)} + " " + {last_name(column, script)}')
    return script.once("full_name", "fake.name()")


def person(script: Script) -> str:
    """The name that e-mail addresses and user names of the row follow from."""
    if script.has("name.first", "name.last"):
        any_column = script.table.columns[0]
        return f'{first_name(any_column, script)} + " " + {last_name(any_column, script)}'
    return script.once("full_name", "fake.name()")


def email(column: ColumnFacts, script: Script) -> str:
    return script.variable("email", f"fake.email({person(script)})")


def username(column: ColumnFacts, script: Script) -> str:
    return f"fake.user_name({person(script)})"


def gender(column: ColumnFacts, script: Script) -> str:
    female = script.once("female", "rng.random() < 0.5")
    short = column.length is not None and column.length < 6
    words = ("F", "M") if short else tuple(words_of("genders", script.table.language))
    if column.seen and all(isinstance(value, str) for value in column.seen):
        shapes = {value.lower()[:1]: value for value in column.seen}
        words = (shapes.get("f", words[0]), shapes.get("m", words[1]))
    return f'"{words[0]}" if {female} else "{words[1]}"'


def place(column: ColumnFacts, script: Script, meaning: str) -> str:
    """City, country, code and state of one place; a second city of the row (destination) is another one."""
    used = f"used {meaning}"
    if used in script.variables:
        return f"fake.place()[{_PLACES[meaning]}]"
    script.variables[used] = used
    return f"{script.once('place', 'fake.place()')}[{_PLACES[meaning]}]"


def phone(column: ColumnFacts, script: Script) -> str:
    if column.kind == "integer":
        wide = column.high is None and column.low is None
        return "rng.randint(5550100, 5550199)" if not wide else "rng.randint(555010000, 555019999)"
    return 'fake.bothify("555-01##")' if column.length and column.length < 16 else "fake.phone_number()"


def website(column: ColumnFacts, script: Script) -> str:
    return "fake.url()"


def company(column: ColumnFacts, script: Script) -> str:
    return "fake.company()"
