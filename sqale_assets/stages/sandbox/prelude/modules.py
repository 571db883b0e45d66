"""Stand-ins for standard modules that monty lacks: the few functions that generated code uses."""

import random


class Uuid:
    def __init__(self, hex):
        self.hex = hex

    def __str__(self):
        h = self.hex
        return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.hex)


class UuidModule:
    UUID = str

    def uuid4(self):
        h = f"{random.getrandbits(128):032x}"
        return Uuid(h[:12] + "4" + h[13:16] + "a" + h[17:])

    def uuid1(self):
        return self.uuid4()


class StringModule:
    def __init__(self):
        self.ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
        self.ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        self.ascii_letters = self.ascii_lowercase + self.ascii_uppercase
        self.digits = "0123456789"
        self.hexdigits = "0123456789abcdefABCDEF"
        self.punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


class CalendarModule:
    def __init__(self):
        self.month_name = ["", "January", "February", "March", "April", "May", "June", "July", "August", "September",
                           "October", "November", "December"]  # fmt: skip
        self.month_abbr = [name[:3] for name in self.month_name]
        self.day_name = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        self.day_abbr = [name[:3] for name in self.day_name]

    def isleap(self, year):
        return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

    def monthrange(self, year, month):
        """(weekday of the first day, number of days), as in the standard module."""
        days = [31, 29 if self.isleap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        shift, y = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4], year - (1 if month < 3 else 0)
        sunday_based = (y + y // 4 - y // 100 + y // 400 + shift[month - 1] + 1) % 7
        return ((sunday_based + 6) % 7, days[month - 1])


class StatisticsModule:
    def mean(self, values):
        return sum(values) / len(values)

    def median(self, values):
        ordered = sorted(values)
        return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


class SecretsModule:
    """Seeded, as all chance in here: nothing it makes is a secret."""

    def choice(self, values):
        return random.choice(values)

    def randbelow(self, limit):
        return random.randrange(limit)

    def token_hex(self, nbytes=16):
        return "".join(random.choices("0123456789abcdef", k=2 * nbytes))

    def token_urlsafe(self, nbytes=16):
        return self.token_hex(nbytes)


_uuid, _string, _calendar = UuidModule(), StringModule(), CalendarModule()
_statistics, _secrets = StatisticsModule(), SecretsModule()
