"""The offline model's turns in a repository: look around, read what says most, then answer from what was read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sqale_assets.llm.offline.describing.reading import ShownTable, read_source
from sqale_assets.llm.offline.describing.scoring import best_domain
from sqale_assets.llm.offline.describing.wording import describe, key_entities
from sqale_assets.llm.task import Message

_RESULT = re.compile(r"^(?P<tool>\w+) (?P<args>\{[^\n]*\})\n```result\n(?P<body>.*?)\n```", re.DOTALL | re.MULTILINE)
_LISTED = re.compile(r"^(?P<path>.+) \(\d+\)$", re.MULTILINE)
_CREATE = re.compile(
    r"create\s+table\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.`\"\[\]]+)\s*\((?P<body>.*?)\)\s*(?:;|$)", re.I | re.S
)
_COLUMN = re.compile(r"^\s*[`\"\[]?(?P<name>\w+)[`\"\]]?\s+\w", re.MULTILINE)
_REFERENCE = re.compile(r"references\s+[`\"\[]?(?:\w+\.)?(?P<name>\w+)", re.IGNORECASE)
_NO_COLUMNS = ("primary", "foreign", "key", "unique", "constraint", "check", "index", "create", "alter", "insert")
_SENTENCE = re.compile(r"[A-Z][^.!?\n|<>\[\]{}`]{30,240}[.!?](?=\s|$)")
_ABOUT = re.compile(r"\b(is|are|provides?|allows?|helps?|manages?|lets?|keeps?|tracks?|stores?)\b")
_SCHEMA_FILES, _README_WORDS = 3, 400


@dataclass(frozen=True)
class _Seen:
    """What the tools have shown so far."""

    paths: tuple[str, ...]
    files: dict[str, str]
    searched: bool


def next_turn(messages: list[Message]) -> str:
    """The next tool calls, or the answer once enough was read or no turn is left."""
    seen = _seen(messages)
    if messages[-1]["content"].endswith("Give the final answer now."):
        return _answer(messages, seen)
    if not seen.paths:
        return _call("list_files", folder="") if len(messages) == 2 else _answer(messages, seen)
    wanted = [path for path in _telling(seen.paths) if path not in seen.files]
    if wanted and not seen.files:
        return "\n".join(_call("read_file", path=path) for path in wanted)
    if not any(path.lower().endswith(".sql") for path in seen.files) and not seen.searched:
        return _call("search_text", text="CREATE TABLE")
    return _answer(messages, seen)


def _answer(messages: list[Message], seen: _Seen) -> str:
    tables = [table for path, text in sorted(seen.files.items()) for table in _tables(path, text)]
    readme = next((text for path, text in seen.files.items() if _is_readme(path)), "")
    names = " ".join(re.sub(r"\.\w+$", "", path) for path in seen.paths[:200])
    shown = [
        *tables,
        ShownTable("readme", (), (), " ".join(readme.split()[:_README_WORDS])),
        ShownTable("paths", (), (), names),
    ]
    label = best_domain(read_source(messages[1]["content"]), shown)
    sentence = next((s for s in _SENTENCE.findall(readme) if _ABOUT.search(s)), "")
    subjects = tables or [ShownTable(path.rsplit("/", 1)[-1].split(".")[0], (), (), "") for path in seen.paths[:6]]
    description = " ".join(filter(None, [sentence.strip(), describe(label, subjects)]))
    return json.dumps(
        {"label": label, "description": description, "entities": key_entities(label, subjects) or [label]},
        ensure_ascii=False,
    )


def _seen(messages: list[Message]) -> _Seen:
    paths: dict[str, None] = {}
    files: dict[str, str] = {}
    searched = False
    for message in messages[2:]:
        for match in _RESULT.finditer(message["content"] if message["role"] == "user" else ""):
            args, body = json.loads(match["args"]), match["body"]
            if match["tool"] == "list_files":
                paths |= dict.fromkeys(found["path"] for found in _LISTED.finditer(body))
            elif match["tool"] == "read_file":
                files[args.get("path", "")] = body
            else:
                searched = True
                files["search.sql"] = "\n".join(f"{line.partition(': ')[2]} );" for line in body.splitlines())
    return _Seen(tuple(paths), files, searched)


def _telling(paths: tuple[str, ...]) -> list[str]:
    """The README nearest to the root, and the likeliest schema files."""
    readme = sorted((path for path in paths if _is_readme(path)), key=lambda path: (path.count("/"), path))[:1]
    schemas = [path for path in paths if path.lower().endswith((".sql", "models.py", "schema.rb", "schema.prisma"))]
    schemas.sort(
        key=lambda path: (not re.search(r"schema|create|table|init|dump", path.lower()), path.count("/"), path)
    )
    return readme + schemas[:_SCHEMA_FILES]


def _is_readme(path: str) -> bool:
    return path.rsplit("/", 1)[-1].lower().startswith("readme")


def _tables(path: str, text: str) -> list[ShownTable]:
    if not path.lower().endswith(".sql"):
        return []
    return [
        ShownTable(
            name=re.sub(r"[`\"\[\]]", "", match["name"]).rsplit(".", 1)[-1],
            columns=tuple(name for name in _COLUMN.findall(match["body"]) if name.lower() not in _NO_COLUMNS),
            references=tuple(_REFERENCE.findall(match["body"])),
            text="",
        )
        for match in _CREATE.finditer(text)
    ]


def _call(tool: str, **args: str) -> str:
    return json.dumps({"tool": tool, "args": args})
