"""Running text and everything else that is written: sentences from templates, machine strings, fallbacks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqale_assets.llm.offline.filling import titles
from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script, zipf
from sqale_assets.llm.offline.filling.vocabulary import choices, naming, sentences, words_of
from sqale_assets.relational.names import singular

_SLOT = re.compile(r"\{(\w+)\}")

#: Meaning -> expression of strings that machines write and read.
MACHINE = {
    "id.uuid": "fake.uuid4()",
    "hash": "fake.hexify(40)",
    "token": "fake.hexify(32)",
    "ip": "fake.ipv4()",
    "host": "f\"{rng.choice(['app', 'web', 'db', 'mail', 'cache', 'build'])}-{rng.randint(1, 24):02d}\"",
    "domain": "fake.domain_name()",
    "useragent": "fake.user_agent()",
    "url.image": 'f"/images/{fake.word()}-{rng.randint(100, 999)}.jpg"',
    "url.page": "fake.url()",
    "file.name": "fake.file_name()",
    "file.path": "fake.file_path()",
    "mac": "fake.mac_address()",
    "cron": 'f"0 {rng.choice([0, 15, 30, 45])} {rng.randint(0, 23)} * * ?"',
    "class": 'f"com.example.{fake.word()}.{fake.word().title()}" + rng.choice(["Job", "Service", "Task"])',
    "json": 'f\'{{"source": "{rng.choice(["web", "mobile", "import"])}", "version": {rng.randint(1, 5)}}}\'',
    "expression": 'rng.choice(["amount", "quantity", "age"]) + rng.choice([" > ", " < "]) + str(rng.randint(1, 99))',
    "css": 'rng.choice(["btn-primary", "btn-light", "card", "badge-info", "text-muted"])',
    "version": 'f"{rng.randint(1, 4)}.{rng.randint(0, 12)}.{rng.randint(0, 9)}"',
    "code.isbn": "fake.isbn13()",
    "code.barcode": "fake.ean13()",
    "code.iban": "fake.iban()",
    "code.card": 'fake.bothify("**** **** **** ####")',
    "code.national": 'fake.bothify("##-#######")',
    "code.plate": 'fake.bothify("??-###-??")',
    "code.colour": "fake.hex_color()",
    "code.flight": 'rng.choice(["LH", "AF", "BA", "KL", "SK", "IB"]) + str(rng.randint(100, 2990))',
    "code.ticker": 'fake.bothify("???")',
    "code.licence": '"-".join([fake.hexify(5).upper() for _ in range(4)])',
    "code.bic": 'fake.bothify("????") + rng.choice(["DEFF", "FRPP", "ESMM", "GB2L", "NL2A"])',
    "code.doi": 'f"10.{rng.randint(1001, 9899)}/{fake.word()}.{rng.randint(2008, 2025)}.{rng.randint(10, 990)}"',
    "code.vin": 'fake.bothify("W??##???###") + str(rng.randint(100000, 999999))',
    "place.seat": 'str(rng.randint(1, 38)) + rng.choice("ABCDEF")',
    "place.room": 'rng.choice(["Room 104", "Room 212", "Hall A", "Hall B", "Main building", "Annex", "Workshop"])',
    "address.second": 'f"Apt. {rng.randint(1, 48)}"',
    "address.street": "fake.street_address()",
    "address.zip": "fake.postcode()",
    "name.middle": 'fake.bothify("?") + "."',
    "title.person": 'rng.choice(["Mr", "Ms", "Dr", "Prof"])',
    "job": "fake.job()",
    "range": 'f"{rng.randint(2, 40)}-{rng.randint(45, 160)}"',
    "value": 'rng.choice(["true", "false", "30", "120", "en", "weekly", "blue", "1.5", "default", "25", "none"])',
}

#: Meaning -> (meaning in choices.txt) where they differ.
_CLOSED = {
    "code.currency": "currency",
    "code.language": "language",
    "code.locale": "locale",
    "code.timezone": "timezone",
    "file.mime": "mime",
    "file.extension": "extension",
    "format": "format",
}


def own(column: ColumnFacts, script: Script) -> str | None:
    """A value of the vocabulary that belongs to a column of just this name; None where there is none."""
    pairs = choices("_".join(column.words), script.table.words, file="columns.txt")
    fitting = [pair for pair in pairs if column.length is None or len(pair[0]) <= column.length]
    if len(fitting) < 2 or column.unique or column.primary:
        return None
    return script.pick(f"{column.name}_values", [value for value, _ in fitting], [weight for _, weight in fitting])


def change(column: ColumnFacts, script: Script, values: Sequence[str]) -> str | None:
    """The old and the new status of a row: one that comes later; None where the column has no such other half."""
    halves = {other.words[0] for other in script.table.columns if other.words[1:] == column.words[1:]}
    if len(values) < 3 or not {"old", "new"} <= halves or column.words[0] not in ("old", "new"):
        return None
    stages, at = script.constant("stages", values), script.once("stage", f"rng.randrange({len(values) - 1})")
    later = f"min({at} + rng.choice([1, 1, 1, 2]), {len(values) - 1})"
    return f"{stages}[{at if column.words[0] == 'old' else later}]"


def place_code(column: ColumnFacts, script: Script) -> str:
    """Where something stands: a small number, counted up where each is its own."""
    if column.unique or column.primary:
        return "str(101 + i)"
    if "shelf" in column.words:
        return "f\"{rng.choice('ABCDEF')}-{rng.randint(1, 24):02d}-{rng.randint(1, 6)}\""
    if "house" in column.words:
        return 'str(rng.randint(1, 140)) + rng.choice(["", "", "", "", "a", "b"])'
    return "str(rng.randint(1, 60))"


def closed(column: ColumnFacts, script: Script, meaning: str) -> str | None:
    """A value of a closed vocabulary, the common ones more often; None where there is no such vocabulary."""
    of_table = tuple(column.words[:-1]) + script.table.words
    if column.last == "method":
        payment = {"payment", "payments", "transaction", "invoice", "payout", "refund", "payroll", "donation"}
        meaning = "paymentmethod" if payment & set(of_table) else "type"
    pairs = choices(_CLOSED.get(meaning, meaning), of_table, script.table.language)
    if meaning == "type" and pairs == choices("type", (), script.table.language):
        found = naming(
            tuple(word for word in script.table.words if word not in ("type", "types")),
            script.table.context,
            script.table.language,
        )
        if found is not None and found.lists:
            values = [value.lower() for value in words_of(found.lists[-1], script.table.language)[:7]]
            pairs = tuple(zip(values, zipf(len(values)), strict=True))
    fitting = [pair for pair in pairs if column.length is None or len(pair[0]) <= column.length]
    if not pairs:
        return None
    if len(fitting) < 2:
        letters = list(dict.fromkeys(value[: column.length].upper() for value, _ in pairs))
        return script.pick(meaning, letters, zipf(len(letters)))
    if (changed := change(column, script, [value for value, _ in fitting])) is not None:
        return changed
    name = f"{column.name}s" if not column.name.endswith("s") else column.name
    return script.pick(name, [value for value, _ in fitting], [weight for _, weight in fitting])


def sentence(column: ColumnFacts, script: Script, meaning: str) -> str:
    """A sentence of that meaning, with the slots drawn per row."""
    kind = meaning.removeprefix("text.")
    table = {singular(word) for word in script.table.words}
    if kind == "body" and table & {"comment", "review", "feedback", "reply", "rating", "note"}:
        kind = "comment"
    elif kind == "body" and table & {"message", "notification", "chat", "mail", "email", "sms"}:
        kind = "message"
    elif column.last == "summary" and table & {"issue", "ticket", "bug", "incident", "task"}:
        return titles.from_naming(column, script, naming(script.table.words) or titles.unknown("Issue"), distinct=False)
    if column.last == "instructions":
        kind = "instructions"
    if column.length is not None and column.length < 24:
        return closed(column, script, "reason") or "fake.word()"
    templates = sentences(kind, script.table.words, script.table.language) or sentences(
        "description", script.table.words, script.table.language
    )
    return titles._either([_filled(script, template) for template in templates])


def _filled(script: Script, template: str) -> str:
    def spoken(match: re.Match[str]) -> str:
        return f"{{rng.choice({script.constant(match[1], words_of(match[1], script.table.language))})}}"

    if _SLOT.fullmatch(template):
        return spoken(_SLOT.fullmatch(template))[1:-1]  # type: ignore[arg-type]
    return f"f{titles._quoted(_SLOT.sub(spoken, template))}"


def fallback(column: ColumnFacts, script: Script) -> str:
    """Text of no known meaning: what the column's own words name, else a short code or a plain word."""
    if column.last in ("id", "ids", "by", "uid", "key"):
        return titles.code(column, script)
    if column.length == 1:
        return flag_letter(column, script)
    if column.long:
        return sentence(column, script, "text.description")
    found = (
        naming(column.words, script.table.context, script.table.language)
        if column.last not in ("index", "no", "number")
        else None
    )
    if found is not None and not (column.length and column.length < 20):
        return titles.from_naming(column, script, found, distinct=False)
    if column.length is not None and column.length <= 2:
        return script.pick("letters", ["A", "B", "C", "N", "S"], zipf(5))
    if column.length is not None and column.length <= 6:
        return titles.code(column, script)
    if any(column.last.endswith(ending) for ending in ("type", "kind", "mode", "class", "scheme")):
        return script.pick(f"{column.name}s", ["standard", "extended", "internal", "external", "custom"], zipf(5))
    words = [word.lower() for word in words_of("general", script.table.language)][:14]
    return script.pick("attributes", words, zipf(len(words)))


def mime_of(file: str, script: Script) -> str:
    """The media type of the row's file, by the ending of its name."""
    types = {
        "pdf": "application/pdf",
        "png": "image/png",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
    script.constants["MIME_TYPES"] = repr(types)
    return f'MIME_TYPES[{file}.rsplit(".", 1)[-1]]'


def flag_letter(column: ColumnFacts, script: Script) -> str:
    """A yes or no kept as text, as the original rows spell it."""
    shown = {value for value in column.seen if isinstance(value, str)}
    pairs = (
        ("Y", "N"),
        ("y", "n"),
        ("t", "f"),
        ("T", "F"),
        ("true", "false"),
        ("yes", "no"),
        ("Yes", "No"),
        ("1", "0"),
    )
    yes, no = next((pair for pair in pairs if shown and shown <= set(pair)), ("Y", "N"))
    return f'"{yes}" if rng.random() < 0.7 else "{no}"'
