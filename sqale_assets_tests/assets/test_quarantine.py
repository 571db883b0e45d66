"""The quarantine: as Parquet, as a list, and one answer of it played again."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pyarrow.parquet as pq
import pytest

from sqale_assets.assets.quarantine import quarantined, write_quarantine
from sqale_assets.cli.app import UserError
from sqale_assets.cli.quarantine import quarantine
from sqale_assets.records import GoldQueries, PopulatedDatabase, Question, Questions, RejectedItem, SourceFile
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.store import DATABASE, Manifest, Store
from sqale_assets_tests.sqlenv.conftest import COMPANY

QUESTION = "How many departments are there?"
SQL = "SELECT count(*) FROM department"


@pytest.fixture
def store(tmp_path) -> Store:
    """One schema, with a refused question, and an answer that was refused when the gates were stricter."""
    store = Store(tmp_path / "store")
    entry = SourceFile(schema_id="s1", name="s1.sql", format="sql", sha256="0" * 64, bytes=1)
    store.write(store.root / "schema_catalog" / "catalog.jsonl", entry.model_dump_json().encode())
    with store.scratch("populated_database", "s1") as scratch:
        with closing(sqlite3.connect(scratch / DATABASE)) as connection:
            connection.executescript(COMPANY)
        manifest = Manifest(asset="populated_database", schema_id="s1", status="done", fingerprint="f", inputs={})
        store.commit(manifest, PopulatedDatabase(schema_id="s1", ddl={}, tables=()), {DATABASE: scratch / DATABASE})
        with Database.open(store.folder("populated_database", "s1") / DATABASE) as database:
            episode = Episode(database)
            episode.step("", [call(1, "list_tables", {}), call(2, "run_query", {"sql": "SELECT x FROM department"})])
            episode.step("", [call(3, "submit_sql", {"sql": SQL})])
    question = Question(question_id="s1_q1", text=QUESTION, difficulty="simple", relevant_tables=("department",))
    refused = RejectedItem(stage="questions", reason="ungrounded", evidence="[x] is not stored", item="Which x?")
    answer = RejectedItem(
        stage="gold_queries", reason="foreign_table", evidence=f"No.\n{SQL}", item=QUESTION,
        transcript=tuple(episode.transcript),
    )  # fmt: skip
    for asset, record in (
        ("questions", Questions(schema_id="s1", questions=(question,), rejected=(refused, refused))),
        ("gold_queries", GoldQueries(schema_id="s1", queries=(), rejected=(answer,))),
    ):
        store.commit(Manifest(asset=asset, schema_id="s1", status="done", fingerprint="f", inputs={}), record)
    return store


def call(number: int, name: str, args: dict) -> dict:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


def test_every_item_is_a_row_with_its_transcript(store):
    assert write_quarantine(store) == {("questions", "ungrounded"): 2, ("gold_queries", "foreign_table"): 1}
    assert write_quarantine(store).total() == 3  # writing it again replaces it
    rows = pq.read_table(store.root / "quarantine" / "quarantine.parquet").to_pylist()
    assert [row["reason"] for row in rows] == ["ungrounded", "ungrounded", "foreign_table"]
    assert len({row["item_id"] for row in rows}) == 3
    assert rows[0]["evidence"] == "[x] is not stored" and json.loads(rows[0]["transcript"]) == []
    assert [message["role"] for message in json.loads(rows[2]["transcript"])] == [
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]


def test_items_are_listed_and_filtered(store, capsys):
    quarantine(store=str(store.root), stage="questions", limit=1)
    output = capsys.readouterr().out
    assert "1 of 2 items shown" in output and "foreign_table" not in output and "[x] is not stored" in output
    quarantine(store=str(store.root), reason="foreign_table", limit=50)
    assert "1 of 1 items shown" in capsys.readouterr().out


def test_an_answer_is_played_again_and_the_gates_asked_anew(store, capsys):
    *others, answer = quarantined(store)
    quarantine(store=str(store.root), replay=answer.item_id)
    output = capsys.readouterr().out
    assert "refused by gold_queries: foreign_table: No." in output
    assert 'run_query {"sql": "SELECT x FROM department"}' in output and "no such column" in output
    assert "told otherwise then" not in output
    assert "The gates now say: it passes" in output
    with pytest.raises(UserError, match="cannot be played again"):
        quarantine(store=str(store.root), replay=others[0].item_id)
    with pytest.raises(UserError, match="holds no item zzz"):
        quarantine(store=str(store.root), replay="zzz")
