"""Reading whole scripts: what is a table of the schema, and how it changes on the way."""

from __future__ import annotations

import pytest

from sqale_assets.relational.reader import read_sql
from sqale_assets_tests.relational.reading import column, keys, read, reasons, table


def test_tables_left_out_are_noted():
    reading = read(
        "CREATE TABLE a (x int) PARTITION BY RANGE (x);\nCREATE TABLE a1 PARTITION OF a FOR VALUES FROM (1) TO (2);\n"
        "CREATE TABLE a2 (x int);\nALTER TABLE ONLY a ATTACH PARTITION a2 FOR VALUES FROM (2) TO (3);\n"
        "CREATE TABLE a3 (CHECK (x > 3)) INHERITS (a);\nCREATE TEMP TABLE b (x int);\n"
        "CREATE VIRTUAL TABLE v USING fts5(x);\n"
        "CREATE TABLE w (x int);\nDROP TABLE IF EXISTS w;\nCREATE VIEW w AS SELECT 1 AS x;\n"
        "INSERT INTO a1 VALUES (1);\nINSERT INTO b VALUES (1);\nALTER TABLE ONLY a1 ADD CONSTRAINT p PRIMARY KEY (x);\n"
    )
    assert [table.name for table in reading.schema.tables] == ["a"]
    assert reading.fidelity.losses == ()
    assert [note.line for note in reading.fidelity.notes] == [2, 4, 5, 6, 7]


def test_a_table_of_a_views_name_is_its_stand_in():
    reading = read("CREATE TABLE t (x int);\nCREATE TABLE `v` (x int);\nCREATE VIEW v AS SELECT x FROM t;")
    assert [table.name for table in reading.schema.tables] == ["t"]


def test_a_tear_down_at_the_end_is_no_design():
    reading = read("CREATE TABLE a (x int);\nCREATE TABLE b (x int);\nDROP TABLE b;\nDROP TABLE a;")
    assert sorted(table.name for table in reading.schema.tables) == ["a", "b"]
    assert [t.name for t in read("CREATE TABLE a (x int);\nCREATE TABLE b (x int);\nDROP TABLE b;").schema.tables] == [
        "a"
    ]


def test_sqlites_way_to_alter_a_table():
    reading = read(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);\nCREATE TABLE c (t_id int REFERENCES t (id));\n"
        "CREATE TABLE t_new (id INTEGER PRIMARY KEY, more text);\nINSERT INTO t_new SELECT id, '' FROM t;\n"
        "DROP TABLE t;\nALTER TABLE t_new RENAME TO t;\n"
    )
    assert [column.name for column in table(reading, "t").columns] == ["id", "more"]
    assert keys(reading) == [("c", ("t_id",), "t", ("id",))]


def test_a_second_table_of_one_name_is_a_loss():
    reading = read("CREATE TABLE a (x int);\nCREATE TABLE a (y int);")
    assert [column.name for column in table(reading, "a").columns] == ["x"]
    assert reasons(reading) == [(2, "a table of the name a is there already")]


def test_statements_that_say_nothing_of_the_schema_are_counted():
    reading = read("SET x = 1;\nGRANT ALL ON a TO b;\nCREATE INDEX i ON a (x);\nCREATE TABLE a (x int);")
    assert reading.fidelity.kinds == {"set": 1, "grant": 1, "create_index": 1, "create_table": 1}
    assert (reading.fidelity.statements, reading.fidelity.kept, reading.fidelity.skipped) == (4, 1, 3)


def test_alterations_in_order():
    reading = read(
        "CREATE TABLE t (a int, b int, UNIQUE (a), UNIQUE (b));\n"
        "ALTER TABLE t ADD COLUMN c int NOT NULL DEFAULT 1 AFTER a, ADD COLUMN (d int, e text), DROP COLUMN b,\n"
        " CHANGE `d` `d2` bigint NULL, MODIFY COLUMN e varchar(5) NOT NULL;\n"
        "ALTER TABLE t RENAME COLUMN a TO a2;\n"
        "ALTER TABLE t ALTER COLUMN c DROP NOT NULL, ALTER COLUMN c TYPE text USING c::text;\n"
        "ALTER TABLE t ALTER COLUMN c SET DEFAULT 'x';\nALTER TABLE t RENAME TO u;"
    )
    columns = {column.name: column for column in table(reading, "u").columns}
    assert list(columns) == ["a2", "c", "d2", "e"]
    assert table(reading, "u").unique == (("a2",),)
    assert (columns["c"].declared_type, columns["c"].default, columns["c"].nullable) == ("TEXT", "'x'", True)
    assert columns["d2"].declared_type == "BIGINT"
    assert (columns["e"].length, columns["e"].nullable) == (5, False)


def test_constraints_dropped_by_name():
    reading = read(
        "CREATE TABLE p (id int PRIMARY KEY);\n"
        "CREATE TABLE t (a int, CONSTRAINT pk PRIMARY KEY (a), CONSTRAINT u UNIQUE (a), CONSTRAINT c CHECK (a > 0),\n"
        " CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id));\n"
        "ALTER TABLE t DROP CONSTRAINT pk, DROP CONSTRAINT c;\nALTER TABLE t DROP FOREIGN KEY f;"
    )
    dropped = table(reading, "t")
    assert (dropped.primary_key, dropped.unique, dropped.checks, dropped.foreign_keys) == ((), (("a",),), (), ())


def test_tables_like_others():
    source = "CREATE TABLE a (x int PRIMARY KEY, y text NOT NULL);\n"
    for copy in ("CREATE TABLE b LIKE a", "CREATE TABLE b (LIKE a INCLUDING ALL)"):
        copied = table(read(source + copy), "b")
        assert [column.name for column in copied.columns] == ["x", "y"]
        assert copied.primary_key == ("x",)


def test_qualifiers_go_unless_they_tell_tables_apart():
    reading = read(
        "CREATE TABLE sales.customer (id serial PRIMARY KEY);\nCREATE TABLE hr.customer (id serial PRIMARY KEY);\n"
        "CREATE TABLE hr.leave (c int REFERENCES hr.customer, d int REFERENCES sales.customer);"
    )
    assert [table.name for table in reading.schema.tables] == ["sales_customer", "hr_customer", "leave"]
    assert [key[2] for key in keys(reading)] == ["hr_customer", "sales_customer"]


@pytest.mark.parametrize(
    "schema", ["@cdmDatabaseSchema.", "${schema}.", "{{ schema }}.", ":schema.", "&schema..", "[$(s)].", "a.b."]
)
def test_placeholders_for_schemas(schema):
    person = f"CREATE TABLE {schema}person (id int PRIMARY KEY);\n"
    reading = read(person + f"CREATE TABLE {schema}visit (p int REFERENCES {schema}person);")
    assert [table.name for table in reading.schema.tables] == ["person", "visit"]
    assert keys(reading) == [("visit", ("p",), "person", ("id",))]


def test_ddl_behind_conditions_and_in_strings():
    reading = read(
        "IF NOT EXISTS (SELECT 1 FROM sys.objects)\nBEGIN\nCREATE TABLE a (x int)\nEND\nGO\n"
        "IF OBJECT_ID('b') IS NULL CREATE TABLE b (x int)\nGO\n"
        "EXEC sp_executesql N'CREATE TABLE c (x nvarchar(3))'\nGO\n"
    )
    assert [table.name for table in reading.schema.tables] == ["a", "b", "c"]
    block = "BEGIN\n EXECUTE IMMEDIATE 'CREATE TABLE d (x VARCHAR2(3) DEFAULT ''q'')';\nEND;\n/\n"
    assert column(read(block), "d.x").default == "'q'"


def test_forgotten_commas_and_terminators():
    reading = read("create table a (id int primary key\n name text\n)\ncreate table b (a_id int references a)\n")
    assert [column.name for column in table(reading, "a").columns] == ["id", "name"]
    assert keys(reading) == [("b", ("a_id",), "a", ("id",))]


def test_names_that_need_care():
    reading = read('CREATE TABLE "a;b" ("x y" int, "select" int, `2fa` int, "x Y" int);')
    assert [column.name for column in table(reading, "a_b").columns] == ["x y", "select", "2fa"]
    assert reasons(reading) == [(1, "a second column of the name x Y")]


def test_unique_indexes():
    reading = read(
        "CREATE TABLE t (a int, b int, c int);\nCREATE UNIQUE INDEX i ON t USING btree (a DESC, b);\n"
        "CREATE UNIQUE NONCLUSTERED INDEX [j] ON [dbo].[t] ([c]) WHERE ([c] IS NOT NULL) WITH (FILLFACTOR = 80);\n"
        "CREATE UNIQUE INDEX k ON t (lower(a));\nCREATE UNIQUE INDEX l ON t (b) WHERE c > 1;\n"
    )
    assert table(reading, "t").unique == (("c",), ("a", "b"))
    assert [line for line, _ in reasons(reading)] == [4, 5]


OTHERS = {
    "db2": "CREATE TABLE t (a int NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 1, INCREMENT BY 1),"
    " b varchar(9) FOR BIT DATA NOT NULL WITH DEFAULT, c timestamp NOT NULL WITH DEFAULT CURRENT TIMESTAMP,"
    " PRIMARY KEY (a)) IN TS1 INDEX IN TS2",
    "h2": "CREATE CACHED TABLE PUBLIC.t (a IDENTITY PRIMARY KEY, b VARCHAR_IGNORECASE(9), c OTHER)",
    "hive": "CREATE EXTERNAL TABLE t (a BIGINT PRIMARY KEY DISABLE NOVALIDATE, b MAP<STRING,ARRAY<INT>>,"
    " c STRUCT<x:INT,y:INT>) PARTITIONED BY (d STRING) STORED AS PARQUET",
    "snowflake": "create or replace table DB.SC.t (a NUMBER(38,0) NOT NULL autoincrement start 1 increment 1,"
    " b VARIANT, c TIMESTAMP_NTZ(9), primary key (a)) cluster by (a)",
    "cockroach": "CREATE TABLE t (a UUID NOT NULL, b STRING, c INT8, CONSTRAINT pk PRIMARY KEY (a ASC), INDEX i (b),"
    ' FAMILY "primary" (a, b, c))',
    "firebird": "SET TERM ^ ;\nCREATE TRIGGER x FOR t AS BEGIN a = 1; END ^\nSET TERM ; ^\n"
    "CREATE TABLE t (a INTEGER NOT NULL, b BLOB SUB_TYPE 1 SEGMENT SIZE 80, c VARCHAR(9), PRIMARY KEY (a))",
    "access": "CREATE TABLE [t] ([a] COUNTER CONSTRAINT pk PRIMARY KEY, [b] TEXT(50), [c] YESNO)",
    "redshift": "CREATE TABLE t (a bigint IDENTITY(1,1) ENCODE az64, b varchar(9) ENCODE lzo DISTKEY, c date SORTKEY,"
    " PRIMARY KEY (a)) DISTSTYLE KEY SORTKEY (c)",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_dialects_are_read_as_far_as_they_are_alike(name):
    reading = read(OTHERS[name] + ";")
    assert [column.name for column in table(reading, "t").columns] == ["a", "b", "c"]
    assert table(reading, "t").primary_key == ("a",)
    assert reading.fidelity.losses == ()


def test_tables_inside_create_schema_are_read_wherever_the_lines_break():
    text = (
        b"CREATE SCHEMA s AUTHORIZATION joe CREATE TABLE t (id int PRIMARY KEY, x text DEFAULT 'CREATE TABLE no (')"
        b" CREATE TABLE u (id int PRIMARY KEY, t_id int REFERENCES t (id));"
    )
    reading = read_sql(text)
    assert [table.name for table in reading.schema.tables] == ["t", "u"]
    assert reading.schema.foreign_key_count == 1 and reading.fidelity.losses == ()
