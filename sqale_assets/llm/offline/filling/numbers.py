"""Numbers with a shape: log-normal amounts, totals from their parts, small counts, ratings, percentages."""

from __future__ import annotations

from collections.abc import Callable

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script, word_set

#: Median price by what is sold; anything else costs about 28.
_PRICES = {
    20.0: "menu dish meal food drink recipe ticket book subscription",
    140.0: "service treatment procedure device equipment booking stay course appointment",
    900.0: "vehicle car machine contract flight policy project",
    1800.0: "property house apartment estate building bond security equity swap option future loan funding",
}
#: Median amount where a row has no parts to add up; anything else is about 67.
_AMOUNTS = {
    2400.0: word_set("tuition scholarship salary payroll loan grant mortgage rent contract funding stipend bond trade"),
    600.0: word_set("claim insurance invoice booking repair treatment budget payout"),
}
#: Measures that everyone knows the size of.
_MEASURES = {
    "systolic": "rng.triangular(98, 168, 124) // 1",
    "diastolic": "rng.triangular(58, 102, 79) // 1",
    "heart": "rng.triangular(52, 118, 74) // 1",
    "pulse": "rng.triangular(52, 118, 74) // 1",
    "respiratory": "rng.triangular(11, 24, 16) // 1",
    "spo2": "rng.triangular(91, 100, 98) // 1",
    "bmi": "round(rng.triangular(17.5, 39, 24.5), 1)",
    "gpa": "round(rng.triangular(1.8, 4.0, 3.2), 2)",
    "places": "rng.choice([0, 2, 2, 2, 3])",
    "exchange": "round(rng.lognormvariate(0.1, 0.9), 4)",
}
_CANDLE = ("open", "high", "low", "close")
#: How often a flag is set, by what it is called.
_SHARES = (
    (0.07, word_set("deleted blocked locked hidden archived disabled banned revoked sticky invalid missing failed")),
    (0.07, word_set("suspended misdeleted cancelled expired")),
    (0.86, word_set("active enabled visible published valid available success enable displayed listable")),
    (0.68, word_set("verified approved confirmed public paid read complete completed")),
    (0.18, word_set("default primary main featured premium admin")),
)
#: A small number that is called so says whether something may be done.
_VERBS = word_set("create read update delete write print edit view insert execute export approve")


def price(column: ColumnFacts, script: Script) -> str:
    words = set(script.table.entity)
    median = next((median for median, known in _PRICES.items() if words & set(known.split())), 28.0)
    if column.range is not None and column.range[0] < column.range[1]:
        return _var(script, "unit_price", column, _like_originals(column))
    cents = "rng.choice([0, 0.5, 0.9, 0.95, 0.99])"
    return _var(script, "unit_price", column, f"round(rng.lognormvariate({_log(median)}, 0.7)) + 1 + {cents}")


def quantity(column: ColumnFacts, script: Script) -> str:
    if "credits" in column.words or "bedrooms" in column.words or "bathrooms" in column.words:
        return "rng.choices([1, 2, 3, 4, 5, 6], [10, 24, 32, 20, 9, 5])[0]"
    return _var(script, "quantity", column, "1 + int(rng.expovariate(0.45))")


def subtotal(column: ColumnFacts, script: Script) -> str:
    return _var(script, "subtotal", column, f"round({_parts(script)}, 2)")


def tax(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("subtotal")
    return _var(script, "tax", column, f"round({base} * 0.2, 2)" if base else "round(rng.lognormvariate(1.9, 0.8), 2)")


def discount(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("subtotal") or script.variables.get("unit_price")
    share = "rng.choice([0, 0, 0, 0.05, 0.1, 0.2])"
    return _var(
        script, "discount", column, f"round({base} * {share}, 2)" if base else "rng.choice([0, 0, 0, 2.5, 5, 10, 20])"
    )


def shipping(column: ColumnFacts, script: Script) -> str:
    return _var(script, "shipping", column, "rng.choice([0, 3.9, 4.9, 5.9, 9.9, 14.5])")


def total(column: ColumnFacts, script: Script) -> str:
    """The sum of the parts that the row has; a plain amount where it has none."""
    if "subtotal" in script.variables and {"remaining", "outstanding", "paid", "left", "used"} & set(column.words):
        return f"round({script.variables['subtotal']} * rng.choice([0, 0.25, 0.5, 0.8, 1]), 2)"
    if "subtotal" in script.variables:
        terms = script.variables["subtotal"]
        terms += "".join(f" + {script.variables[name]}" for name in ("tax", "shipping") if name in script.variables)
        terms += f" - {script.variables['discount']}" if "discount" in script.variables else ""
        return f"round({terms}, 2)"
    amount = _var(script, "subtotal", column, f"round({_parts(script)}, 2)")
    extra = "".join(f" + {script.variables[name]}" for name in ("tax", "shipping") if name in script.variables)
    extra += (
        f" - {script.variables['discount']}"
        if "discount" in script.variables and "quantity" in script.variables
        else ""
    )
    return f"round({amount}{extra}, 2)" if extra else amount


def large(column: ColumnFacts, script: Script) -> str:
    if {"salary", "wage", "gaji", "income", "salario"} & set(column.words):
        return "round(rng.lognormvariate(10.6, 0.35), -2)"
    if {"notional", "notionalamount", "capital", "paramount", "totalamountissued", "nav", "revenue"} & set(
        column.words
    ):
        return "round(rng.lognormvariate(13.5, 0.9), -3)"
    return "round(rng.lognormvariate(7.4, 1.0), 2)"


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
    return "5 * int(rng.triangular(3, 36, 10))"


def count(column: ColumnFacts, script: Script) -> str:
    if set(column.words) & {"attempts", "retries", "tries", "times"}:
        return "rng.choices([0, 1, 2, 3, 4, 5], [58, 20, 10, 6, 4, 2])[0]"
    if set(column.words) & {"views", "view", "hits", "clicks", "impressions", "plays", "downloads"}:
        return "int(rng.lognormvariate(5.2, 1.4))"
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
    "money.unit": price,
    "money.tax": tax,
    "money.discount": discount,
    "money.shipping": shipping,
    "money.subtotal": subtotal,
    "money.line": total,
    "money.total": total,
    "money.large": large,
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
    if (known := next((text for name, text in _MEASURES.items() if name in column.words), None)) is not None:
        return known if column.kind != "integer" else f"int({known})"
    if meaning == "number.position" and {"level", "floor", "step", "stage", "tier"} & set(column.words):
        meaning = "number.version"
    if meaning == "number.year":
        expression = _year(column)
    elif (
        column.range is not None
        and column.range[0] < column.range[1]
        and not meaning.startswith(("money.", "number.quantity"))
    ):
        expression = _like_originals(column)
    elif meaning == "number.position":
        expression = f"1 + i % {12 if 'priority' in column.words else 40}"
    elif meaning == "number.temperature" and {"body", "patient"} & {*column.words, *script.table.words}:
        expression = "round(rng.triangular(35.9, 39.4, 36.8), 1)"
    elif meaning in _SIMPLE:
        expression = _SIMPLE[meaning]
    else:
        expression = _BUILDERS.get(meaning, _plain)(column, script)
    known = meaning == "number.year" or expression.isidentifier()  # a variable is limited where it is computed
    return expression if known else _limited(column, expression)


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
        return _like_originals(column)
    if words & {"opened", "founded", "established", "built", "since", "construction", "made"}:
        return "int(rng.triangular(1890, 2024, 1985))"
    return "rng.choices([2019, 2020, 2021, 2022, 2023, 2024, 2025], [6, 8, 12, 16, 20, 24, 14])[0]"


def _like_originals(column: ColumnFacts) -> str:
    low, high = column.range or (0, 0)
    if column.kind == "integer":
        top = max(high, low + 2)
        return f"int(rng.triangular({int(low)}, {int(top) + 1}, {int(low + (top - low) * 0.35)}))"
    top = high if high > low else low + max(1.0, abs(low))
    return f"round(rng.triangular({low}, {top}, {low + (top - low) * 0.35:.6g}), {column.decimals})"


def _plain(column: ColumnFacts, script: Script) -> str:
    return "int(rng.lognormvariate(2.6, 0.9))" if column.kind == "integer" else "round(rng.lognormvariate(3.0, 0.9), 2)"


def _limited(column: ColumnFacts, expression: str) -> str:
    if column.kind == "integer" and "round(" in expression:
        expression = f"int({expression})"
    if column.kind in ("decimal", "real") and column.decimals < 2 and "round(" in expression:
        expression = f"round({expression}, {column.decimals})"
    if column.low is not None and column.low > 1:
        expression = f"{column.low:.12g} + {expression}"
    elif column.low is not None and column.low > 0:
        expression = f"max({expression}, {column.low:.12g})"
    if column.high is not None and column.high < 10 and column.kind != "integer":
        low = max(0, column.low or 0)
        likeliest = low + (column.high - low) * 0.4
        return f"round(rng.triangular({low:g}, {column.high:.12g}, {likeliest:.6g}), {column.decimals})"
    if column.high is not None and column.high < 1_000_000:
        expression = f"min({expression}, {column.high:.12g})"
    return expression


def _var(script: Script, name: str, column: ColumnFacts, expression: str) -> str:
    """The row's variable of that sort; a second column of the same sort draws its own."""
    return (
        script.once(name, _limited(column, expression))
        if name not in script.variables
        else _limited(column, expression)
    )


def _parts(script: Script) -> str:
    quantity_, price_ = script.variables.get("quantity"), script.variables.get("unit_price")
    if quantity_ and price_:
        return f"{quantity_} * {price_}"
    known = {*script.table.entity, *script.table.words}
    median = next((median for median, words in _AMOUNTS.items() if known & words), 67.0)
    return price_ or f"rng.lognormvariate({_log(median)}, 0.8)"


def _log(value: float) -> float:
    from math import log

    return round(log(value), 2)
