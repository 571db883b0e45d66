"""Rows: from INSERT and COPY to typed values."""

from __future__ import annotations

import json

import pytest

from sqale_assets.relational.values import typed
from sqale_assets_tests.relational.reading import read, reasons

TABLE = "CREATE TABLE t (a int, b varchar(20), c decimal(8,2));\n"


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT INTO t VALUES (1, 'x', 2.50), (2, NULL, -3)", [(1, "x", 2.5), (2, None, -3.0)]),
        ("INSERT INTO public.t (c, a) VALUES ('1.5', 7)", [(7, None, 1.5)]),
        ("INSERT INTO `t` VALUES (1,'it\\'s\\n',0),(2,'a''b','1')", [(1, "it's\n", 0.0), (2, "a'b", 1.0)]),
        ("GO\nINSERT [dbo].[t] ([a], [b]) VALUES (1, N'Ünï')", [(1, "Ünï", None)]),
        ("INSERT INTO t SELECT 1, 'x', 2 UNION ALL SELECT 2, 'y', 3", [(1, "x", 2.0), (2, "y", 3.0)]),
        ("INSERT INTO t (a, b) SELECT 1, 'x' FROM dual", [(1, "x", None)]),
        ("INSERT INTO t (a, b) SELECT 1 AS a, CAST('x' AS char) AS b", [(1, "x", None)]),
        ("INSERT ALL INTO t (a) VALUES (1) INTO t (b) VALUES ('x') SELECT 1", [(1, None, None), (None, "x", None)]),
        ("REPLACE INTO `t` SET a = 1, b = 'x'", [(1, "x", None)]),
        ("INSERT OR IGNORE INTO /* the */ t VALUES (1, 'x' || 'y', CAST('2.5' AS numeric))", [(1, "xy", 2.5)]),
        ("INSERT INTO t VALUES (1, 'x'::text, (2.5)::numeric(8,2))", [(1, "x", 2.5)]),
        ("INSERT INTO t VALUES (1, E'tab\\there', 0); SELECT nextval('s')", [(1, "tab\there", 0.0)]),
        ("INSERT INTO t VALUES (1, uuid(), rand())", [(1, None, None)]),
        ("INSERT INTO t SELECT a, b, c FROM other", []),
        ("COPY t (a, b) FROM stdin;\n1\ta\\tb\n2\t\\N\n\\.\n", [(1, "a\tb", None), (2, None, None)]),
        ("COPY t FROM stdin WITH CSV;\n1,\"a,b\",2.5\n\\.\n", [(1, "a,b", 2.5)]),
    ],
)  # fmt: skip
def test_rows_of_every_form(statement, rows):
    assert list(read(TABLE + statement).rows.get("t", ())) == rows


def test_at_most_so_many_rows_and_no_more_are_looked_at():
    values = ",".join(f"({n}, 'x', 1)" for n in range(50_000))
    reading = read(f"{TABLE}INSERT INTO t VALUES {values};\nINSERT INTO t VALUES (-1, 'y', 2);", rows_per_table=3)
    assert reading.rows["t"] == ((0, "x", 1.0), (1, "x", 1.0), (2, "x", 1.0))


def test_dates_and_booleans():
    reading = read(
        "CREATE TABLE t (d DATE, at TIMESTAMP, ok BOOLEAN, bits bit(1), raw BLOB);\n"
        "INSERT INTO t VALUES (TO_DATE('17-JUN-03','DD-MON-RR'),"
        " TO_DATE('2020-01-02 13:14:15','YYYY-MM-DD HH24:MI:SS'), 't', b'1', x'00');\n"
        "INSERT INTO t VALUES (DATE '2020-02-03', '2020-02-03T04:05:06', false, 0, NULL);\n"
        "INSERT INTO t VALUES ('0000-00-00', '06/13/1994', TRUE, 1, NULL);\n"
        "INSERT INTO t VALUES (CAST(N'2014-09-12T11:15:07.263' AS Date),"
        " CAST(0x0000A4D500000000 AS DateTime), 'no', 1, NULL);\n"
    )
    assert reading.rows["t"] == (
        ("2003-06-17", "2020-01-02 13:14:15", 1, 1, None),
        ("2020-02-03", "2020-02-03 04:05:06", 0, 0, None),
        (None, "1994-06-13", 1, 1, None),
        ("2014-09-12", "2015-07-14 00:00:00", 0, 1, None),
    )


def test_rows_are_as_the_database_would_have_made_them():
    reading = read(
        "CREATE TABLE t (id SERIAL PRIMARY KEY, name text, active boolean NOT NULL DEFAULT true, raw bytea NOT NULL);\n"
        "INSERT INTO t (name) VALUES ('a'), ('b');\nINSERT INTO t (id, name) VALUES (9, 'c');\n"
        "INSERT INTO t (name, active) VALUES ('d', false);\n"
    )
    assert reading.rows["t"] == ((1, "a", 1, ""), (2, "b", 1, ""), (9, "c", 1, ""), (10, "d", 0, ""))


def test_the_clock_stands_still():
    reading = read(
        "CREATE TABLE t (a date NOT NULL DEFAULT now(), b timestamp, c time);\n"
        "INSERT INTO t (b, c) VALUES (now(), CURRENT_TIME);"
    )
    assert reading.rows["t"] == (("2020-01-01", "2020-01-01 00:00:00", "00:00:00"),)


def test_identity_columns_may_be_left_out():
    reading = read("CREATE TABLE t (id [int] IDENTITY(1,1), a [int], b AS (a * 2))\nGO\nINSERT t VALUES (7)\nGO\n")
    assert reading.rows["t"] == ((1, 7, None),)


def test_rows_without_a_table_are_losses():
    reading = read(TABLE + "INSERT INTO nowhere VALUES (1);\nINSERT INTO sqlite_sequence VALUES ('t', 1);")
    assert reasons(reading) == [(2, "rows for nowhere, which is not a table of the file")]


@pytest.mark.parametrize(
    ("value", "kind", "held"),
    [
        ("12", "integer", 12),
        (12.0, "integer", 12),
        ("abc", "integer", None),
        (2**80, "integer", float(2**80)),
        ("1e999", "real", None),
        ("$1,234.50", "decimal", 1234.5),
        ("maybe", "boolean", None),
        (7, "text", "7"),
        (b"\x01", "boolean", 1),
        (b"\xff\x01", "text", "ff01"),
        ("2020-1-5", "date", "2020-01-05"),
        ("20200105", "date", "2020-01-05"),
        ("Jan 5 2020", "date", "2020-01-05"),
        ("1994-06-12 10:00:00", "date", "1994-06-12"),
        ("sometime", "date", "sometime"),
    ],
)
def test_values_by_kind(value, kind, held):
    assert typed(value, kind) == held
    json.dumps(held, allow_nan=False)
