"""Literals are read as English means them, and proved against a real database."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.sqlenv.database import Database, Limits
from sqale_assets.stages import dates
from sqale_assets.stages.grounding import GroundingIndex, ground, literals

DDL = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, credit_limit REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), order_date TEXT,
                     status TEXT, total_amount REAL, model_year INTEGER, reference TEXT);
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, founded INTEGER);
INSERT INTO customers VALUES (1,'Tuttle','Gledhill','São Paulo',500.0),(2,'Ann','O''Brien','Berlin',1500.5),
                             (3,'Ann','Gledhill','New   York',NULL);
INSERT INTO orders VALUES (1,1,'2023-03-15','Shipped',48.64,2021,'SHM-204'),
                          (2,1,'2023-04-02 10:30:00','back ordered',120.0,2022,'firmware-updater v2'),
                          (3,2,'2021-12-31','Shipped',99.99,2021,'PRIORITY_INTL');
INSERT INTO suppliers VALUES (1,'Acme Tools',1999),(2,'Globex',2005);
"""


@pytest.fixture(scope="module")
def index() -> GroundingIndex:
    connection = sqlite3.connect(":memory:")
    connection.executescript(DDL)
    return GroundingIndex(Database.from_connection(connection))


def proofs(index: GroundingIndex, question: str, tables=("customers", "orders", "suppliers")):
    found, missing = ground(question, tables, index)
    return [(p.literal, p.column, p.how) for p in found], [m.literal for m in missing]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which orders have status 'shipped'?", [("shipped", "status", "exact")]),
        ('Which customers live in "SÃO  PAULO"?', [("SÃO  PAULO", "city", "exact")]),
        ("Which customers are named 'O'Brien'?", [("O'Brien", "last_name", "exact")]),
        ("How many orders did Tuttle Gledhill place?",
         [("Tuttle", "first_name", "exact"), ("Gledhill", "last_name", "exact")]),
        ("Which orders have a reference containing 'updat'?", [("updat", "reference", "contained")]),
        ("Which orders mention 'updater' in the reference?", [("updater", "reference", "contained")]),
        ("Show the orders with reference SHM-204.", [("SHM-204", "reference", "exact")]),
        ("Which orders have a total amount of 48.64?", [("48.64", "total_amount", "exact")]),
        ("What were the sales of 2023?", [("2023", "order_date", "period")]),
        ("Which suppliers were founded between 1999 and 2004?",
         [("1999", "founded", "range"), ("2004", "founded", "range")]),
        ("Which orders have a total amount above 100?", [("100", "total_amount", "range")]),
        ("Which customers have a credit limit of 1,500.50?", [("1,500.50", "credit_limit", "exact")]),
        ("What were the orders on March 15, 2023?", [("March 15, 2023", "order_date", "exact")]),
        ("What were the orders on 2 April 2023?", [("2 April 2023", "order_date", "exact")]),
        ("What were the orders on 15/03/2023?", [("15/03/2023", "order_date", "exact")]),
        ("How many orders were placed in 2023?", [("2023", "order_date", "period")]),
        ("How many orders were placed in April 2023?", [("April 2023", "order_date", "period")]),
        ("How many orders were placed in Q1 2023?", [("Q1 2023", "order_date", "period")]),
        ("How many orders were placed after 2022-06-01?", [("2022-06-01", "order_date", "range")]),
        ("List the top 3 customers by total amount.", [("3", None, "limit")]),
        ("List the two customers with the highest credit limit.", [("two", None, "limit")]),
        ("Which customers placed at least 2 orders?", [("2", None, "count")]),
        ("Which customers placed more than one order?", []),
        ("Which orders have model year 2021?", [("2021", "model_year", "exact")]),
        ("Which 2 orders with a status come first by descending total amount and then by ascending id?",
         [("2", None, "limit")]),
        ("Which is the 2nd largest order?", [("2nd", None, "limit")]),
        ("What is the Order ID and the GPA?", []),
        ("List each customer's city. Berlin comes first.", []),
    ],
)  # fmt: skip
def test_every_grounded_literal_has_a_proof_that_says_where(index, question, expected):
    assert proofs(index, question) == (expected, [])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Which orders have status 'Cancelled'?", "Cancelled"),
        ("Which orders have a total amount above 1000?", "1000"),
        ("How many orders were placed in 2019?", "2019"),
        ("How many orders were placed on 2023-03-16?", "2023-03-16"),
        ("List the top 50 customers by credit limit.", "50"),
        ("Which customers placed at least 9 orders?", "9"),
        ("How many orders were placed by Ann Tuttle?", "Ann Tuttle"),
        ("Which orders have reference SHM-205?", "SHM-205"),
        ("Which customers live in London and spend a lot?", "London"),
        ("What is the status of the order with total amount 48.65?", "48.65"),
    ],
)
def test_what_the_data_does_not_hold_is_ungrounded(index, question, missing):
    assert proofs(index, question)[1] == [missing]


def test_the_near_misses_help_the_model(index):
    _, missing = ground("Which orders have status 'Shiped'? Which come from 'Globex'?", ["orders"], index)
    assert "'Shipped' (orders.status)" in missing[0].near_misses
    assert "only in suppliers.name" in missing[1].near_misses[0]
    _, missing = ground("Which orders have a total amount above 1000?", ["orders"], index)
    assert missing[0].near_misses == ("orders.total_amount spans 48.64 to 120",)


def test_a_small_number_is_not_grounded_by_a_column_nobody_mentioned(index):
    found, missing = ground("Which suppliers have rating 3?", ["customers", "suppliers"], index)
    assert (found, [m.literal for m in missing]) == ((), ["3"])


def test_what_is_quoted_is_one_literal_and_list_numbers_are_none():
    question = "1. Find 'Summer Sale 2023, top 5'.\n2. Keep those of Ann.\n- Use 10 rows at most."
    assert [(f.text, f.kind) for f in literals(question)] == [
        ("Summer Sale 2023, top 5", "text"),
        ("Ann", "name"),
        ("10", "number"),
    ]


def test_a_table_longer_than_one_page_is_indexed_whole():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE readings (value INTEGER)")
    connection.executemany("INSERT INTO readings VALUES (?)", [(n,) for n in range(25)])
    index = GroundingIndex(Database.from_connection(connection, limits=Limits(rows=10)))
    assert [table.row_count for table in index.among(["Readings"])] == [25]


@given(st.text(max_size=80))
def test_reading_any_text_never_fails_and_literals_do_not_overlap(text):
    found = literals(text)
    assert [f.start for f in found] == sorted({f.start for f in found})


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_a_day_is_read_in_every_spelling(day):
    for form in ("%Y-%m-%d", "%B %d, %Y", "%d %b %Y", "%d/%m/%Y"):
        written = day.strftime(form)
        found = next(dates.find(f"orders placed on {written} please"))
        assert (day.isoformat(), day.isoformat()) in found.spans, written


SAME = """
CREATE TABLE teams (id INTEGER PRIMARY KEY, label TEXT, created_at TEXT, region TEXT);
CREATE TABLE players (id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES teams(id), label TEXT, joined_on TEXT,
                      level INTEGER, goals INTEGER);
CREATE TABLE audits (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES players(id), remark TEXT);
INSERT INTO teams VALUES (1, 'North', '2023-05-01', 'Wexford');
INSERT INTO players VALUES (1, 1, 'North', '2023-05-01', 3, 3), (2, 1, 'East', '2023-05-01', 1, 1);
INSERT INTO audits VALUES (1, 1, 'overdue');
"""


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Which players with goals over 2 have a team whose label is 'North'?", ("teams", "label")),
        ("Which players have the label 'North' and a team in some region?", ("players", "label")),
        ("Which players joined in 2023 have a team?", ("players", "joined_on")),
        ("Which players have a team created in 2023?", ("teams", "created_at")),
        ("Show the team of players with 'North' as their label.", ("players", "label")),
        ("Which players whose level is 3 have goals?", ("players", "level")),
        ("Which players have goals between 2 and 3 and some level?", ("players", "goals")),
        ("Which players come from 'Wexford'?", ("teams", "region")),  # a table that the question's key leads to
    ],
)
def test_of_several_columns_that_hold_a_value_the_one_that_is_spoken_of_is_named(question, place):
    connection = sqlite3.connect(":memory:")
    connection.executescript(SAME)
    found, missing = ground(question, ("teams", "players", "audits"), Database.from_connection(connection))
    assert [(proof.table, proof.column) for proof in found][-1] == place and not missing


def test_a_value_of_what_the_question_is_not_about_does_not_count():
    connection = sqlite3.connect(":memory:")
    connection.executescript(SAME)
    found, missing = ground(
        "Which players are 'overdue'?", ("teams", "players", "audits"), Database.from_connection(connection)
    )
    assert found == () and missing[0].near_misses == (
        "'overdue' (only in audits.remark, which the question is not about)",
    )


def test_what_follows_a_bound_is_not_always_what_is_counted():
    (bound,) = literals("What is the percentage of those whose goals is over 13 among players?")
    assert (bound.role, bound.counted) == ("bound", "")
    (count,) = literals("Which teams have more than 3 active players?")
    assert count.counted == "active players"
