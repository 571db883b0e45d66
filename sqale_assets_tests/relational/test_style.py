"""Style profiles: what is measured, how it reads as facts, and what the conformity score tells apart."""

from __future__ import annotations

import pytest

from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import canonical_schema
from sqale_assets.relational.style import conformity, deviations
from sqale_assets.relational.style_facts import read_facts, style_facts
from sqale_assets.relational.style_measure import style_profile
from sqale_assets.relational.style_patterns import Affix, affix_of, is_junction, pattern_of

SHOP = """
CREATE TABLE tb_customers (customer_id INTEGER PRIMARY KEY AUTOINCREMENT, full_name VARCHAR(255) NOT NULL,
  email VARCHAR(255) NOT NULL, created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP);
CREATE TABLE tb_products (product_id INTEGER PRIMARY KEY AUTOINCREMENT, title VARCHAR(255) NOT NULL,
  unit_price DECIMAL(10,2) NOT NULL, created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP);
CREATE TABLE tb_orders (order_id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER NOT NULL,
  note VARCHAR(255), created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP,
  FOREIGN KEY (customer_id) REFERENCES tb_customers (customer_id) ON DELETE CASCADE);
CREATE TABLE tb_order_items (order_id INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INT NOT NULL,
  PRIMARY KEY (order_id, product_id),
  FOREIGN KEY (order_id) REFERENCES tb_orders (order_id) ON DELETE CASCADE,
  FOREIGN KEY (product_id) REFERENCES tb_products (product_id) ON DELETE CASCADE);
CREATE TABLE tb_payments (payment_id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER NOT NULL,
  amount DECIMAL(10,2) NOT NULL, created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP,
  FOREIGN KEY (order_id) REFERENCES tb_orders (order_id) ON DELETE CASCADE);
"""
LEAGUE = """
CREATE TABLE Team (ID INT NOT NULL PRIMARY KEY, TeamName TEXT, FoundedYear INTEGER);
CREATE TABLE Player (ID INT NOT NULL PRIMARY KEY, FullName TEXT, idTeam INT, FOREIGN KEY (idTeam) REFERENCES Team (ID));
CREATE TABLE Match (ID INT NOT NULL PRIMARY KEY, idHomeTeam INT, PlayedOn DATE,
  FOREIGN KEY (idHomeTeam) REFERENCES Team (ID));
"""


def schema_of(sql: str):
    return canonical_schema(read_sql(sql.encode()).schema)


def by_name(schema):
    return {table.name.lower(): table for table in schema.tables}


@pytest.fixture(scope="module")
def shop():
    return schema_of(SHOP)


def test_habits_of_a_uniform_schema(shop):
    profile = style_profile(shop)
    assert profile.table_case.value == "snake_case"
    assert profile.affix == Affix("tb_", "")
    assert profile.table_number.value == "plural"
    assert profile.column_case.value == "snake_case"
    assert (profile.primary_key.value, profile.primary_key.share) == ("<table> id", 1.0)
    assert profile.primary_key_type.value == "INTEGER"
    assert (profile.foreign_key.value, profile.foreign_key.share) == ("<key>", 1.0)
    assert profile.foreign_key_action.value == "CASCADE"
    assert profile.junction_key.value == "composite"
    assert [habit.value for habit in profile.audit_columns] == ["created_at", "updated_at"]
    assert profile.types["text"].value == "VARCHAR(255)"
    assert profile.types["decimal"].value == "DECIMAL(10,2)"
    assert profile.columns_per_table == (5, 5, 5)


def test_types_of_varied_length_are_a_habit_by_name():
    columns = ", ".join(f"c{length} VARCHAR({length})" for length in (20, 30, 40, 50)) + ", flag CHAR(1), other CHAR(1)"
    schema = schema_of(f"CREATE TABLE t (id INT PRIMARY KEY, {columns}, price NUMERIC(9,2), share NUMERIC(5,4));")
    types = style_profile(schema).types
    assert (types["text"].value, types["decimal"].value) == ("VARCHAR(n)", "NUMERIC(p,s)")
    (grown,) = schema_of("CREATE TABLE u (id INT PRIMARY KEY, x VARCHAR(77), y CHAR(3));").tables
    assert "type of text columns: VARCHAR(n)" in deviations(grown, style_profile(schema), {})


def test_unknown_nullability_is_no_habit(shop):
    bare = shop.model_copy(
        update={
            "tables": tuple(
                table.model_copy(
                    update={"columns": tuple(column.model_copy(update={"nullable": None}) for column in table.columns)}
                )
                for table in shop.tables
            )
        }
    )
    assert style_profile(bare).not_null is None
    assert style_profile(shop).not_null == pytest.approx(0.7, abs=0.1)


def test_added_tables_do_not_shape_the_profile(shop):
    foreign = tuple(table.model_copy(update={"origin": "added"}) for table in schema_of(LEAGUE).tables)
    grown = shop.model_copy(update={"tables": (*shop.tables, *foreign)})
    assert style_profile(grown) == style_profile(shop)


@pytest.mark.parametrize("sql", [SHOP, LEAGUE])
def test_facts_say_all_that_the_profile_knows(sql):
    """Reading the lines back and writing them again changes nothing; only percentages are rounded."""
    lines = style_facts(style_profile(schema_of(sql)))
    assert style_facts(read_facts(lines)) == lines
    assert all("\n" not in line and len(line) < 200 for line in lines)


def test_facts_refuse_lines_they_do_not_know():
    with pytest.raises(ValueError, match="not a style fact"):
        read_facts(["table names: snake_case (100% of 3)", "favourite colour: blue"])


@pytest.mark.parametrize("sql", [SHOP, LEAGUE])
def test_a_schema_conforms_to_its_own_profile(sql):
    schema = schema_of(sql)
    profile = style_profile(schema)
    scores = [conformity(table, profile, by_name(schema)) for table in schema.tables]
    assert min(scores) >= 0.9


def test_tables_of_another_style_do_not_conform(shop):
    profile, league = style_profile(shop), schema_of(LEAGUE)
    scores = [conformity(table, profile, by_name(league)) for table in league.tables]
    assert max(scores) < 0.4
    told = deviations(league.tables[1], profile, by_name(league))
    assert "table name pattern: tb_*" in told
    assert any(line.startswith("primary key column: <table> id") for line in told)


def test_each_single_deviation_costs(shop):
    """A new table in style scores 1; with one thing wrong it scores less, and the deviation is named."""
    good = (
        "CREATE TABLE tb_refunds (refund_id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER NOT NULL,"
        " reason VARCHAR(255), created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP,"
        " FOREIGN KEY (order_id) REFERENCES tb_orders (order_id));"
    )
    profile = style_profile(shop)

    def judged(sql):
        schema = schema_of(SHOP + sql)
        return conformity(schema.tables[-1], profile, by_name(schema)), deviations(
            schema.tables[-1], profile, by_name(schema)
        )

    assert judged(good) == (1.0, ())
    for old, new, what in (
        ("tb_refunds", "refunds", "table name pattern"),
        ("tb_refunds", "tb_refund", "table names are in the"),
        ("refund_id INTEGER", "id INTEGER", "primary key column"),
        ("reason", "refundReason", "column names"),
        ("VARCHAR(255)", "TEXT", "type of text columns"),
        (", updated_at TIMESTAMP", "", "audit column"),
        ("order_id INTEGER NOT NULL", "order_ref INTEGER NOT NULL", None),
    ):
        changed = good.replace(old, new)
        if what is None:
            changed = changed.replace("(order_id) REFERENCES", "(order_ref) REFERENCES")
            what = "foreign key column"
        score, told = judged(changed)
        assert 0.5 < score < 1.0, what
        assert [line.split(":")[0] for line in told] == [what]


@pytest.mark.parametrize(
    ("names", "affix"),
    [
        (["tb_book", "tb_user", "tb_status", "tr_transaksi"], Affix("tb_", "")),
        (["user_table", "role_table", "api_key_table"], Affix("", "_table")),
        (["COMTNFILE", "COMTCCMMNCODE", "COMTNORGNZTINFO", "COMTECOPSEQ"], Affix("COMT", "")),
        (["tblUser", "tblOrder", "tblOrderItem"], Affix("tbl", "")),
        (["users", "user_roles", "orders"], Affix()),
        (["order_items", "order_notes"], Affix()),
    ],
)
def test_affixes(names, affix):
    assert affix_of(names)[0] == affix


@pytest.mark.parametrize(
    ("column", "table", "pattern"),
    [
        ("order_id", "tb_orders", "<table> id"),
        ("OrderID", "Orders", "<table> id"),
        ("id_persona", "Persona", "id <table>"),
        ("userid", "users", "<table>id"),
        ("manimal_mid", "animal", "m<table> mid"),
        ("assignment_id", "course_assignment", "<table> id"),
        ("id", "users", "other"),
        ("created_by", "users", "other"),
    ],
)
def test_patterns(column, table, pattern):
    assert pattern_of(column, table, Affix("tb_", "") if table.startswith("tb_") else Affix()) == pattern


def test_junctions():
    tables = by_name(schema_of(SHOP))
    assert is_junction(tables["tb_order_items"])
    assert not is_junction(tables["tb_payments"])
