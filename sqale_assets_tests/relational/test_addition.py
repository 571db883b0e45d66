"""Reading CREATE TABLE statements on top of a schema."""

from __future__ import annotations

from sqale_assets.relational.addition import read_additions
from sqale_assets.relational.reader import read_sql

KNOWN = {
    table.name.lower(): table
    for table in read_sql(b"CREATE TABLE users (id INT NOT NULL PRIMARY KEY, name TEXT, UNIQUE (name));").schema.tables
}


def test_keys_to_known_and_new_tables_resolve():
    first, second = read_additions(
        "CREATE TABLE team (id INTEGER PRIMARY KEY, lead INT REFERENCES Users);\n"
        "CREATE TABLE team_note (id INT PRIMARY KEY, team_id INT NOT NULL,"
        " FOREIGN KEY (team_id) REFERENCES team (id));",
        KNOWN,
    )
    assert not first.losses and not second.losses
    assert first.table.foreign_keys[0].target_table == "users"
    assert first.table.foreign_keys[0].target_columns == ("id",)
    assert second.table.foreign_keys[0].target_table == "team"


def test_only_the_spelling_integer_assigns_itself():
    first, second = read_additions("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY);", {})
    assert first.table.columns[0].autoincrement
    assert not second.table.columns[0].autoincrement


def test_what_goes_missing_is_told_for_its_statement_alone():
    good, bad = read_additions(
        "CREATE TABLE a (id INT PRIMARY KEY);\nCREATE TABLE b (id INT PRIMARY KEY,\n x INT REFERENCES nowhere (id));",
        KNOWN,
    )
    assert good.losses == ()
    assert "nowhere" in bad.losses[0]


def test_a_taken_name_and_nonsense_are_no_tables():
    additions = read_additions(
        "CREATE TABLE users (id INT PRIMARY KEY, x INT REFERENCES users (id)); CREATE TABLE 12 oops; DROP TABLE users;",
        KNOWN,
    )
    assert [addition.table for addition in additions] == [None, None]
    assert all(addition.losses for addition in additions)
    assert additions[0].name == "users"


def test_enumerations_and_other_statements():
    (only,) = read_additions(
        "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9) CHECK (s IN ('a', 'b'))); INSERT INTO t VALUES (1, 'a');", {}
    )
    assert only.table.columns[1].enum == ("a", "b")
    assert only.statement.startswith("CREATE TABLE t")
