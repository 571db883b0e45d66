"""Queries that compute with texts, or show nothing of the data. The wrong ones were a 1.5B model's."""

from __future__ import annotations

import sqlite3

import pytest

from sqale_assets.sqlenv.computing import shows_constants_only, text_as_number
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.gates import examine


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT CAST(5.0225 AS REAL) / 100 AS percentage FROM employee", True),
        ("SELECT 'Ann', 3 FROM employee", True),
        ("(SELECT 1 FROM employee)", True),
        ("SELECT 1 FROM employee UNION SELECT 2 FROM employee", True),
        ("SELECT 'all' AS label, count(*) FROM employee", False),
        ("SELECT * FROM employee", False),
        ("SELECT (SELECT max(salary) FROM employee) / 2", False),
        ("SELECT 'a', 1 UNION SELECT first_name, 1 FROM employee", False),
        ("WITH found AS (SELECT 1 AS one FROM employee) SELECT one FROM found", False),  # not followed
    ],
)
def test_a_result_of_constants(sql, expected):
    assert shows_constants_only(sql) is expected


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT avg(hired) FROM employee", "hired"),
        ("SELECT avg(e.hired - 1) FROM employee e", "hired"),
        ("SELECT sum(CAST(first_name AS REAL)) FROM employee", "first_name"),
        ("SELECT sum(DISTINCT d_name) FROM employee e JOIN department d ON d.id = e.department_id", "d_name"),
        ("WITH early AS (SELECT hired AS day FROM employee) SELECT avg(day) FROM early", "hired"),
        ("SELECT id FROM employee WHERE hired + 30 > '2020'", "hired"),
        ('SELECT "two words" * 2 FROM "order"', "two words"),
        ("SELECT avg(strftime('%Y-%m-%d', hired)) FROM employee", "STRFTIME('%Y-%m-%d', hired)"),
        ("SELECT date(hired) - 1 FROM employee", "DATE(hired)"),
        ("SELECT sum((datetime(hired))) FROM employee", "DATETIME(hired)"),
        ("SELECT avg(salary), max(hired), salary * 12 FROM employee", None),
        ("SELECT avg(julianday(hired)) FROM employee", None),
        ("SELECT strftime('%Y', hired) - 1 FROM employee", None),
        ("SELECT sum(year) FROM project", None),
        ("SELECT avg(nothing) FROM employee", None),
    ],
)
def test_text_taken_for_a_number(company, sql, what):
    found = text_as_number(sql, company)
    assert what in found if what else found is None


def test_texts_that_are_numbers_may_be_computed_with():
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE t (price TEXT, code TEXT); INSERT INTO t VALUES ('1.50', 'A'), ('2e1', '7')")
    with Database.from_connection(connection) as database:
        assert text_as_number("SELECT sum(price) FROM t", database) is None
        assert text_as_number("SELECT sum(code) FROM t", database) == "t.code, which holds texts such as 'A'"


def test_both_are_gates_that_tell_what_to_mend(company):
    asked = {"question": "What is the average day on which employees were hired?", "relevant_tables": ("employee",)}
    failure = examine("SELECT avg(hired) FROM employee", company, **asked).failure
    assert failure.reason == "text_as_number" and "julianday" in failure.evidence and "'2019-01-05'" in failure.evidence
    assert examine("SELECT 2019.5 FROM employee", company, **asked).failure.reason == "constant_result"
    assert examine("SELECT avg(julianday(hired)) FROM employee", company, **asked).failure is None
