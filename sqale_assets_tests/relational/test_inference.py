"""Inferred foreign keys: by name, type, uniqueness and values, each with its confidence."""

import pytest

from sqale_assets.relational.inference import infer_foreign_keys, needs_inference, with_inferred_keys
from sqale_assets.relational.reader import read_sql
from sqale_assets_tests.shared import CORPUS, corpus_readings, needs_corpus


def inferred(sql: str) -> set[str]:
    reading = read_sql(sql.encode())
    found = infer_foreign_keys(reading.schema, reading.rows)
    return {
        f"{table}.{key.columns[0]} > {key.target_table}.{key.target_columns[0]}"
        for table, keys in found.items()
        for key in keys
    }


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ("users (id int primary key); posts (id int primary key, user_id int)", {"posts.user_id > users.id"}),
        ("sys_user (user_id int primary key); t (user_id int, n int)", {"t.user_id > sys_user.user_id"}),
        ("City (CityID int primary key); Trip (n int, HomeCityID int)", {"Trip.HomeCityID > City.CityID"}),
        ("dept (id int primary key, parent_id int)", {"dept.parent_id > dept.id"}),
        ("employee (id int primary key, manager_id int)", {"employee.manager_id > employee.id"}),
        ("tb_buku (id_buku int primary key); tr (id_trans int, id_buku int)", {"tr.id_buku > tb_buku.id_buku"}),
        ("category (id int primary key); goods (n int, category int)", {"goods.category > category.id"}),
        ("departments (id int primary key); staff (n int, dept_id int)", {"staff.dept_id > departments.id"}),
        ("employees (id int primary key); payslip (n int, emp_id int)", {"payslip.emp_id > employees.id"}),
        ("person (id int primary key); note (n int, pers_id_author int)", {"note.pers_id_author > person.id"}),
        ("s_a (n int); s_b (n int); s_city (id int primary key); s_c (to_city_id int)", {"s_c.to_city_id > s_city.id"}),
        ("user (id int primary key); user_detail (user_id int primary key)", {"user_detail.user_id > user.id"}),
    ],
)
def test_names_that_say_it(tables, expected):
    assert inferred(_ddl(tables)) == expected


@pytest.mark.parametrize(
    "tables",
    [
        "users (id int primary key); posts (user_id varchar(20), n int)",  # types differ
        "users (id int, name text); posts (user_name text, n int)",  # no key
        "reset (token varchar(40) primary key); invite (token varchar(40), n int)",  # the same name says nothing
        "a (code varchar(9) primary key); b (code varchar(9) primary key)",  # both their own keys
        "department (id int primary key, manager_id int)",  # a manager is no department
        "app_x (item_id int primary key); app_y (item_id int primary key); z (item_id int)",  # which of them?
    ],
)
def test_names_that_do_not(tables):
    assert inferred(_ddl(tables)) == set()


def test_values_decide():
    tables = _ddl("colour (id int primary key, n int); car (id int primary key, colour_id int)")
    held = tables + "INSERT INTO colour VALUES (1, 0), (2, 0); INSERT INTO car VALUES (7, 1), (8, 0), (9, 2);"
    reading = read_sql(held.encode())
    (key,) = infer_foreign_keys(reading.schema, reading.rows)["car"]
    assert (key.origin, key.confidence) == ("inferred", pytest.approx(0.975))
    denied = tables + "INSERT INTO colour VALUES (1, 0); INSERT INTO car VALUES (7, 31), (8, 32), (9, 33);"
    assert inferred(denied) == set()


def test_only_schemas_with_few_keys_are_touched():
    full = read_sql(
        _ddl("a (id int primary key); b (a_id int references a (id), c_id int); c (id int primary key)").encode()
    )
    assert not needs_inference(full.schema)
    assert with_inferred_keys(full.schema, {}) == full.schema
    bare = read_sql(_ddl("a (id int primary key); b (a_id int, n int)").encode())
    (key,) = with_inferred_keys(bare.schema, {}).table("b").foreign_keys
    assert key.origin == "inferred"
    assert 0.7 <= key.confidence < 1


@needs_corpus
@pytest.mark.parametrize(("file", "least"), [("OMOPCDM", 160), ("RuoYi", 15), ("litemall", 30), ("killbill", 7)])
def test_real_schemas_without_keys(file, least):
    (path,) = CORPUS.glob(f"*{file}*.sql")
    reading = read_sql(path.read_bytes())
    assert reading.schema.foreign_key_count == 0
    assert with_inferred_keys(reading.schema, reading.rows).foreign_key_count >= least


@needs_corpus
def test_precision_and_recall_over_hidden_keys():
    right = inferred_count = declared_count = 0
    for reading in corpus_readings().values():
        if reading.schema.foreign_key_count < 0.5 * len(reading.schema.tables):
            continue
        declared = _keys((table.name, table.foreign_keys) for table in reading.schema.tables)
        hidden = tuple(table.model_copy(update={"foreign_keys": ()}) for table in reading.schema.tables)
        found = infer_foreign_keys(reading.schema.model_copy(update={"tables": hidden}), reading.rows)
        guessed = _keys(found.items())
        right += len(declared & guessed)
        inferred_count, declared_count = inferred_count + len(guessed), declared_count + len(declared)
    assert right / inferred_count >= 0.9
    assert right / declared_count >= 0.7


def _keys(tables):
    return {
        (name.lower(), tuple(map(str.lower, key.columns)), key.target_table.lower())
        for name, keys in tables
        for key in keys
    }


def _ddl(tables: str) -> str:
    return "".join(f"CREATE TABLE {table.strip()};\n" for table in tables.split(";"))
