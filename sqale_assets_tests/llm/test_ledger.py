from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime

import duckdb
import pytest
from upath import UPath

from sqale_assets.llm import ledger as module
from sqale_assets.llm.ledger import Ledger, LedgerRow, read_ledger, set_damaged_aside


def row(**changes) -> LedgerRow:
    fields = {
        "asked_at": datetime(2025, 1, 1, tzinfo=UTC),
        "stage": "style",
        "schema_id": "s1",
        "task": "echo",
        "prompt": "1@abc",
        "model": "openai/m",
        "sample": 0,
        "attempt": 0,
        "retries": 0,
        "outcome": "ok",
        "cached": False,
        "tokens_in": 10,
        "tokens_out": 5,
        "tokens_cached": 0,
        "cost": 0.25,
        "seconds": 1.5,
        "error": "",
    }
    return LedgerRow(**{**fields, **changes})


def test_duckdb_reads_the_ledger_while_the_run_goes_on(tmp_path):
    ledger = Ledger(UPath(tmp_path), flush_seconds=0)
    for n in range(3):
        ledger.add(row(schema_id=f"s{n}"))
        sums = duckdb.sql(f"SELECT count(*), sum(cost) FROM '{tmp_path}/*.parquet'").fetchall()
        assert sums == [(n + 1, 0.25 * (n + 1))]
    assert len(list(tmp_path.glob("*.parquet"))) == 1


def test_a_part_is_left_alone_once_it_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PART_ROWS", 100)
    ledger = Ledger(UPath(tmp_path))
    for n in range(250):
        ledger.add(row(sample=n))
    ledger.flush()
    assert len(list(tmp_path.glob("*.parquet"))) == 3
    samples = duckdb.sql(f"SELECT sample FROM '{tmp_path}/*.parquet' ORDER BY 1").fetchall()
    assert samples == [(n,) for n in range(250)]


def test_rows_come_back_as_they_were(tmp_path):
    ledger = Ledger(UPath(tmp_path))
    ledger.add(row(error="names: Field required", outcome="invalid"))
    ledger.flush()
    ledger.flush()
    (read,) = read_ledger(UPath(tmp_path)).to_pylist()
    assert LedgerRow(**read) == row(error="names: Field required", outcome="invalid")


def test_without_a_ledger_there_are_no_rows(tmp_path):
    table = read_ledger(UPath(tmp_path / "nothing"), ["model", "cost"])
    assert (table.num_rows, table.column_names) == (0, ["model", "cost"])


def test_a_damaged_part_is_left_out_and_named(tmp_path):
    for n in range(2):
        ledger = Ledger(UPath(tmp_path))
        ledger.add(row(sample=n))
        ledger.close()
    damaged, whole = sorted(tmp_path.glob("*.parquet"))  # parts of one second have no order
    kept = duckdb.sql(f"SELECT sample FROM '{whole}'").fetchall()
    damaged.write_bytes(damaged.read_bytes()[:-20])
    with pytest.warns(UserWarning, match=damaged.name):
        assert read_ledger(UPath(tmp_path)).num_rows == 1
    set_damaged_aside(UPath(tmp_path))
    assert duckdb.sql(f"SELECT sample FROM '{tmp_path}/*.parquet'").fetchall() == kept
    assert damaged.with_name(f"{damaged.name}.damaged").exists()


def test_a_remote_store_takes_the_ledger_too():
    folder = UPath("memory://ledger-test/ledger")
    ledger = Ledger(folder)
    ledger.add(row())
    ledger.flush()
    assert read_ledger(folder).num_rows == 1


def test_a_row_costs_microseconds(tmp_path):
    ledger = Ledger(UPath(tmp_path), flush_seconds=3600)
    one = row()
    began = time.process_time()
    for _ in range(10_000):
        ledger.add(one)
    assert (time.process_time() - began) / 10_000 < 50e-6


def test_gateways_of_the_same_second_do_not_overwrite_each_other(tmp_path):
    for _ in range(3):
        ledger = Ledger(UPath(tmp_path))
        ledger.add(row())
        ledger.flush()
    assert read_ledger(UPath(tmp_path)).num_rows == 3


_KILLED = """
import os, signal, sys
from upath import UPath
from sqale_assets.llm.ledger import Ledger
from sqale_assets_tests.llm.test_ledger import row

ledger = Ledger(UPath(sys.argv[1]), flush_seconds=3600)
for n in range(30):
    ledger.add(row(sample=n, error="e"))
    if n == 9:
        ledger.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_run_loses_no_row_and_leaves_nothing_behind(tmp_path):
    subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert read_ledger(UPath(tmp_path)).num_rows == 10
    ledger = Ledger(UPath(tmp_path))
    ledger.add(row(sample=30))
    ledger.close()
    rows = sorted(read_ledger(UPath(tmp_path)).to_pylist(), key=lambda each: each["sample"])
    assert [each["sample"] for each in rows] == list(range(31))
    assert LedgerRow(**rows[0]) == row(error="e")
    assert all(path.suffix == ".parquet" for path in tmp_path.iterdir())


def test_the_journal_of_a_run_that_goes_on_is_left_alone(tmp_path):
    running, other = Ledger(UPath(tmp_path)), Ledger(UPath(tmp_path))
    running.add(row())
    other.add(row())
    other.close()
    assert read_ledger(UPath(tmp_path)).num_rows == 1
    running.add(row())
    running.close()
    running.add(row())
    running.close()
    assert read_ledger(UPath(tmp_path)).num_rows == 4
