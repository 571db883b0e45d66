"""The catalogue: which schemas of a source are taken, under which id, from where, and why the others are not.

Sources arrive as a stream and leave as one; only hashes stay in memory. Ids hang on a schema's own name and content,
so that adding files to a source changes no id.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from sqale_assets.records import FoundSource, SourceFile
from sqale_assets.relational.licences import is_permissive, spdx_id
from sqale_assets.settings import CatalogSettings

_SLUG_LENGTH = 40
_HEX = 6  # of the content's hash, enough to tell apart files of one name; longer where two still meet

_NUMBERED = re.compile(r"\A\d+_(?=.)")
_SPDX_TAG = re.compile(rb"SPDX-License-Identifier:\s*([\w.+-]+)")
_COMMENT_OR_STRING = re.compile(
    r"'(?:[^'\\]|''|\\.)*'|--[^\n]*|#[^\n]*|/\*.*?\*/|(?P<copy>^COPY .*? FROM stdin;.*?^\\\.)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_DEFINITION = re.compile(r"\b(?:create\s+(?:\w+\s+){0,3}table|alter\s+table)\b[^;]*", re.IGNORECASE)


def catalog(source: Iterable[FoundSource], *, settings: CatalogSettings) -> Iterator[tuple[SourceFile, bytes]]:
    """Each schema of `source`, in its order, as an entry and its content; refused ones say why in `reason`.

    An exact duplicate (same bytes, or the same tables once comments, data and layout are set aside) is refused in
    favour of the first. With `settings.limit`, the stream ends after so many accepted schemas.
    """
    seen: dict[bytes, str] = {}
    ids: set[str] = set()
    licences = {spdx_id(licence) for licence in settings.licences}
    accepted = 0
    for found in source:
        digest = hashlib.sha256(found.content)
        marks = (digest.digest(), _structure(found))
        original = next((seen[mark] for mark in marks if mark in seen), None)
        schema_id = _schema_id(found.name, digest.hexdigest(), ids)
        licence = spdx_id(found.licence or _own_label(found.content))
        if original is not None:
            reason = f"duplicate of {original}"
        elif licences and licence not in licences:
            reason = f"licence {licence or 'unknown'} is not in the allow-list"
        else:
            reason = None
            accepted += 1
            ids.add(schema_id)
            seen.update(dict.fromkeys(marks, schema_id))
        yield _entry(found, schema_id, digest.hexdigest(), licence, reason), found.content
        if accepted == settings.limit:
            return


def schema_slug(name: str) -> str:
    """The readable part of a schema's id: `574956_My%20Shop.v2.sql` gives `my_shop_v2`."""
    stem = re.sub(r"\.sql\Z", "", unquote(name), flags=re.IGNORECASE)
    words = re.sub(r"[^a-z0-9]+", "_", _NUMBERED.sub("", stem).lower())
    return words.strip("_")[:_SLUG_LENGTH].strip("_") or "schema"


def _schema_id(name: str, digest: str, taken: set[str]) -> str:
    slug = schema_slug(name)
    lengths = range(_HEX, len(digest) + 1, 2)
    return next((i for i in (f"{slug}_{digest[:n]}" for n in lengths) if i not in taken), f"{slug}_{digest}")


def _entry(found: FoundSource, schema_id: str, digest: str, licence: str | None, reason: str | None) -> SourceFile:
    return SourceFile(
        schema_id=schema_id,
        name=found.name,
        format=found.format,
        sha256=digest,
        bytes=len(found.content),
        repository=found.repository,
        path=found.path,
        url=found.url,
        commit=found.commit,
        licence=licence,
        permissive=is_permissive(licence) if found.permissive is None else found.permissive,
        record_tables=found.record_tables,
        record_foreign_keys=found.record_foreign_keys,
        accepted=reason is None,
        reason=reason,
    )


def _own_label(content: bytes) -> str | None:
    """The SPDX tag at the head of the file, where it has one."""
    match = _SPDX_TAG.search(content[:2000])
    return match[1].decode() if match else None


def _structure(found: FoundSource) -> bytes:
    """A hash of what defines the tables, the same for files that differ in comments, data and layout alone."""
    text = _record_structure(found.content) if found.format == "schemapile" else _sql_structure(found.content)
    return hashlib.sha256((text or found.content.hex()).encode()).digest()


def _record_structure(content: bytes) -> str:
    """Tables, columns, types and keys of a SchemaPile record; its defaults, values and comments set aside."""

    def bare(value: object) -> object:
        if isinstance(value, dict):
            dropped = {"VALUES", "DEFAULT", "COMMENT", "IS_INDEX", "INDEXES"}
            return {key: bare(item) for key, item in value.items() if key not in dropped}
        return [bare(item) for item in value] if isinstance(value, list) else value

    return json.dumps(bare(json.loads(content).get("TABLES")), sort_keys=False)


def _sql_structure(content: bytes) -> str:
    """The CREATE TABLE and ALTER TABLE statements, without comments, strings, case and layout."""
    text = _COMMENT_OR_STRING.sub(lambda match: "''" if match[0][0] == "'" else " ", content.decode("latin-1"))
    return "\n".join(" ".join(statement.lower().split()) for statement in _DEFINITION.findall(text))
