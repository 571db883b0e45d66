from __future__ import annotations

import pytest

from sqale_assets.sqlenv.sqlfacts import Constant, NotASelect, parse_select, sql_facts


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT 1", ()),
        ("SELECT * FROM a", ("a",)),
        ("SELECT * FROM B JOIN a ON a.i = B.i JOIN b AS c ON 1", ("B", "a")),
        ("SELECT * FROM a, b WHERE x IN (SELECT x FROM c)", ("a", "b", "c")),
        ("WITH t AS (SELECT * FROM a) SELECT * FROM t JOIN T AS u", ("a",)),
        ("WITH a AS (SELECT * FROM main.a) SELECT * FROM a", ("a",)),
        ("SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t), t", ("t",)),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n FROM t) SELECT * FROM t", ()),
        ('SELECT * FROM "two words" UNION SELECT * FROM b', ("two words", "b")),
    ],
)
def test_tables_are_the_stored_ones(sql, tables):
    assert sql_facts(sql).tables == tables


def test_literals_with_what_they_are_compared_with():
    facts = sql_facts(
        "SELECT e.x FROM employee e JOIN d ON d.i = e.d WHERE e.name = 'Ann' AND lower(d.town) IN ('rome', 'bonn')"
        " AND 5 < e.age AND e.hired BETWEEN '2020-01-01' AND '2020-12-31' AND e.note LIKE '%x%' AND e.pay = -1.5"
        " AND e.pay * 100 / 7 > 3 ORDER BY 1 LIMIT 10 OFFSET 2"
    )
    assert set(facts.literals) == {
        Constant("Ann", "equal", "employee", "name"),
        Constant("rome", "equal", "d", "town"),
        Constant("bonn", "equal", "d", "town"),
        Constant(5, "range", "employee", "age"),
        Constant("2020-01-01", "range", "employee", "hired"),
        Constant("2020-12-31", "range", "employee", "hired"),
        Constant("%x%", "pattern", "employee", "note"),
        Constant(-1.5, "equal", "employee", "pay"),
        Constant(3, "range"),
        Constant(10, "limit"),
        Constant(2, "limit"),
    }


def test_literals_are_followed_through_ctes_and_subqueries():
    facts = sql_facts(
        "WITH c AS (SELECT d.town AS place, count(*) AS n FROM d GROUP BY 1), u AS (SELECT upper(place) AS p, n FROM c)"
        " SELECT p FROM u JOIN (SELECT id FROM e) s ON s.id = 7 WHERE u.p = 'ROME' AND n = 3"
    )
    assert set(facts.literals) == {
        Constant("ROME", "equal", "d", "town"),
        Constant(3, "equal", None, "n"),  # one of two sources, not told which
        Constant(7, "equal", "e", "id"),
    }


def test_literals_that_compare_nothing_are_not_listed():
    assert sql_facts("SELECT a || ' ' || b, sum(x) * 100.0, CASE WHEN a THEN 'high' END FROM t").literals == ()


@pytest.mark.parametrize(
    ("sql", "points", "difficulty"),
    [
        ("SELECT name FROM a WHERE x = 1", 0, "simple"),
        ("SELECT count(*) FROM a WHERE x = 1", 1, "simple"),
        ("SELECT a.x FROM a JOIN b USING (i) WHERE a.y = 1 AND b.z = 2", 2, "simple"),
        ("SELECT a.x, count(*) FROM a JOIN b USING (i) GROUP BY a.x", 3, "moderate"),
        ("SELECT x FROM a WHERE y = (SELECT max(y) FROM a)", 3, "moderate"),
        ("SELECT x, rank() OVER (ORDER BY y) FROM a", 2, "simple"),
        ("SELECT x FROM a UNION SELECT x FROM b", 2, "simple"),
        (
            "SELECT a.x, count(*) FROM a JOIN b USING (i) JOIN c USING (j)"
            " GROUP BY 1 HAVING count(*) > 3 ORDER BY 2 LIMIT 3",
            6,
            "hard",
        ),
        (
            "WITH t AS (SELECT x, sum(y) AS s FROM a GROUP BY x)"
            " SELECT * FROM t JOIN b USING (x) WHERE s > 3 AND z = 1",
            6,
            "hard",
        ),
    ],
)
def test_difficulty_is_points(sql, points, difficulty):
    facts = sql_facts(sql)
    assert (facts.points, facts.difficulty) == (points, difficulty)


def test_normal_form_and_template():
    one = sql_facts("select E.Name from Employee as E where E.pay > 10 -- note")
    two = sql_facts('SELECT x.name FROM employee x\nWHERE "x"."pay" > 10;')
    three = sql_facts("SELECT x.name FROM employee x WHERE x.pay > 99")
    other = sql_facts("SELECT x.name FROM employee x WHERE x.pay < 10")
    assert one.normal == two.normal != three.normal
    assert one.template == two.template == three.template != other.template


def test_ordered_means_the_outermost_query():
    assert sql_facts("SELECT x FROM a ORDER BY x").ordered
    assert sql_facts("SELECT x FROM a UNION SELECT y FROM b ORDER BY 1").ordered
    assert not sql_facts("SELECT * FROM (SELECT x FROM a ORDER BY x LIMIT 3)").ordered


@pytest.mark.parametrize(
    "sql", ["", "DELETE FROM a", "SELECT 1; SELECT 2", "SELECT FROM WHERE", "hello", "(" * 900 + "SELECT 1"]
)
def test_anything_but_one_select_is_refused(sql):
    with pytest.raises(NotASelect):
        sql_facts(sql)


def test_the_shared_tree_is_not_changed():
    sql = "SELECT a.x FROM a WHERE a.y = 'z'"
    before = parse_select(sql).sql("sqlite")
    sql_facts(sql)
    assert parse_select(sql).sql("sqlite") == before
