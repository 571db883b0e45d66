# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import pytest

from sqale_assets.llm.offline.judge_answer import Case, judge
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.tools import result_preview
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
    ("missing_rows", 'List the id of all orders whose status is "void".', "SELECT id FROM orders WHERE status = 'void'"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "question", "sql"), WRONG)
def test_wrong_answers_are_rejected(category, question, sql):
    objection = verdict(question, sql)
    assert objection is not None and objection[0] == category and objection[1].endswith(".")


def test_unreadable_sql_and_ddl_do_not_break_it():
    assert judge(Case(ROME, "SELEC nothing", {"row_count": 1}, DDL)) is not None
    assert judge(Case(ROME, "SELECT COUNT(*) FROM customers WHERE city = 'Rome'", {"row_count": 1}, "no ddl")) is None
