"""SchemaPile's files: records streamed from JSON, their origin, and the same view of either shape.

Zenodo's file is one object of records; the Hugging Face copy is list-shaped, as one list or as JSON lines.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sqale_assets.relational.model import Model

_NAMES = ("NAME", "FILE_NAME", "FILENAME", "FILE", "SCHEMA_NAME", "ID")
_BLOB_URL = re.compile(r"https?://[^/]+/(?P<repository>[^/]+/[^/]+)/(?:blob|raw)/(?P<commit>[^/]+)/(?P<path>[^?#]+)")


class NotSchemaPile(ValueError):
    """The JSON is sound but holds no SchemaPile records; says what was expected and what was found."""


class Origin(Model):
    """Where a record's file came from, as its INFO says. `path` lies within the repository."""

    repository: str | None = None
    commit: str | None = None
    path: str | None = None
    url: str | None = None
    licence: str | None = None
    permissive: bool | None = None


def iter_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and record of each schema of a `.json` or `.json.gz` file, in file order, one record in memory at a time.

    A later entry that is no record is given as an empty one, so that it can be counted and refused by its name.

    Raises:
        NotSchemaPile: the first record is none.
        ijson.JSONError: the text is no JSON, or ends too soon.
        OSError, EOFError: the file cannot be read; gzip's own errors are among them.
    """
    import ijson

    with path.open("rb") as probe:
        compressed = probe.read(2) == b"\x1f\x8b"
    with gzip.open(path) if compressed else path.open("rb") as stream:
        start = stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        stream.seek(0)
        if stream.read(3) != b"\xef\xbb\xbf":
            stream.seek(0)
        if start == b"[":
            yield from _listed(ijson.items(stream, "item", use_float=True))
        elif start == b"{":
            pairs = ijson.kvitems(stream, "", use_float=True, multiple_values=True)
            first = next(pairs, None)
            if first is None:
                raise NotSchemaPile("expected records with TABLES, found an empty object")
            if first[0].upper() in ("TABLES", "INFO", *_NAMES):  # a record itself: one of JSON lines
                stream.seek(0)
                yield from _listed(ijson.items(stream, "", use_float=True, multiple_values=True))
            else:
                _require_record(first[1])
                for name, record in chain([first], pairs):
                    yield name, record if isinstance(record, dict) else {}
        else:
            raise NotSchemaPile(f"expected JSON that begins with {{ or [, found {start.decode('latin-1')!r}")


def origin(record: dict[str, Any]) -> Origin:
    """The record's origin, from INFO; every field may be unknown."""
    info = record.get("INFO")
    info = info if isinstance(info, dict) else record
    url, licence, permissive = (info.get(key) for key in ("URL", "LICENSE", "PERMISSIVE"))
    url = url.strip() if isinstance(url, str) and url.strip() else None
    match = _BLOB_URL.match(url or "")
    return Origin(
        repository=match["repository"] if match else None,
        commit=match["commit"] if match else None,
        path=unquote(match["path"]) if match else None,
        url=url,
        licence=licence.strip() if isinstance(licence, str) and licence.strip() else None,
        permissive=permissive if isinstance(permissive, bool) else None,
    )


def counts(record: dict[str, Any]) -> tuple[int, int]:
    """Tables and foreign keys that the record holds."""
    tables = named(record.get("TABLES"), "TABLE_NAME")
    return len(tables), sum(len(foreign_keys(table)) for _, table in tables)


def named(value: Any, name_key: str) -> list[tuple[str, dict[str, Any]]]:
    """Named objects of either shape; what is no object, or has no name, is passed over."""
    if isinstance(value, dict):
        found = [(str(name), entry) for name, entry in value.items() if isinstance(entry, dict)]
    else:
        entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
        found = [(str(entry.get(name_key) or ""), entry) for entry in entries]
    return [(name, entry) for name, entry in found if bare_name(name)]


def foreign_keys(source: dict[str, Any]) -> list[dict[str, Any]]:
    """The keys of a table; Hugging Face's struct of lists is turned into a list of structs."""
    keys = source.get("FOREIGN_KEYS")
    if isinstance(keys, dict) and all(isinstance(value, list) for value in keys.values()):
        count = max(map(len, keys.values()), default=0)
        return [{name: values[i] for name, values in keys.items() if i < len(values)} for i in range(count)]
    return [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else []


def bare_name(name: str) -> str:
    """The name without the quotes of its dialect, on one line; "" where nothing is left."""
    line = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(line.strip().strip('"`[]').split())


def _listed(records: Iterator[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records of the list shape, each with the name that it carries or that its URL ends in."""
    for number, record in enumerate(records):
        if number == 0:
            _require_record(record)
        fields = record if isinstance(record, dict) else {}
        name = next((fields[key] for key in (*_NAMES, *map(str.lower, _NAMES)) if fields.get(key)), None)
        path = origin(fields).path
        yield str(name or (path.rsplit("/", 1)[-1] if path else f"schema_{number}.sql")), fields


def _require_record(record: Any) -> None:
    if isinstance(record, dict) and isinstance(record.get("TABLES"), dict | list):
        return
    if isinstance(record, dict):
        found = f"an object with the keys {', '.join(list(record)[:6]) or '(none)'}"
    else:
        found = {list: "a list", str: "a string"}.get(type(record), repr(record)[:40])
    raise NotSchemaPile(f"expected records with TABLES (and INFO), as SchemaPile has them; the first one is {found}")
