from __future__ import annotations

import sqlite3

import pytest

from sqale_assets.llm.offline import answer_question
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets_tests.llm.english.shop import connect

SHOP = Database.from_connection(connect())


def opening(question: str):
    system = load_prompt("answer_question").system.split("\n")[0]
    return [{"role": "system", "content": system}, {"role": "user", "content": f"```question\n{question}\n```"}]


def play(question: str, database: Database = SHOP) -> Episode:
    episode = Episode(database)
    while not episode.ended_by:
        episode.step(answer_question.respond([*opening(question), *episode.transcript]))
    return episode


def database_of(script: str) -> Database:
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    return Database.from_connection(connection)


def test_it_explores_before_it_submits():
    episode = play('How many orders are there whose customer\'s city is "Rome"?')
    tools = [done.call.tool for done in episode.done]
    assert tools[0] == "list_tables" and "describe_table" in tools and "run_query" in tools
    assert episode.ended_by == "submit_sql" and episode.turns <= 6
    expected = "SELECT count(*) FROM orders JOIN customers USING (customer_id) WHERE city = 'Rome'"
    assert SHOP.execute(episode.sql).rows == SHOP.execute(expected).rows


def test_tables_that_are_only_meant_are_found_by_their_keys():
    episode = play("For every order, show the id and the approver's full name.")
    assert "employees" in episode.sql and "LEFT JOIN" in episode.sql  # some orders have no approver
    assert len(SHOP.execute(episode.sql).rows) == 120


@pytest.mark.parametrize(
    "question",
    [
        "Who is the nicest customer?",
        "How many invoices are there?",
        'How many customers are there whose city is "Atlantis"?',  # not stored
        "How many employees are there that have at least one order?",  # as seller or as approver?
    ],
)
def test_what_it_cannot_tell_it_does_not_answer(question):
    episode = play(question)
    assert episode.ended_by == "no_answer" and episode.sql is None


@pytest.mark.parametrize(
    ("compact", "plain"),
    [
        ('Among orders with customer\'s city "Rome", what is the number?, evidence: Rome is a city of customers.',
         'How many orders are there whose customer\'s city is "Rome"?'),
        ("Report name and creation date of each customer with some orders, evidence: orders belong to customers.",
         "Show the name and creation date of each customer that has at least one order."),
        ("Given each order with total amount over 300, report the id and the customer's city, sorted by id descending"
         ", evidence: 300 is a bound.",
         "Show the id and customer city of each order with a total amount above 300. Sort the list by id descending."),
        ("Considering orders, what is the average total amount per customer's city?, evidence: orders have customers.",
         "What is the average total amount of orders per customer's city?"),
        ("Retrieve full name of the 2 employees with highest salary, the lower id first in a tie, evidence: monthly",
         "Show the full name of the 2 employees with the highest salary; break ties by the lowest id."),
    ],
)  # fmt: skip
def test_a_compact_question_with_a_note_is_read_as_the_sentence_that_it_stands_for(compact, plain):
    assert play(compact).sql == play(plain).sql is not None


def test_a_note_alone_changes_nothing_and_what_is_not_understood_stays_unanswered():
    question = "What is the average total amount of all orders?"
    assert play(f"{question}, evidence: orders are placed by customers").sql == play(question).sql is not None
    assert play("Among nice orders, find the best, evidence: taste").sql is None


TWINS = """
    CREATE TABLE user (id INTEGER PRIMARY KEY, city TEXT); INSERT INTO user (city) VALUES ('Rome'), ('Bern');
    CREATE TABLE users (id INTEGER PRIMARY KEY, city TEXT); INSERT INTO users (city) VALUES ('Oslo'), ('Oslo');
"""


def test_the_data_tells_which_of_two_tables_is_meant():
    assert play('How many users are there whose city is "Oslo"?', database_of(TWINS)).sql == (
        "SELECT COUNT(*) FROM users WHERE city = 'Oslo'"
    )


def test_where_the_data_does_not_tell_it_stays_silent():
    assert play("How many users are there?", database_of(TWINS)).sql is None


@pytest.mark.parametrize(("true", "false"), [("1", "0"), ("'Y'", "'N'"), ("'true'", "'false'")])
def test_flags_as_they_are_stored(true, false):
    database = database_of(
        "CREATE TABLE shops (id INTEGER PRIMARY KEY, is_open BOOLEAN);"
        f"INSERT INTO shops (is_open) VALUES ({true}), ({false}), ({true})"
    )
    assert database.execute(play("How many shops are there flagged as open?", database).sql).rows == ((2,),)


def test_long_descriptions_are_read_to_the_end():
    columns = ", ".join(f"measure_of_something_number_{number} INTEGER" for number in range(300))
    database = database_of(f"CREATE TABLE stations (id INTEGER PRIMARY KEY, {columns}, last_price REAL);"
                           "INSERT INTO stations (id, last_price) VALUES (1, 4.5)")  # fmt: skip
    assert (
        play("What is the maximum last price of all stations?", database).sql == "SELECT MAX(last_price) FROM stations"
    )


def test_many_tables_come_in_pages():
    script = "".join(f"CREATE TABLE some_rather_long_table_name_{n} (id INTEGER PRIMARY KEY);" for n in range(900))
    database = database_of(
        f"{script}CREATE TABLE zebras (id INTEGER PRIMARY KEY, age INT); INSERT INTO zebras VALUES (1, 7)"
    )
    assert play("What is the average age of all zebras?", database).sql == "SELECT AVG(age) FROM zebras"


def test_after_a_rejection_it_stands_by_the_only_reading():
    episode = play("What is the average total amount of all orders?")
    first = episode.sql
    episode.reopen("judge_wrong_filter: the query is wrong")
    while not episode.ended_by:
        episode.step(
            answer_question.respond([*opening("What is the average total amount of all orders?"), *episode.transcript])
        )
    assert episode.sql == first


def test_it_is_a_function_of_the_conversation():
    question = "What is the average total amount of all orders?"
    one, two = play(question), play(question)
    assert one.transcript == two.transcript
