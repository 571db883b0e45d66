"""Words, cases and number of identifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.names import CASES, cases_of, is_plural, join, plural, plural_words, singular, words

WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("order_items", ("order", "items")),
        ("OrderItemID", ("order", "item", "id")),
        ("tblUserProfile", ("tbl", "user", "profile")),
        ("HTTPRequest", ("http", "request")),
        ("Order Details", ("order", "details")),
        ("security2idkey", ("security", "2", "idkey")),
        ("DIAGNOSTIVO", ("diagnostivo",)),
    ],
)
def test_words(identifier, expected):
    assert words(identifier) == expected


@given(parts=st.lists(WORD, min_size=2, max_size=4), case=st.sampled_from(CASES))
def test_a_joined_name_is_of_its_case_and_gives_its_words_back(parts, case):
    name = join(parts, case)
    assert case in cases_of(name)
    if case not in ("lowercase", "UPPERCASE"):
        assert words(name) == tuple(parts)


@pytest.mark.parametrize(
    ("identifier", "cases"),
    [
        ("name", {"snake_case", "camelCase", "lowercase"}),
        ("Customer", {"PascalCase", "Pascal_Snake_Case", "Capital_snake_case", "Title Case"}),
        ("customerId", {"camelCase"}),
        ("World_Type", {"Pascal_Snake_Case"}),
        ("Id_persona", {"Capital_snake_case"}),
        ("isManagment_User", set()),
        ("ID", {"UPPER_SNAKE_CASE", "UPPERCASE", "PascalCase"}),
    ],
)
def test_cases_that_a_name_fits(identifier, cases):
    assert cases_of(identifier) == cases


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("category", "categories"),
        ("status", "statuses"),
        ("address", "addresses"),
        ("analysis", "analyses"),
        ("person", "people"),
        ("bonus", "bonuses"),
        ("lens", "lenses"),
        ("criterion", "criteria"),
        ("curve", "curves"),
        ("emoji", "emojis"),
        ("history", "history"),
        ("feedback", "feedback"),
    ],
)
def test_number(one, many):
    assert plural(one) == many
    assert singular(one) == one
    assert many == one or singular(many) == one


@pytest.mark.parametrize("word", ["consulta", "pergunta", "jornada", "anggota", "venta"])
def test_words_of_other_languages_are_no_latin_plurals(word):
    assert singular(word) == word
    assert is_plural(word) is False


def test_only_the_last_word_takes_the_plural():
    assert plural_words(("order", "status", "change")) == ("order", "status", "changes")
