"""The stage as a whole, over real SQLite and the real sandbox."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from sqale_assets.llm.task import GatewayUnavailable, Message
from sqale_assets.relational.model import Schema
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.sqlite import create_statements, quote
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.writing import TOGETHER, insert
from sqale_assets_tests.doubles import OfflineLlm
from sqale_assets_tests.stages.populating.schemas import SHOP, filled, table


def _rows(connection: sqlite3.Connection, name: str) -> list[tuple]:
    return connection.execute(f"SELECT * FROM {quote(name)}").fetchall()


@pytest.fixture(scope="module")
def shop():
    return filled(SHOP)


def test_every_table_is_filled_and_sqlite_finds_nothing_wrong(shop):
    record, connection = shop
    assert [t.table for t in record.tables if t.rows == 0 or t.error] == []
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert {t.table: t.rows for t in record.tables} == {t.name: len(_rows(connection, t.name)) for t in SHOP.tables}
    assert not any(t.invalid_foreign_keys_after or t.duplicate_keys_after for t in record.tables)
    nulls = {t.name: sum(value is None for row in _rows(connection, t.name) for value in row) for t in SHOP.tables}
    assert {t.table: t.null_cells for t in record.tables} == nulls and any(nulls.values())


def test_the_rows_fit_into_the_published_ddl_with_keys_enforced(shop):
    record, connection = shop
    again = sqlite3.connect(":memory:")
    again.execute("PRAGMA foreign_keys = ON")
    again.execute("BEGIN")
    again.execute("PRAGMA defer_foreign_keys = ON")
    for statement in record.ddl.values():
        again.execute(statement)
    for name in record.ddl:
        rows = _rows(connection, name)
        again.executemany(f"INSERT INTO {quote(name)} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    again.execute("COMMIT")


def test_values_make_sense_together(shop):
    _, connection = shop
    for first, last, email, created, updated in connection.execute(
        "SELECT first_name, last_name, email, created_at, updated_at FROM customer WHERE email IS NOT NULL"
    ):
        assert email.split("@")[0].startswith(first.lower()) or not first.isascii()
        assert last.lower() in email
        assert updated is None or created <= updated
    wrong = "SELECT count(*) FROM order_line WHERE abs(quantity * unit_price - line_total) > 0.011"
    assert connection.execute(wrong).fetchone() == (0,)


def test_parents_are_used_unevenly_and_some_not_at_all(shop):
    _, connection = shop
    counts = [
        n
        for (n,) in connection.execute(
            "SELECT count(order_id) FROM orders LEFT JOIN order_line ON order_id = id GROUP BY id"
        )
    ]
    assert min(counts) == 0
    assert max(counts) >= 3 * (sum(counts) / len(counts))


def test_trees_have_roots_and_no_loops(shop):
    _, connection = shop
    parent = dict(connection.execute("SELECT id, manager_id FROM employee"))
    assert any(value is None for value in parent.values())
    for start in parent:
        seen, at = set(), start
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = parent[at]


def test_a_cycle_is_closed(shop):
    _, connection = shop
    assert connection.execute("SELECT count(head_id) FROM department").fetchone()[0] > 0


def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    first, again, other = (filled(SHOP, seed=seed) for seed in (3, 3, 4))
    assert first[0] == again[0]
    assert [_rows(first[1], t.name) for t in SHOP.tables] == [_rows(again[1], t.name) for t in SHOP.tables]
    assert _rows(first[1], "customer") != _rows(other[1], "customer")


def test_original_rows_stay_and_new_ones_continue_their_codes():
    rows = {
        "category": ((1, "Tea", None), (2, "Cups", 1)),
        "product": (("P-0001", "Sencha", 12.5, 1), ("P-0002", "Mug", 8.0, 2)),
    }
    record, connection = filled(SHOP, rows)
    products = _rows(connection, "product")
    assert products[:2] == list(rows["product"])
    assert [row[0] for row in products[2:5]] == ["P-0003", "P-0004", "P-0005"]
    assert next(t for t in record.tables if t.table == "product").original_rows == 2


def test_placeholders_in_original_rows_do_not_reach_the_database():
    rows = {"customer": ((1, "<PERSON>", "Ek", "<EMAIL_ADDRESS>", None, None),)}
    record, connection = filled(SHOP, rows)
    first = _rows(connection, "customer")[0]
    assert "<" not in f"{first}"
    assert next(t for t in record.tables if t.table == "customer").repairs["placeholder"] == 2


def test_a_scale_multiplies_facts_and_not_so_much_lookups():
    plain, tenfold = (
        {t.table: t for t in filled(SHOP, scale=scale)[0].tables} for scale in (1.0, 4.0)
    )  # fmt: skip
    assert tenfold["orders"].rows == pytest.approx(4 * plain["orders"].rows, abs=4)
    assert tenfold["category"].planned_rows <= 2.2 * plain["category"].planned_rows


def test_unbreakable_cycle_with_a_unique_key_is_filled():
    schema = read_sql(
        b"CREATE TABLE store (id INT PRIMARY KEY, city TEXT, manager_id INT NOT NULL UNIQUE REFERENCES staff (id));"
        b"CREATE TABLE staff (id INT PRIMARY KEY, name TEXT, store_id INT NOT NULL REFERENCES store (id));"
    ).schema
    record, connection = filled(schema)
    assert all(t.rows > 5 for t in record.tables)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_primary_key_that_refers_to_a_unique_column_is_closed_as_a_ring():
    schema = read_sql(
        b"CREATE TABLE project"
        b" (id INT PRIMARY KEY REFERENCES project (forked_from), name TEXT, forked_from INT UNIQUE);"
        b"CREATE TABLE note (id INT PRIMARY KEY, project_id INT NOT NULL REFERENCES project (id), body TEXT);"
    ).schema
    record, connection = filled(schema)
    assert all(t.rows > 5 for t in record.tables)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("count", [1, TOGETHER, 2 * TOGETHER + 7])
def test_rows_are_inserted_together_and_only_those_that_sqlite_refuses_are_missing(count):
    order = table("t", "id, total DECIMAL(8,2)", checks=("total * 2 <> 14",))
    for refused in (set(), {count - 1}):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute(create_statements(Schema(tables=(order,)))["t"])
            totals = [7.0 if at in refused else at + 0.25 for at in range(count)]
            data = TableData(order, {"id": list(range(count)), "total": totals})
            insert(connection, data)
            kept = [at for at in range(count) if at not in refused]
            assert [at for (at,) in connection.execute("SELECT id FROM t ORDER BY rowid")] == kept
            assert (len(data), data.dropped) == (len(kept), len(refused))


class _Scripted(OfflineLlm):
    """Answers the tables named in `replies` from a list, all others by the rules."""

    def __init__(self, replies: dict[str, list[str]]):
        self.replies = {name: list(texts) for name, texts in replies.items()}
        super().__init__(respond=self._answer)

    def _answer(self, messages: list[Message]) -> str:
        from sqale_assets.llm import offline

        for name, texts in self.replies.items():
            if f"\nTable {name} (" in messages[1]["content"]:
                return texts.pop(0) if len(texts) > 1 else texts[0]
        return offline.respond(messages)


def _reply(row: str) -> str:
    return f"```python\ndef generate_rows(rng, n, parents):\n    return [{row} for i in range(n)]\n```"


CRASH = _reply("{'id': 1 // 0}")
GOOD = _reply("{'id': i + 1, 'number': f'R{rng.randint(10, 99)}-{i}', 'issued_on': f'2024-03-{1 + i % 28:02d}'}")
DULL = _reply("{'id': i + 1, 'number': f'value_{i}', 'issued_on': '2024-01-01'}")


def test_an_exception_goes_back_with_its_traceback():
    llm = _Scripted({"invoice": [CRASH, GOOD]})
    record, _ = filled(SHOP, llm=llm)
    invoice = next(t for t in record.tables if t.table == "invoice")
    assert (invoice.attempts, invoice.error) == (2, None)
    told = next(messages[-1]["content"] for _, messages, _ in llm.calls if len(messages) == 4)
    assert "ZeroDivisionError" in told and "line 2" in told


def test_a_table_whose_function_never_runs_keeps_its_original_rows():
    rows = {"invoice": ((7, "R7", "2024-01-01"),)}
    record, connection = filled(SHOP, rows, llm=_Scripted({"invoice": [CRASH]}))
    invoice = next(t for t in record.tables if t.table == "invoice")
    assert (invoice.attempts, invoice.rows) == (3, 1)
    assert "ZeroDivisionError" in invoice.error
    assert _rows(connection, "invoice") == list(rows["invoice"])
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_degenerate_rows_are_asked_for_once_more():
    record, _ = filled(SHOP, llm=_Scripted({"invoice": [DULL, GOOD]}))
    mended = next(t for t in record.tables if t.table == "invoice")
    assert (mended.attempts, mended.degenerate) == (2, ())
    record, _ = filled(SHOP, llm=_Scripted({"invoice": [DULL]}))
    kept = next(t for t in record.tables if t.table == "invoice")
    assert kept.attempts == 2 and kept.rows > 0
    assert any("numbered placeholders" in line for line in kept.degenerate)


def test_an_empty_answer_is_asked_for_again_and_children_of_an_empty_table_say_why():
    nothing = "```python\ndef generate_rows(rng, n, parents):\n    return []\n```"
    tables = {t.table: t for t in filled(SHOP, llm=_Scripted({"customer": [nothing]}))[0].tables}
    assert (tables["customer"].attempts, tables["customer"].rows) == (2, 0)
    assert "fewer rows than were asked for" in tables["customer"].degenerate[0]
    assert tables["orders"].rows == 0 and "empty" in tables["orders"].error


def test_nothing_is_committed_when_the_model_cannot_be_asked():
    class Down(OfflineLlm):
        async def ask(self, task, *, sample=0):
            await asyncio.sleep(0)
            raise GatewayUnavailable("provider is down")

    connection = sqlite3.connect(":memory:")
    with pytest.raises(GatewayUnavailable), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda _: connection)
        filled(SHOP, llm=Down())
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
