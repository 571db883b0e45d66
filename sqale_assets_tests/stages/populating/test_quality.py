from __future__ import annotations

import pytest

from sqale_assets.relational.reader import read_sql
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.language import language_of
from sqale_assets.stages.populating.plan import plan_rows, referring_tables, role_of
from sqale_assets.stages.populating.quality import degenerate
from sqale_assets.stages.populating.repair import likely_pairs
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets_tests.stages.populating.schemas import SHOP, table

N = 20


def _found(values, declared="VARCHAR(200)", expected=N):
    shape = table("thing", f"id, label {declared}")
    data = TableData(shape, {"id": list(range(len(values))), "label": list(values)})
    return [finding.kind for finding in degenerate(data, table_rules(shape), expected)]


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([f"Oak {i} mm" for i in range(N)], []),
        ([None] * N, ["all_null"]),
        (["same"] * N, ["constant"]),
        ([f"value_{i}" for i in range(N)], ["numbered"]),
        ([f"Label {i}" for i in range(N)], ["numbered"]),
        ([f"thing-{i}" for i in range(N)], ["numbered"]),
        ([f"Room {i}" for i in range(N)], []),
        ([f"{i} lorem ipsum" for i in range(N)], ["lorem"]),
        ([f"call <PHONE_NUMBER> {i}x" for i in range(N)], ["placeholder"]),
        (["a"], ["few_rows"]),
    ],
)
def test_what_is_found(values, kinds):
    assert _found(values) == kinds


def test_the_same_row_over_and_over_is_found():
    shape = table("thing", "id, a TEXT, b TEXT, c TEXT")
    data = TableData(shape, {"id": list(range(N)), "a": ["x", *"y" * 19], "b": ["x", *"y" * 19], "c": ["x", *"y" * 19]})
    assert [finding.kind for finding in degenerate(data, table_rules(shape), N)] == ["repeated_rows"]


def test_original_rows_are_not_held_against_the_function():
    shape = table("thing", "id, label TEXT")
    data = TableData(shape, {"id": list(range(2 * N)), "label": ["same"] * N + [f"Oak {i} mm" for i in range(N)]}, N)
    assert degenerate(data, table_rules(shape), N) == []


def test_names_that_repeat_the_original_ones_are_found():
    shape = table("thing", "id, label TEXT")
    originals, new = ["Ann", "Bo", "Cy", "Di"], ["Ann", "Bo"] * 20
    data = TableData(shape, {"id": list(range(44)), "label": originals + new}, 4)
    assert [finding.kind for finding in degenerate(data, table_rules(shape), 40)] == ["few_values"]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("category", "lookup"),
        ("customer", "dimension"),
        ("order_line", "fact"),
        ("favourite", "junction"),
        ("payment", "fact"),
    ],
)
def test_role_follows_from_the_keys(name, role):
    assert role_of(SHOP.table(name), referring_tables(SHOP)[name]) == role


def test_the_plan_is_seeded_skewed_and_never_below_the_original_rows():
    def plans(seed="a", **more):
        return plan_rows(SHOP, {"customer": 500, "category": 4}, median_rows=69, scale=1.0, seed=seed, **more)

    assert plans() == plans() != plans("b")
    assert plans()["customer"].rows == 500
    assert plans()["category"].rows == 4  # a lookup that comes with rows is complete
    sizes = [plans(str(seed))["orders"].rows for seed in range(200)]
    assert 35 < sorted(sizes)[100] < sum(sizes) / 200 < 100  # a dimension: smaller than the median table, and skewed


def test_pairs_of_columns_that_have_an_order():
    shape = table(
        "t",
        "id, start_date DATE, end_date DATE, min_price REAL, max_price REAL, created_at DATETIME, updated_at DATETIME",
    )
    assert likely_pairs(shape) == [
        ("start_date", "end_date"),
        ("min_price", "max_price"),
        ("created_at", "updated_at"),
    ]


@pytest.mark.parametrize(
    ("ddl", "rows", "locale"),
    [
        ("CREATE TABLE orders (id INT PRIMARY KEY, customer TEXT, total REAL, nome TEXT)", {}, "en_US"),
        (
            "CREATE TABLE usuario (id INT, nome TEXT, senha TEXT); CREATE TABLE pergunta (id INT, resposta TEXT)",
            {},
            "pt_BR",
        ),
        ("CREATE TABLE Persona (Nombre TEXT, Apellido1 TEXT, Fecha_alta DATE, Contrasenna TEXT)", {}, "es_ES"),
        (
            "CREATE TABLE t (a TEXT)",
            {"t": [("Berlaku untuk buku yang dipinjam dan tidak hilang di rak ini",)] * 4},
            "id_ID",
        ),
        ("CREATE TABLE t (a TEXT)", {"t": [("the story of a man who is not from this town",)] * 9}, "en_US"),
        ("CREATE TABLE t (a TEXT)", {"t": [("Calle del Tilo 8, Madrid ES",)] * 30}, "en_US"),
        ("CREATE TABLE t (a TEXT)", {"t": [("订单已发货，请查收快递单号",)] * 9}, "zh_CN"),
    ],
)
def test_the_language_is_told_from_names_and_rows(ddl, rows, locale):
    assert language_of(read_sql(ddl.encode()).schema, rows) == locale
