from __future__ import annotations

import json
import sqlite3
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.tools import TOOLS, Toolbox
from sqale_assets_tests.sqlenv.conftest import COMPANY


def ask(database: Database, tool: str, **args: object):
    return json.loads(Toolbox(database).call(tool, args).text)


def test_list_tables(company):
    assert ask(company, "list_tables") == {
        "tables": {
            "department": 3,
            "employee": 5,
            "feedback": 4,
            "project": 3,
            "assignment": 5,
            "order": 2,
            "island": 0,
        },
        "total": 7,
        "page": 1,
        "pages": 1,
    }
    assert ask(company, "list_tables", contains="MENT")["tables"] == {"department": 3, "assignment": 5}


def test_describe_table(company):
    described = ask(company, "describe_table", table_name="EMPLOYEE")
    assert described["table"] == "employee"
    assert described["rows"] == 5
    assert described["columns"][:2] == [
        {"name": "id", "type": "INTEGER", "primary_key": True},
        {"name": "first_name", "type": "TEXT", "not_null": True},
    ]
    assert described["foreign_keys"][1] == {
        "from_table": "employee",
        "from_columns": ["manager_id"],
        "to_table": "employee",
        "to_columns": ["id"],
    }


def test_foreign_keys_both_ways(company):
    keys = ask(company, "foreign_keys", table_name="project")
    assert keys["outgoing"] == []
    assert keys["incoming"] == [
        {
            "from_table": "assignment",
            "from_columns": ["code", "year"],
            "to_table": "project",
            "to_columns": ["code", "year"],
        }
    ]


def test_join_path_gives_every_shortest_chain_and_sql_that_runs(company):
    answer = ask(company, "join_path", table_a="feedback", table_b="department")
    assert [path["joins"][0]["from_columns"] for path in answer["paths"]] == [["feedback_to"], ["feedback_by"]]
    for path in answer["paths"]:
        assert company.execute(f"SELECT count(*) {path['sql']}").rows[0][0] > 0
    (composite,) = ask(company, "join_path", table_a="project", table_b="assignment")["paths"]
    assert company.execute(f"SELECT count(*) {composite['sql']}").rows == ((5,),)
    (own,) = ask(company, "join_path", table_a="employee", table_b="employee")["paths"]
    assert company.execute(f"SELECT count(*) {own['sql']}").rows == ((3,),)
    assert ask(company, "join_path", table_a="island", table_b="employee")["paths"] == []


def test_sample_rows_and_distinct_values(company):
    assert ask(company, "sample_rows", table_name="department", limit=2) == {
        "table": "department",
        "columns": ["id", "d_name", "budget"],
        "rows": [[1, "IT", 1000.5], [2, "HR", 200]],
    }
    assert ask(company, "distinct_values", table_name="employee", column_name="salary", limit="2") == {
        "table": "employee",
        "column": "salary",
        "distinct": 4,
        "nulls": 0,
        "values": [[4000.0, 2], [2500.0, 1]],
        "truncated": True,
    }
    assert ask(company, "distinct_values", table_name="order", column_name="two words")["values"] == [
        ["y", 1],
        ["z", 1],
    ]


def test_run_query_shows_the_first_rows_and_counts_all(company):
    answer = ask(company, "run_query", sql="SELECT a.id FROM employee a, employee b, employee c")
    assert answer["row_count"] == 125
    assert "truncated" not in answer
    shown = json.loads(
        Toolbox(company, characters=60).call("run_query", {"sql": "SELECT employee.id FROM employee, feedback"}).text
    )
    assert shown["truncated"]
    assert shown["row_count"] == 20
    assert len(shown["rows"]) < 20
    more = ask(company, "run_query", sql="SELECT a.id FROM employee a, employee b, employee c, employee d, employee e")
    assert more["row_count_is_minimum"]


def test_wide_results_and_long_names_are_cut(company):
    many = ", ".join(f"hex(zeroblob(100)) AS c{at}" for at in range(1_500))
    answer = ask(company, "run_query", sql=f"SELECT {many}")
    assert answer["column_count"] == 1_500
    assert len(answer["columns"]) == len(answer["rows"][0]) == 100
    for sql in (f"SELECT {many}", f'SELECT 1 AS "{"x" * 50_000}"', f"SELECT {'y' * 50_000} FROM employee"):
        assert len(Toolbox(company).call("run_query", {"sql": sql}).text) < 10_000
    assert len(Toolbox(company).call("describe_table", {"table_name": "z" * 50_000}).text) < 1_000


def test_long_texts_are_cut(company):
    (row,) = ask(company, "run_query", sql="SELECT hex(zeroblob(500))")["rows"]
    assert len(row[0]) < 230
    assert "(1000 characters)" in row[0]


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        ("drop_table", {}, "Tools: list_tables"),
        ("describe_table", {}, 'needs the argument table_name. Call it as {"tool": "describe_table"'),
        ("describe_table", {"table_name": "employes"}, "Similar tables: employee"),
        ("describe_table", {"table_name": 3}, "must be a string"),
        ("describe_table", {"table_name": "employee", "depth": 1}, "takes no argument depth"),
        ("sample_rows", {"table_name": "employee", "limit": "many"}, "whole number"),
        ("sample_rows", {"table_name": "employee", "limit": True}, "whole number"),
        ("sample_rows", {"table_name": "employee", "limit": float("nan")}, "whole number"),
        ("distinct_values", {"table_name": "employee", "column_name": "salry"}, "Similar columns of employee: salary"),
        ("list_tables", {"page": 2}, "pages go from 1 to 1"),
        ("run_query", {"sql": "DELETE FROM employee"}, "Only SELECT"),
        ("run_query", {"sql": ""}, "empty"),
    ],
)
def test_wrong_calls_get_a_helpful_error(company, tool, args, words):
    answer = Toolbox(company).call(tool, args)
    assert answer.failed
    assert words in json.loads(answer.text)["error"]


def test_common_names_of_arguments_are_understood(company):
    assert ask(company, "describe_table", table="employee")["table"] == "employee"
    assert ask(company, "run_query", query="SELECT 1")["rows"] == [[1]]


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw makes hypothesis' table of characters
@given(
    st.sampled_from([*TOOLS, "", "call", "_table", "__init__"]),
    st.dictionaries(
        st.sampled_from(["table_name", "column_name", "limit", "page", "sql", "table_a", "table_b", "contains"]),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text()), st.just("order")
        ),
    ),
)
def test_no_call_ever_raises(tool, args):
    connection = sqlite3.connect(":memory:")
    connection.executescript(COMPANY)
    with Database.from_connection(connection) as database:
        json.loads(Toolbox(database).call(tool, args).text)


@pytest.fixture(scope="module")
def large():
    """350 tables in a chain with a hub that all of them reference."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE hub (id INTEGER PRIMARY KEY, name TEXT)")
    for number in range(349):
        before = f"long_table_name_of_the_chain_{number - 1}" if number else "hub"
        columns = ", ".join(f"column_{at} TEXT" for at in range(10))
        connection.execute(
            f"CREATE TABLE long_table_name_of_the_chain_{number} (id INTEGER PRIMARY KEY, {columns},"
            f" before_id INT REFERENCES {before}(id), hub_id INT REFERENCES hub)"
        )
        connection.execute(f"INSERT INTO long_table_name_of_the_chain_{number} (hub_id) VALUES (1), (2)")
    with Database.from_connection(connection) as database:
        yield database


def test_everything_can_be_seen_page_by_page(large):
    first = ask(large, "list_tables")
    names = [name for page in range(1, first["pages"] + 1) for name in ask(large, "list_tables", page=page)["tables"]]
    assert len(names) == len(set(names)) == first["total"] == 350
    first = ask(large, "foreign_keys", table_name="hub")
    assert first["pages"] > 1
    pages = [ask(large, "foreign_keys", table_name="hub", page=page) for page in range(1, first["pages"] + 1)]
    assert sum(len(page["incoming"]) for page in pages) == 350


def test_answers_are_bounded(large):
    for tool, args in [
        ("list_tables", {}),
        ("foreign_keys", {"table_name": "hub"}),
        ("join_path", {"table_a": "long_table_name_of_the_chain_5", "table_b": "long_table_name_of_the_chain_300"}),
        ("run_query", {"sql": "SELECT hex(zeroblob(90)) FROM long_table_name_of_the_chain_1 a, sqlite_master"}),
    ]:
        assert len(Toolbox(large).call(tool, args).text) < 13_000


def test_is_fast_on_350_tables(large):
    ask(large, "list_tables")  # reads the schema once
    started = time.process_time()
    for _ in range(5):
        ask(large, "list_tables")
        ask(large, "describe_table", table_name="long_table_name_of_the_chain_300")
        ask(large, "join_path", table_a="long_table_name_of_the_chain_5", table_b="long_table_name_of_the_chain_300")
        ask(large, "foreign_keys", table_name="hub")
        ask(large, "run_query", sql="SELECT no_such FROM hub")
    assert (time.process_time() - started) / 25 < 0.02
