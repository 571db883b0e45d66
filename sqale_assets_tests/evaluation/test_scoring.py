from __future__ import annotations

import pytest

from sqale_assets.evaluation.scoring import gold_of, score
from sqale_assets.sqlenv.ties import ties_of

SALARIES = "SELECT first_name, salary FROM employee ORDER BY salary DESC"


@pytest.mark.parametrize(
    ("gold", "predicted", "correct", "bird"),
    [
        ("SELECT count(*) FROM employee", "SELECT 5", True, True),
        ("SELECT count(*) FROM employee", "SELECT 5.0", True, True),
        ("SELECT count(*) FROM employee", "SELECT '5'", False, False),
        # repetitions and order: BIRD's rule sees neither
        ("SELECT salary FROM employee", "SELECT DISTINCT salary FROM employee", False, True),
        (
            "SELECT salary FROM employee ORDER BY salary",
            "SELECT salary FROM employee ORDER BY salary DESC",
            False,
            True,
        ),
        # the order of columns: ours does not see it
        ("SELECT first_name, salary FROM employee", "SELECT salary, first_name FROM employee", True, False),
        # a third of a third: floats within tolerance are not the same tuple
        ("SELECT 1.0 / 3", "SELECT 0.33333333", True, False),
        # Bo and Cy earn the same: either may come first
        (SALARIES, f"{SALARIES}, first_name", True, True),
        (SALARIES, f"{SALARIES}, first_name DESC", True, True),
        (SALARIES, "SELECT first_name, salary FROM employee ORDER BY salary", False, True),
    ],
)
def test_both_rules(company, gold, predicted, correct, bird):
    scored = score(predicted, gold_of(gold, company), company)
    assert (scored.correct, scored.bird) == (correct, bird)


def test_nothing_and_what_does_not_run(company):
    gold = gold_of("SELECT 1", company)
    assert score(None, gold, company).outcome == score(" ", gold, company).outcome == "nothing"
    failed = score("SELECT gone FROM employee", gold, company)
    assert (failed.outcome, failed.difference) == ("fails", "no_such_column")
    wrong = score("SELECT 2", gold, company)
    assert (wrong.outcome, wrong.difference) == ("wrong_result", "values")


def test_two_empty_results_are_flagged(company):
    scored = score("SELECT name FROM island", gold_of("SELECT name FROM island WHERE id = 7", company), company)
    assert scored.correct and scored.both_empty


@pytest.mark.parametrize(
    ("sql", "ties"),
    [
        (SALARIES, (1, 2, 1, 1)),
        ("SELECT first_name AS salary, department_id FROM employee ORDER BY 2", (1, 3, 1)),
        ("SELECT department_id d, count(*) AS n FROM employee GROUP BY d ORDER BY n DESC", (1, 2)),
        ("SELECT salary * -1 AS pay FROM employee ORDER BY pay", (1, 2, 1, 1)),
        ("SELECT first_name FROM employee", None),
        ("SELECT DISTINCT salary FROM employee ORDER BY salary", None),
        ("SELECT 1 UNION SELECT 2 ORDER BY 1", None),
    ],
)
def test_ties(company, sql, ties):
    assert ties_of(sql, company.execute(sql), company) == ties
