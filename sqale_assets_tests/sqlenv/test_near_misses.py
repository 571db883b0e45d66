from __future__ import annotations

from sqale_assets.sqlenv.compare import compare
from sqale_assets.sqlenv.near_misses import near_misses

GOLD = (
    "SELECT e.first_name, e.salary FROM feedback f JOIN employee e ON f.feedback_to = e.id"
    " JOIN department d ON d.id = e.department_id WHERE d.d_name = 'IT' AND e.salary > 3500"
    " ORDER BY e.salary DESC, f.id"
)


def test_every_near_miss_runs_and_gives_another_answer(company):
    gold = company.execute(GOLD)
    misses = near_misses(GOLD, company)
    for miss in misses:
        result = company.execute(miss.sql)
        assert result.rows
        assert not compare(gold, result, ordered=miss.category == "wrong_order").equal


def test_the_categories_say_what_is_wrong(company):
    by_change = {miss.change: miss for miss in near_misses(GOLD, company)}
    assert by_change["feedback_by for feedback_to"].category == "wrong_join"
    assert by_change["'HR' for 'IT'"].category == "wrong_filter"
    assert by_change["without e.salary"].category == "missing_column"
    assert by_change["only one row"].category == "missing_rows"
    assert "d.d_name <> 'IT'" in by_change["turned d.d_name = 'IT'"].sql


def test_grain_aggregate_order_and_limit(company):
    def categories(sql: str) -> set[str]:
        return {miss.category for miss in near_misses(sql, company)}

    assert "wrong_grain" in categories("SELECT DISTINCT department_id FROM employee")
    assert "wrong_grain" in categories("SELECT count(DISTINCT salary) FROM employee")
    assert "wrong_aggregate" in categories("SELECT max(salary) FROM employee")
    assert categories("SELECT id FROM employee ORDER BY id LIMIT 2") >= {"wrong_order", "extra_rows"}
    assert categories("SELECT count(*) FROM island") == set()


def test_not_exists_without_not(company):
    sql = "SELECT d_name FROM department d WHERE NOT EXISTS (SELECT 1 FROM employee e WHERE e.department_id = d.id)"
    assert "NOT EXISTS without NOT" in {miss.change for miss in near_misses(sql, company)}
