"""Properties: any schema written and read back is the same; any bytes at all end in a report."""

from __future__ import annotations

import sqlite3

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import canonical, canonical_schema, create_statements, create_table, open_memory
from sqale_assets.relational.types import column_type

WORDS = 'id|name|order|Group|user|select|Größe|unit price|2fa|a\'b|say "hi"|key|check|index|like|default'
plain = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
names = st.one_of(st.sampled_from(WORDS.split("|")), plain).filter(lambda name: not name.lower().startswith("sqlite_"))
texts = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20)
TYPES = """int|bigint unsigned|serial|varchar(40)|text|decimal(10,2)|double precision|boolean|bit|date|real|blob
text[]|timestamp with time zone|time|json|uuid|bytea|tinyint(1)|number(8)|nchar(3)|money|year|float(24)
nvarchar(max)|interval"""
declared = st.sampled_from(TYPES.replace("\n", "|").split("|"))


@st.composite
def columns(draw, name: str) -> Column:
    kind = column_type(draw(declared))
    enum = ()
    if kind.kind == "text" and draw(st.booleans()):
        enum = tuple(draw(st.lists(texts, min_size=1, max_size=4, unique=True)))
        kind = kind.model_copy(update={"kind": "enum", "enum": enum})
    default = None
    if draw(st.booleans()):
        if kind.kind in ("text", "enum"):
            default = "'" + draw(texts).replace("'", "''") + "'"
        elif kind.kind in ("integer", "decimal", "real", "boolean"):
            default = str(draw(st.integers(-5, 1000)))
        elif kind.kind in ("date", "datetime", "time"):
            default = {"date": "CURRENT_DATE", "datetime": "CURRENT_TIMESTAMP", "time": "CURRENT_TIME"}[kind.kind]
    return Column(
        name=name,
        nullable=draw(st.booleans()),
        default=default,
        comment=draw(st.none() | texts),
        **dict(kind),
    )


@st.composite
def tables(draw, name: str) -> Table:
    column_names = draw(st.lists(names, min_size=1, max_size=5, unique_by=str.lower))
    subset = st.lists(st.sampled_from(column_names), min_size=1, max_size=3, unique=True).map(tuple)
    return Table(
        name=name,
        columns=tuple(draw(columns(column_name)) for column_name in column_names),
        primary_key=draw(st.just(()) | subset),
        unique=tuple(draw(st.lists(subset, max_size=2))),
        comment=draw(st.none() | texts),
    )


@st.composite
def schemas(draw) -> Schema:
    table_names = draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower))
    built = [draw(tables(name)) for name in table_names]
    keyed = [table for table in built if table.primary_key]
    for index, table in enumerate(built):
        if not keyed or not draw(st.booleans()):
            continue
        target = draw(st.sampled_from(keyed))
        width = len(target.primary_key)
        if len(table.columns) < width:
            continue
        own = draw(st.permutations([column.name for column in table.columns]))[:width]
        key = ForeignKey(
            columns=tuple(own),
            target_table=target.name,
            target_columns=target.primary_key,
            name=draw(st.none() | plain.filter(lambda name: name.upper() not in ("CHECK", "UNIQUE"))),
            on_delete=draw(st.sampled_from([None, "CASCADE", "SET NULL", "NO ACTION", "RESTRICT", "SET DEFAULT"])),
        )
        built[index] = table.model_copy(update={"foreign_keys": (key,)})
    return Schema(tables=tuple(built), dialect="sqlite")


def script(schema: Schema) -> str:
    return ";\n".join(create_statements(schema).values()) + ";\n"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(schemas())
def test_what_is_written_reads_back_the_same(schema):
    # The pragma tells the reader beyond doubt which dialect it is, as a .dump does.
    reading = read_sql(("PRAGMA foreign_keys=OFF;\n" + script(schema)).encode())
    expected = {table.name: table for table in canonical_schema(schema).tables}
    assert reading.fidelity.losses == ()
    assert {table.name: table for table in reading.schema.tables} == expected


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(schemas())
def test_what_is_written_survives_sqlite_and_the_published_loader(schema):
    with_sqlite = open_memory(schema)
    # The loader of the published corpus splits DDL at every semicolon and skips what fails.
    split = sqlite3.connect(":memory:")
    for statement in script(schema).split(";"):
        split.execute(statement)
    for connection in (with_sqlite, split):
        listed = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert listed == {table.name for table in schema.tables}
    for table in schema.tables:
        found = with_sqlite.execute('SELECT "table" FROM pragma_foreign_key_list(?)', (table.name,)).fetchall()
        assert [row[0] for row in found] == [key.target_table for key in table.foreign_keys for _ in key.columns]
    with_sqlite.execute("PRAGMA foreign_key_check")


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_canonical_form_is_its_own_canonical_form(data):
    table = data.draw(tables("t"))
    assert canonical(canonical(table)) == canonical(table)
    assert create_table(canonical(table)) == create_table(table)


FRAGMENTS = r"""CREATE TABLE t (§id int§ primary key§,§)§;§'§"§`§[§]§/*§*/§--§
§GO
§DELIMITER //
§//§COPY t (a) FROM stdin;
§\.
§$$§INSERT INTO t VALUES (§1§ALTER TABLE t ADD §CONSTRAINT x §FOREIGN KEY (a) REFERENCES t (b)§CHECK (§DEFAULT
§COMMENT ON TABLE t IS 'x'§EXEC sp_addtype a, b§CREATE UNIQUE INDEX i ON t (§BEGIN§END§enum('a','b')§REFERENCES
§CREATE TYPE x AS ENUM ('a')§LIKE t§q'[§AS (a+1)§PARTITION OF t§DO $$§EXECUTE IMMEDIATE '§UNIQUE§::§(§=§/*!50001
§ALTER TABLE t RENAME TO u§DROP TABLE t§UNION ALL SELECT§||§0x§1e999§MODIFY id§CHANGE id x int§DROP COLUMN id
§nextval('s')§IF NOT EXISTS (SELECT 1)"""
fragments = st.sampled_from([fragment.encode() for fragment in FRAGMENTS.split("§")] + [b"\xff\xfe", b"\x00", b"\xe9"])


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300) | st.lists(fragments, max_size=25).map(b" ".join))
@example(b"\xef\xbb\xbfCREATE TABLE t (\xe9 int)")
@example(b"CREATE TABLE t (a int, a int)")
@example(b"/*" * 5000)
@example(b"CREATE TABLE t (a int DEFAULT " + b"(" * 2000 + b"1" + b")" * 2000 + b")")
@example(b"CREATE TABLE t (a int); INSERT INTO t VALUES (" + b"(" * 2000 + b"1" + b")" * 2000 + b")")
def test_any_bytes_end_in_a_report(data):
    reading = read_sql(data, rows_per_table=3)
    fidelity = reading.fidelity
    assert fidelity.kept + fidelity.skipped == fidelity.statements
    open_memory(reading.schema)
