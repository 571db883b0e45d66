"""A small shop to ask about: a self-reference, parallel keys, a junction, nullable keys, flags, dates, measures."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import Any

from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.asking.facts import Facts, stories

DDL = """
CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name TEXT NOT NULL, city TEXT, is_active BOOLEAN,
    region_id INT REFERENCES regions(id), created_at DATETIME);
CREATE TABLE employees (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, salary REAL NOT NULL, title TEXT,
    manager_id INT REFERENCES employees(id));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT NOT NULL REFERENCES customers(customer_id),
    seller_id INT NOT NULL REFERENCES employees(id), approver_id INT REFERENCES employees(id), status TEXT NOT NULL,
    total_amount REAL NOT NULL, order_date DATE NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, price REAL NOT NULL, category TEXT);
CREATE TABLE order_items (order_id INT REFERENCES orders(id), line_no INT, product_id INT REFERENCES products(id),
    qty INT, PRIMARY KEY (order_id, line_no));
CREATE TABLE reviews (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers(customer_id),
    product_id INT REFERENCES products(id), rating INT, comment TEXT);
"""
_NAMES = "Ada Ben Cleo Dora Emil Finn Gina Hugo Ines Jan Kira Leo Mina Nils Olga Paul Rosa Sven Tara Vera".split()  # noqa: SIM905


def connect() -> sqlite3.Connection:
    """The filled shop in memory."""
    rng = Random(5)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(DDL)
    fill = connection.execute
    for i, name in enumerate(["North", "South", "East", "West"], start=1):
        fill("INSERT INTO regions VALUES (?, ?)", (i, name))
    for i in range(1, 51):
        day = f"{rng.choice([2022, 2023, 2024])}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} 09:30:00"
        name, city = f"{rng.choice(_NAMES)} {rng.choice(_NAMES)}son {i}", rng.choice(["Rome", "Oslo", "Bern"])
        fill("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?)", (i, name, city, i % 2, rng.randint(1, 4), day))
    for i in range(1, 21):
        title, manager = rng.choice(["Clerk", "Engineer", "Lead"]), rng.randint(1, i - 1) if i > 1 else None
        salary = 1000.0 * rng.randint(20, 60)
        fill("INSERT INTO employees VALUES (?, ?, ?, ?, ?)", (i, f"{_NAMES[i - 1]} Berg", salary, title, manager))
    for i in range(1, 121):
        day = f"{rng.choice([2022, 2023, 2024])}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        people = (rng.randint(1, 40), rng.randint(1, 20), rng.choice([None, rng.randint(1, 20)]))
        amount = round(rng.random() * 500, 2)
        fill("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", (i, *people, rng.choice(["paid", "open"]), amount, day))
        for line in range(1, rng.randint(2, 5)):
            fill("INSERT INTO order_items VALUES (?, ?, ?, ?)", (i, line, rng.randint(1, 25), rng.randint(1, 9)))
    for i in range(1, 31):
        price, category = round(5 + rng.random() * 90, 2), rng.choice(["toys", "books", "tools"])
        fill("INSERT INTO products VALUES (?, ?, ?, ?)", (i, f"Product {i:02}", price, category))
    for i in range(1, 61):
        words = f"{rng.choice(['great', 'poor', 'solid'])} value"
        fill(
            "INSERT INTO reviews VALUES (?, ?, ?, ?, ?)", (i, rng.randint(1, 45), rng.randint(1, 30), i % 5 + 1, words)
        )
    connection.commit()
    return connection


def prompt_parts(database: Database, tables: list[str], seed: int = 0) -> dict[str, Any]:
    """What a writer is given about some tables: ddl, facts, stories."""
    statements = {statement.split()[2]: statement.strip() for statement in DDL.split(";") if statement.strip()}
    facts = Facts(database)
    return {
        "ddl": ";\n".join(statements[name] for name in tables) + ";",
        "facts": {name: facts.of(name) for name in tables},
        "stories": stories(database, tables, Random(seed)),
    }
