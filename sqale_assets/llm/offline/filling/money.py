"""Prices, amounts and what they add up to: a total is the sum of the parts that its row has."""

from __future__ import annotations

from math import log

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.limits import like_originals, variable
from sqale_assets.llm.offline.filling.script import Script, word_set

#: Median price by what is sold; anything else costs about 28.
_PRICES = {
    20.0: "menu dish meal food drink recipe ticket book subscription",
    95.0: "room rooms suite accommodation",
    140.0: "service treatment procedure device equipment booking stay course appointment fare",
    900.0: "vehicle car machine contract flight policy project",
    1800.0: "property house apartment estate building bond security equity swap option future loan funding",
}
#: Median price by what the column itself says.
_PRICES_BY_COLUMN = {
    980.0: word_set("rent rental acquisition"),
    0.4: word_set("kwh click minute page"),
    45.0: word_set("hourly hour"),
    65.0: word_set("monthly annual"),
    110.0: word_set("nightly daily night day"),
    190.0: word_set("repair"),
    240000.0: word_set("asking property house apartment building"),
}
#: Median amount where a row has no parts to add up; anything else is about 67.
_PARTIAL = word_set("remaining outstanding paid left used spent saved actual approved received refunded collected")
_AMOUNTS = {
    9.0: word_set("tip fine coupon voucher"),
    180000.0: word_set("mortgage property"),
    24000.0: word_set("budget planned funding"),
    9000.0: word_set("principal loan"),
    2400.0: word_set("tuition scholarship salary payroll grant rent contract stipend bond trade saving savings goal"),
    1900.0: word_set("insured market face book annual estimated declared nominal fixed prize"),
    600.0: word_set("claim insurance invoice booking repair treatment payout premium"),
}


def price(column: ColumnFacts, script: Script) -> str:
    words, own = set(script.table.entity), set(column.words)
    median = next((median for median, known in _PRICES_BY_COLUMN.items() if own & known), None) or next(
        (median for median, known in _PRICES.items() if words & set(known.split())), 28.0
    )
    if {"new", "old"} & own and "unit_price" in script.variables:
        return f"round({script.variables['unit_price']} * rng.choice([0.9, 0.95, 1.03, 1.05, 1.1, 1.2]), 2)"
    if column.range is not None and column.range[0] < column.range[1]:
        return variable(script, "unit_price", column, like_originals(column))
    cents = "rng.choice([0, 0.5, 0.9, 0.95, 0.99])"
    return variable(script, "unit_price", column, f"round(rng.lognormvariate({_log(median)}, 0.7)) + 1 + {cents}")


def subtotal(column: ColumnFacts, script: Script) -> str:
    return variable(script, "subtotal", column, f"round({_parts(script)}, 2)")


def tax(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("subtotal")
    return variable(
        script, "tax", column, f"round({base} * 0.2, 2)" if base else "round(rng.lognormvariate(1.9, 0.8), 2)"
    )


def discount(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("subtotal") or script.variables.get("unit_price")
    share = "rng.choice([0, 0, 0, 0.05, 0.1, 0.2])"
    return variable(
        script, "discount", column, f"round({base} * {share}, 2)" if base else "rng.choice([0, 0, 0, 2.5, 5, 10, 20])"
    )


def shipping(column: ColumnFacts, script: Script) -> str:
    return variable(script, "shipping", column, "rng.choice([0, 3.9, 4.9, 5.9, 9.9, 14.5])")


def total(column: ColumnFacts, script: Script) -> str:
    """The sum of the parts that the row has; a plain amount where it has none."""
    if "subtotal" in script.variables and _PARTIAL & set(column.words):
        return f"round({script.variables['subtotal']} * rng.choice([0, 0.25, 0.5, 0.8, 1]), 2)"
    if "subtotal" in script.variables:
        terms = script.variables["subtotal"]
        terms += "".join(f" + {script.variables[name]}" for name in ("tax", "shipping") if name in script.variables)
        terms += f" - {script.variables['discount']}" if "discount" in script.variables else ""
        return f"round({terms}, 2)"
    amount = variable(script, "subtotal", column, f"round({_parts(script, column.words)}, 2)")
    extra = "".join(f" + {script.variables[name]}" for name in ("tax", "shipping") if name in script.variables)
    extra += (
        f" - {script.variables['discount']}"
        if "discount" in script.variables and "quantity" in script.variables
        else ""
    )
    return f"round({amount}{extra}, 2)" if extra else amount


def large(column: ColumnFacts, script: Script) -> str:
    if {"salary", "wage", "gaji", "income", "salario"} & set(column.words):
        if {"monthly", "month"} & set(column.words):
            return "round(rng.lognormvariate(8.0, 0.3), -1)"
        return (
            "round(rng.lognormvariate(6.5, 0.4), 0)"
            if "weekly" in column.words
            else "round(rng.lognormvariate(10.6, 0.35), -2)"
        )
    if {"notional", "notionalamount", "capital", "paramount", "totalamountissued", "nav", "revenue"} & set(
        column.words
    ):
        return "round(rng.lognormvariate(13.5, 0.9), -3)"
    return "round(rng.lognormvariate(7.4, 1.0), 2)"


def _parts(script: Script, own: tuple[str, ...] = ()) -> str:
    quantity_, price_ = script.variables.get("quantity"), script.variables.get("unit_price")
    if quantity_ and price_:
        return f"{quantity_} * {price_}"
    known = {*script.table.entity, *script.table.words, *own}
    median = next((median for median, words in _AMOUNTS.items() if known & words), 67.0)
    return price_ or f"rng.lognormvariate({_log(median)}, 0.8)"


def _log(value: float) -> float:
    return round(log(value), 2)
