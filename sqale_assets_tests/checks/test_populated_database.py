"""The checks of a filled database: each passes on a sound one and fails on the one thing planted."""

import sqlite3

import pytest

from sqale_assets.checks.populated_database import CHECKS, evaluate
from sqale_assets.records import PopulatedDatabase, TablePopulation
from sqale_assets.relational.reader import read_sql

DDL = b"""
CREATE TABLE ward (ward_id INT PRIMARY KEY, name TEXT);
CREATE TABLE bed (bed_id INT PRIMARY KEY, ward_id INT REFERENCES ward (ward_id));
"""
SOUND = "INSERT INTO ward VALUES (1, 'North'), (2, 'South'); INSERT INTO bed VALUES (1, 1), (2, NULL);"
PLANTED = {
    "primary_keys_unique": "INSERT INTO bed VALUES (2, 1);",
    "foreign_keys_valid": "INSERT INTO bed VALUES (3, 9);",
    "tables_populated": "DELETE FROM bed;",
}


def outcomes(statements: str, degenerate: tuple[str, ...] = ()) -> dict[str, bool]:
    connection = sqlite3.connect(":memory:")
    # no PRIMARY KEY of bed in here: the check must not lean on SQLite's
    connection.executescript(
        "CREATE TABLE ward (ward_id INT PRIMARY KEY, name TEXT);"
        f"CREATE TABLE bed (bed_id INT, ward_id INT REFERENCES ward (ward_id)); {statements}"
    )
    tables = tuple(
        TablePopulation(
            table=name, role="dimension", planned_rows=2, original_rows=0, rows=2, attempts=1,
            degenerate=degenerate if name == "bed" else (),
        )
        for name in ("ward", "bed")
    )  # fmt: skip
    record = PopulatedDatabase(schema_id="hospital", ddl={}, tables=tables)
    found = evaluate(read_sql(DDL).schema, connection, record)
    assert {outcome.name for outcome in found} == {name for name, _ in CHECKS}
    return {outcome.name: outcome.passed for outcome in found}


def test_a_sound_database_passes():
    assert all(outcomes(SOUND).values())


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_fails(name):
    failed = {check for check, passed in outcomes(SOUND + PLANTED[name]).items() if not passed}
    assert name in failed


def test_degenerate_tables_are_counted():
    assert outcomes(SOUND, ("bed.ward_id: the same in all rows",))["rows_not_degenerate"] is False
