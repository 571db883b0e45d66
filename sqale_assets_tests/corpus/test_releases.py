"""Opting out by address, and what a new release changed."""

from __future__ import annotations

import pytest

from sqale_assets.corpus.publish import publish_queries, publish_schemas
from sqale_assets.corpus.releases import ReleaseDiff, diff, opted_out, read_opt_outs, snapshot
from sqale_assets.records import SourceFile

URL = "https://github.com/Owner/Shop/blob/c0ffee/db/schema.sql?raw=true"


@pytest.mark.parametrize(
    ("line", "out"),
    [
        (URL, True),
        ("github.com/owner/shop/blob/c0ffee/db/schema.sql", True),
        ("owner/shop   # asked by mail", True),
        ("https://github.com/owner/shop.git", True),
        ("owner/sho", False),
        ("owner/shop/blob/c0ffee/db/other.sql", False),
        ("# owner/shop", False),
    ],
)
def test_a_source_is_named_by_file_or_repository(line, out):
    source = SourceFile(schema_id="s", name="x", format="sql", sha256="0", bytes=1, url=URL, repository="Owner/Shop")
    assert opted_out(source, read_opt_outs(line)) is out


def test_a_source_without_address_is_never_opted_out():
    source = SourceFile(schema_id="s", name="x", format="sql", sha256="0", bytes=1)
    assert not opted_out(source, read_opt_outs("owner/shop\n\n"))


def test_the_diff_names_what_changed(member, tmp_path):
    def release(folder, splits, members):
        publish_schemas(members, splits, tmp_path / folder)
        publish_queries(members, splits, tmp_path / folder)

    kept, gone = member("kept"), member("gone")
    release("old", {"kept": "train", "gone": "test"}, [kept, gone])
    other_rows = {"customers": [(1, "Ann", 1.0)], "orders": [(1, 1, None, 2)]}
    release("new", {"kept": "test", "new": "train"}, [member("kept", rows=other_rows, questions=1), member("new")])

    old, new = snapshot(tmp_path / "old"), snapshot(tmp_path / "new")
    found = diff(old, new)
    assert found == ReleaseDiff(
        schemas_added=("new",), schemas_removed=("gone",), schemas_changed=("kept",), schemas_moved=("kept",),
        questions_removed=("kept_q1",), questions_changed=("kept_q0",),
    )  # fmt: skip
    assert "- schemas removed: 1 (gone)" in found.markdown()
    assert diff(new, new).empty
    assert diff(snapshot(tmp_path / "nothing"), new).schemas_added == ("kept", "new")

    for path in (tmp_path / "old").rglob("train-*.parquet"):
        path.write_bytes(path.read_bytes()[:100])
    damaged = diff(snapshot(tmp_path / "old"), new)
    assert damaged.schemas_added == ("kept", "new") and damaged.schemas_removed == ("gone",)
