from __future__ import annotations

import sqlite3

import pytest

from sqale_assets.evaluation.conditions import distractors, kept_tables, reduced_copy
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.tools import Toolbox


@pytest.mark.parametrize(("condition", "more"), [("gold", 0), ("+32", 32), ("+0", 0), ("full", None)])
def test_conditions(condition, more):
    assert distractors(condition) == more


@pytest.mark.parametrize("condition", ["", "Gold", "32", "+", "+-1", "+1.5", "all", "+999999"])
def test_no_conditions(condition):
    with pytest.raises(ValueError, match="no condition"):
        distractors(condition)


def test_distractors_are_seeded_and_gold_is_always_there(company):
    def drawn(seed, question="q"):
        return tuple(kept_tables(company.schema, ["EMPLOYEE"], "+3", seed=seed, question_id=question))

    assert drawn(1) == drawn(1) and len(drawn(1)) == 4 and "employee" in drawn(1)
    assert len({drawn(seed) for seed in range(10)}) > 3
    assert len({drawn(1, str(number)) for number in range(10)}) > 3
    order = [table.name for table in company.schema.tables]
    assert list(drawn(1)) == sorted(drawn(1), key=order.index)


def test_more_distractors_than_there_are_is_the_whole_database(company):
    assert kept_tables(company.schema, ["employee"], "+6", seed=0, question_id="q") is None
    assert kept_tables(company.schema, ["employee"], "full", seed=0, question_id="q") is None


def test_a_reduced_copy_holds_the_same_rows_and_speaks_of_nothing_else(company_file, company, tmp_path):
    copy = tmp_path / "copy.sqlite"
    reduced_copy(company_file, ["employee", "order"], copy)
    with Database.open(copy) as reduced:
        assert [table.name for table in reduced.schema.tables] == ["employee", "order"]
        for table in ("employee", '"order"'):
            assert reduced.execute(f"SELECT * FROM {table}").rows == company.execute(f"SELECT * FROM {table}").rows
        toolbox = Toolbox(reduced)
        seen = [
            toolbox.call(tool, {"table_name": "employee"}).text
            for tool in ("describe_table", "foreign_keys", "sample_rows")
        ]
        assert "manager_id" in seen[0] and not any('"department"' in text for text in seen)
        assert toolbox.call("join_path", {"table_a": "employee", "table_b": "order"}).text.startswith('{"paths":[]')


def test_indexes_generated_columns_and_quoted_names_are_copied(tmp_path):
    source, copy = tmp_path / "it's 50%.sqlite", tmp_path / "copy.sqlite"
    with sqlite3.connect(source) as connection:
        connection.executescript(
            """CREATE TABLE "a b" ("x""y" INT, twice INT GENERATED ALWAYS AS ("x""y" * 2), t TEXT COLLATE NOCASE);
            INSERT INTO "a b" ("x""y", t) VALUES (2, 'A'), (1, 'b'); CREATE INDEX i ON "a b" (t);"""
        )
    reduced_copy(source, ["a b"], copy)
    with Database.open(copy) as reduced:
        assert reduced.execute('SELECT * FROM "a b"').rows == ((2, 4, "A"), (1, 2, "b"))
        assert reduced.execute("SELECT count(*) FROM \"a b\" WHERE t = 'a'").rows == ((1,),)
        assert reduced.execute("SELECT name FROM sqlite_master WHERE type = 'index'").rows == (("i",),)
