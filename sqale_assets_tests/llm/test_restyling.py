"""The offline rewriter takes questions of many forms apart as a reader would."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.llm.offline.restyling.parts import take_apart
from sqale_assets.llm.offline.restyling.phrases import Request
from sqale_assets.llm.offline.restyling.typos import misspell
from sqale_assets.llm.offline.restyling.voices import rewrite
from sqale_assets.records import STYLES


@pytest.mark.parametrize(
    ("question", "kind", "what", "entity", "conditions"),
    [
        ("For each member, list the name, the home branch and the city.",
         "rows", ["the name", "the home branch", "the city"], "member", []),
        ('I need the id and the date of all loans whose state equals "good, or better".',
         "rows", ["the id", "the date"], "loans", ['whose state equals "good, or better"']),
        ("Which are the loans whose due date is in the year 2025? Give their id and their due date.",
         "rows", ["the id", "the due date"], "loans", ["whose due date is in the year 2025"]),
        ("How many loans whose date is in 2025 are on record?", "count", [], "loans", ["whose date is in 2025"]),
        ("How many orders did Ann place in 2023?", "count", [], "orders", ["linked to Ann in 2023"]),
        ("Display all books with \"Art\" as the genre and that have at least one loan where the date falls in 2024 "
         "together with their title and their year.",
         "rows", ["the title", "the year"], "books",
         ['with "Art" as the genre', "that have at least one loan where the date falls in 2024"]),
        ("Which fines where the year is 2025 have the lowest amount among those with the same reason? Show their "
         "reason, with ties.", "rows", ["the reason"], "fines",
         ["where the year is 2025", "that have the lowest amount among those with the same reason"]),
        ("What is the mean price of all wines whose age is over 3.5?", "rows", ["the mean price"], "wines",
         ["whose age is over 3.5"]),
        ("Among all bookings, what percentage are those whose quantity is \"1\"?", "rows",
         ['the percentage of those whose quantity is "1"'], "bookings", []),
        ("Identify the names of employees who have received feedback.", "rows", ["names"], "employees",
         ["who have received feedback"]),
        ("Please tell me when it rains.", "rows", [], "when it rains", []),
        ("Why is the sky blue?", "whole", [], "Why is the sky blue", []),
    ],
)  # fmt: skip
def test_the_parts_of_a_question(question, kind, what, entity, conditions):
    parts = take_apart(question)
    assert (parts.kind, parts.what, parts.entity, parts.conditions) == (kind, what, entity, conditions)


def test_order_groups_set_operations_and_ties_are_told_apart():
    parts = take_apart("Show the name of every shop, sorted by the city in descending order and then by the id.")
    assert parts.order == ["sorted by the city in descending order and then by the id"]
    parts = take_apart("How many notes does every order have? List the day and the doctor's name as well.")
    assert (parts.entity, parts.what) == ("order", ["the number of notes", "the day", "the doctor's name"])
    parts = take_apart('Tally artworks whose medium is "oil" by gallery.')
    assert (parts.kind, parts.entity, parts.group) == ("count", "artworks", "gallery")
    parts = take_apart("Which colours occur among cars built in 2020 but not among vans built in 2021?")
    assert (parts.what, parts.entity, parts.conditions) == (["colours"], "cars built", ["in 2020"])
    assert parts.extras == ["but not among vans built in 2021"]
    parts = take_apart("Which member has the most loans? Show its name. If several tie, list all of them.")
    assert (parts.conditions, parts.notes) == (["that has the most loans"], ["ties included"])


@given(st.text(max_size=120))
def test_any_text_can_be_taken_apart_and_rewritten(text):
    request = Request(question=text or "?", values=(), subjects=("order",))
    for style in STYLES[1:]:
        rewrite(request, style, Random(0))


@given(st.integers(0, 10_000))
def test_typos_spare_values_and_first_letters(seed):
    text = 'Which customers from "New York Harbour" ordered Zephyr cups for more than 1200 dollars in 2023?'
    spoiled = misspell(text, Random(seed), ("Zephyr",))
    assert spoiled.lower() != text.lower()
    for value in ('"New York Harbour"', "Zephyr", "1200", "2023"):
        assert value in spoiled
