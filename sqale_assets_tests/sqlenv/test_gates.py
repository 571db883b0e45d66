from __future__ import annotations

import pytest

from sqale_assets.sqlenv.determinism import unstable_run, unstable_text
from sqale_assets.sqlenv.gates import examine
from sqale_assets.sqlenv.grounding import Words, uses


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT random()", "random"),
        ("SELECT hex(randomblob(2)) FROM employee", "random"),
        ("SELECT id FROM employee ORDER BY RANDOM() LIMIT 1", "random"),
        ("SELECT date('now')", "current_time"),
        ("SELECT date()", "current_time"),
        ("SELECT id FROM employee WHERE hired < CURRENT_DATE", "current_time"),
        ("SELECT strftime('%Y', 'NOW')", "current_time"),
        ("SELECT julianday('now') - julianday(hired) FROM employee", "current_time"),
        ("SELECT time('now'), unixepoch()", "current_time"),
        ("SELECT datetime(' now ', '-1 day')", "current_time"),
        ("SELECT CAST(strftime('%Y', 'now') AS INT) - 3 FROM employee", "current_time"),
        ("SELECT id FROM employee WHERE last_name = 'now' OR last_name IN ('now') OR last_name LIKE 'now'", None),
        ("SELECT CASE WHEN id = 1 THEN 'now' ELSE upper('now') END FROM employee", None),
        ("SELECT changes()", "engine_state"),
        ("SELECT rowid FROM employee", "rowid"),
        ("SELECT e.oid, e.id FROM employee e", "rowid"),
        ("SELECT id FROM employee LIMIT 2", "unordered_limit"),
        ("SELECT * FROM (SELECT id FROM employee LIMIT 2 OFFSET 1) ORDER BY id", "unordered_limit"),
        ("SELECT id FROM employee WHERE id IN (SELECT id FROM employee LIMIT 1)", "unordered_limit"),
        ("SELECT count(*) FROM employee LIMIT 1", None),
        ("SELECT 1 LIMIT 1", None),
        ("SELECT id FROM employee ORDER BY id LIMIT 2", None),
        ("SELECT strftime('%Y', hired) FROM employee", None),
        ("SELECT id FROM employee WHERE first_name = 'Nowak'", None),
    ],
)
def test_what_the_text_shows(company, sql, reason):
    unstable = unstable_text(sql, company.schema)
    assert (unstable.reason if unstable else None) == reason


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        # Bo and Cy earn the same.
        ("SELECT first_name FROM employee ORDER BY salary DESC LIMIT 2", "limit_through_tie"),
        ("SELECT first_name FROM employee ORDER BY salary DESC LIMIT 1", None),
        ("SELECT first_name FROM employee ORDER BY salary DESC LIMIT 1 OFFSET 1", "limit_through_tie"),
        ("SELECT salary FROM employee ORDER BY salary DESC LIMIT 2", None),
        ("SELECT first_name FROM employee ORDER BY salary DESC, first_name LIMIT 2", None),
        ("SELECT first_name FROM employee ORDER BY salary", "order_not_total"),
        ("SELECT salary FROM employee ORDER BY salary", None),
        (
            "SELECT first_name FROM employee WHERE id IN (SELECT id FROM employee ORDER BY salary DESC LIMIT 2)",
            "limit_through_tie",
        ),
        (
            "SELECT d_name, (SELECT first_name FROM employee e WHERE e.department_id = d.id OR e.salary = 4000"
            " ORDER BY salary = 4000 DESC LIMIT 1) FROM department d",
            "limit_through_tie",
        ),
        (
            "WITH top AS (SELECT first_name FROM employee ORDER BY salary DESC LIMIT 2) SELECT * FROM top",
            "limit_through_tie",
        ),
        ("SELECT salary, count(*) FROM employee GROUP BY salary ORDER BY count(*) LIMIT 1", "limit_through_tie"),
        ("SELECT salary, count(*) FROM employee GROUP BY salary ORDER BY count(*) DESC LIMIT 1", None),
        ("SELECT salary, count(*) FROM employee GROUP BY 1 ORDER BY 2 LIMIT 1", "limit_through_tie"),
        ("SELECT DISTINCT code FROM project ORDER BY code LIMIT 1", None),
        ("SELECT first_name, row_number() OVER (ORDER BY salary) FROM employee", "order_not_total"),
        ("SELECT first_name, rank() OVER (ORDER BY salary) FROM employee", None),
        ("SELECT first_name, sum(salary) OVER (ORDER BY salary) FROM employee", None),
        ("SELECT first_name, max(hours) FROM employee JOIN assignment ON id = employee_id", None),
        ("SELECT first_name, min(salary = 4000) FROM employee", "scan_order"),
        ("SELECT department_id, first_name FROM employee GROUP BY department_id", "scan_order"),
        ("SELECT group_concat(first_name) FROM employee", "scan_order"),
        ("SELECT group_concat(first_name) FROM employee WHERE id = 1", None),
        ("SELECT first_name FROM employee UNION SELECT d_name FROM department ORDER BY 1 LIMIT 3", None),
        ("SELECT avg(salary * 1.1) FROM employee", None),
        ("SELECT * FROM assignment", None),
        ('SELECT "group" FROM "order" ORDER BY "two words"', None),
    ],
)
def test_what_running_it_otherwise_shows(company, sql, reason):
    assert unstable_text(sql, company.schema) is None
    unstable = unstable_run(sql, company, company.execute(sql))
    assert (unstable.reason if unstable else None) == reason


def gate(company, sql, question="Which?", tables=("employee",), known=()):
    failure = examine(sql, company, question=question, relevant_tables=tables, known_literals=known).failure
    return failure.reason if failure else None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DELETE FROM employee", "not_a_select"),
        ("SELECT no_such FROM employee", "fails"),
        ("SELECT id FROM employee WHERE id < 0", "no_rows"),
        ("SELECT NULL, NULL FROM employee", "only_nulls"),
        ("SELECT max(salary) FROM employee WHERE id < 0", "only_nulls"),
        ("SELECT count(*) FROM employee WHERE id < 0", None),
        ("SELECT a.id FROM employee a, employee b, employee c, employee d, employee e", "too_many_rows"),
        ("SELECT id FROM employee LIMIT 1", "unstable_unordered_limit"),
        ("SELECT 1", "no_table"),
        ("SELECT count(*) FROM island", "foreign_table"),
        ("SELECT count(*) FROM sqlite_master", "foreign_table"),
        ("SELECT count(*) FROM employee WHERE last_name = 'Nobody'", "ungrounded_literal"),
        ("SELECT count(*) FROM employee WHERE last_name = 'lee'", None),
        ("SELECT count(*) FROM employee WHERE salary > 3333", "ungrounded_literal"),
        ("SELECT count(*) FROM employee GROUP BY department_id HAVING count(*) > 1", None),
        ("SELECT id FROM employee ORDER BY id LIMIT 4", "ungrounded_literal"),
        ("WITH e AS (SELECT * FROM employee) SELECT id FROM e WHERE first_name = 'Ann'", None),
        ("WITH e AS (SELECT id, first_name AS who FROM employee) SELECT id FROM e WHERE who = 'Ann'", None),
        (
            "WITH e AS (SELECT id, first_name AS who FROM employee) SELECT id FROM e WHERE e.who <> 'No'",
            "ungrounded_literal",
        ),
        (
            "SELECT s.id FROM (SELECT id, rank() OVER (ORDER BY salary DESC) AS place FROM employee) s WHERE place = 1",
            None,
        ),
        (
            "WITH p AS (SELECT id, rank() OVER (ORDER BY salary) AS rank FROM employee)"
            " SELECT p.id FROM p JOIN employee e USING (id) WHERE rank = 1",
            None,
        ),
        (
            "WITH p AS (SELECT id, rank() OVER (ORDER BY salary) AS r FROM employee) SELECT id FROM p WHERE r = 5",
            "ungrounded_literal",
        ),
        (
            "WITH RECURSIVE n(x) AS (SELECT id FROM employee WHERE id = 1 UNION SELECT x + 1 FROM n WHERE x = 1)"
            " SELECT x FROM n WHERE x = 2",
            None,
        ),
    ],
)
def test_gates(company, sql, reason):
    assert gate(company, sql) == reason


def test_tables_on_a_chain_of_keys_between_relevant_ones_may_be_used(company):
    sql = """SELECT count(*) FROM feedback JOIN employee e ON e.id = feedback_to
             JOIN department d ON d.id = e.department_id"""
    assert gate(company, sql, tables=("feedback", "department")) is None
    assert gate(company, sql, tables=("feedback",)) == "foreign_table"


def test_constants_may_come_from_the_question_or_its_proofs(company):
    sql = "SELECT count(*) FROM employee WHERE salary > 3333"
    assert gate(company, sql, question="Who earns more than 3,333?") is None
    assert gate(company, sql, known=("3333",)) is None
    assert gate(company, "SELECT id FROM employee ORDER BY id LIMIT 3", question="The first three employees?") is None
    assert gate(company, "SELECT id FROM employee ORDER BY id LIMIT 1", question="Who was hired earliest?") is None


@pytest.mark.parametrize(
    ("question", "value", "mentioned"),
    [
        ("those with IT", "IT", True),
        ("those with it", "th", False),
        ("the 'Tuttle Gledhill' case", "Tuttle", True),
        ("in 2020", "2020-01-01", True),
        ("in 2020", "2021-01-01", False),
        ("since March", 3, True),
        ("more than 1,250.50 in all", 1250.5, True),
        ("at least 20%", 0.2, True),
        ("a dozen", 12, True),
        ("a dozen", 13, False),
        ("named %x%", "%x%", True),
    ],
)
def test_mentions(question, value, mentioned):
    assert Words(question).mention(value) is mentioned


@pytest.mark.parametrize(
    ("sql", "value", "used"),
    [
        ("SELECT id FROM t WHERE name = 'Ann Lee'", "ann lee", True),
        ("SELECT id FROM t WHERE name LIKE '%Lee%'", "Lee", True),
        ("SELECT id FROM t WHERE name = 'O''Brien'", "O'Brien", True),
        ("SELECT id FROM t WHERE field_id = 1", "Field 1", False),
        ("SELECT id FROM t WHERE price > 1250.5", "1,250.50", True),
        ("SELECT id FROM t WHERE share > 0.2", "20", True),
        ("SELECT id FROM t WHERE price > 12500", "1250", False),
        ("SELECT id FROM t", "Ann", False),
    ],
)
def test_whether_a_query_uses_a_value(sql, value, used):
    assert uses(sql, value) is used


def test_a_value_of_the_question_that_the_query_does_not_use_was_asked_for_in_vain(company):
    """Seen with a model of 1.5B: the total of all deliveries for those to one field; its judge found nothing wrong."""
    asked = {"question": "How many employees are called 'Ann'?", "relevant_tables": ("employee",), "values": ("Ann",)}
    failure = examine("SELECT count(*) FROM employee", company, **asked).failure
    assert (failure.reason, "'Ann'" in failure.evidence) == ("unused_value", True)
    assert examine("SELECT count(*) FROM employee WHERE first_name = 'ann'", company, **asked).failure is None


def test_a_query_that_looks_for_its_own_answer_is_refused(company):
    """Seen with a model of 1.5B: it found the name, then submitted a query for that name."""
    asked = {"question": "Who earns the most?", "relevant_tables": ("employee",)}
    copied = "SELECT first_name FROM employee WHERE first_name = 'Ann'"
    assert examine(copied, company, **asked).failure.reason == "copied_answer"
    assert examine(copied, company, **asked | {"question": "Is there an employee called Ann?"}).failure is None
    found = "SELECT first_name FROM employee WHERE salary = (SELECT max(salary) FROM employee)"
    assert examine(found, company, **asked).failure is None
