"""A rewrite that asks something else is told from one that says the same in other words."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import pytest

from sqale_assets.stages.literals import literals
from sqale_assets.stages.style_fidelity import losses, naming_words

AVERAGE = 'What is the average price of wines whose region is "Alsace" and whose age is more than 5?'
LISTED = "Show the name, the due date and the amount of all invoices. Sort them by the amount in descending order."


def lost(style: str, text: str, question: str) -> list[str]:
    return losses(style, text, question, literals(question))


@pytest.mark.parametrize(
    ("style", "text", "question"),
    [
        ("casual", 'hey, what\'s the mean price for "Alsace" region wines with an age over 5?', AVERAGE),
        ("structured", "1. Take wines of the region 'Alsace'.\n2. Age above 5.\n3. Report the average price.", AVERAGE),
        ("spelling_grammar_mistakes", 'Waht is avrage prise of wines whose regoin is "Alsace" and age more then 5', AVERAGE),
        ("short_high_level", "Average price of Alsace wines?", AVERAGE),
        ("short_ambiguous", "How expensive are the wines of that region?", AVERAGE),
        ("requirements_list", "Invoices; name; due date; amount; sorted by amount, highest first", LISTED),
        ("casual", "can I get each invoice's name, due date and amount? highest amount first", LISTED),
        ("short_high_level", "Names of all invoices.", LISTED),
        ("casual", "how many members got no loans?", "How many members are there without any loan?"),
        ("casual", "which members have more loans than average?",
         "Show the members whose number of loans is above the average."),
    ],
)  # fmt: skip
def test_other_words_for_the_same_request_are_faithful(style, text, question):
    assert lost(style, text, question) == []


@pytest.mark.parametrize(
    ("style", "text", "question", "fault"),
    [
        ("casual", "hey, which Alsace wines are over 5 in age, with price and region?", AVERAGE, "an average"),
        ("casual", "hey, how many Alsace wines of average price are over 5 in age?", AVERAGE, "a number"),
        ("casual", "hey, average price of wines of the region Alsace with an age below 5?", AVERAGE, "above a bound"),
        ("structured", "1. Take invoices.\n2. Show name and amount.\n3. Sort by amount descending.", LISTED, "due date"),
        ("structured", "1. Take invoices.\n2. Show name, due date, amount.", LISTED, "descending"),
        ("requirements_list", "Invoices; name; due date; amount; sorted by amount ascending", LISTED, "descending"),
        ("casual", "can you list the members and their loans?", "List the members without any loans.", "absent"),
        ("evidence_supported", "Wines of some kind with an average above 5?", AVERAGE, "too little"),
        ("short_high_level", "Wines of Alsace.", AVERAGE, "an average"),
        ("short_high_level", "What is the average?", AVERAGE, "hardly"),
        ("short_ambiguous", "Check wines.", AVERAGE, "too bare"),
        ("casual", "which city has the fewest shops?", "Which city has the most shops?", "the highest"),
    ],
)  # fmt: skip
def test_what_a_rewrite_lost_is_named(style, text, question, fault):
    found = lost(style, text, question)
    assert any(fault in each for each in found), found


def test_naming_words_are_things_not_figures_or_verbs():
    assert naming_words("Show the total number of late order items per customer, sorted in descending order.") == (
        "late", "order", "item", "customer",
    )  # fmt: skip
