"""A release is pushed in one commit to a server that speaks Hugging Face's API on the loopback."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sqale_assets.corpus.hub import PushError, push
from sqale_assets.corpus.publish import publish_queries

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # huggingface_hub's way to upload


class Hub(ThreadingHTTPServer):
    """Keeps one repository; refuses every request with `status`, and uploads of objects with `upload_status`.

    Parquet goes to LFS storage, as on the hub: in parts of `part` bytes where that is set.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {"queries/data/train-00001-of-00002.parquet": b"old", "notes.txt": b"stays"}
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.description, self.commits, self.tokens = "", 0, set()
        self.status = self.upload_status = 200
        self.part: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self):
        files = [{"type": "file", "path": path, "size": 1, "oid": "0"} for path in self.server.files]
        self.answer(files if "/tree/" in self.path else {"error": "not here"})

    def do_PUT(self):
        _, _, oid, *part = self.path.split("/")
        data = self.body()
        if part:
            self.server.parts.setdefault(oid, {})[int(part[0])] = data
        else:
            self.server.objects[oid] = data
        self.answer({}, status=self.server.upload_status)

    def do_POST(self):
        body = self.body()
        if self.path.startswith("/api/"):
            self.server.tokens.add(self.headers.get("Authorization"))
        if self.path.startswith("/api/repos/create"):
            self.answer({"url": f"{self.server.url}/datasets/me/corpus", "name": "me/corpus"})
        elif "/preupload/" in self.path:
            files = [
                {"path": f["path"], "uploadMode": "lfs" if f["path"].endswith(".parquet") else "regular",
                 "shouldIgnore": False}
                for f in json.loads(body)["files"]
            ]  # fmt: skip
            self.answer({"files": files})
        elif self.path.endswith("/info/lfs/objects/batch"):
            self.answer({"transfer": "basic", "objects": [self.upload(**each) for each in json.loads(body)["objects"]]})
        elif self.path.startswith("/complete/"):
            oid, told = self.path.rpartition("/")[2], json.loads(body)["parts"]
            parts = self.server.parts[oid]
            self.server.objects[oid] = b"".join(parts[each["partNumber"]] for each in told)
            self.answer({})
        elif "/commit/" in self.path:
            self.commit([json.loads(line) for line in body.splitlines()])
        else:
            self.answer({"errors": [], "warnings": []})

    def upload(self, oid: str, size: int):
        action = {"href": f"{self.server.url}/objects/{oid}"}
        if self.server.part:
            count = -(-size // self.server.part)
            header = {str(n): f"{self.server.url}/objects/{oid}/{n}" for n in range(1, count + 1)}
            action = {
                "href": f"{self.server.url}/complete/{oid}",
                "header": {"chunk_size": str(self.server.part), **header},
            }
        return {"oid": oid, "size": size, "actions": {"upload": action}}

    def commit(self, lines):
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.server.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.server.files[value["path"]] = self.server.objects[value["oid"]]
            elif line["key"] == "deletedFile":
                del self.server.files[value["path"]]
            else:
                self.server.description = value["description"]
        self.server.commits += 1
        url = f"{self.server.url}/datasets/me/corpus/commit/{'b' * 40}"
        self.answer({"success": True, "commitOid": "b" * 40, "commitUrl": url})

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def answer(self, value, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(self.server.status if self.server.status != 200 else status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", '"part"')
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
    (tmp_path / "out" / "CHANGES.md").write_text("- schemas removed: 1 (gone)\n")
    (tmp_path / "out" / "not_published.json").write_text("{}")
    return tmp_path / "out"


@pytest.mark.parametrize("part", [None, 1000])
def test_a_release_goes_up_in_one_commit_and_old_shards_go(hub, folder, part):
    hub.part = part
    done = push(folder, "me/corpus")
    assert hub.commits == 1 and hub.tokens == {"Bearer hf_test"} and done.commit == "b" * 40
    shards = {f"queries/data/{split}-00000-of-00001.parquet" for split in ("train", "test")}
    assert hub.files.keys() == {"README.md", "CHANGES.md", "notes.txt", *shards}
    assert "schemas removed: 1 (gone)" in hub.description
    assert len(hub.objects) == 2 and [len(parts) > 1 for parts in hub.parts.values()] == ([True] * 2 if part else [])
    assert done.removed == ("queries/data/train-00001-of-00002.parquet",)
    assert all(hub.files[path] == (folder / path).read_bytes() for path in shards)


def test_a_dry_run_shows_what_would_go_and_asks_nobody(hub, folder, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    shown = push(folder, "me/corpus", dry_run=True)
    assert shown.files[0].path == "README.md" and len(shown.files) == 4
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


def test_an_upload_that_breaks_off_commits_nothing(hub, folder):
    hub.upload_status = 403
    with pytest.raises(PushError, match=r"(?s)uploading 'queries/data/.*Forbidden.*nothing was committed"):
        push(folder, "me/corpus")
    assert hub.commits == 0 and "README.md" not in hub.files


def test_a_name_that_is_no_repository(hub, folder):
    with pytest.raises(PushError, match="Repo id"):
        push(folder, "not a repository")
