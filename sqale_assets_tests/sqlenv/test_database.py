from __future__ import annotations

import hashlib
import sqlite3
import time

import pytest

from sqale_assets.sqlenv.database import Database, Limits
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets_tests.sqlenv.conftest import COMPANY, LIMITS

BOMB = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"

REFUSED = [
    "DELETE FROM employee",
    "DELETE FROM employee RETURNING *",
    "INSERT INTO island VALUES (1, 'x')",
    "INSERT INTO island VALUES (1, 'x') RETURNING id",
    "REPLACE INTO department VALUES (1, 'x', 1)",
    "UPDATE employee SET salary = 0",
    "UPDATE employee SET salary = 0 RETURNING id",
    "WITH x AS (SELECT 1) DELETE FROM employee",
    "WITH x AS (SELECT 1) INSERT INTO island SELECT 9, 'x' FROM x",
    "DROP TABLE employee",
    "DROP TABLE IF EXISTS nothing_here",
    "CREATE TABLE t (x)",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE INDEX i ON employee (salary)",
    "CREATE TRIGGER g AFTER INSERT ON island BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER g AFTER INSERT ON island BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "CREATE VIRTUAL TABLE temp.f USING fts3(x)",
    "ALTER TABLE employee ADD COLUMN x",
    "ALTER TABLE employee RENAME TO staff",
    "ATTACH DATABASE ':memory:' AS other",
    "ATTACH '/etc/passwd' AS other",
    "DETACH DATABASE main",
    "PRAGMA writable_schema = ON",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = WAL",
    "PRAGMA table_info(employee)",
    "PRAGMA main.integrity_check",
    "PRAGMA temp_store_directory = '/tmp'",
    "SELECT * FROM pragma_table_info('employee')",
    "SELECT * FROM pragma_database_list",
    "UPDATE sqlite_master SET sql = ''",
    "DELETE FROM sqlite_schema",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "VACUUM",
    "VACUUM INTO '/tmp/stolen.sqlite'",
    "REINDEX",
    "REINDEX employee",
    "ANALYZE",
    "SELECT load_extension('x')",
    "SELECT load_extension('x', 'y')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM dbstat",
    "SELECT * FROM sqlite_stmt",
    "SELECT 1; DELETE FROM employee",
    "SELECT 1; SELECT 2",
    "; DELETE FROM employee",
    "EXPLAIN DELETE FROM employee",
    "/* SELECT */ DELETE FROM employee -- SELECT",
    "",
    "  ;; ",
    "-- nothing",
]

BOUNDED = [
    f"{BOMB} SELECT count(*) FROM n",
    f"{BOMB} SELECT max(x) FROM n",
    f"{BOMB} SELECT x FROM n ORDER BY x DESC LIMIT 1",
    f"{BOMB} SELECT 1 WHERE 0 IN (SELECT x FROM n)",
    f"{BOMB} SELECT (SELECT sum(x) FROM n) FROM employee",
    f"{BOMB} SELECT group_concat(x) FROM n",
    f"{BOMB} SELECT DISTINCT x % 2 FROM n",
    f"{BOMB} SELECT count(*) FROM n AS a JOIN n AS b ON a.x = b.x",
    "WITH RECURSIVE s(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM s) SELECT max(length(x)) FROM s",
    "WITH RECURSIVE s(x) AS (SELECT zeroblob(100000) UNION ALL SELECT x FROM s) SELECT x FROM s",
    "WITH RECURSIVE s(x) AS (SELECT hex(zeroblob(90000)) UNION ALL SELECT x FROM s) SELECT x FROM s ORDER BY x || 'a'",
    "WITH RECURSIVE s(x) AS (SELECT hex(zeroblob(90000)) UNION ALL SELECT x FROM s)"
    " SELECT sum(length(replace(x, '0', 'b'))) FROM s",
    "SELECT count(*) FROM employee a, employee b, employee c, employee d, employee e, employee f, employee g,"
    " employee h, employee i, employee j, employee k, employee l, employee m",
    f"{BOMB} SELECT hex(randomblob(50000)) AS h FROM n ORDER BY h LIMIT 1",
    f"{BOMB} SELECT DISTINCT hex(randomblob(50000)) FROM n",
    "SELECT randomblob(1000000000)",
    "SELECT zeroblob(2000000000)",
    "SELECT length(randomblob(2147483647))",
    "SELECT hex(zeroblob(150000))",
    "SELECT quote(zeroblob(150000))",
    "SELECT printf('%.*c', 2000000000, 'x')",
    "SELECT printf('%2000000000d', 1)",
    "SELECT printf('%.' || '1999999999' || 'c', 'x')",
    "SELECT format('%*.*c', 1, 1e9, 'x')",
    "SELECT trim(hex(zeroblob(60000)), replace(hex(zeroblob(40000)), '0', 'a') || '0')",
    "SELECT rtrim(hex(zeroblob(60000)), replace(hex(zeroblob(40000)), '0', 'a') || '0')",
    "SELECT instr(hex(zeroblob(99999)), hex(zeroblob(49000)) || '1')",
    "SELECT replace(hex(zeroblob(99999)), hex(zeroblob(49000)) || '1', '')",
    "SELECT strftime(replace(hex(zeroblob(50000)), '0', '%Y'), '2020-01-01')",
    "SELECT json_extract(replace(hex(zeroblob(90000)), '0', '['), '$')",
    "SELECT format('%.2000000000f', 1.0)",
    "SELECT replace(hex(zeroblob(50000)), '0', hex(zeroblob(50000)))",
    "SELECT group_concat(x, hex(zeroblob(50000))) FROM (SELECT id AS x FROM employee)",
    "SELECT json_group_array(hex(zeroblob(90000))) FROM employee",
    f"SELECT {'(' * 2000}1{')' * 2000}",
    f"SELECT {' + '.join(['1'] * 3000)}",
    " UNION ALL ".join(["SELECT 1"] * 600),
    f"SELECT {', '.join(['1'] * 3000)}",
    f"SELECT '{'x' * 70_000}'",
    f"SELECT 1 FROM {', '.join(['employee'] * 100)}",
    "SELECT hex(zeroblob(90000)) LIKE '" + "%0" * 400 + "'",
    "WITH RECURSIVE s(i, x) AS (SELECT 1, hex(zeroblob(90000)) UNION ALL SELECT i + 1, x FROM s)"
    " SELECT count(*) FROM s WHERE x LIKE '%0%0%0%0%0%0%0%0%0%0%1'",
    "SELECT hex(zeroblob(90000)) GLOB '" + "*0" * 200 + "1'",
    "WITH a AS (SELECT 1 AS x), "
    + ", ".join(f"{chr(98 + at)} AS (SELECT * FROM {chr(97 + at)}, {chr(97 + at)} AS z)" for at in range(22))
    + " SELECT count(*) FROM w",
    "SELECT " + ", ".join(["hex(zeroblob(95000))"] * 1990),
]


@pytest.mark.parametrize("sql", REFUSED)
def test_refuses_all_but_one_select(company, sql):
    with pytest.raises(QueryError) as caught:
        company.execute(sql)
    assert caught.value.kind in ("refused", "several_statements", "empty", "syntax", "no_such_table")
    assert company.execute("SELECT count(*) FROM employee").rows == ((5,),)


@pytest.mark.parametrize("sql", BOUNDED, ids=range(len(BOUNDED)))
def test_bounds_time_and_size(company, sql):
    # CPU time: the machine may be busy with other things as well.
    started = time.process_time()
    try:
        result = company.execute(sql)
    except QueryError as error:
        assert error.kind in ("timeout", "too_big", "memory", "syntax", "other"), error
        assert error.message
    else:
        assert sum(len(str(cell)) for row in result.rows for cell in row) <= 2 * LIMITS.result_bytes
    assert time.process_time() - started < LIMITS.seconds + 1.0
    assert company.execute("SELECT count(*) FROM employee").rows == ((5,),)


def test_the_file_stays_as_it_was(company_file):
    before = hashlib.sha256(company_file.read_bytes()).hexdigest(), company_file.stat().st_mtime_ns
    siblings = sorted(path.name for path in company_file.parent.iterdir())
    with Database.open(company_file, limits=Limits(seconds=0.05)) as database:
        for sql in REFUSED + BOUNDED[:10]:
            with pytest.raises(QueryError):
                database.execute(sql)
    assert (hashlib.sha256(company_file.read_bytes()).hexdigest(), company_file.stat().st_mtime_ns) == before
    assert sorted(path.name for path in company_file.parent.iterdir()) == siblings


def test_there_are_enough_hostile_statements():
    assert len(set(REFUSED + BOUNDED)) >= 60


def test_gives_columns_rows_and_time(company):
    result = company.execute("SELECT first_name AS name, salary FROM employee ORDER BY id LIMIT 2;")
    assert result.columns == ("name", "salary")
    assert result.rows == (("Ann", 5000.0), ("Bo", 4000.0))
    assert not result.truncated
    assert 0 <= result.seconds < 0.5


def test_says_when_there_were_more_rows(company):
    assert company.execute("SELECT id FROM employee", max_rows=3).truncated
    assert not company.execute("SELECT id FROM employee", max_rows=5).truncated
    cut = company.execute(f"{BOMB} SELECT x FROM n")
    assert len(cut.rows) == LIMITS.rows
    assert cut.truncated


def test_a_bound_on_the_result_in_bytes(company):
    with pytest.raises(QueryError, match="larger than 2,000,000 bytes") as caught:
        company.execute(f"{BOMB} SELECT hex(zeroblob(10000)) FROM n")
    assert caught.value.kind == "too_big"


def test_values_are_what_json_carries(company):
    assert company.execute('SELECT raw FROM "order"').rows == (("X'00FF'",), (None,))
    assert company.execute("SELECT 9e999, -9e999, 9223372036854775807").rows == (("Inf", "-Inf", 2**63 - 1),)
    assert company.execute("SELECT CAST(x'61ff62' AS TEXT)").rows == (("a\ufffdb",),)
    assert company.execute("SELECT 'ä', 1").rows == (("ä", 1),)


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        ("SELECT * FROM employees", "no_such_table", "Similar tables: employee"),
        ("SELECT * FROM zzz", "no_such_table", "list_tables"),
        ("SELECT firstname FROM employee", "no_such_column", "first_name"),
        ("SELECT e.d_name FROM employee e", "no_such_column", "Tables that have d_name: department"),
        ("SELECT employee.name FROM employee", "no_such_column", "first_name"),
        ("SELECT id FROM employee, department", "ambiguous_column", "alias"),
        ("SELEC 1", "syntax", "SQLite"),
        ("SELECT ?", "parameters", "values"),
        ("SELECT :name", "parameters", "values"),
        ("SELECT year(hired) FROM employee", "no_such_function", "year"),
        ("SELECT 1; SELECT 2", "several_statements", "one SELECT"),
        ("DELETE FROM employee", "refused", "Only SELECT statements are allowed: DELETE from employee"),
        ("SELECT load_extension('x')", "refused", "load_extension"),
        ("SELECT 1\0", "syntax", "null"),
        ("SELECT '\ud800'", "syntax", "surrogates"),
        ("SELECT sum(sum(salary)) FROM employee", "no_such_function", "misuse"),
    ],
)
def test_errors_help_the_writer(company, sql, kind, words):
    with pytest.raises(QueryError) as caught:
        company.execute(sql)
    assert caught.value.kind == kind
    assert words in caught.value.message


def test_a_timeout_stops_within_one_statement(company):
    started = time.process_time()
    with pytest.raises(QueryError, match=r"0\.5 seconds") as caught:
        company.execute(f"{BOMB} SELECT count(*) FROM n")
    assert caught.value.kind == "timeout"
    assert time.process_time() - started < 0.8
    assert company.execute("SELECT 1").rows == ((1,),)


def test_steps_stop_a_query_at_the_same_place_every_time(company):
    def runs(rows: int) -> bool:
        try:
            return bool(company.execute(f"{BOMB} SELECT count(*) FROM (SELECT x FROM n LIMIT {rows})", steps=100_000))
        except QueryError as error:
            assert error.kind == "timeout"
            return False

    reached = [max(rows for rows in range(1_000, 20_000, 500) if runs(rows)) for _ in range(3)]
    assert len(set(reached)) == 1


def test_no_file_is_made_where_there_is_none(tmp_path):
    with pytest.raises(QueryError):
        Database.open(tmp_path / "nothing.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_database_in_use_is_read_with_its_log(tmp_path):
    path = tmp_path / "live.sqlite"
    writer = sqlite3.connect(path)
    writer.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    with Database.open(path) as database:
        assert database.execute("SELECT x FROM t").rows == ((1,),)
        with pytest.raises(QueryError):
            database.execute("DELETE FROM t")
    writer.close()


def test_what_is_no_database_is_refused(tmp_path):
    path = tmp_path / "notes.sqlite"
    path.write_text("not a database at all, but long enough to have a header of a hundred bytes" * 3)
    with pytest.raises(QueryError, match="not a database"):
        Database.open(path)


def test_a_guarded_connection_comes_back_as_it_was():
    connection = sqlite3.connect(":memory:")
    connection.executescript(COMPANY)
    with Database.from_connection(connection) as database:
        with pytest.raises(QueryError):
            database.execute("DELETE FROM employee")
        assert database.schema.table("EMPLOYEE") is not None
        assert database.row_count("employee") == 5
    connection.execute("DELETE FROM feedback")
    connection.execute("CREATE TABLE more (x)")
    assert connection.execute("SELECT count(*) FROM employee").fetchone() == (5,)
    assert connection.getlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH) == sqlite3.connect(":memory:").getlimit(
        sqlite3.SQLITE_LIMIT_SQL_LENGTH
    )


def test_stand_ins_do_what_the_functions_do(company):
    sql = """SELECT trim(5.0, '0'), trim(x'6161', 'a'), ltrim(1e20, '1'), rtrim('xxaxx', 'x'), trim(NULL, 'x'),
             printf('%.2f|%5s|%,d|%s', 1.234, 'a', 12345, NULL), format('%d%%', 3), printf('%*d', 5, 7), trim(' a ')"""
    assert company.execute(sql).rows == tuple(sqlite3.connect(":memory:").execute(sql).fetchall())


def test_a_row_factory_of_the_owner_does_not_matter():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    with Database.from_connection(connection) as database:
        assert database.execute("SELECT 1, 2").rows == ((1, 2),)


def test_a_join_behind_the_conditions_is_told_its_place(company):
    """A real 1.5B model wrote it five times, exchanging JOIN for INNER JOIN and back."""
    with pytest.raises(QueryError, match="Joins stand between FROM and WHERE"):
        company.execute("SELECT e.id FROM employee e WHERE e.salary > 1 INNER JOIN department d ON d.id = e.id")
