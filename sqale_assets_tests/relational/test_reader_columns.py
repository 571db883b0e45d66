"""Reading columns, their types, defaults and remarks, and checks."""

from __future__ import annotations

import pytest

from sqale_assets_tests.relational.reading import column, read, reasons, table


def test_mysql_columns():
    reading = read(
        "CREATE TABLE `t` (`id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the key',\n"
        "`kind` enum('x','y;z') CHARACTER SET utf8 COLLATE utf8_bin NOT NULL DEFAULT 'x',\n"
        "`on` bit(1) DEFAULT b'1', `n` decimal(10,2) DEFAULT '0.50', `key` varchar(10), `j` json CHECK (json_valid(j)),"
        "`ts` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP /*!50606 STORAGE DISK */,\n"
        "PRIMARY KEY (`id`), UNIQUE KEY `u` (`kind`,`n`), KEY `k` (`key`(5)), FULLTEXT KEY (`key`)\n"
        ") ENGINE=InnoDB COMMENT='of things'"
    )
    assert reading.fidelity.losses == ()
    assert table(reading, "t").comment == "of things"
    assert table(reading, "t").unique == (("kind", "n"),)
    assert column(reading, "t.id").comment == "the key"
    assert column(reading, "t.kind").enum == ("x", "y;z")
    assert column(reading, "t.on").default == "1"
    assert column(reading, "t.n").default == "0.50"
    assert column(reading, "t.key").declared_type == "VARCHAR(10)"
    assert column(reading, "t.ts").default == "CURRENT_TIMESTAMP"


def test_tsql_columns_types_and_properties():
    reading = read(
        "CREATE TYPE [dbo].[Name] FROM [nvarchar](50) NOT NULL\nGO\nEXEC sp_addtype tid, 'varchar(6)', 'NOT NULL'\n"
        "GO\n"
        "CREATE TABLE [dbo].[Order Detail]([Id] [int] NOT NULL, [Name] [dbo].[Name], [Title] tid,\n"
        " [Guid] [uniqueidentifier] ROWGUIDCOL NOT NULL CONSTRAINT [DF] DEFAULT ((0)), [Total] AS ([Id]*(2)),\n"
        " [Ts] [timestamp] NOT NULL, INDEX [ix] NONCLUSTERED ([Id])) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]\nGO\n"
        "ALTER TABLE [dbo].[Order Detail] ADD CONSTRAINT [d] DEFAULT (getdate()) FOR [Title]\nGO\n"
        "EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'It''s it' , @level0type=N'SCHEMA',"
        "@level0name=N'dbo',@level1type=N'TABLE',@level1name=N'Order Detail',@level2type=N'COLUMN',@level2name=N'Id'\n"
        "EXECUTE sp_addextendedproperty N'MS_Description', N'Lines', 'SCHEMA', N'dbo', 'TABLE', N'Order Detail'\n"
    )
    assert column(reading, "Order Detail.Name").declared_type == "NVARCHAR(50)"
    assert column(reading, "Order Detail.Name").nullable is False
    assert column(reading, "Order Detail.Title").length == 6
    assert column(reading, "Order Detail.Title").default == "CURRENT_TIMESTAMP"
    assert column(reading, "Order Detail.Guid").default == "0"
    assert column(reading, "Order Detail.Ts").kind == "binary"
    assert column(reading, "Order Detail.Id").comment == "It's it"
    assert table(reading, "Order Detail").comment == "Lines"
    assert reasons(reading) == [(6, "computed column Total kept without its expression")]
    assert column(reading, "Order Detail.Total").kind == "decimal"


def test_postgres_types_domains_and_comments():
    reading = read(
        "CREATE TYPE public.mood AS ENUM ('sad', 'ok'); ALTER TYPE mood ADD VALUE IF NOT EXISTS 'happy' AFTER 'ok';\n\n"
        "CREATE DOMAIN public.year AS integer CONSTRAINT c CHECK (((VALUE >= 1901) AND (VALUE <= 2155)));\n"
        "CREATE TABLE t (id uuid DEFAULT gen_random_uuid(), m public.mood DEFAULT 'ok'::public.mood, y public.year,\n"
        " s varchar(9) CONSTRAINT k CHECK (((s)::text = ANY ((ARRAY['a'::character varying, 'b'::text])::text[]))),\n"
        " b boolean DEFAULT false NOT NULL, at timestamp with time zone DEFAULT now(), a int[] DEFAULT '{}'::int[]);\n"
        "COMMENT ON TABLE public.t IS 'things';\nCOMMENT ON COLUMN public.t.s IS E'state';"
    )
    assert column(reading, "t.m").enum == ("sad", "ok", "happy")
    assert column(reading, "t.m").default == "'ok'"
    assert column(reading, "t.s").enum == ("a", "b")
    assert (column(reading, "t.s").comment, table(reading, "t").comment) == ("state", "things")
    assert (column(reading, "t.b").default, column(reading, "t.b").nullable) == ("0", False)
    assert column(reading, "t.at").default == "CURRENT_TIMESTAMP"
    assert column(reading, "t.a").default == "'{}'"
    assert table(reading, "t").checks == ("y >= 1901 AND y <= 2155",)
    assert reasons(reading) == [(4, "the default 'gen_random_uuid()' has no like in SQLite")]


def test_oracle_columns_and_alterations():
    reading = read(
        'CREATE TABLE "HR"."EMP" ("ID" NUMBER(*,0), "NAME" VARCHAR2(40 BYTE) DEFAULT \'it\'\'s\' COLLATE "X",\n'
        ' "SAL" NUMBER(8,2) DEFAULT 0 NOT NULL ENABLE, "AGE" INTERVAL DAY (2) TO SECOND (6), "DEPT" NUMBER,\n'
        ' CHECK ("NAME" IS NOT NULL) ENABLE) SEGMENT CREATION IMMEDIATE LOB ("X") STORE AS (TABLESPACE U);\n/\n'
        "ALTER TABLE EMP MODIFY (SAL NUMBER(9,2), NAME NOT NULL);\n"
        "ALTER TABLE EMP ADD (BONUS NUMBER(5), GRADE CHAR(1) DEFAULT 'A' NOT NULL);\n"
        "ALTER TABLE EMP MODIFY GRADE DEFAULT 'B';\n"
    )
    assert column(reading, "EMP.NAME").default == "'it''s'"
    assert column(reading, "EMP.NAME").nullable is False
    sal = column(reading, "EMP.SAL")
    assert (sal.declared_type, sal.default, sal.nullable) == ("NUMBER(9,2)", "0", False)
    assert column(reading, "EMP.AGE").kind == "text"
    assert column(reading, "EMP.GRADE").default == "'B'"
    assert column(reading, "EMP.BONUS").kind == "integer"
    assert reading.fidelity.losses == ()


def test_binary_keys_are_read_as_their_digits():
    reading = read(
        "CREATE TABLE `p` (`id` binary(16) NOT NULL, `raw` blob, PRIMARY KEY (`id`));\n"
        "CREATE TABLE `c` (`p_id` binary(16), FOREIGN KEY (`p_id`) REFERENCES `p` (`id`));\n"
        "INSERT INTO `p` VALUES (0x00ff, 0x01);\nINSERT INTO `c` VALUES (x'00FF');"
    )
    assert (column(reading, "p.id").kind, column(reading, "p.raw").kind) == ("text", "binary")
    assert reading.rows == {"p": (("00ff", None),), "c": (("00ff",),)}


def test_remarks_at_the_end_of_the_line():
    reading = read("CREATE TABLE t (\n a int, -- the first\n -- about nothing\n b int /* the second */\n)")
    assert column(reading, "t.a").comment == "the first"
    assert column(reading, "t.b").comment == "the second"


@pytest.mark.parametrize(
    ("dialect_mark", "check", "expected"),
    [
        ("", "a > 0 AND a < 10", "a > 0 AND a < 10"),
        ("GO\n", "([a]>=(1) AND [a]<=(8))", "a >= 1 AND a <= 8"),
        ("GO\n", "b LIKE '[0-9][a-z]%'", "b GLOB '[0-9][a-z]*'"),
        ("GO\n", "len(b) > 2", "LENGTH(b) > 2"),
        ("", "a IS NOT NULL OR b IS NOT NULL", "a IS NOT NULL OR b IS NOT NULL"),
        ("", "b <> ';'", "b <> (char(59))"),
    ],
)
def test_checks_in_sqlites_words(dialect_mark, check, expected):
    reading = read(f"{dialect_mark}CREATE TABLE t (a int, b varchar(9), CHECK ({check}))")
    assert [written.replace("'' || ", "").replace(" || ''", "") for written in table(reading, "t").checks] == [expected]


def test_checks_that_sqlite_cannot_hold_are_losses():
    reading = read(
        "CREATE TABLE t (\n a text CHECK (a ~ '^x'),\n b text CHECK (nobody_knows(b) = 1),\n"
        " c bytea CHECK (octet_length(c) = 20))"
    )
    assert table(reading, "t").checks == ()
    assert [line for line, _ in reasons(reading)] == [2, 3, 4]
