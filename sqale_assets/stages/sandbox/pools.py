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

#: City, country, ISO code and region: real places that belong together, for schemas in English.
_WORLD = """
New York|United States|US|New York;Chicago|United States|US|Illinois;Seattle|United States|US|Washington
Austin|United States|US|Texas;Boston|United States|US|Massachusetts;Denver|United States|US|Colorado
Portland|United States|US|Oregon;Atlanta|United States|US|Georgia;San Diego|United States|US|California
Nashville|United States|US|Tennessee;London|United Kingdom|GB|England;Manchester|United Kingdom|GB|England
Bristol|United Kingdom|GB|England;Leeds|United Kingdom|GB|England;Edinburgh|United Kingdom|GB|Scotland
Toronto|Canada|CA|Ontario;Vancouver|Canada|CA|British Columbia;Montreal|Canada|CA|Quebec;Calgary|Canada|CA|Alberta
Dublin|Ireland|IE|Leinster;Cork|Ireland|IE|Munster;Berlin|Germany|DE|Berlin;Hamburg|Germany|DE|Hamburg
Munich|Germany|DE|Bavaria;Cologne|Germany|DE|North Rhine-Westphalia;Leipzig|Germany|DE|Saxony
Vienna|Austria|AT|Vienna;Graz|Austria|AT|Styria;Zurich|Switzerland|CH|Zurich;Basel|Switzerland|CH|Basel-Stadt
Paris|France|FR|Île-de-France;Lyon|France|FR|Auvergne-Rhône-Alpes;Nantes|France|FR|Pays de la Loire
Toulouse|France|FR|Occitanie;Madrid|Spain|ES|Madrid;Barcelona|Spain|ES|Catalonia
Valencia|Spain|ES|Valencian Community;Seville|Spain|ES|Andalusia;Lisbon|Portugal|PT|Lisbon;Porto|Portugal|PT|Norte
Rome|Italy|IT|Lazio;Milan|Italy|IT|Lombardy;Turin|Italy|IT|Piedmont;Bologna|Italy|IT|Emilia-Romagna
Amsterdam|Netherlands|NL|North Holland;Utrecht|Netherlands|NL|Utrecht;Brussels|Belgium|BE|Brussels
Ghent|Belgium|BE|Flanders;Copenhagen|Denmark|DK|Hovedstaden;Aarhus|Denmark|DK|Midtjylland
Stockholm|Sweden|SE|Stockholm County;Gothenburg|Sweden|SE|Västra Götaland;Oslo|Norway|NO|Oslo
Bergen|Norway|NO|Vestland;Helsinki|Finland|FI|Uusimaa;Tampere|Finland|FI|Pirkanmaa;Warsaw|Poland|PL|Masovia
Krakow|Poland|PL|Lesser Poland;Prague|Czechia|CZ|Prague;Brno|Czechia|CZ|South Moravia;Budapest|Hungary|HU|Budapest
Athens|Greece|GR|Attica;Istanbul|Turkey|TR|Istanbul;Cairo|Egypt|EG|Cairo;Nairobi|Kenya|KE|Nairobi
Lagos|Nigeria|NG|Lagos;Accra|Ghana|GH|Greater Accra;Cape Town|South Africa|ZA|Western Cape
Johannesburg|South Africa|ZA|Gauteng;Mumbai|India|IN|Maharashtra;Bengaluru|India|IN|Karnataka
Pune|India|IN|Maharashtra;Singapore|Singapore|SG|Singapore;Bangkok|Thailand|TH|Bangkok;Hanoi|Vietnam|VN|Hanoi
Jakarta|Indonesia|ID|Jakarta;Manila|Philippines|PH|Metro Manila;Seoul|South Korea|KR|Seoul
Busan|South Korea|KR|Busan;Tokyo|Japan|JP|Tokyo;Osaka|Japan|JP|Osaka;Sydney|Australia|AU|New South Wales
Melbourne|Australia|AU|Victoria;Perth|Australia|AU|Western Australia;Auckland|New Zealand|NZ|Auckland
Wellington|New Zealand|NZ|Wellington;Sao Paulo|Brazil|BR|São Paulo;Recife|Brazil|BR|Pernambuco
Buenos Aires|Argentina|AR|Buenos Aires;Santiago|Chile|CL|Santiago;Lima|Peru|PE|Lima;Bogota|Colombia|CO|Cundinamarca
Mexico City|Mexico|MX|Mexico City;Guadalajara|Mexico|MX|Jalisco
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
        return [place.split("|") for line in _WORLD.split("\n") for place in line.split(";") if place]
    country, code = _COUNTRIES[locale]
    region = getattr(fake, "state", None) or getattr(fake, "province", None) or getattr(fake, "region", None)
    return [[city, country, code, region() if region else ""] for city in _distinct(fake.city, 100)]
