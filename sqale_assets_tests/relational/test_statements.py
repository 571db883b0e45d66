"""Splitting files into statements."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.dialect import detect, of_statement
from sqale_assets.relational.statements import split


def kinds(text: str, dialect: str | None) -> list[tuple[str, int]]:
    """Kind and line of each statement."""
    return [(statement.kind, statement.line) for statement in split(text, dialect)]


def test_semicolons_in_strings_comments_and_names_do_not_split():
    text = "CREATE TABLE `a;b` (x int DEFAULT ';', -- it's; this\n y int /* ; */);\n# no; more\nSET x = 'it\\'s;';"
    assert kinds(text, "mysql") == [("create_table", 1), ("set", 4)]


def test_go_and_missing_terminators():
    text = "SET NOCOUNT ON\nGO\nCREATE TABLE a (x int)\nINSERT a VALUES (1)\nINSERT INTO a\n VALUES (2)\ngo 5\nUSE x"
    assert kinds(text, "tsql") == [("set", 1), ("create_table", 3), ("insert", 4), ("insert", 5), ("use", 8)]


def test_routines_stay_whole():
    body = "CREATE PROCEDURE p AS\nBEGIN\n CREATE TABLE t (a int);\n INSERT INTO t VALUES (1);\nEND"
    assert kinds(f"{body}\nGO\nDROP TABLE t", "tsql") == [("create_procedure", 1), ("drop_table", 7)]
    trigger = (
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n SELECT CASE WHEN 1 THEN 2 END;\n INSERT INTO b VALUES (1);\nEND;"
    )
    assert kinds(f"{trigger}\nCREATE TABLE c (x);", "sqlite") == [("create_trigger", 1), ("create_table", 5)]
    package = "CREATE PACKAGE BODY p AS\n PROCEDURE q IS BEGIN NULL; END;\nEND p;\n/\nCREATE TABLE c (x NUMBER);"
    assert kinds(package, "oracle") == [("create_package", 1), ("create_table", 5)]


def test_the_clients_delimiter():
    text = (
        "DELIMITER //\nCREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN SET x = 1; END//\nDELIMITER ;\nSET y = 2;"
    )
    assert kinds(text, "mysql") == [("create_trigger", 2), ("set", 4)]


def test_dollar_quoting():
    text = "CREATE FUNCTION f() RETURNS int AS $body$ BEGIN; CREATE TABLE no (x int); END $body$;\nDO $$ x; y $$;"
    assert kinds(text, "postgres") == [("create_function", 1), ("do", 2)]


def test_copy_blocks_carry_their_lines():
    text = "COPY t (a, b) FROM stdin;\n1\tx;y\n2\t'\n\\.\n\nSELECT 1;"
    copy, select = split(text, "postgres")
    assert (copy.kind, copy.data) == ("copy", "1\tx;y\n2\t'\n")
    assert (select.kind, select.line) == ("select", 6)


def test_client_commands_with_apostrophes():
    text = "rem don't split\nPrompt it's\nSET ECHO OFF\nCREATE TABLE a (x NUMBER);\n@@other.sql\nq"
    found = [kind for kind, _ in kinds(text, "oracle")]
    assert found == ["client_command"] * 3 + ["create_table", "client_command", "q"]


def test_oracle_quotes():
    assert len(kinds("INSERT INTO a VALUES (q'[it's; x]', q'!a;'b!');\nCOMMIT;", "oracle")) == 2


def test_version_comments_open_and_stand_ins_are_marked():
    text = "/*!50001 CREATE TABLE `v` (\n `x` int) */;\nCREATE TABLE t (x int) /*!50100 PARTITION BY HASH (x) */;"
    stand_in, table = split(text, "mysql")
    assert (stand_in.kind, stand_in.versioned) == ("create_table", True)
    assert (table.kind, table.versioned) == ("create_table", False)
    assert "PARTITION BY" in table.text and "*/" not in table.text


def test_an_apostrophe_in_prose_swallows_nothing():
    text = "#!/bin/sh\n# You won't get support\npsql <<END\n\nCREATE TABLE a (x int);\n# isn't it\nEND"
    assert ("create_table", 5) in kinds(text, "postgres")


def test_an_unclosed_parenthesis_ends_where_a_definition_starts():
    assert kinds("CREATE TABLE a (x int\nCREATE TABLE b (y int);", None) == [("create_table", 1), ("create_table", 2)]


def test_a_statement_may_prove_another_dialect():
    assert of_statement("CREATE TABLE [dbo].[a] (x int)", "postgres") == "tsql"
    assert of_statement("CREATE TABLE `a` (x int AUTO_INCREMENT)", "oracle") == "mysql"
    assert of_statement("CREATE TABLE `a` (x int)", "sqlite") == "sqlite"
    assert of_statement("CREATE TABLE a (x int)", "oracle") == "oracle"


def test_files_tell_their_dialect():
    assert detect("CREATE TABLE a (id int IDENTITY(1,1))\nGO\n") == "tsql"
    assert detect("CREATE TABLE a (id serial, x timestamp with time zone);") == "postgres"
    assert detect("CREATE TABLE a (x VARCHAR2(10 CHAR), n NUMBER(3));") == "oracle"
    assert detect("CREATE TABLE `a` (x int(11)) ENGINE=InnoDB;") == "mysql"
    assert detect("PRAGMA foreign_keys=ON;\nCREATE TABLE a (x BIGINT UNSIGNED, y tinyint(1));") == "sqlite"
    assert detect("CREATE TABLE a (x int);") is None


def test_megabytes_are_walked_in_no_time():
    rows = ",\n".join(f"({n}, 'it''s row {n}; with (brackets) -- and dashes')" for n in range(60_000))
    text = f"CREATE TABLE a (x int, y text);\nINSERT INTO a VALUES {rows};\nCREATE TABLE b (x int);"
    began = time.perf_counter()
    assert [kind for kind, _ in kinds(text, "mysql")] == ["create_table", "insert", "create_table"]
    assert time.perf_counter() - began < 5  # about 0.1 s for 3 MB on an idle machine


@given(
    st.text("ab;'\"`$()[]/*-\n\\#G OCREATETABLE", max_size=60),
    st.sampled_from(["mysql", "postgres", "tsql", "oracle", "sqlite", None]),
)
def test_statements_are_pieces_of_the_text_in_order(text, dialect):
    position = 0
    for statement in split(text, dialect):
        found = text.find(statement.text, position)
        assert found >= 0
        assert text.count("\n", 0, found) + 1 >= statement.line
        position = found + len(statement.text)
