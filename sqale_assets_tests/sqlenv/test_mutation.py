from __future__ import annotations

import sqlite3

import pytest

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.mutation import discriminate, mutants
from sqale_assets.sqlenv.sqlfacts import parse_select
from sqale_assets_tests.sqlenv.conftest import COMPANY


def made(sql: str) -> dict[str, str]:
    return {mutant.part: mutant.sql for mutant in mutants(parse_select(sql))}


@pytest.mark.parametrize(
    ("sql", "mutant"),
    [
        ("SELECT a FROM t WHERE x = 1", "SELECT a FROM t"),
        ("SELECT a FROM t WHERE x = 1 AND (y = 2 OR z = 3)", "SELECT a FROM t WHERE x = 1 AND (z = 3)"),
        ("SELECT a FROM t WHERE NOT x = 1 AND y = 2", "SELECT a FROM t WHERE y = 2"),
        ("SELECT a FROM t GROUP BY a HAVING count(*) > 1", "SELECT a FROM t GROUP BY a"),
        ("SELECT t.a FROM t JOIN u ON t.i = u.i", "SELECT t.a FROM t"),
        ("SELECT t.a FROM t JOIN u ON t.i = u.i AND u.b = 3", "SELECT t.a FROM t JOIN u ON t.i = u.i"),
        ("SELECT t.a FROM t LEFT JOIN u ON t.i = u.i", "SELECT t.a FROM t"),
        ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
        ("SELECT count(DISTINCT a) FROM t", "SELECT COUNT(a) FROM t"),
        ("SELECT max(a) FROM t", "SELECT MIN(a) FROM t"),
        ("SELECT avg(a) FROM t", "SELECT SUM(a) FROM t"),
        ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a DESC LIMIT 3"),
        ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a"),
        ("SELECT a FROM t EXCEPT SELECT b FROM u", "SELECT a FROM t"),
        ("SELECT CASE WHEN a > 1 THEN b END FROM t", "SELECT CASE WHEN TRUE THEN b END FROM t"),
        ("SELECT a FROM t WHERE x IN (SELECT y FROM u WHERE z = 1)", "SELECT a FROM t WHERE x IN (SELECT y FROM u)"),
    ],
)
def test_every_part_has_its_mutant(sql, mutant):
    assert mutant in made(sql).values()


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM t", "SELECT t.a, u.b FROM t JOIN u ON t.i = u.i", "SELECT * FROM t JOIN u ON t.i = u.i"]
)
def test_what_the_result_shows_anyway_is_no_part(sql):
    assert made(sql) == {}


def test_a_part_that_changes_nothing_is_untested(company):
    found = discriminate("SELECT DISTINCT first_name FROM employee WHERE salary > 100 AND id < 4", company)
    assert found.untested == ("distinct", "where: salary > 100")
    assert (found.parts, found.mutants) == (3, 3)
    assert found.score == pytest.approx(1 / 3)


def test_a_query_whose_parts_all_matter(company):
    found = discriminate(
        "SELECT e.first_name FROM employee e JOIN department d ON d.id = e.department_id"
        " WHERE d.d_name = 'IT' AND e.salary > 3500 ORDER BY e.salary DESC",
        company,
    )
    assert (found.score, found.untested) == (1.0, ())


def test_without_parts_the_score_is_one(company):
    assert discriminate("SELECT first_name FROM employee", company).score == 1.0


def test_a_share_of_what_all_are_is_untested(company):
    shares = "SELECT 100.0 * SUM(CASE WHEN {} THEN 1 ELSE 0 END) / COUNT(*) FROM employee WHERE salary > 2600"
    assert "case: salary > 100" in discriminate(shares.format("salary > 100"), company).untested
    assert "case: salary > 4500" not in discriminate(shares.format("salary > 4500"), company).untested


def test_another_population_tells_what_is_equal_by_accident():
    databases = []
    for salary in (200, 50):
        connection = sqlite3.connect(":memory:")
        connection.executescript(COMPANY)
        connection.execute("UPDATE employee SET salary = ? WHERE id = 5", (salary,))
        connection.commit()
        databases.append(Database.from_connection(connection))
    found = discriminate("SELECT first_name FROM employee WHERE salary > 100", databases[0], databases[1:])
    assert found.accidental == ("where: salary > 100",)
    assert (found.score, found.untested) == (0.0, ())


def test_a_mutant_that_runs_away_proves_nothing(company):
    found = discriminate(
        "SELECT max(a.id) FROM employee a, employee b, employee c, employee d, employee e, employee f, employee g,"
        " employee h, employee i, employee j, employee k WHERE a.id = b.id AND b.id = c.id AND c.id = d.id"
        " AND d.id = e.id AND e.id = f.id AND f.id = g.id AND g.id = h.id AND h.id = i.id AND i.id = j.id"
        " AND j.id = k.id",
        company,
    )
    assert found.seconds < 5
