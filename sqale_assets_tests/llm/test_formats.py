from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from sqale_assets.llm.formats import answer_form, response_format
from sqale_assets.llm.task import Text


class Part(BaseModel):
    title: Annotated[str, Field(min_length=2, max_length=1200)]
    pattern: int = Field(1, ge=0, le=9)


class Whole(BaseModel):
    parts: tuple[Part, ...] = Field((), max_length=20)


def test_free_text_has_no_format():
    assert response_format(answer_form(Text), "json_schema") is None
    assert response_format(answer_form(Whole), None) is None


def test_the_structure_is_sent_without_its_bounds():
    for form in ("json_schema", "json_object"):
        text = json.dumps(response_format(answer_form(Whole), form))
        assert not any(bound in text for bound in ("1200", "maximum", "maxItems", "default"))
        assert all(f'"{name}": {{"type"' in text for name in ("title", "pattern"))


@pytest.mark.parametrize("form", ["json_schema", "json_object"])
def test_every_field_is_asked_for(form):
    sent = response_format(answer_form(Whole), form)
    schema = sent["schema"] if form == "json_object" else sent["json_schema"]["schema"]
    assert schema["required"] == ["parts"]
    assert schema["$defs"]["Part"]["required"] == ["title", "pattern"]
    assert schema["additionalProperties"] is False


def test_another_answer_is_another_call():
    assert len({answer_form(answer).digest for answer in (Part, Whole, Text)}) == 3
