"""Continuing what original rows show: their vocabulary, their codes, their numbering."""

from __future__ import annotations

import re

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script, literal, zipf

_CODE = re.compile(r"([A-Za-z]*[-_./ ]?)(\d+)\Z")
#: Meanings whose values are better drawn anew than repeated, however often the original rows repeat them.
_FRESH = (
    "date.",
    "time.",
    "name",
    "email",
    "phone",
    "username",
    "hash",
    "token",
    "text.",
    "id.",
    "address.street",
    "company",
)


def continued(column: ColumnFacts, script: Script, meaning: str) -> str | None:
    """An expression in the manner of the original rows; None where they say nothing."""
    if len(column.vocabulary) > 1 and not meaning.startswith(_FRESH):
        return script.pick(f"{column.name}_values", column.vocabulary, zipf(len(column.vocabulary)))
    texts = [value for value in column.seen if isinstance(value, str)]
    if len(texts) < 2 or len(texts) != len(column.seen) or meaning.startswith(("date.", "time.")):
        return None
    return _numbered_code(column, script, texts) or _masked_code(column, texts)


def _numbered_code(column: ColumnFacts, script: Script, texts: list[str]) -> str | None:
    """P0001, P0002: the same letters, the next numbers."""
    matches = [_CODE.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    prefixes = {match[1] for match in matches if match}
    numbers = [match[2] for match in matches if match]
    if len(prefixes) != 1 or any(len(number) > 15 for number in numbers):
        return None
    prefix, highest = prefixes.pop(), max(map(int, numbers))
    if not prefix and not (column.primary or column.unique) and not any(number.startswith("0") for number in numbers):
        return None  # plain numbers kept as text
    widths = {len(number) for number in numbers}
    width = f":0{widths.pop()}d" if len(widths) == 1 else ""
    if not (column.unique or column.primary) and len(set(numbers)) < len(numbers):
        return None
    step = "i" if column.primary or column.unique or prefix else "i + rng.randint(0, 2)"
    return f'f"{_escaped(prefix)}{{{highest + 1} + {step}{width}}}"'


def _masked_code(column: ColumnFacts, texts: list[str]) -> str | None:
    """AB-123, XK-904: the same shape with other letters and digits; parts that never differ stay."""
    if any(" " in text or len(text) > 24 for text in texts) or len({len(text) for text in texts}) != 1:
        return None
    if not all(
        re.search(r"\d", text) and re.search(r"[A-Z]", text) and not re.search(r"[a-z]", text) for text in texts
    ):
        return None
    mask = ""
    for characters in zip(*texts, strict=True):
        if len(set(characters)) == 1:
            mask += characters[0]
        elif all(c.isdigit() for c in characters):
            mask += "#"
        elif all(c.isalpha() for c in characters):
            mask += "?"
        else:
            return None
    return f"fake.bothify({literal(mask)})"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")
