"""Rows that came with the source, made fit to be published: no personal data, no anonymisation placeholders."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence

from sqale_assets.relational.model import Row, Table, Value
from sqale_assets.stages.sandbox.pools import pools
from sqale_assets.stages.sandbox.prelude.faker import Faker

_PLACEHOLDER = re.compile(r"<([A-Z][A-Z_0-9 ]{2,})>")


def original_columns(
    table: Table, rows: Sequence[Row], *, locale: str, seed: str, repairs: Counter[str]
) -> dict[str, list[Value]]:
    """The rows as columns by lower-case name. A placeholder becomes an invented value of its kind."""
    columns = [list(values) for values in zip(*rows, strict=True)] or [[] for _ in table.columns]
    fake: Faker | None = None
    for values in columns:
        for at, value in enumerate(values):
            if isinstance(value, str) and "<" in value and _PLACEHOLDER.search(value):
                fake = fake or Faker(rng=random.Random(f"{seed}:placeholders"), pools=pools(locale))
                values[at] = _PLACEHOLDER.sub(lambda match, fake=fake: _invented(match[1], fake), value)
                repairs["placeholder"] += 1
    return {column.name.lower(): values for column, values in zip(table.columns, columns, strict=True)}


def _invented(kind: str, fake: Faker) -> str:
    """A value for a placeholder such as PERSON, EMAIL_ADDRESS, PHONE_NUMBER (Presidio's entity names)."""
    if "MAIL" in kind:
        return fake.email()
    if "PHONE" in kind:
        return fake.phone_number()
    if "PERSON" in kind or "NAME" in kind:
        return fake.name()
    if "LOCATION" in kind or "CITY" in kind:
        return fake.city()
    if "ADDRESS" in kind and "IP" not in kind:
        return fake.street_address()
    if "DATE" in kind or "TIME" in kind:
        return fake.date()
    if "URL" in kind or "DOMAIN" in kind:
        return fake.url()
    if "IP" in kind:
        return fake.ipv4()
    if "ORG" in kind or "NRP" in kind:
        return fake.company()
    return fake.bothify("##??-####")
