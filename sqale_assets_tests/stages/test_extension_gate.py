"""What a proposed table must withstand."""

from __future__ import annotations

import pytest

from sqale_assets.relational.addition import read_additions
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import canonical_schema
from sqale_assets.relational.style_measure import style_profile
from sqale_assets.stages.extension_gate import Gate

SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY AUTOINCREMENT, email VARCHAR(100) NOT NULL UNIQUE,
  city VARCHAR(50));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER NOT NULL, ordered_on DATE,
  FOREIGN KEY (customer_id) REFERENCES customers (customer_id));
CREATE TABLE order_items (order_id INTEGER NOT NULL, line_no INTEGER NOT NULL, quantity INTEGER,
  PRIMARY KEY (order_id, line_no),
  FOREIGN KEY (order_id) REFERENCES orders (order_id));
CREATE TABLE visits (page VARCHAR(100), seen_on DATE, customer_id INTEGER,
  FOREIGN KEY (customer_id) REFERENCES customers (customer_id));
"""


@pytest.fixture
def gate():
    schema = canonical_schema(read_sql(SHOP.encode()).schema)
    gate = Gate(schema, style_profile(schema))
    yield gate
    gate.close()


def admit(gate, sql):
    (addition,) = read_additions(sql, gate.tables)
    assert addition.table is not None and not addition.losses, addition
    return gate.admit(addition.table)


def test_a_good_table_joins_as_added(gate):
    sql = (
        "CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, reason VARCHAR(100),"
        " FOREIGN KEY (order_id) REFERENCES orders (order_id))"
    )
    assert admit(gate, sql) is None
    assert gate.tables["refunds"].origin == "added"
    assert gate.conformities[0] >= 0.9
    assert gate.tables["customers"].origin == "original"


@pytest.mark.parametrize(
    ("reason", "sql"),
    [
        (
            "name_taken",
            "CREATE TABLE CUSTOMERS (customer_id INTEGER PRIMARY KEY, x VARCHAR(9))",
        ),
        (
            "no_primary_key",
            "CREATE TABLE refunds (order_id INTEGER, reason VARCHAR(9),"
            " FOREIGN KEY (order_id) REFERENCES orders (order_id))",
        ),
        ("too_few_columns", "CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY)"),
        (
            "foreign_key_type",
            "CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, order_id VARCHAR(9),"
            " FOREIGN KEY (order_id) REFERENCES orders (order_id))",
        ),
        (
            "foreign_key_type",
            "CREATE TABLE logins (login_id INTEGER PRIMARY KEY, email DATE,"
            " FOREIGN KEY (email) REFERENCES customers (email))",
        ),
        (
            "duplicate",
            "CREATE TABLE item_order (item_order_id INTEGER PRIMARY KEY, order_id INTEGER,"
            " FOREIGN KEY (order_id) REFERENCES orders (order_id))",
        ),
        (
            "style",
            "CREATE TABLE TBLRefund (ID TEXT PRIMARY KEY, OrderNo INTEGER, TheReason TEXT,"
            " FOREIGN KEY (OrderNo) REFERENCES orders (order_id))",
        ),
    ],
)
def test_refusals_name_their_reason(gate, reason, sql):
    if reason == "name_taken":  # the reader already refuses it where the name is also referred to
        (addition,) = read_additions(sql, {})
        refusal = gate.admit(addition.table)
    else:
        refusal = admit(gate, sql)
    assert refusal is not None and refusal.reason == reason
    assert refusal.evidence
    assert "refunds" not in gate.tables


def test_a_key_must_hit_all_of_a_key(gate):
    """Part of a composite key, or a plain column, is no target: SQLite would fail at the first INSERT."""
    sql = (
        "CREATE TABLE packing (packing_id INTEGER PRIMARY KEY, order_id INTEGER, FOREIGN KEY (order_id) REFERENCES {} )"
    )
    for target in ("order_items (order_id)", "visits (customer_id)"):
        (addition,) = read_additions(sql.format(target), gate.tables)
        refusal = gate.admit(addition.table) if addition.table and not addition.losses else None
        assert addition.losses or (refusal and refusal.reason == "foreign_key_target")


def test_keys_to_unique_columns_and_composite_keys_hold(gate):
    assert (
        admit(
            gate,
            "CREATE TABLE subscriptions (subscription_id INTEGER PRIMARY KEY, email VARCHAR(100) NOT NULL, plan TEXT,"
            " FOREIGN KEY (email) REFERENCES customers (email))",
        )
        is None
    )
    assert (
        admit(
            gate,
            "CREATE TABLE returns (return_id INTEGER PRIMARY KEY, order_id INTEGER, line_no INTEGER, reason TEXT,"
            " FOREIGN KEY (order_id, line_no) REFERENCES order_items (order_id, line_no))",
        )
        is None
    )


def test_the_same_columns_under_another_name_are_a_duplicate(gate):
    sql = (
        "CREATE TABLE {} ({}_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, street VARCHAR(100),"
        " town VARCHAR(50), postal_code VARCHAR(10), FOREIGN KEY (customer_id) REFERENCES customers (customer_id))"
    )
    assert admit(gate, sql.format("addresses", "address")) is None
    refusal = admit(gate, sql.format("residences", "residence"))
    assert refusal.reason == "duplicate" and "addresses" in refusal.evidence


def test_an_expelled_table_leaves_no_trace(gate):
    sql = "CREATE TABLE seasons (season_id INTEGER PRIMARY KEY, name VARCHAR(50), starts_on DATE)"
    assert admit(gate, sql) is None
    gate.expel("seasons")
    assert "seasons" not in gate.tables
    assert gate.conformities == []
    assert admit(gate, sql) is None
