from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sqale_assets.llm.parsing import MAX_ERRORS, parse_answer
from sqale_assets.llm.task import Text


class Item(BaseModel):
    name: str
    size: int


class Items(BaseModel):
    items: tuple[Item, ...]
    note: str = ""


class Label(BaseModel):
    label: str
    reason: str


GOOD = Items(items=(Item(name="a", size=1), Item(name="it's", size=2)))
TEXT = '{"items": [{"name": "a", "size": 1}, {"name": "it\'s", "size": 2}]}'


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Here is the answer:\n\n```\n{TEXT}\n```\nHope that helps {{:-)}}",
        f"Sure! {TEXT} Anything else?",
        f"<think>\nmaybe {{'items': []}}?\n</think>\n{TEXT}",
        '{"items": [{"name": "a", "size": 1,}, {"name": "it\'s", "size": 2},],}',
        "{'items': [{'name': 'a', 'size': 1}, {'name': \"it's\", 'size': 2}]}",
        '[{"name": "a", "size": 1}, {"name": "it\'s", "size": 2}]',
        '{"name": "a", "size": 1}\n{"name": "it\'s", "size": 2}',
        '{items: [{name: "a", size: 1}, {name: "it\'s", size: 2}]}',
        '{"items": [{"name": "a", "size": 1}, {"name": "it\'s", "size": 2}]',
        f'```json\n{TEXT[:-2]}, {{"name": "cut o',
        f"{TEXT[:-2]},",
    ],
    ids=[
        "plain", "fence", "fence and prose", "prose", "thinking", "trailing commas", "single quotes", "bare list",
        "objects one after the other", "bare names", "brace forgotten", "cut off in an item", "cut off after a comma",
    ],
)  # fmt: skip
def test_what_models_do_to_json_is_tolerated(text):
    assert parse_answer(Items, text) == GOOD


def test_a_cut_off_item_is_dropped_even_where_it_would_validate():
    cut = '{"items": [{"name": "whole", "size": 1}, {"name": "half of a na'
    assert [item.name for item in parse_answer(Items, cut).items] == ["whole"]
    assert [item.size for item in parse_answer(Items, '[{"name": "a", "size": 1}, {"name": "b", "size": 2').items] == [
        1
    ]


def test_half_a_sentence_is_no_answer():
    with pytest.raises(ValueError, match="no complete JSON"):
        parse_answer(Label, '{"label": "shop", "reason": "because the')


def test_an_object_repeated_for_ever_is_one_object():
    one = json.dumps({"label": "shop", "reason": "orders"})
    assert parse_answer(Label, "\n".join([one] * 40)).label == "shop"


def test_the_error_speaks_to_the_model():
    with pytest.raises(ValueError) as caught:
        parse_answer(Items, '{"items": [{"name": "a", "size": "big"}, {"size": 2}]}')
    assert str(caught.value).splitlines() == [
        "items.0.size: Input should be a valid integer, unable to parse string as an integer (got 'big')",
        "items.1.name: Field required",
    ]


def test_many_errors_are_shortened():
    text = json.dumps({"items": [{"name": "x"}] * 50})
    with pytest.raises(ValueError) as caught:
        parse_answer(Items, text)
    assert len(str(caught.value).splitlines()) == MAX_ERRORS + 1
    assert "and 42 more" in str(caught.value)


@pytest.mark.parametrize("text", ["", "   ", "I cannot help with that.", "{}", "[]", "null", "42"])
def test_no_answer_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_answer(Label, text)


def test_free_text_is_kept_but_its_thinking_is_not():
    assert parse_answer(Text, "<think>hm</think>\nSELECT 1").text == "SELECT 1"


@given(st.text(max_size=300))
def test_any_text_either_parses_or_raises_value_error(text):
    with contextlib.suppress(ValueError):
        parse_answer(Items, text)


NAMES = st.text(max_size=12)
ITEMS = st.lists(st.builds(Item, name=NAMES, size=st.integers(-(10**6), 10**6)), min_size=1, max_size=6)


@given(ITEMS, st.data())
def test_a_cut_anywhere_keeps_a_prefix_of_the_items_unchanged(items, data):
    text = Items(items=tuple(items), note="end").model_dump_json()
    cut = text[: data.draw(st.integers(0, len(text)), label="cut at")]
    try:
        kept = parse_answer(Items, cut).items
    except ValueError:
        return
    assert kept == tuple(items[: len(kept)])


@given(ITEMS)
def test_whole_json_is_read_as_json_reads_it(items):
    answer = Items(items=tuple(items))
    assert parse_answer(Items, answer.model_dump_json()) == answer
