"""The fidelity report as it is printed."""

from __future__ import annotations

import io

from rich.console import Console

from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.report import ddl, fidelity_report

SQL = b"""CREATE TABLE a (id serial PRIMARY KEY, m text CHECK (m IN ('[bold]', 'y')));
CREATE TEMP TABLE b (x int);
SET x = 1;
CREATE TABLE c (a_id int REFERENCES a,
  z int REFERENCES elsewhere);
INSERT INTO a (m) VALUES ('y');
"""


def printed(renderable) -> str:
    output = io.StringIO()
    Console(width=160, file=output).print(renderable)
    return output.getvalue()


def test_the_report_tells_what_was_kept_lost_and_noted():
    text = printed(fidelity_report("shop.sql", read_sql(SQL)))
    for part in (
        "shop.sql",
        "postgres, utf-8",
        "5: 3 kept, 2 not",
        "2 tables, 4 columns",
        "1 primary keys, 1 foreign keys",
        "1 in 1 tables",
        "not relevant",
        "Lost (1)",
        "a foreign key to a table that is not in the file",
        "Noted (1)",
        "a temporary table",
    ):
        assert part in text, part
    lost = next(line for line in text.splitlines() if "not in the file" in line)
    assert lost.split()[0] == "5"


def test_a_faithful_reading_says_so():
    assert "Nothing lost." in printed(fidelity_report("a.sql", read_sql(b"CREATE TABLE a (x int);")))


def test_the_ddl_is_what_sqlite_takes():
    text = printed(ddl(read_sql(SQL)))
    assert "CREATE TABLE a (" in text and "REFERENCES a (id)" in text and "'[bold]'" in text
    assert printed(ddl(read_sql(b""))).strip() == ""
