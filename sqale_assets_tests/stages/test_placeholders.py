"""Placeholders of every kind are refused; questions of every style are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqale import is_usable_question

from sqale_assets.stages.placeholders import is_placeholder, placeholder_reason

REFUSED_BY_THE_LOADER = ["", "   ", "...", "…", ". . .", "<string>", "**Hard**", "**moderate", "simple", None]
REFUSED_BY_US = [
    "string", "N/A", "n/a.", "[question]", '"..."', "Moderate:", "<a> <b>", "—", "42", "1.", "short_ambiguous",
    "Casual:", "casual: hey, who ordered?", "Here is the rewritten question: who ordered?", "TBD", "null",
    "As an AI language model, I cannot see the data.", "Which customers have orders and",
    "Which customers live in the",
    "Who ordered <string> in 2023?", "List the [question] of the day", "{{ question }}", "Names of the customers,",
    "Which orders...", "(verbose)", "Task: restyle_question", "Orders?", "Lorem ipsum dolor sit amet",
]  # fmt: skip
USABLE = [
    "Which customers placed more than 2 orders?", "Employees who received feedback from Tuttle Gledhill; their names",
    "1. Find all orders.\n2. Keep those with status 'Shipped'.", "hey whats the total for Q3",
    "Count of orders in 2023",
    "Which machines are in state 'none'?", "How many simple questions were asked?",
    "Top 3 cities by revenue",
    "Is the string 'abc' used in a name?", "wich custmers dont have a adress",
    "List users whose status is unknown.",
    "Which scores are below <5?", "Who wrote 'To be or not to be ...'?",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED_BY_THE_LOADER)
def test_what_the_authors_loader_refuses_we_refuse(text):
    assert not is_usable_question(text)
    assert is_placeholder(text)


@pytest.mark.parametrize("text", REFUSED_BY_US)
def test_what_only_looks_like_a_question_is_refused_with_a_reason(text):
    assert placeholder_reason(text)


@pytest.mark.parametrize("text", USABLE)
def test_a_phrasing_of_any_style_is_usable(text):
    assert placeholder_reason(text) is None


@given(st.text(alphabet="<>*. …simplehardmot\n\t'[]", max_size=20))
def test_ours_is_never_laxer_than_the_loaders(text):
    assert is_usable_question(text) or is_placeholder(text)
