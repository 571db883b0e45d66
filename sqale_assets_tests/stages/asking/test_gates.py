from __future__ import annotations

import pytest

from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.asking import gates
from sqale_assets_tests.llm.english.shop import connect

SCHEMA = Database.from_connection(connect()).schema

REFUSED = [
    ("identifier", "What is the average total_amount of all orders?"),
    ("identifier", "How many order_items does each order have?"),
    ("about_the_database", "How many customers are there in this database?"),
    ("about_the_database", "List the rows of the table with the highest amount, please."),
    ("about_the_database", "Write a SQL query that counts orders per customer."),
    ("not_self_contained", "What is the name of the customer with the given id?"),
    ("not_self_contained", "Show all orders of this customer that were paid."),
    ("about_nothing", "How many rows are there?"),
    ("about_nothing", "How many records are there in total?"),
    ("two_in_one", "How many customers are there, and which product is the most expensive?"),
    ("two_in_one", "Which city has the most customers, and where are the fewest orders placed?"),
    ("two_in_one", "Which city has most customers? What do they buy?"),
    ("placeholder", "How many orders were placed by <PERSON> in 2023?"),
    ("not_a_question", "SELECT count(*) FROM orders WHERE status is paid"),
    ("length", "Orders?"),
]


@pytest.mark.parametrize(("reason", "question"), REFUSED)
def test_refused(reason, question):
    found = gates.faults(question, SCHEMA)
    assert reason in [fault.reason for fault in found] and gates.told(found)


GOOD = [
    'How many orders of the customer "snake_case Ltd" were paid in 2023?',
    "Which customer has the most orders? Give its name, keeping all in case of a tie.",
    "For each city, show the number of customers and the average rating of their reviews.",
    "List the products whose name contains \"SQL\" and that were reviewed at least twice.",
    "What is the average total amount of all orders, and how many of them are above it?",
    "Which cities occur both among customers and where the decided date falls in 2023 and among suppliers?",
    "Which customers are there who have an order and which have no review? Show their name.",
    "Which orders are there whose seller is also the approver? Show their id.",
]  # fmt: skip


@pytest.mark.parametrize("question", GOOD)
def test_good_questions_pass(question):
    assert gates.faults(question, SCHEMA) == []


def test_near_duplicates():
    known = gates.Known()
    known.add("How many orders of the customer Ann are there in 2023?")
    assert known.like("How many orders of the customer Ann are there in 2023")
    assert known.like("How many orders of the customer Ann are there?") is None
    assert known.like("What is the average price of all products?") is None
    assert known.texts == ["How many orders of the customer Ann are there in 2023?"]
