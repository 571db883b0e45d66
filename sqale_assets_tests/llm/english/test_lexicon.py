# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import sqlite3

import pytest

from sqale_assets.llm.offline.english.lexicon import Lexicon, column_phrases, noun_of, role_of
from sqale_assets.llm.offline.english.meaning import Link
from sqale_assets.llm.offline.english.words import deed, is_readable, plural, spoken
from sqale_assets.sqlenv.introspect import read_schema


def schema_of(ddl):
    connection = sqlite3.connect(":memory:")
    connection.executescript(ddl)
    return read_schema(connection)


@pytest.mark.parametrize(
    ("table", "noun"),
    [
        ("sec_users", "user"), ("qrtz_job_details", "job detail"), ("pet_owner", "pet owner"),
        ("orders", "order"), ("OrderItems", "order item"), ("tbl_categories", "category"), ("Sales.DimCustomer", "customer"),
        ("tb_anggota", "anggota record"), ("usuarios", "usuario"), ("user_data", "user data record"),
        ("orderuserinfo", "order user information record"), ("log_table", "log"), ("note_history", "note history record"), ("records", "record"), ("tags_7", "tags 7 record"), ("", "row"),
    ],
)  # fmt: skip
def test_nouns(table, noun):
    assert noun_of(table) == noun


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("custAddr", "customer address"),
        ("qty", "quantity"),
        ("BillNo", "bill number"),
        ("weeklyschedule", "weekly schedule"),
    ],
)
def test_words(identifier, words):
    assert " ".join(spoken(identifier)) == words


def test_columns_lose_what_only_repeats_the_table():
    schema = schema_of(
        "CREATE TABLE customers (customer_id INT PRIMARY KEY, customer_name TEXT, is_active BOOLEAN, created_at TEXT,"
        " name_customer TEXT, starts_on DATE, created_by INT, paid BOOLEAN)"
    )
    phrases = column_phrases(schema.tables[0])
    assert phrases["customer_id"] == "id" and phrases["is_active"] == "active flag" and phrases["paid"] == "paid flag"
    assert phrases["created_at"] == "creation date" and phrases["starts_on"] == "start date"
    assert phrases["created_by"] == "creator"
    assert (
        phrases["customer_name"] == "customer name" and phrases["name_customer"] == "name customer"
    )  # both would be "name"


def test_roles_tell_keys_apart():
    schema = schema_of(
        "CREATE TABLE address (id INTEGER PRIMARY KEY);"
        "CREATE TABLE emp (emp_no INTEGER PRIMARY KEY, manager_no INT REFERENCES emp, parent_id INT REFERENCES emp);"
        "CREATE TABLE orders (id INT, billing_address_id INT REFERENCES address, shipping_id INT REFERENCES address,"
        " created_by INT REFERENCES emp, x1 INT REFERENCES orders(id));"
    )
    lexicon = Lexicon(schema)
    roles = {link.columns[0]: lexicon.role(link) for table in lexicon.tables for link in lexicon.links_out(table)}
    assert roles["billing_address_id"] == "billing address" and roles["shipping_id"] == "shipping address"
    assert roles["created_by"] == "creator" and roles["manager_no"] == "manager"
    assert len(set(roles.values())) == len(roles)


def test_a_key_named_after_its_own_table_is_called_by_what_it_leads_to():
    lexicon = Lexicon(
        schema_of(
            "CREATE TABLE titles (title_id TEXT PRIMARY KEY);"
            "CREATE TABLE employees (emp_no INT, emp_title_id TEXT REFERENCES titles(title_id))"
        )
    )
    assert [lexicon.role(link) for link in lexicon.links_out("employees")] == ["title"]


def test_an_abbreviation_means_what_its_table_or_key_says():
    lexicon = Lexicon(
        schema_of(
            "CREATE TABLE doctor (doctor_id INTEGER PRIMARY KEY, doc_name TEXT);"
            "CREATE TABLE visit (id INTEGER PRIMARY KEY, doc_id INTEGER REFERENCES doctor(doctor_id), doc_path TEXT)"
        )
    )
    assert [lexicon.role(link) for link in lexicon.links_out("visit")] == ["doctor"]
    assert lexicon.column("doctor", "doc_name") == "name"
    assert lexicon.column("visit", "doc_path") == "document path"


def test_a_table_is_found_under_each_of_its_names():
    lexicon = Lexicon(schema_of("CREATE TABLE user (id INT); CREATE TABLE users (id INT); CREATE TABLE posts (id INT)"))
    assert lexicon.nouns["user"] == ["user", "users"] and lexicon.nouns["post"] == ["posts"]


@pytest.mark.parametrize(
    ("phrase", "many"), [("date of birth", "dates of birth"), ("status", "statuses"), ("staff", "staff")]
)
def test_plural(phrase, many):
    assert plural(phrase) == many


def test_readable():
    assert is_readable("nama") and is_readable("id") and not is_readable("qrtz") and not is_readable("x3")


@pytest.mark.parametrize(
    ("column", "parent", "role"),
    [
        ("head_id", "lecturers", "head lecturer"),
        ("default_milestone_id", "milestone", "default milestone"),
        ("manager_id", "employees", "manager"),
        ("shipping_id", "addresses", "address"),
    ],
)
def test_a_key_that_picks_one_of_many_says_which(column, parent, role):
    link = Link("department", (column,), parent, ("id",))
    assert role_of(link, [link]) == role


@pytest.mark.parametrize(
    ("column", "verb"),
    [("placed date", "placed"), ("creation date", "created"), ("start date", "starting"), ("date", None), ("red", None), ("order date", None)],
)  # fmt: skip
def test_dates_are_told_by_what_was_done(column, verb):
    assert deed(column) == verb
