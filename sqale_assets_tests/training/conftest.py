"""A shop as a SQLite file, with tasks over it, for environment and reward."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqale_assets.training.environment import Databases, EpisodeSettings
from sqale_assets.training.tasks import TrainingTask

SHOP = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, mayor TEXT);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city_id INTEGER NOT NULL REFERENCES city(id),
                       referred_by INTEGER REFERENCES customer(id), joined DATE);
CREATE TABLE purchase (customer_id INTEGER REFERENCES customer(id), number INTEGER, amount REAL CHECK (amount > 0),
                       note TEXT, PRIMARY KEY (customer_id, number)) WITHOUT ROWID;
CREATE TABLE review (customer_id INTEGER, number INTEGER, stars INTEGER, remark TEXT,
                     FOREIGN KEY (customer_id, number) REFERENCES purchase(customer_id, number));
"""
CITIES = ("Ghent", "Delft", "Turin", "Porto", "Lund", "Brno", "Bath", "Graz", "Nice", "Oulu")


def make_shop(path: Path) -> Path:
    rng = random.Random(1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SHOP)
        connection.executemany("INSERT INTO city VALUES (?,?,NULL)", enumerate(CITIES, start=1))
        for key in range(1, 81):
            referrer = rng.randint(1, key - 1) if key > 1 and rng.random() < 0.5 else None
            joined = f"20{rng.randint(10, 24)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}"
            row = (key, f"customer {key}", rng.randint(1, 10), referrer, joined)
            connection.execute("INSERT INTO customer VALUES (?,?,?,?,?)", row)
            for number in range(rng.randint(0, 4)):
                row = (key, number, round(rng.uniform(1, 99), 2), rng.choice(("gift", "rush", None)))
                connection.execute("INSERT INTO purchase VALUES (?,?,?,?)", row)
                if rng.random() < 0.5:
                    connection.execute("INSERT INTO review VALUES (?,?,?,NULL)", (key, number, rng.randint(1, 5)))
    return path


@pytest.fixture(scope="session")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shop") / "shop.sqlite")


@pytest.fixture(scope="session")
def databases(shop_file: Path, tmp_path_factory: pytest.TempPathFactory):
    settings = EpisodeSettings(query_steps=2_000_000)
    with Databases(tmp_path_factory.mktemp("instances"), settings) as databases:
        yield databases


@pytest.fixture
def task_of(shop_file: Path):
    def task(sql: str, name: str = "") -> TrainingTask:
        return TrainingTask(
            question_id=name or sql,
            database_id="shop",
            database=shop_file,
            question="How many customers live in Ghent?",
            style="verbose",
            sql=sql,
            tables=1,
            schema_tables=4,
            tokens=500,
        )

    return task
