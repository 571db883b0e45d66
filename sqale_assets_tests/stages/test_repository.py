"""The annotating agent in a repository: tools over a folder and a GitHub API, and the loop around them."""

import asyncio
import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from sqale_assets.records import SourceFile, SourceSchema
from sqale_assets.relational.reader import read_sql
from sqale_assets.settings import DomainSettings
from sqale_assets.sqlenv.calls import Call
from sqale_assets.stages.domain import describe_domain
from sqale_assets.stages.repository import MAX_CALLS, RepositoryUnavailable, run_call
from sqale_assets.store.repositories import LocalRepository, local_folder, open_repository
from sqale_assets_tests.doubles import OfflineLlm

README = """# Barnacle

Barnacle is a booking system for small hotels, with rooms, guests and reservations.

```sh
make run
```
"""
SCHEMA = """CREATE TABLE room (id int primary key, number int);
CREATE TABLE reservation (id int, room_id int references room (id), guest_name text, checkin date);
"""
FILES = {"README.md": README, "db/schema.sql": SCHEMA, "src/main.py": "print('hotel')\n", "logo.png": "\0PNG"}


@pytest.fixture
def folder(tmp_path) -> Path:
    root = tmp_path / "repos" / "acme" / "Barnacle"
    for name, text in {**FILES, ".git/config": "secret", "node_modules/x.js": "hotel"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def call(repository, tool: str, **args) -> str:
    return asyncio.run(run_call(repository, Call(tool, args)))


def source(repository: str | None = "acme/barnacle", name: str = "other.sql") -> SourceSchema:
    entry = SourceFile(schema_id="s", name=name, format="sql", sha256="", bytes=0, repository=repository)
    reading = read_sql(b"CREATE TABLE song (id int, album text);")
    return SourceSchema(schema_id="s", source=entry, definition=reading.schema, fidelity=reading.fidelity)


async def annotated(settings: DomainSettings, schema: SourceSchema, llm: OfflineLlm):
    async with open_repository(schema.source.repository, settings) as repository:
        return await describe_domain(schema, llm, repository, tool_turns=settings.tool_turns)


def test_the_tools_show_a_folder_within_bounds(folder):
    repository = LocalRepository("acme/barnacle", folder)
    listing = call(repository, "list_files")
    assert listing.splitlines()[:2] == [f"README.md ({len(README)})", "logo.png (4)"]
    assert "node_modules" not in listing
    assert ".git" not in listing
    assert call(repository, "list_files", folder="/db/") == f"db/schema.sql ({len(SCHEMA)})"
    assert call(repository, "read_file", path="./db/schema.sql", start=2).startswith("CREATE TABLE reservation")
    assert call(repository, "search_text", text="HOTEL").splitlines() == [
        "README.md:3: Barnacle is a booking system for small hotels, with rooms, guests and reservations.",
        "src/main.py:1: print('hotel')",
    ]
    assert "```" not in call(repository, "read_file", path="README.md")


@pytest.mark.parametrize(
    ("tool", "args", "error"),
    [
        ("read_file", {"path": "../../../etc/passwd"}, "no file"),
        ("read_file", {"path": "/etc/passwd"}, "no file"),
        ("read_file", {"path": "link"}, "no file"),
        ("read_file", {"path": "logo.png"}, "no text file"),
        ("read_file", {}, "wrong arguments"),
        ("list_files", {"folder": "nowhere"}, "no files below"),
        ("search_text", {"text": " "}, "nothing to search"),
        ("delete_file", {"path": "README.md"}, "there is no tool 'delete_file'"),
    ],
)
def test_what_the_tools_refuse(folder, tool, args, error, tmp_path):
    (tmp_path / "outside").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "outside")
    result = call(LocalRepository("acme/barnacle", folder), tool, **args)
    assert result.startswith("error: ")
    assert error in result


def test_long_files_are_shown_in_pieces(folder):
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(5000)) + "x" * 9000)
    repository = LocalRepository("acme/barnacle", folder)
    first = call(repository, "read_file", path="long.txt")
    assert len(first) < 7000
    start = int(first.rsplit("... lines ", 1)[1].split(" ")[0])
    assert call(repository, "read_file", path="long.txt", start=start).startswith(f"line {start - 1}\n")


def test_folders_of_repositories(folder, tmp_path):
    (tmp_path / "repos" / "o__R").mkdir()
    assert local_folder("ACME/barnacle", tmp_path / "repos") == folder
    assert local_folder("o/r", tmp_path / "repos") == tmp_path / "repos" / "o__R"
    assert local_folder("acme/other", tmp_path / "repos") is None
    assert local_folder("acme/other", None) is None


def test_the_repository_is_the_evidence_and_its_schemas_share_one_conversation(folder, tmp_path):
    settings = DomainSettings(repositories=tmp_path / "repos")
    one, other = OfflineLlm(), OfflineLlm()
    record = asyncio.run(annotated(settings, source(), one))
    assert (record.label, record.evidence) == ("hospitality and travel", "repository")
    assert record.description.startswith("Barnacle is a booking system for small hotels")
    assert {"room", "reservation"} <= set(record.entities)
    assert [len(messages) for _, messages, _ in one.calls] == [2, 4, 6]
    again = asyncio.run(annotated(settings, source(name="second.sql"), other))
    assert again == record
    assert other.calls == one.calls


def test_without_a_repository_the_schema_is_the_evidence(tmp_path):
    settings = DomainSettings(repositories=tmp_path)
    assert asyncio.run(annotated(settings, source(), OfflineLlm())).evidence == "schema"
    assert asyncio.run(annotated(settings, source(None), OfflineLlm())).label == "music"


def test_turns_and_calls_are_bounded(folder, tmp_path):
    calls = "\n".join(json.dumps({"tool": "list_files", "args": {"folder": ""}}) for _ in range(50))
    answer = {"label": "music", "description": "It plays songs of albums to people who listen.", "entities": ["song"]}
    seen = []

    def respond(messages):
        seen.append(messages[-1]["content"])
        return json.dumps(answer) if seen[-1].endswith("Give the final answer now.") else calls

    settings = DomainSettings(repositories=tmp_path / "repos", tool_turns=3)
    record = asyncio.run(annotated(settings, source(), OfflineLlm(respond)))
    assert record.label == "music"
    assert [text.count("```result") for text in seen[1:]] == [MAX_CALLS] * 3
    assert "[2 tool turns left]" in seen[1]


# --- the GitHub API, on loopback ------------------------------------------------------------------


def github(requests: list[tuple[str, str | None]], *, limited_after: int = 99) -> web.Application:
    async def handle(request: web.Request) -> web.Response:
        requests.append((request.path_qs, request.headers.get("Authorization")))
        path = request.path.removeprefix("/api")
        if len(requests) > limited_after:
            return web.json_response({"message": "no"}, status=403, headers={"X-RateLimit-Remaining": "0"})
        if path == "/repos/acme/barnacle":
            return web.json_response({"full_name": "acme/barnacle"})
        if path == "/repos/acme/barnacle/git/trees/HEAD":
            tree = [{"path": name, "type": "blob", "size": len(text)} for name, text in FILES.items()]
            return web.json_response({"tree": [{"path": "db", "type": "tree"}, *tree], "truncated": False})
        if path.startswith("/repos/acme/barnacle/contents/"):
            assert request.headers["Accept"] == "application/vnd.github.raw+json"
            return web.Response(body=FILES[path.removeprefix("/repos/acme/barnacle/contents/")].encode())
        if path == "/search/code":
            assert parse_qs(request.query_string)["q"] == ['"rooms" repo:acme/barnacle']
            match = {"fragment": README}
            return web.json_response({"items": [{"path": "README.md", "text_matches": [match]}]})
        return web.json_response({"message": "Not Found"}, status=404)

    app = web.Application()
    app.router.add_get("/{tail:.*}", handle)
    return app


async def with_server(app: web.Application, work):
    async with TestServer(app) as server:
        return await work(DomainSettings(github_api=str(server.make_url("/api")), github_token_env="SQALE_TEST_TOKEN"))


def test_a_repository_behind_the_api(monkeypatch):
    monkeypatch.setenv("SQALE_TEST_TOKEN", "t0ken")
    requests: list[tuple[str, str | None]] = []

    async def work(settings):
        return await annotated(settings, source(), OfflineLlm())

    record = asyncio.run(with_server(github(requests), work))
    assert (record.label, record.evidence) == ("hospitality and travel", "github")
    assert {token for _, token in requests} == {"Bearer t0ken"}
    assert sum("git/trees" in path for path, _ in requests) == 1


def test_searching_behind_the_api_and_what_is_not_there():
    async def work(settings):
        async with open_repository("acme/barnacle", settings) as repository:
            found = await run_call(repository, Call("search_text", {"text": "rooms"}))
            missing = await run_call(repository, Call("read_file", {"path": "nowhere"}))
        async with open_repository("acme/gone", settings) as gone:
            return found, missing, gone

    found, missing, gone = asyncio.run(with_server(github([]), work))
    assert found.startswith("README.md: Barnacle is a booking system")
    assert missing == "error: no file 'nowhere'"
    assert gone is None


@pytest.mark.parametrize("after", [0, 2])  # at once, or in the middle of the conversation
def test_a_refusing_or_absent_server_is_a_failure_not_another_evidence(after):
    async def work(settings):
        return await annotated(settings, source(), OfflineLlm())

    with pytest.raises(RepositoryUnavailable, match="rate limit is reached; wait, or set a token"):
        asyncio.run(with_server(github([], limited_after=after), work))
    with pytest.raises(RepositoryUnavailable, match="cannot be reached"):
        asyncio.run(work(DomainSettings(github_api="http://127.0.0.1:9")))
