"""A release is pushed in one commit to a server that speaks Hugging Face's API on the loopback."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sqale_assets.corpus.hub import PushError, push
from sqale_assets.corpus.publish import publish_queries


class Hub(ThreadingHTTPServer):
    """Keeps one repository; refuses every request with `status` when that is set."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {"queries/data/train-00001-of-00002.parquet": b"old", "notes.txt": b"stays"}
        self.commits, self.tokens, self.status = 0, set(), 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self):
        files = [{"type": "file", "path": path, "size": 1, "oid": "0"} for path in self.server.files]
        self.answer(files if "/tree/" in self.path else {"error": "not here"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.tokens.add(self.headers.get("Authorization"))
        if self.path.startswith("/api/repos/create"):
            self.answer({"url": f"{self.server.url}/datasets/me/corpus", "name": "me/corpus"})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            self.answer({"files": [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]})
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                elif line["key"] == "deletedFile":
                    del self.server.files[line["value"]["path"]]
            self.server.commits += 1
            url = f"{self.server.url}/datasets/me/corpus/commit/{'b' * 40}"
            self.answer({"success": True, "commitOid": "b" * 40, "commitUrl": url})
        else:
            self.answer({"errors": [], "warnings": []})

    def answer(self, value) -> None:
        data = json.dumps(value).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(monkeypatch):
    server = Hub()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    yield server
    server.shutdown()


@pytest.fixture
def folder(member, tmp_path):
    publish_queries([member("s1")], {"s1": "train"}, tmp_path / "out")
    (tmp_path / "out" / "README.md").write_text("---\nlicense: mit\n---\n# Corpus\n")
    (tmp_path / "out" / "not_published.json").write_text("{}")
    return tmp_path / "out"


def test_a_release_goes_up_in_one_commit_and_old_shards_go(hub, folder):
    done = push(folder, "me/corpus")
    assert hub.commits == 1 and hub.tokens == {"Bearer hf_test"} and done.commit == "b" * 40
    shards = {f"queries/data/{split}-00000-of-00001.parquet" for split in ("train", "test")}
    assert hub.files.keys() == {"README.md", "notes.txt", *shards}
    assert done.removed == ("queries/data/train-00001-of-00002.parquet",)
    assert all(hub.files[path] == (folder / path).read_bytes() for path in shards)


def test_a_dry_run_shows_what_would_go_and_asks_nobody(hub, folder, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    shown = push(folder, "me/corpus", dry_run=True)
    assert shown.files[0].path == "README.md" and len(shown.files) == 3
    assert shown.commit is None and hub.commits == 0 and shown.bytes > 0


def test_what_keeps_a_release_from_going_up_is_said(hub, folder, tmp_path, monkeypatch):
    with pytest.raises(PushError, match="no published data sets"):
        push(tmp_path, "me/corpus")
    hub.status = 403
    with pytest.raises(PushError, match="refused"):
        push(folder, "me/corpus")
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(PushError, match="HF_TOKEN is not set"):
        push(folder, "me/corpus")
    (folder / "README.md").unlink()
    with pytest.raises(PushError, match="dataset card"):
        push(folder, "me/corpus")


def test_an_endpoint_that_is_not_there(folder, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    with pytest.raises(PushError, match="cannot be reached"):
        push(folder, "me/corpus")
