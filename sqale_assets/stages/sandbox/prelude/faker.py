"""`fake`: invented names, places, texts and dates, called as the Faker library is.

`POOLS` (see `sandbox.pools`) and `MODULE_SEED` are set by the runner for each session.
"""

import random
from datetime import date, datetime, timedelta

from sqale_assets.stages.sandbox.prelude.words import (
    COLOURS,
    DOMAINS,
    ENDINGS,
    OPENINGS,
    SLUGS,
    SUBJECTS,
    WORDS,
    ascii_slug,
)

POOLS = {}
MODULE_SEED = 0
PHONES = {
    "fr_FR": "+33 6 39 98 ## ##", "de_DE": "+49 30 23125 ###", "es_ES": "+34 555 01##", "pt_BR": "+55 11 5550-1##",
    "id_ID": "+62 555-01##", "it_IT": "+39 555 01##", "nl_NL": "+31 555 01##", "zh_CN": "+86 5550 01##",
}  # fmt: skip
TODAY = datetime(2025, 6, 30, 12, 0, 0)


class Faker:
    """Picks invented values. `rng` defaults to a generator seeded by the session."""

    def __init__(self, locale=None, rng=None, pools=None, **options):
        self.random = rng or random.Random(MODULE_SEED)
        self.pools = pools or POOLS
        self.unique = self
        self.surname_first = bool(self.pools) and self.pools["locale"][0] == "zh_CN"

    def seed_instance(self, seed=None):
        self.random.seed(seed)

    def clear(self):
        pass

    # People

    def first_name_female(self):
        return self.random.choice(self.pools["female"])

    def first_name_male(self):
        return self.random.choice(self.pools["male"])

    def first_name(self):
        return self.random.choice(self.pools["first"])

    def last_name(self):
        return self.random.choice(self.pools["last"])

    def name(self):
        if self.surname_first:
            return self.random.choice(self.pools["last"]) + self.random.choice(self.pools["first"])
        return self.random.choice(self.pools["first"]) + " " + self.random.choice(self.pools["last"])

    def user_name(self, name=None):
        first, last = self._parts(name)
        shape = self.random.randint(0, 3)
        if shape == 0:
            return first[:1] + last
        if shape == 1:
            return first + "." + last
        if shape == 2:
            return first + str(self.random.randint(2, 99))
        return first + "_" + last[:1] + str(self.random.randint(1, 9))

    def email(self, name=None):
        """An address at a reserved domain; made from `name` ("Ada Byron") when given."""
        first, last = self._parts(name)
        return first + "." + last + "@" + self.random.choice(DOMAINS)

    safe_email = email
    ascii_email = email
    free_email = email
    company_email = email

    def _parts(self, name):
        words = (name or self.name()).split(" ")
        first, last = SLUGS.get(words[0]) or ascii_slug(words[0]), SLUGS.get(words[-1]) or ascii_slug(words[-1])
        return first or "user" + str(self.random.randint(10, 999)), last or "mail" + str(self.random.randint(10, 999))

    def phone_number(self):
        """Of ranges that are given to nobody: kept for fiction where a country has such, too short elsewhere."""
        shape = PHONES.get(self.pools["locale"][0]) if self.pools else None
        if shape:
            return self.numerify(shape)
        return "+1-" + str(self.random.randint(201, 989)) + "-555-01" + str(self.random.randint(10, 99))

    def job(self):
        return self.random.choice(self.pools["jobs"])

    def company(self):
        return self.random.choice(self.pools["companies"])

    # Places

    def place(self):
        """(city, country, country code, state) of one place."""
        return self.random.choice(self.pools["places"])

    def city(self):
        return self.place()[0]

    def country(self):
        return self.place()[1]

    def country_code(self):
        return self.place()[2]

    def state(self):
        return self.place()[3]

    def state_abbr(self):
        return self.state()[:2].upper()

    def street_name(self):
        return self.random.choice(self.pools["streets"])

    def street_address(self):
        if self.pools["locale"][0] == "en_US":
            return str(self.random.randint(1, 980)) + " " + self.street_name()
        return self.street_name() + " " + str(self.random.randint(1, 180))

    def address(self):
        return self.street_address() + ", " + self.city()

    def postcode(self):
        return self.random.choice(self.pools["postcodes"])

    zipcode = postcode

    def latitude(self):
        return round(self.random.uniform(-54, 65), 6)

    def longitude(self):
        return round(self.random.uniform(-120, 150), 6)

    # Text

    def word(self):
        return self.random.choice(WORDS)

    def words(self, nb=3, **options):
        return self.random.sample(WORDS, min(nb, len(WORDS)))

    def sentence(self, nb_words=6, **options):
        return (
            self.random.choice(OPENINGS).format(self.random.choice(SUBJECTS)) + " " + self.random.choice(ENDINGS) + "."
        )

    def paragraph(self, nb_sentences=3, **options):
        return " ".join([self.sentence() for _ in range(nb_sentences)])

    def text(self, max_nb_chars=200, **options):
        return self.paragraph(max(1, min(3, max_nb_chars // 60)))[:max_nb_chars]

    def catch_phrase(self):
        return (self.word() + " " + self.word()).title()

    bs = catch_phrase

    def color_name(self):
        return self.random.choice(COLOURS)

    def hex_color(self):
        return "#" + hex(self.random.randint(0x100000, 0xFFFFFF))[2:]

    # Numbers, codes, addresses of machines

    def random_int(self, min=0, max=9999, step=1):
        return self.random.randrange(min, max + 1, step)

    def random_digit(self):
        return self.random.randint(0, 9)

    def random_element(self, elements=("a", "b", "c")):
        return self.random.choice(list(elements))

    def random_elements(self, elements=("a", "b", "c"), length=1, **options):
        return self.random.choices(list(elements), k=length)

    def pyint(self, min_value=0, max_value=9999, step=1):
        return self.random.randrange(min_value, max_value + 1, step)

    def pyfloat(self, left_digits=None, right_digits=2, min_value=0, max_value=1000, **options):
        return round(self.random.uniform(min_value, max_value), right_digits or 2)

    pydecimal = pyfloat

    def boolean(self, chance_of_getting_true=50):
        return self.random.random() * 100 < chance_of_getting_true

    pybool = boolean

    def bothify(self, text="## ??", letters="ABCDEFGHJKLMNPRSTUVWXYZ"):
        return "".join(
            [
                str(self.random.randint(0, 9)) if c == "#" else self.random.choice(letters) if c == "?" else c
                for c in text
            ]
        )

    numerify = bothify

    def lexify(self, text="????", letters="ABCDEFGHJKLMNPRSTUVWXYZ"):
        return self.bothify(text, letters)

    def hexify(self, length=32):
        return "".join(self.random.choices("0123456789abcdef", k=length))

    def uuid4(self, **options):
        h = self.hexify(32)
        return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]

    def md5(self, **options):
        return self.hexify(32)

    def sha1(self, **options):
        return self.hexify(40)

    def sha256(self, **options):
        return self.hexify(64)

    def password(self, length=12, **options):
        return self.hexify(length)

    def ean(self, length=13, **options):
        return self.numerify("#" * length)

    def ean13(self, **options):
        return self.ean(13)

    def isbn13(self, **options):
        return self.bothify("978-#-##-######-#")

    def iban(self):
        return self.bothify("DE## 5001 0517 #### #### ##")

    def currency_code(self):
        return self.random.choice(["USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "SEK"])

    def domain_name(self):
        return self.word() + "." + self.random.choice(DOMAINS[:3])

    def url(self, **options):
        return "https://www." + self.domain_name() + "/" + self.word()

    uri = url

    def image_url(self, **options):
        return "https://img." + self.domain_name() + "/" + self.word() + ".jpg"

    def slug(self):
        return self.word() + "-" + self.word()

    def ipv4(self, **options):
        return self.bothify("10.") + ".".join([str(self.random.randint(1, 254)) for _ in range(3)])

    def mac_address(self):
        return ":".join([self.hexify(2) for _ in range(6)])

    def user_agent(self):
        return "Mozilla/5.0 (" + self.random.choice(["X11; Linux x86_64", "Windows NT 10.0", "Macintosh"]) + ")"

    def file_name(self, extension=None, **options):
        return self.word() + "_" + self.word() + "." + (extension or self.random.choice(["pdf", "docx", "xlsx", "png"]))

    def file_path(self, **options):
        return "/" + self.word() + "/" + self.file_name()

    # Dates

    def date_time_between(self, start_date="-3y", end_date="now", **options):
        start, end = self._moment(start_date), self._moment(end_date)
        return start + timedelta(seconds=int(self.random.random() * max(1, (end - start).total_seconds())))

    def date_between(self, start_date="-3y", end_date="today", **options):
        return self.date_time_between(start_date, end_date).date()

    def _moment(self, value):
        if isinstance(value, datetime):
            return value
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        if isinstance(value, timedelta):
            return TODAY + value
        text = str(value)
        sign = -1 if text[:1] == "-" else 1
        digits = "".join([c for c in text if c.isdigit()])
        if not digits:
            return TODAY
        return TODAY + timedelta(days=sign * int(digits) * {"y": 365, "m": 30, "M": 30, "w": 7}.get(text[-1], 1))

    def date_time(self, **options):
        return self.date_time_between("-10y")

    def date_object(self, **options):
        return self.date_between("-10y")

    def date(self, pattern="%Y-%m-%d", **options):
        return self.date_between("-10y").strftime(pattern)

    def time(self, pattern="%H:%M:%S", **options):
        return self.date_time_between("-1y").strftime(pattern)

    def date_time_this_year(self, **options):
        return self.date_time_between("-180d")

    def date_this_year(self, **options):
        return self.date_between("-180d")

    def date_time_this_decade(self, **options):
        return self.date_time_between("-5y")

    def date_this_decade(self, **options):
        return self.date_between("-5y")

    def past_date(self, start_date="-30d", **options):
        return self.date_between(start_date)

    def past_datetime(self, start_date="-30d", **options):
        return self.date_time_between(start_date)

    def future_date(self, end_date="+30d", **options):
        return self.date_between("+1d", end_date)

    def future_datetime(self, end_date="+30d", **options):
        return self.date_time_between("+1d", end_date)

    def date_of_birth(self, minimum_age=18, maximum_age=80, **options):
        return self.date_between(timedelta(days=-365 * maximum_age), timedelta(days=-365 * minimum_age))


class FakerModule:
    def __init__(self):
        self.Faker = Faker


_faker = FakerModule()
