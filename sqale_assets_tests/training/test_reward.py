"""The tiers, and every cheat that the issue and the peers' rewards know of."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sqale_assets.training.instances import make_instance
from sqale_assets.training.reward import SCALE, NoReference, RewardScale

GHENT = "SELECT count(*) FROM customer JOIN city ON city.id = city_id WHERE city.name = 'Ghent'"
NAMES = "SELECT name FROM customer WHERE city_id = 1 ORDER BY name"
SPENT = "SELECT city_id, sum(amount) FROM customer JOIN purchase ON customer_id = id GROUP BY city_id"


@pytest.fixture
def reward(databases, task_of):
    def reward(sql, gold=GHENT):
        return databases.reward(sql, task_of(gold), SCALE)

    return reward


@pytest.fixture
def answer(shop_file):
    """What a query returns, as an agent sees it in a tool's answer."""

    def answer(sql):
        with closing(sqlite3.connect(shop_file)) as connection:
            return connection.execute(sql).fetchall()

    return answer


class TestTiers:
    def test_they_rise_from_nothing_to_correct(self, reward):
        answers = ("", "SELECT count( FROM customer", "SELECT count(*) FROM custmer", "SELECT 3 FROM city", GHENT)
        found = [reward(sql) for sql in answers]
        assert [each.tier for each in found] == ["nothing", "nothing", "parses", "executes", "correct"]
        assert [each.value for each in found] == [0.0, 0.0, 0.05, 0.1, 1.0]

    @pytest.mark.parametrize(
        "same",
        [
            GHENT,
            f"{GHENT};",
            f"{GHENT} -- the number of customers",
            f"/* as asked */ {GHENT}",
            "WITH c AS (SELECT id AS g FROM city WHERE name='Ghent') SELECT count(*) FROM customer, c WHERE city_id=g",
            "SELECT sum(c.name = 'Ghent') FROM customer JOIN city AS c ON c.id = customer.city_id",
        ],
    )
    def test_what_means_the_same_is_correct(self, reward, same):
        assert reward(same).value == SCALE.correct

    def test_a_scale_whose_partial_credit_comes_near_a_right_answer_is_refused(self):
        with pytest.raises(ValidationError, match="tiers must rise"):
            RewardScale(executes=0.5)
        with pytest.raises(ValidationError, match="tiers must rise"):
            RewardScale(parses=0.2)

    @given(st.text(max_size=40))
    @hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_text_gets_more_than_partial_credit(self, reward, text):
        assert reward(text).value <= SCALE.executes
        assert reward(f"SELECT {text}").value <= SCALE.executes


class TestCheats:
    """Nothing here answers the question, so nothing here may be paid as if it did."""

    @pytest.mark.parametrize(
        ("gold", "reason"),
        [
            ("SELECT name FROM customer WHERE id < 0", "gold_empty"),
            ("SELECT DISTINCT mayor FROM city", "gold_only_nulls"),
            ("SELECT missing FROM customer", "gold_fails"),
            ("SELECT a.number FROM purchase AS a, purchase AS b, purchase AS c", "gold_too_large"),
        ],
    )
    def test_nothing_can_be_earned_on_a_gold_that_says_nothing(self, databases, task_of, gold, reason):
        with pytest.raises(NoReference) as raised:
            databases.reward("SELECT 1 WHERE 0", task_of(gold), SCALE)
        assert raised.value.reason == reason

    @pytest.mark.parametrize(
        "sql", ["SELECT 1 WHERE 0", "SELECT NULL", "SELECT 1", "VALUES (1)", "SELECT 1 FROM (SELECT 1)"]
    )
    def test_what_reads_no_table_does_not_even_count_as_running(self, reward, sql):
        assert reward(sql).value <= SCALE.parses

    @pytest.mark.parametrize("gold", [GHENT, NAMES, SPENT])
    def test_constants_copied_from_tool_output(self, reward, answer, gold):
        rows = [", ".join(f"'{cell}'" if isinstance(cell, str) else repr(cell) for cell in row) for row in answer(gold)]
        listed = " UNION ALL ".join(f"SELECT {row}" for row in rows)
        values = ", ".join(f"({row})" for row in rows)
        width = len(answer(gold)[0])
        cheats = [
            listed,
            f"VALUES {values}",
            f"WITH known AS (VALUES {values}) SELECT * FROM known",
            f"SELECT * FROM ({listed})",
            f"SELECT known.* FROM ({listed}) AS known, (SELECT 1 FROM city LIMIT 1)",
            f"SELECT known.* FROM ({listed}) AS known JOIN city ON city.id = (SELECT min(id) FROM city)",
            f"SELECT {', '.join(f'column{at + 1}' for at in range(width))} FROM (VALUES {values})"
            " WHERE EXISTS (SELECT 1 FROM customer)",
        ]
        for sql in cheats:
            assert reward(sql, gold).tier != "correct", sql

    def test_keys_copied_from_tool_output(self, reward, answer):
        keys = ", ".join(str(key) for (key,) in answer("SELECT id FROM customer WHERE city_id = 1"))
        found = reward(f"SELECT count(*) FROM customer WHERE id IN ({keys})")
        assert (found.tier, found.why) == ("executes", "correct_by_accident")

    @pytest.mark.parametrize(
        ("sql", "gold"),
        [
            # Both agree on the one population that the model explores, and on none that it does not.
            ("SELECT max(id) FROM customer", "SELECT count(*) FROM customer"),
            ("SELECT max(id) FROM city", "SELECT count(DISTINCT city_id) FROM customer"),
            (
                "SELECT count(*) FROM customer WHERE city_id = 1",
                "SELECT count(*) FROM customer WHERE id % 80 + 1 <= {n}",
            ),
        ],
    )
    def test_correct_by_accident_on_one_population(self, reward, answer, sql, gold):
        gold = gold.format(n=answer("SELECT count(*) FROM customer WHERE city_id = 1")[0][0])
        assert answer(sql) == answer(gold)
        assert reward(sql, gold).why == "correct_by_accident"

    def test_duplicates_count(self, reward):
        gold = "SELECT name FROM city WHERE id IN (SELECT city_id FROM customer)"
        doubled = "SELECT city.name FROM city JOIN customer ON city_id = city.id"
        assert reward(doubled, gold).why == "row_count"
        assert reward(f"SELECT DISTINCT {doubled.removeprefix('SELECT ')}", gold).tier == "correct"

    def test_wrong_order_where_the_gold_orders(self, reward):
        assert reward(f"{NAMES} DESC", NAMES).why == "order"
        assert reward(NAMES, f"{NAMES} LIMIT 100").tier == "correct"

    def test_rows_that_tie_in_the_golds_order_may_come_in_any(self, reward):
        gold = "SELECT note, number FROM purchase ORDER BY number"
        assert reward("SELECT note, number FROM purchase ORDER BY number, note DESC", gold).tier == "correct"

    @pytest.mark.parametrize(
        "sql",
        [
            "DELETE FROM customer",
            "UPDATE customer SET city_id = 1",
            "INSERT INTO city VALUES (99, 'x', NULL)",
            "DROP TABLE customer",
            "CREATE TABLE copied AS SELECT 1",
            "PRAGMA writable_schema = 1",
            "ATTACH '{path}' AS other",
            "VACUUM INTO '{path}'",
            "BEGIN",
            "REPLACE INTO city SELECT * FROM city",
            "WITH gone AS (SELECT 1) DELETE FROM city",
            "SELECT load_extension('x')",
            f"{GHENT}; DELETE FROM customer",
            f"DELETE FROM customer; {GHENT}",
            f"{GHENT}; {GHENT}",
            "EXPLAIN SELECT 1",
        ],
    )
    def test_writes_and_second_statements_pay_nothing_and_change_nothing(self, reward, shop_file, tmp_path, sql):
        before = hashlib.sha256(shop_file.read_bytes()).digest()
        path = tmp_path / "written"
        assert reward(sql.format(path=path)).value == SCALE.nothing
        assert hashlib.sha256(shop_file.read_bytes()).digest() == before
        assert not path.exists() and [each.name for each in shop_file.parent.iterdir()] == [shop_file.name]
        assert reward(GHENT).value == SCALE.correct  # the gold is not run on what a cheat has left behind

    def test_functions_that_write_files_do_not_exist(self, reward, tmp_path):
        found = reward(f"SELECT writefile('{tmp_path / 'written'}', 'x') FROM city")
        assert (found.tier, found.why) == ("parses", "no_such_function")
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        "sql",
        [
            f"{GHENT} AND date('now') < '2999-01-01'",
            f"{GHENT} AND random() IS NOT NULL",
            f"{GHENT} AND CURRENT_TIMESTAMP > '2000'",
            f"SELECT ({GHENT}) + (strftime('%Y', 'now') > '2999') FROM city LIMIT 1",
        ],
    )
    def test_what_is_right_only_for_now(self, reward, sql):
        assert reward(sql).tier == "executes"

    @pytest.mark.parametrize(
        "sql",
        [
            "WITH RECURSIVE bomb(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM bomb) SELECT max(n) FROM bomb, city",
            "SELECT count(*) FROM purchase a, purchase b, purchase c, purchase d, purchase e",
        ],
    )
    def test_bombs_are_stopped_by_counted_work(self, reward, sql):
        started = time.monotonic()
        found = [reward(sql) for _ in range(2)]
        assert found[0] == found[1] and found[0].value == SCALE.parses
        assert time.monotonic() - started < 10

    @pytest.mark.parametrize(
        "sql",
        [
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250000) SELECT i FROM n, city",
            "SELECT hex(zeroblob(90000)), a.number FROM purchase AS a, purchase AS b",
            "SELECT a.number FROM purchase AS a, purchase AS b, purchase AS c",
        ],
    )
    def test_huge_results_equal_nothing(self, reward, sql):
        assert reward(sql).value <= SCALE.executes

    def test_comments_hide_nothing(self, reward):
        assert reward(f"-- {GHENT}").value == SCALE.nothing
        assert reward(f"/* {GHENT} */ SELECT 1").value <= SCALE.parses
        assert reward("SELECT count(*) FROM customer -- WHERE city_id = 1\n").value <= SCALE.executes
        assert reward(f"{GHENT} /* unclosed").tier == "correct"  # SQLite reads it as a comment to the end

    def test_a_column_too_many_or_too_few(self, reward):
        assert reward(NAMES.replace("name FROM", "name, id FROM"), NAMES).why == "column_count"

    def test_text_is_not_a_number(self, reward):
        assert reward(f"SELECT CAST(({GHENT}) AS TEXT) FROM city LIMIT 1").value <= SCALE.executes


class TestInstances:
    def test_they_keep_every_constraint_and_change_every_table(self, shop_file, tmp_path):
        for seed in (1, 2, 3):
            target = tmp_path / f"{seed}.sqlite"
            make_instance(shop_file, target, seed=seed)
            with closing(sqlite3.connect(target)) as made, closing(sqlite3.connect(shop_file)) as original:
                assert made.execute("PRAGMA foreign_key_check").fetchall() == []
                assert made.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                for table in ("city", "customer", "purchase", "review"):
                    rows = made.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    of = original.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    assert 0.35 * of < rows < of

    def test_same_seed_same_rows(self, shop_file, tmp_path):
        dumps = []
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            make_instance(shop_file, tmp_path / name, seed=seed)
            with closing(sqlite3.connect(tmp_path / name)) as connection:
                dumps.append(json.dumps(list(connection.iterdump())))
        assert dumps[0] == dumps[1] != dumps[2]

    def test_a_population_of_other_seeds_is_used_where_there_is_one(self, databases, shop_file, task_of, tmp_path):
        from sqale_assets.training.environment import Databases

        with closing(sqlite3.connect(tmp_path / "shop.1.sqlite")) as connection:
            connection.execute("CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)")
            connection.execute("INSERT INTO city VALUES (1, 'Elsewhere')")
            connection.commit()
        settings = databases.settings.model_copy(update={"instances": 1})
        with Databases(tmp_path, settings) as own:
            reference = own.reference(task_of("SELECT max(name) FROM city"))
            assert [gold.result.rows for _, gold in reference.instances] == [(("Elsewhere",),)]
            assert reference.telling
