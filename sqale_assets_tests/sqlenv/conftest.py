"""A small company as a SQLite file: two keys between the same tables, a self reference, a composite key, odd names."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sqale_assets.sqlenv.database import Database, Limits

COMPANY = """
CREATE TABLE department (id INTEGER PRIMARY KEY, d_name VARCHAR(40) NOT NULL UNIQUE, budget DECIMAL(10,2));
CREATE TABLE employee (
    id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT, salary REAL, hired DATE,
    department_id INT REFERENCES department(id), manager_id INT REFERENCES employee
);
CREATE TABLE feedback (
    id INTEGER PRIMARY KEY, feedback_to INT REFERENCES employee(id), feedback_by INT REFERENCES employee(id), note TEXT
);
CREATE TABLE project (code TEXT, year INT, title TEXT, PRIMARY KEY (code, year));
CREATE TABLE assignment (
    employee_id INT REFERENCES employee(id), code TEXT, year INT, hours INT,
    PRIMARY KEY (employee_id, code, year), FOREIGN KEY (code, year) REFERENCES project(code, year)
);
CREATE TABLE "order" ("group" TEXT, "two words" TEXT, raw BLOB);
CREATE TABLE island (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO department VALUES (1,'IT',1000.5),(2,'HR',200),(3,'Sales',NULL);
INSERT INTO employee VALUES
    (1,'Ann','Lee',5000,'2019-01-05',1,NULL),(2,'Bo','Kim',4000,'2020-02-01',2,1),(3,'Cy','Fox',4000,'2020-07-09',1,1),
    (4,'Di',NULL,3000,'2021-03-03',1,3),(5,'Ed','Roy',2500,NULL,NULL,NULL);
INSERT INTO feedback VALUES (1,1,2,'good'),(2,1,3,'fine'),(3,4,1,'good'),(4,2,1,NULL);
INSERT INTO project VALUES ('A',2020,'Atlas'),('A',2021,'Atlas II'),('B',2020,'Beacon');
INSERT INTO assignment VALUES (1,'A',2020,10),(1,'B',2020,20),(2,'A',2021,30),(3,'A',2020,40),(4,'B',2020,5);
INSERT INTO "order" VALUES ('x','y',x'00ff'),('x','z',NULL);
"""

LIMITS = Limits(seconds=0.5, rows=1_000, result_bytes=2_000_000, cell_bytes=200_000, sql_bytes=60_000)


@pytest.fixture(scope="session")
def company_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("company") / "company #1?.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(COMPANY)
    connection.close()
    return path


@pytest.fixture
def company(company_file: Path):
    with Database.open(company_file, limits=LIMITS) as database:
        yield database
