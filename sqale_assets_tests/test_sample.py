"""The bundled sample: every table, key and row of it must survive the reading."""

import csv
import re
from pathlib import Path

import pytest

from sqale_assets.relational.graph import creation_order
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import open_memory, quote

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
FILES = sorted(SAMPLE.glob("*.sql"))


def test_twelve_files_all_in_the_table_of_the_readme():
    assert len(FILES) == 12
    lines = [line for line in (SAMPLE / "README.md").read_text().splitlines() if line.startswith("| `")]
    listed = {row[1].strip(" `"): int(row[5]) for row in csv.reader(lines, delimiter="|")}
    assert listed == {path.name: len(read_sql(path.read_bytes()).schema.tables) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_everything_survives(path):
    content = path.read_text(encoding="utf-8")
    assert content.startswith("-- SPDX-License-Identifier: CC0-1.0\n")
    reading = read_sql(path.read_bytes())
    schema = reading.schema
    assert len(schema.tables) == len(re.findall(r"^\s*CREATE TABLE", content, re.MULTILINE | re.IGNORECASE))
    assert schema.foreign_key_count == len(re.findall(r"\bREFERENCES\b", content, re.IGNORECASE))
    assert all(table.primary_key for table in schema.tables)
    assert sum(map(len, reading.rows.values())) >= 18
    with open_memory(schema) as connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in creation_order(schema).tables:
            for row in reading.rows.get(table.name, ()):
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {quote(table.name)} VALUES ({places})", row)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_no_mail_address_or_phone_number_could_be_anyones():
    for path in FILES:
        content = path.read_text(encoding="utf-8")
        domains = set(re.findall(r"[\w.]+@([\w.-]+\w)", content))
        assert all(re.search(r"(^|\.)example\.(com|org|net|edu)$", domain) for domain in domains), domains
        assert all(phone.startswith("555-01") for phone in re.findall(r"'(\d{3}-\d{4})'", content))
