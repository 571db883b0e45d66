# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import json

import pytest

from sqale_assets.llm.offline.judge_answer import judge
from sqale_assets.llm.offline.judging.case import Case
from sqale_assets.llm.offline.judging.shape import asked_items
from sqale_assets.settings import REPOSITORY
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.tools import result_preview
from sqale_assets.stages.calibration import parse_pairs
from sqale_assets_tests.llm.english.shop import DDL, connect

SHOP = Database.from_connection(connect())


def verdict(question: str, sql: str):
    try:
        result = result_preview(SHOP.execute(sql))
    except QueryError:
        result = {"columns": [], "rows": [], "row_count": 1}
    return judge(Case(question, sql, result, DDL))


ROME = 'How many customers are there whose city is "Rome"?'

RIGHT = [
    (ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Rome'"),
    ("What is the average total amount of all orders?", "SELECT AVG(total_amount) FROM orders"),
    ("Which customer has the most orders? Give its name, keeping all in case of a tie.",
     "WITH counts AS (SELECT c.customer_name AS customer_name, COUNT(*) AS n FROM customers c JOIN orders o ON"
     " o.customer_id = c.customer_id GROUP BY c.customer_id) SELECT customer_name FROM counts WHERE n = (SELECT MAX(n)"
     " FROM counts)"),
    ("How many orders are there whose date falls in March 2023?",
     "SELECT COUNT(*) FROM orders WHERE strftime('%Y-%m', order_date) = '2023-03'"),
    ("Count customers by city.", "SELECT city, COUNT(*) FROM customers GROUP BY city"),
    ("List the name of all customers without any orders.",
     "SELECT customer_name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)"),
    ("How many customers are there not marked as active?", "SELECT COUNT(*) FROM customers WHERE is_active = 0"),
    ("Which order has the highest total amount? Show its id.", "SELECT id FROM orders ORDER BY total_amount DESC LIMIT 1"),
    ("For every order, show the id, the seller's full name and the approver's full name.",
     "SELECT o.id, s.full_name, a.full_name FROM orders o JOIN employees s ON o.seller_id = s.id"
     " LEFT JOIN employees a ON o.approver_id = a.id"),
    ("List all orders whose total amount is below the average over all orders with the same customer together with their id.",
     "SELECT o.id FROM orders o WHERE o.total_amount < (SELECT AVG(p.total_amount) FROM orders p WHERE p.customer_id ="
     " o.customer_id)"),
    ("How many orders are there whose total amount is between 100 and 200 inclusive?",
     "SELECT COUNT(*) FROM orders WHERE total_amount >= 100 AND total_amount <= 200"),
    ('Show the id of every order whose status is not "open".', "SELECT id FROM orders WHERE status <> 'open'"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql"), RIGHT)
def test_right_answers_are_accepted(question, sql):
    assert verdict(question, sql) is None


WRONG = [
    ("wrong_filter", ROME, "SELECT COUNT(*) FROM customers"),
    ("wrong_filter", ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Oslo'"),
    ("wrong_filter", ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Rome' AND customer_name LIKE 'A%'"),
    ("wrong_filter", "How many orders are there whose total amount is above 100?",
     "SELECT COUNT(*) FROM orders WHERE total_amount > 200"),
    ("wrong_filter", "List the name of all customers without any orders.",
     "SELECT customer_name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)"),
    ("wrong_aggregate", "What is the average total amount of all orders?", "SELECT MAX(total_amount) FROM orders"),
    ("wrong_aggregate", "How many orders are there?", "SELECT id FROM orders WHERE id = 1"),
    ("wrong_aggregate", "What is the highest total amount of all orders?", "SELECT SUM(total_amount) FROM orders"),
    ("wrong_grain", ROME, "SELECT city, COUNT(*) FROM customers WHERE city = 'Rome' OR city <> 'Rome' GROUP BY city"),
    ("wrong_grain", "List the distinct cities of customers.", "SELECT city FROM customers"),
    ("wrong_order", "List the name of all customers. Sort them by the name in ascending order.",
     "SELECT customer_name FROM customers"),
    ("wrong_order", "List the name of all customers. Sort them by the name in ascending order.",
     "SELECT customer_name FROM customers ORDER BY customer_name DESC"),
    ("missing_rows", "List the name of all customers.", "SELECT customer_name FROM customers LIMIT 5"),
    ("wrong_join", "For every order, show the id and the customer's name.", "SELECT id, status AS customer_name FROM orders"),
    ("extra_column", "List the name of all customers.", "SELECT customer_name, region_id FROM customers"),
    ("missing_rows", "List the name of all customers sorted by the name in ascending order.",
     "SELECT customer_name FROM customers ORDER BY customer_name LIMIT 1"),
    ("wrong_filter", "How many orders are there whose total amount is above 100?",
     "SELECT COUNT(*) FROM orders WHERE total_amount < 100"),
    ("wrong_filter", "How many orders are there whose total amount is between 100 and 200 inclusive?",
     "SELECT COUNT(*) FROM orders WHERE total_amount <= 100 OR total_amount >= 200"),
    ("wrong_filter", "How many orders are there whose date falls in March 2023?",
     "SELECT COUNT(*) FROM orders WHERE strftime('%Y', order_date) = '2023'"),
    ("wrong_filter", 'Show the id of every order whose status is "open".', "SELECT id FROM orders WHERE status <> 'open'"),
    ("wrong_filter", "How many customers are there not marked as active?",
     "SELECT COUNT(*) FROM customers WHERE is_active = 1"),
    ("wrong_filter", "List the name of all customers that have at least one order.",
     "SELECT customer_name FROM customers WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id > 0)"),
    ("wrong_filter", "List the id of all orders whose total amount is above the average of all orders.",
     "SELECT id FROM orders WHERE total_amount < (SELECT AVG(total_amount) FROM orders)"),
    ("wrong_filter", "Which orders have the highest total amount among those with the same customer? List their id.",
     "WITH compared AS (SELECT id, total_amount AS own, MAX(total_amount) OVER (PARTITION BY customer_id) AS best"
     " FROM orders) SELECT id FROM compared"),
    ("wrong_aggregate", "Which customer has the most orders? Give its name.",
     "WITH counts AS (SELECT c.customer_name, COUNT(*) AS n FROM customers c JOIN orders o ON o.customer_id ="
     " c.customer_id GROUP BY c.customer_id) SELECT customer_name FROM counts"),
    ("wrong_aggregate", "What is the smallest total amount of all orders?", "SELECT MAX(total_amount) FROM orders"),
    ("wrong_grain", "How many customers are there for each city?", "SELECT city, COUNT(*) FROM customers"),
    ("wrong_join", "Give the id and the seller's full name of every order.",
     "SELECT o.id, e.full_name FROM orders o JOIN employees e ON o.approver_id = e.id"),
    ("wrong_join", "Give the id and the customer's name of every order.",
     "SELECT o.id, c.customer_name FROM orders o JOIN customers c ON o.seller_id = c.customer_id"),
    ("wrong_order", "List the id of all orders. Sort them by the total amount in descending order and then by the id in"
     " ascending order.", "SELECT id FROM orders ORDER BY total_amount, id"),
    ("missing_column", "Show the id, the status and the date of every order.", "SELECT id, status FROM orders"),
    ("missing_column", "How many customers are there for each city?", "SELECT COUNT(*) FROM customers GROUP BY city"),
    ("missing_column", "List all orders whose total amount is above 400 together with their id and their status.",
     "SELECT id FROM orders WHERE total_amount > 400"),
    ("missing_rows", 'List the id of all orders whose status is "void".', "SELECT id FROM orders WHERE status = 'void'"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "question", "sql"), WRONG)
def test_wrong_answers_are_rejected(category, question, sql):
    objection = verdict(question, sql)
    assert objection is not None and objection[0] == category and objection[1].endswith(".")


@pytest.mark.parametrize(
    ("plain", "items"),
    [
        ("show the # and the # of every # whose # is above 5.", 2),
        ("for every #, give the #, its # and the number of # of which they are the #. sort the list by the #.", 3),
        ("how many # are there per #?", 2),
        ("how many # does each # have? list the # and the # as well.", 3),
        ("for each #, report the average # of #.", 2),
        ("show all # with their # and their #.", 2),
        ("what is the highest # of all #?", 1),
        ("which # occur more than 4 times among #? give how often too.", 2),
        ("tell me something.", 0),
    ],
)
def test_how_many_columns_a_question_lists(plain, items):
    assert asked_items(plain) == items


def test_the_labelled_set_of_the_sample_is_told_apart():
    pairs = parse_pairs((REPOSITORY / "quality" / "judge" / "sample.jsonl").read_text(encoding="utf-8"))
    accepted = [
        (pair.correct, judge(Case(pair.question, pair.sql, json.loads(pair.result), pair.schema_ddl)) is None)
        for pair in pairs
    ]
    for label in (True, False):
        group = [verdict is label for correct, verdict in accepted if correct is label]
        assert len(group) >= 100 and sum(group) / len(group) >= 0.95


def test_what_was_not_run_is_not_held_against_it():
    assert judge(Case(ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Rome'", {"row_count": None}, DDL)) is None


def test_unreadable_sql_and_ddl_do_not_break_it():
    assert judge(Case(ROME, "SELEC nothing", {"row_count": 1}, DDL)) is not None
    assert judge(Case(ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Rome'", {"row_count": 1}, "no ddl")) is None
