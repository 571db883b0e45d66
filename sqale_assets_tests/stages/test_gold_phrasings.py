"""Phrasings against the query that answers them."""

from __future__ import annotations

import pytest

from sqale_assets.records import STYLES
from sqale_assets.stages.gold_phrasings import misfits

SQL = (
    "SELECT o.id FROM orders o JOIN customers c ON o.customer_id = c.id "
    "WHERE c.city = 'Rome' AND o.unit_price > 20 AND o.is_open = 1 AND strftime('%Y', o.placed_at) = '2023'"
)
SAID = 'the id of open orders placed in 2023 with a unit price above 20 whose customer\'s city is "Rome"'
NOTE = ", evidence: 'Rome' is a city of customers. 20 is a bound on the unit price."
FITTING = dict.fromkeys(STYLES, f"Show {SAID}.") | {
    "evidence_supported": f"Show {SAID}{NOTE}",
    "short_ambiguous": "Which orders?",
    "short_high_level": "Orders of 2023.",
}


def test_phrasings_that_say_what_the_query_needs_fit():
    assert misfits(FITTING, SQL) == ()


@pytest.mark.parametrize("style", sorted(set(STYLES) - {"short_ambiguous", "short_high_level", "evidence_supported"}))
@pytest.mark.parametrize(("value", "other"), [("Rome", "Oslo"), ("20 ", "30 "), ("2023", "2022")])
def test_a_value_of_the_query_must_be_said(style, value, other):
    sql = SQL.replace(value.strip(), value.strip())
    changed = FITTING | {
        style: FITTING[style].replace(value, other),
        "evidence_supported": f"Show {SAID}, evidence: each order belongs to a customer",
    }
    found = misfits(changed, sql)
    assert len(found) == 1 and found[0].startswith(f"{style}: ") and value.strip() in found[0]


def test_the_evidence_may_carry_what_the_question_only_means():
    said = SAID.replace('whose customer\'s city is "Rome"', "of customers in the capital")
    texts = FITTING | {style: f"Show {said}." for style in STYLES if not style.startswith(("short", "evidence"))}
    assert misfits(texts | {"evidence_supported": f"Show {said}, evidence: the capital means the city Rome"}, SQL) == ()
    assert len(misfits(texts | {"evidence_supported": f"Show {said}, evidence: orders are open"}, SQL)) == 6


@pytest.mark.parametrize(
    ("code", "fits"), [("LEG", True), ("leg", False), ("GUM", False), ("L", False), ("LEGUME", False)]
)
def test_a_code_may_be_said_by_the_word_that_it_shortens(code, fits):
    """Seen: a 1.5B model found the family of legumes by its code, and the record was held back."""
    texts = dict.fromkeys(STYLES, "What is the average number of days to harvest for crops that are legumes?")
    texts["evidence_supported"] += ", evidence: the legumes are a family of crops"
    assert (not misfits(texts, f"SELECT AVG(days) FROM crops WHERE family_code = '{code}'")) is fits


@pytest.mark.parametrize(
    ("note", "fault"),
    [
        ("the weather was fine all day", "speaks of nothing"),
        ("use c.city = 'Rome' and customer_id", "gives SQL or identifiers away"),
        ("'Rome' is one of the airlines", "puts 'Rome' elsewhere than customers.city"),
        ("20 is a bound on the shoe size", "puts 20 elsewhere than orders.unit_price"),
    ],
)
def test_the_note_is_about_what_the_query_reads(note, fault):
    (found,) = misfits(FITTING | {"evidence_supported": f"Show {SAID}, evidence: {note}"}, SQL)
    assert fault in found
