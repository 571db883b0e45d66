from __future__ import annotations

import json
import sqlite3
from random import Random

from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.asking.facts import Facts, stories
from sqale_assets_tests.llm.english.shop import connect

SHOP = Database.from_connection(connect())
ALL = ["regions", "customers", "employees", "orders", "products", "order_items", "reviews"]


def test_figures():
    of = Facts(SHOP).of("orders")
    assert of["rows"] == 120 and of["columns"]["status"]["distinct"] == 2
    assert sum(count for _, count in of["columns"]["status"]["values"]) == 120
    assert "values" not in of["columns"]["total_amount"] and of["columns"]["approver_id"]["nulls"] > 0
    keys = [name for name, column in of["columns"].items() if column.get("key")]
    assert keys == ["id", "customer_id", "seller_id", "approver_id"]
    json.dumps(of)


def test_rows_of_a_story_join_with_each_other():
    found = stories(SHOP, ALL, Random(1), count=5)
    assert len(found) == 5 and len({json.dumps(story, sort_keys=True) for story in found}) == 5
    for story in found:
        assert story["order_items"]["order_id"] == story["orders"]["id"]
        assert story["orders"]["customer_id"] == story["customers"]["customer_id"]
        assert story["customers"]["region_id"] == story["regions"]["id"]
        if "reviews" in story:
            assert story["reviews"]["product_id"] == story["products"]["id"] or (
                story["reviews"]["customer_id"] == story["customers"]["customer_id"]
            )


def test_stories_are_drawn_by_the_seed():
    assert stories(SHOP, ALL, Random(4)) == stories(SHOP, ALL, Random(4)) != stories(SHOP, ALL, Random(5))


def test_long_texts_are_cut_and_empty_tables_tell_nothing():
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT); CREATE TABLE b (id INT)")
    connection.execute("INSERT INTO a VALUES (1, ?)", ("x" * 500,))
    connection.commit()
    database = Database.from_connection(connection)
    assert len(str(stories(database, ["a"], Random(0))[0]["a"]["t"])) == 121
    assert stories(database, ["b"], Random(0)) == []
    assert Facts(database).of("b") == {"rows": 0, "columns": {"id": {"distinct": 0, "nulls": 0}}}
