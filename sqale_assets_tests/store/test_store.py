"""The store: whole or not at all, and what it says when it cannot."""

import sqlite3
import subprocess
import sys

import pytest

from sqale_assets.records import DomainDescription
from sqale_assets.store import DATABASE, FailureNote, Manifest, Store, StoreError, fingerprint

RECORD = DomainDescription(schema_id="s1", label="x", description="d", entities=("a",), evidence="schema")


@pytest.fixture(params=["local", "memory"])
def store(request, tmp_path):
    return Store(tmp_path / "store" if request.param == "local" else f"memory://{tmp_path.name}")


def manifest(**changes) -> Manifest:
    return Manifest(asset="a", schema_id="s1", status="done", fingerprint="f", inputs={}).model_copy(update=changes)


def test_round_trip(store):
    committed = store.commit(manifest(), RECORD)
    assert store.manifest("a", "s1") == committed
    assert store.record(DomainDescription, "a", "s1") == RECORD
    assert store.intact(committed)
    assert store.schema_ids("a") == ["s1"]


def test_nothing_there(store):
    assert store.manifest("a", "s1") is None
    assert store.schema_ids("a") == []
    with pytest.raises(StoreError, match="materialize it first"):
        store.record(DomainDescription, "a", "s1")


def test_a_changed_record_is_noticed(store):
    committed = store.commit(manifest(), RECORD)
    path = store.folder("a", "s1") / "record.json"
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"y"'))
    with pytest.raises(StoreError, match="does not match its manifest"):
        store.record(DomainDescription, "a", "s1")
    path.unlink()
    assert not store.intact(committed)


def test_a_flipped_byte_of_a_database_is_noticed(store):
    with store.scratch("a", "s1") as scratch:
        connection = sqlite3.connect(scratch / DATABASE)
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES ('spoiled')")
        connection.close()
        committed = store.commit(manifest(), RECORD, {DATABASE: scratch / DATABASE})
    path = store.folder("a", "s1") / DATABASE
    path.write_bytes(path.read_bytes().replace(b"spoiled", b"Spoiled"))
    with pytest.raises(StoreError, match="does not match its manifest"), store.local_database("a", "s1"):
        pass
    assert store.intact(committed) is not store.is_local  # of a remote one only the size is looked at


def test_what_a_killed_process_left_in_its_scratch_folder_is_swept(tmp_path):
    store = Store(tmp_path)
    code = f"""
import os, signal
from sqale_assets.store import Store
with Store({str(tmp_path)!r}).scratch("a", "s1") as scratch:
    (scratch / "half.sqlite").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    with store.scratch("a", "s2") as mine:
        assert len(list(tmp_path.rglob("half.sqlite"))) == 1
        store.sweep()
        assert mine.exists() and not list(tmp_path.rglob("half.sqlite"))


def test_an_unreadable_manifest_reads_as_absent(store):
    store.commit(manifest(), RECORD)
    (store.folder("a", "s1") / "manifest.json").write_bytes(b'{"asset": "a", "sch')
    assert store.manifest("a", "s1") is None


def test_a_record_without_manifest_is_not_there(store):
    """What a kill between the two files leaves behind."""
    store.write(store.folder("a", "s1") / "record.json", RECORD.model_dump_json().encode())
    assert store.manifest("a", "s1") is None and store.schema_ids("a") == []


def test_success_clears_the_failure_note(store):
    note = FailureNote(asset="a", schema_id="s1", fingerprint="f", attempts=2, error="boom", failed_at="now")
    store.note_failure(note)
    assert store.failure("a", "s1") == note
    store.commit(manifest(), RECORD)
    assert store.failure("a", "s1") is None


def test_databases_are_local_paths_wherever_they_lie(store):
    with store.scratch("a", "s1") as scratch:
        connection = sqlite3.connect(scratch / DATABASE)
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        connection.close()
        store.commit(manifest(), RECORD, {DATABASE: scratch / DATABASE, "source": b"raw"})
    with store.local_database("a", "s1") as path:
        assert sqlite3.connect(path).execute("SELECT x FROM t").fetchone() == (1,)
    assert (store.folder("a", "s1") / "source").read_bytes() == b"raw"


def test_missing_database_says_what_to_do(store):
    with pytest.raises(StoreError, match="materialize a of s1 again"), store.local_database("a", "s1"):
        pass


def test_a_full_disk_leaves_the_old_file_and_no_partial_one(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.commit(manifest(), RECORD)

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(store.root), "write_bytes", full)
    with pytest.raises(StoreError, match="No space left on device; free space"):
        store.commit(manifest(fingerprint="g"), RECORD)
    monkeypatch.undo()
    assert store.manifest("a", "s1").fingerprint == "f"
    assert [path.name for path in store.folder("a", "s1").iterdir() if "partial" in path.name] == []


def test_fingerprint_depends_on_content_not_on_order():
    assert fingerprint({"a": "1", "b": "2"}) == fingerprint({"b": "2", "a": "1"})
    assert fingerprint({"a": "1"}) != fingerprint({"a": "2"})
