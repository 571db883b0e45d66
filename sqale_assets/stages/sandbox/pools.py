"""Invented names and places per locale, drawn once per process from Faker: what the sandbox's `fake` picks from.

Every list is deterministic (Faker seeded by the locale), without repeats, and small enough to be handed
to a sandbox for every table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

Pools = dict[str, list[Any]]

DEFAULT_LOCALE = "en_US"

#: City, country and ISO code: real places that belong together, for schemas in English.
_WORLD = """
New York|United States|US;Chicago|United States|US;Seattle|United States|US;Austin|United States|US
Boston|United States|US;Denver|United States|US;Portland|United States|US;Atlanta|United States|US
San Diego|United States|US;Nashville|United States|US;London|United Kingdom|GB;Manchester|United Kingdom|GB
Bristol|United Kingdom|GB;Leeds|United Kingdom|GB;Edinburgh|United Kingdom|GB;Toronto|Canada|CA;Vancouver|Canada|CA
Montreal|Canada|CA;Calgary|Canada|CA;Dublin|Ireland|IE;Cork|Ireland|IE;Berlin|Germany|DE;Hamburg|Germany|DE
Munich|Germany|DE;Cologne|Germany|DE;Leipzig|Germany|DE;Vienna|Austria|AT;Graz|Austria|AT;Zurich|Switzerland|CH
Basel|Switzerland|CH;Paris|France|FR;Lyon|France|FR;Nantes|France|FR;Toulouse|France|FR;Madrid|Spain|ES
Barcelona|Spain|ES;Valencia|Spain|ES;Seville|Spain|ES;Lisbon|Portugal|PT;Porto|Portugal|PT;Rome|Italy|IT
Milan|Italy|IT;Turin|Italy|IT;Bologna|Italy|IT;Amsterdam|Netherlands|NL;Utrecht|Netherlands|NL;Brussels|Belgium|BE
Ghent|Belgium|BE;Copenhagen|Denmark|DK;Aarhus|Denmark|DK;Stockholm|Sweden|SE;Gothenburg|Sweden|SE;Oslo|Norway|NO
Bergen|Norway|NO;Helsinki|Finland|FI;Tampere|Finland|FI;Warsaw|Poland|PL;Krakow|Poland|PL;Prague|Czechia|CZ
Brno|Czechia|CZ;Budapest|Hungary|HU;Athens|Greece|GR;Istanbul|Turkey|TR;Cairo|Egypt|EG;Nairobi|Kenya|KE
Lagos|Nigeria|NG;Accra|Ghana|GH;Cape Town|South Africa|ZA;Johannesburg|South Africa|ZA;Mumbai|India|IN
Bengaluru|India|IN;Pune|India|IN;Singapore|Singapore|SG;Bangkok|Thailand|TH;Hanoi|Vietnam|VN;Jakarta|Indonesia|ID
Manila|Philippines|PH;Seoul|South Korea|KR;Busan|South Korea|KR;Tokyo|Japan|JP;Osaka|Japan|JP;Sydney|Australia|AU
Melbourne|Australia|AU;Perth|Australia|AU;Auckland|New Zealand|NZ;Wellington|New Zealand|NZ;Sao Paulo|Brazil|BR
Recife|Brazil|BR;Buenos Aires|Argentina|AR;Santiago|Chile|CL;Lima|Peru|PE;Bogota|Colombia|CO;Mexico City|Mexico|MX
Guadalajara|Mexico|MX
"""

#: Country of a locale other than the default, in its own language.
_COUNTRIES = {
    "de_DE": ("Deutschland", "DE"), "fr_FR": ("France", "FR"), "es_ES": ("España", "ES"), "it_IT": ("Italia", "IT"),
    "pt_BR": ("Brasil", "BR"), "id_ID": ("Indonesia", "ID"), "nl_NL": ("Nederland", "NL"), "zh_CN": ("中国", "CN"),
}  # fmt: skip

LOCALES = (DEFAULT_LOCALE, *_COUNTRIES)


@lru_cache(maxsize=16)
def pools(locale: str = DEFAULT_LOCALE) -> Pools:
    """Lists of strings by kind; `places` holds [city, country, country code, state] lists."""
    from faker import Faker

    locale = locale if locale in LOCALES else DEFAULT_LOCALE
    fake = Faker(locale, use_weighting=False)
    fake.seed_instance(f"pools:{locale}")
    female, male = _distinct(fake.first_name_female, 160), _distinct(fake.first_name_male, 160)
    return {
        "female": female,
        "male": male,
        "first": [*female, *male],
        "last": _distinct(fake.last_name, 320),
        "places": _places(locale, fake),
        "streets": _distinct(fake.street_name, 160),
        "companies": _distinct(fake.company, 240),
        "jobs": [job for job in _distinct(fake.job, 200) if "," not in job],
        "postcodes": _distinct(fake.postcode, 120),
        "locale": [locale],
    }


def _distinct(draw: Callable[[], str], count: int) -> list[str]:
    return list(dict.fromkeys(draw() for _ in range(count)))


def _places(locale: str, fake: Any) -> list[list[str]]:
    if locale == DEFAULT_LOCALE:
        return [[*place.split("|"), fake.state()] for line in _WORLD.split("\n") for place in line.split(";") if place]
    country, code = _COUNTRIES[locale]
    region = getattr(fake, "state", None) or getattr(fake, "province", None) or getattr(fake, "region", None)
    return [[city, country, code, region() if region else ""] for city in _distinct(fake.city, 100)]
