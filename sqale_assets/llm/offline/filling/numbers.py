"""Numbers with a shape: log-normal amounts, totals from their parts, small counts, ratings, percentages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sqale_assets.llm.offline.filling import money
from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.limits import like_originals, limited, variable
from sqale_assets.llm.offline.filling.script import Script, word_set
from sqale_assets.llm.offline.filling.times import TODAY
from sqale_assets.llm.offline.filling.vocabulary import lines

_CANDLE = ("open", "high", "low", "close")
#: How often a flag is set, by what it is called.
_SHARES = (
    (0.07, word_set("deleted blocked locked hidden archived disabled banned revoked sticky invalid missing failed")),
    (0.07, word_set("suspended misdeleted cancelled expired")),
    (0.86, word_set("active enabled visible published valid available success enable displayed listable")),
    (0.68, word_set("verified approved confirmed public paid read complete completed")),
    (0.18, word_set("default primary main featured premium admin")),
)
#: Of these a row has a few.
_SMALL_COUNTS = word_set(
    "adult adults guest guests bed beds traveler travelers passenger passengers room rooms session sessions"
)
#: A small number that is called so says whether something may be done.
_VERBS = word_set("create read update delete write print edit view insert execute export approve")


@lru_cache(maxsize=4096)
def measure(words: frozenset[str]) -> str | None:
    """The expression of a measure that everyone knows the size of; None where the words name none."""
    return next((text for needed, text in _measures() if all(words & either for either in needed)), None)


@lru_cache(maxsize=1)
def _measures() -> list[tuple[list[frozenset[str]], str]]:
    parted = [line.partition(" | ") for line in lines("measures.txt")]
    return [([frozenset(word.split("/")) for word in names.split()], text) for names, _, text in parted]


def quantity(column: ColumnFacts, script: Script) -> str:
    if "credits" in column.words or "bedrooms" in column.words or "bathrooms" in column.words:
        return "rng.choices([1, 2, 3, 4, 5, 6], [10, 24, 32, 20, 9, 5])[0]"
    return variable(script, "quantity", column, "1 + int(rng.expovariate(0.45))")


def percent(column: ColumnFacts, script: Script) -> str:
    if {"progress", "completion"} & set(column.words):
        return "rng.choice([0, 10, 25, 40, 50, 60, 75, 80, 90, 100, 100])"
    if column.kind == "integer":
        return "rng.choice([0, 5, 10, 15, 20, 25, 40, 50, 60, 75, 90, 100])"
    if {"probability", "confidence", "ratio", "factor", "accuracy"} & set(column.words):
        return "round(rng.betavariate(5, 2), 3)"
    if {"tax", "vat"} & set(column.words):
        return "rng.choices([20, 19, 10, 7, 5, 0], [30, 24, 18, 14, 8, 6])[0]"
    return "round(rng.triangular(0.5, 18, 4.5), 2)"


def duration(column: ColumnFacts, script: Script) -> str:
    words = set(column.words)
    if words & {"ms", "milliseconds"}:
        return "int(rng.lognormvariate(5.4, 1.1))"
    if words & {"seconds", "secs", "sec", "timeout", "runtime", "elapsed"}:
        return "int(rng.lognormvariate(4.6, 0.9)) + 1"
    if words & {"hours", "hour"}:
        return "rng.choices([1, 2, 3, 4, 6, 8, 10, 12], [8, 12, 10, 14, 12, 24, 8, 6])[0]"
    if words & {"days", "weeks", "months"}:
        return "rng.choices([1, 2, 3, 5, 7, 10, 14, 21, 30], [10, 14, 14, 14, 12, 10, 12, 6, 8])[0]"
    if "late" in words or "lag" in words or "delay" in words:
        return "1 + int(rng.expovariate(0.08))"
    return "5 * int(rng.triangular(3, 36, 10))"


def count(column: ColumnFacts, script: Script) -> str:
    if set(column.words) & _SMALL_COUNTS:
        return "rng.choices([1, 2, 3, 4, 5, 6, 8], [18, 38, 14, 16, 6, 5, 3])[0]"
    if "child" in column.words or "children" in column.words:
        return "rng.choices([0, 1, 2, 3], [62, 16, 16, 6])[0]"
    if set(column.words) & {"attempts", "retries", "tries", "times"}:
        return "rng.choices([0, 1, 2, 3, 4, 5], [58, 20, 10, 6, 4, 2])[0]"
    if set(column.words) & {"views", "view", "hits", "clicks", "impressions", "plays", "downloads"}:
        return "int(rng.lognormvariate(5.2, 1.4))"
    if set(column.words) & {"follower", "followers", "subscriber", "subscribers", "listener", "stream", "reach"}:
        return "int(rng.lognormvariate(7.6, 1.5))"
    return "int(rng.lognormvariate(2.3, 1.1))"


def stock(column: ColumnFacts, script: Script) -> str:
    if "min" in column.words or "minimum" in column.words:
        return "rng.choice([0, 1, 1, 2, 5, 5, 10])"
    if {"max", "maximum", "limit", "capacity", "quota"} & set(column.words):
        return "rng.choice([10, 12, 20, 25, 30, 40, 50, 60, 80, 100, 120, 200])"
    if {"shoe", "shoes", "sneaker", "footwear"} & set(script.table.words) and "size" in column.words:
        return "rng.choice([36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46])"
    if "size" in column.words:
        return (
            "int(rng.lognormvariate(11, 1.3))"
            if "file" in (*column.words, *script.table.words)
            else "int(rng.lognormvariate(4, 0.7))"
        )
    return "int(rng.lognormvariate(3.7, 0.9))"


def score(column: ColumnFacts, script: Script) -> str:
    if {"level", "rank", "tier", "grade"} & set(column.words):
        return "rng.choices([1, 2, 3, 4, 5], [28, 26, 22, 14, 10])[0]"
    if column.high is not None and column.high <= 10:
        return f"rng.randint(1, {int(column.high)})"
    whole = column.kind == "integer"
    return "int(rng.triangular(35, 100, 76))" if whole else "round(rng.triangular(35, 100, 76), 1)"


def reference(column: ColumnFacts, script: Script) -> str:
    """A number that points at something outside the schema: few are common."""
    return "1 + int(8 * rng.paretovariate(1.3) - 8) % 60"


def flag(column: ColumnFacts, script: Script) -> str:
    words = set(column.words)
    share = next((share for share, known in _SHARES if words & known), 0.35)
    if column.name in script.table.complaints:  # it came out the same in every row
        share = 0.5
    return f"1 if rng.random() < {share} else 0"


_SIMPLE: dict[str, str] = {
    "number.weekday": "rng.choices([1, 2, 3, 4, 5, 6, 7], [16, 17, 16, 17, 16, 10, 8])[0]",
    "number.month": "rng.randint(1, 12)",
    "number.day": "rng.randint(1, 28)",
    "number.age": "int(rng.triangular(18, 84, 36))",
    "number.rating": "rng.choices([1, 2, 3, 4, 5], [5, 8, 17, 36, 34])[0]",
    "number.weight": "round(rng.lognormvariate(1.6, 0.9), 2)",
    "number.height": "round(rng.lognormvariate(3.6, 0.6), 1)",
    "number.distance": "round(rng.lognormvariate(3.2, 1.0), 1)",
    "number.temperature": "round(rng.gauss(19, 6), 1)",
    "number.bytes": "int(rng.lognormvariate(11, 1.4))",
    "number.version": "rng.choices([0, 1, 2, 3, 4, 5, 7], [40, 26, 14, 9, 5, 4, 2])[0]",
    "number.port": "rng.choice([22, 25, 80, 443, 3306, 5432, 6379, 8080, 8443])",
    "geo.lat": 'fake.latitude()',
    "geo.lon": 'fake.longitude()',
}  # fmt: skip

_BUILDERS: dict[str, Callable[[ColumnFacts, Script], str]] = {
    "money.unit": money.price,
    "money.tax": money.tax,
    "money.discount": money.discount,
    "money.shipping": money.shipping,
    "money.subtotal": money.subtotal,
    "money.line": money.total,
    "money.total": money.total,
    "money.large": money.large,
    "number.quantity": quantity,
    "number.percent": percent,
    "number.duration": duration,
    "number.count": count,
    "number.stock": stock,
    "number.score": score,
    "number.reference": reference,
    "flag": flag,
}


def number(column: ColumnFacts, script: Script, meaning: str) -> str:
    """The expression of a numeric column, of the kind of number it holds, within its limits."""
    if column.kind == "boolean" or (column.last in _VERBS and column.high is not None and column.high < 256):
        return flag(column, script)
    if column.last in _CANDLE and len({other.last for other in script.table.columns} & set(_CANDLE)) == 4:
        return _candle(column, script)
    if meaning == "number.age" and "born" in script.variables:
        return f"({TODAY} - {script.variables['born']}).days // 365"
    if column.high is not None and column.high < 256 and meaning.startswith("money."):
        meaning = "number.version"  # too small a type for an amount
    known = measure(frozenset(column.words)) if meaning != "flag" and column.range is None else None
    if known is not None:
        return limited(column, known if column.kind != "integer" else f"int({known})")
    if column.last in _RECORD and {"wins", "losses"} <= {other.last for other in script.table.columns}:
        return _record(column, script)
    if meaning == "number.position" and {"level", "floor", "step", "stage", "tier"} & set(column.words):
        meaning = "number.version"
    if meaning == "number.year":
        expression = _year(column)
    elif (
        column.range is not None
        and column.range[0] < column.range[1]
        and not meaning.startswith(("money.", "number.quantity"))
    ):
        expression = like_originals(column)
    elif meaning == "number.position":
        expression = f"1 + i % {12 if 'priority' in column.words else 40}"
    elif meaning == "number.temperature" and {"body", "patient"} & {*column.words, *script.table.words}:
        expression = "round(rng.triangular(35.9, 39.4, 36.8), 1)"
    elif meaning in _SIMPLE:
        expression = _SIMPLE[meaning]
    else:
        expression = _BUILDERS.get(meaning, _plain)(column, script)
    known = meaning == "number.year" or expression.isidentifier()  # a variable is limited where it is computed
    return expression if known else limited(column, expression)


_RECORD = ("wins", "draws", "losses", "points")


def _record(column: ColumnFacts, script: Script) -> str:
    """Matches won, drawn and lost; a win counts three points."""
    wins = script.once("won", "int(rng.triangular(0, 24, 9))")
    draws = script.once("drawn", "rng.randint(0, 9)") if script.named("draws") else "0"
    lost = f"max(0, 34 - {wins} - {draws} - rng.randint(0, 6))"
    return {"wins": wins, "draws": draws, "losses": lost, "points": f"3 * {wins} + {draws}"}[column.last]


def _candle(column: ColumnFacts, script: Script) -> str:
    """Open, high, low and close of a period: low and high enclose the others."""
    first = script.once("opening_price", "round(rng.lognormvariate(3.4, 0.4), 2)")
    last = script.once("closing_price", f"round({first} * rng.uniform(0.96, 1.045), 2)")
    return {
        "open": first,
        "close": last,
        "high": f"round(max({first}, {last}) * rng.uniform(1.0, 1.03), 2)",
        "low": f"round(min({first}, {last}) * rng.uniform(0.97, 1.0), 2)",
    }[column.last]


def _year(column: ColumnFacts) -> str:
    words = set(column.words)
    if column.range is not None and column.range[0] < column.range[1] <= 2030:
        return like_originals(column)
    if words & {"opened", "founded", "established", "built", "since", "construction", "made"}:
        return "int(rng.triangular(1890, 2024, 1985))"
    return "rng.choices([2019, 2020, 2021, 2022, 2023, 2024, 2025], [6, 8, 12, 16, 20, 24, 14])[0]"


def _plain(column: ColumnFacts, script: Script) -> str:
    return "int(rng.lognormvariate(2.6, 0.9))" if column.kind == "integer" else "round(rng.lognormvariate(3.0, 0.9), 2)"
