"""Over BIRD dev our rules give the reference's figures to the last digit shown."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sqale_assets.statistics.questions import question_statistics
from sqale_assets.statistics.schemas import schema_statistics, shape_of_tables_json
from sqale_assets.statistics.sql import sql_statistics

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "reference"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no reference data in {SHARED}; set SQALE_SHARED")


def load(name: str):
    return json.loads((SHARED / name).read_text(encoding="utf-8"))


def test_sql_and_question_figures_of_bird_dev():
    expected = load("reference_statistics.json")["BIRD"]["computed_dev_sql"]["values"]
    pairs = load("bird_dev.json")
    ours = sql_statistics(pair["sql"] for pair in pairs).model_dump()
    ours |= question_statistics([pair["question"] for pair in pairs]).model_dump(exclude={"n"})
    assert {name: ours[name] for name in expected} == expected


def test_schema_figures_of_bird_dev():
    expected = load("reference_statistics.json")["BIRD"]["computed_dev_schema"]["values"]
    ours = schema_statistics(map(shape_of_tables_json, load("bird_dev_tables.json"))).model_dump()
    assert {name: ours[name] for name in expected} == expected
