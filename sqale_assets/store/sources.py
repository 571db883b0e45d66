"""Where schemas come from: a SchemaPile file, a `.sql` file, or a folder of such, opened as one stream.

The one place that touches the source's files. An `INDEX.tsv` in a folder (columns file, repo, path, commit, licence)
tells the origin of the files beside it.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from sqale_assets.records import FoundSource
from sqale_assets.relational.schemapile_file import NotSchemaPile, counts, iter_records, origin

INDEX = "INDEX.tsv"
_EXPECTED = "expected a SchemaPile .json or .json.gz, a .sql file, or a folder of .sql files"


class SourceError(Exception):
    """The source cannot be read. Says which path, what was expected and what was found."""


class _RawFile(NamedTuple):
    path: Path
    row: dict[str, str]


def open_source(path: Path, *, raw_sql: Path | None = None) -> Iterator[FoundSource]:
    """The schemas at `path`, streamed: a SchemaPile file's in its order, a folder's by path.

    `raw_sql` is a folder of raw files; one that is a SchemaPile record's own file (by repository and path, else by
    name) is given in the record's place, with the record's counts.

    Raises:
        SourceError: while the stream is read, for all that is wrong with it as a whole.
    """
    path = Path(path)
    try:
        if path.is_dir():
            yield from _folder(path)
        elif path.suffix.lower() == ".sql":
            yield _sql_file(path, _index(path.parent).get(path.name, {}))
        elif path.name.lower().endswith((".json", ".json.gz", ".jsonl", ".jsonl.gz")):
            yield from _schemapile(path, raw_sql)
        else:
            kind = "a file of another kind" if path.exists() else "no such file or folder"
            raise SourceError(f"{path}: {_EXPECTED}; found {kind}")
    except FileNotFoundError as error:
        raise SourceError(f"{error.filename or path}: no such file or folder; {_EXPECTED}") from None
    except PermissionError as error:
        raise SourceError(f"{error.filename or path}: no permission to read it") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error}") from None


def _folder(folder: Path) -> Iterator[FoundSource]:
    files = _sql_files(folder)
    if not files:
        raise SourceError(f"{folder}: the folder holds no .sql file, at any depth")
    index: dict[Path, dict[str, dict[str, str]]] = {}
    for file in files:
        rows = index.setdefault(file.parent, _index(file.parent))
        yield _sql_file(file, rows.get(file.name, {}))


def _sql_files(folder: Path) -> list[Path]:
    """Every .sql file below `folder`, by path; a folder without permission is an error, not an empty one."""

    def refuse(error: OSError) -> None:
        raise error

    return sorted(
        Path(parent) / name
        for parent, _, names in os.walk(folder, onerror=refuse)
        for name in names
        if name.lower().endswith(".sql")
    )


def _sql_file(file: Path, row: dict[str, str]) -> FoundSource:
    repository, inner, commit = row.get("repo"), row.get("path"), row.get("commit")
    url = f"https://github.com/{repository}/blob/{commit}/{quote(inner)}" if repository and inner and commit else None
    return FoundSource(
        name=file.name,
        format="sql",
        content=file.read_bytes(),
        repository=repository,
        path=inner,
        commit=commit,
        url=url,
        licence=row.get("licence"),
    )


def _index(folder: Path) -> dict[str, dict[str, str]]:
    """Rows of the folder's INDEX.tsv by file name; empty where there is none."""
    path = folder / INDEX
    if not path.exists():
        return {}
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            row["file"]: {key: value for key, value in row.items() if key and isinstance(value, str) and value}
            for row in rows
            if row.get("file")
        }


def _schemapile(path: Path, raw_sql: Path | None) -> Iterator[FoundSource]:
    import ijson

    raw = _raw_files(raw_sql) if raw_sql else {}
    read = 0
    try:
        for name, record in iter_records(path):
            yield _record(name, record, raw)
            read += 1
    except NotSchemaPile as error:
        raise SourceError(f"{path} is not SchemaPile: {error}") from None
    except (EOFError, gzip.BadGzipFile) as error:
        raise SourceError(f"{path}: the gzip file is damaged or cut off after {read} schemas: {error}") from None
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: no valid JSON after {read} schemas: {' '.join(str(error).split())}") from None


def _record(name: str, record: dict, raw: dict[tuple[str, ...], _RawFile]) -> FoundSource:
    place = origin(record)
    known = place.model_dump()
    own = (place.repository or "").lower(), (place.path or "").lower()
    file = raw.get(own) or raw.get((unquote(name).lower(),))
    if file is not None:
        tables, keys = counts(record)
        told = {"name": name, "record_tables": tables, "record_foreign_keys": keys}
        return _sql_file(file.path, file.row).model_copy(update=known | told)
    content = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return FoundSource(name=name, format="schemapile", content=content, **known)


def _raw_files(folder: Path) -> dict[tuple[str, ...], _RawFile]:
    """Raw files by (repository, path), where an index tells them, and by name, where the name is unlike the others."""
    found: dict[tuple[str, ...], _RawFile] = {}
    names: dict[str, list[_RawFile]] = {}
    for path in _sql_files(folder):
        row = _index(path.parent).get(path.name, {})
        file = _RawFile(path, row)
        if row.get("repo") and row.get("path"):
            found[row["repo"].lower(), row["path"].lower()] = file
        names.setdefault(path.name.lower(), []).append(file)
    return found | {(name,): files[0] for name, files in names.items() if len(files) == 1}
