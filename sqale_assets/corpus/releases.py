"""From one release to the next: schemas that their owners want out, and what changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from sqale_assets.corpus.publish import read_rows
from sqale_assets.corpus.split import SPLITS
from sqale_assets.records import SourceFile
from sqale_assets.relational.model import Model


class ReleaseDiff(Model):
    """What a release changed. Questions of added or removed schemas are counted with them, not listed again."""

    schemas_added: tuple[str, ...] = ()
    schemas_removed: tuple[str, ...] = ()
    schemas_changed: tuple[str, ...] = ()
    schemas_moved: tuple[str, ...] = ()
    questions_added: tuple[str, ...] = ()
    questions_removed: tuple[str, ...] = ()
    questions_changed: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not any(getattr(self, name) for name in type(self).model_fields)

    def markdown(self, most: int = 20) -> str:
        """The changes as a list, at most so many names each."""
        lines = []
        for name in type(self).model_fields:
            if found := getattr(self, name):
                more = f" and {len(found) - most:,} more" if len(found) > most else ""
                lines.append(f"- {name.replace('_', ' ')}: {len(found):,} ({', '.join(found[:most])}{more})")
        return "\n".join(lines) or "- no change"


def read_opt_outs(text: str) -> frozenset[str]:
    """The sources of an opt-out list: one URL or repository (`owner/name`) a line, `#` begins a remark."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return frozenset(_canonical(line) for line in lines if line)


def opted_out(source: SourceFile, opt_outs: frozenset[str]) -> bool:
    """Whether a source, its file or its whole repository, is on the list."""
    url, repository = _canonical(source.url or ""), _canonical(source.repository or "")
    return any(each in opt_outs for each in (url, repository) if each) or any(
        url.startswith(f"{each}/") for each in opt_outs if url
    )


class Snapshot(NamedTuple):
    """What a published folder holds: schema or question id -> split, schema id and a digest of the row."""

    schemas: Mapping[str, tuple[str, str, bytes]]
    queries: Mapping[str, tuple[str, str, bytes]]


def snapshot(folder: Path) -> Snapshot:
    """The release in `folder`. What is not there, or damaged and cannot be read, has no schemas."""
    return Snapshot(_digests(folder / "schemas", "schema_id"), _digests(folder / "queries", "question_id"))


def diff(before: Snapshot, after: Snapshot) -> ReleaseDiff:
    """What the later of two releases changed, by content."""
    (old_schemas, old), (new_schemas, new) = before, after
    added, removed = new_schemas.keys() - old_schemas.keys(), old_schemas.keys() - new_schemas.keys()
    both = old_schemas.keys() & new_schemas.keys()
    return ReleaseDiff(
        schemas_added=_sorted(added),
        schemas_removed=_sorted(removed),
        schemas_changed=_sorted(key for key in both if old_schemas[key][2] != new_schemas[key][2]),
        schemas_moved=_sorted(key for key in both if old_schemas[key][0] != new_schemas[key][0]),
        questions_added=_sorted(key for key in new.keys() - old.keys() if new[key][1] not in added),
        questions_removed=_sorted(key for key in old.keys() - new.keys() if old[key][1] not in removed),
        questions_changed=_sorted(key for key in old.keys() & new.keys() if old[key][2] != new[key][2]),
    )


def _digests(folder: Path, key: str) -> Mapping[str, tuple[str, str, bytes]]:
    found: dict[str, tuple[str, str, bytes]] = {}
    for split in SPLITS:
        with contextlib.suppress(ValueError, OSError):  # pyarrow's, of a damaged file: it is about to be written anew
            for row in read_rows(folder, split):
                digest = blake2b(repr(sorted(row.items())).encode("utf-8", "surrogatepass"), digest_size=16).digest()
                found[row[key]] = (split, row["schema_id"], digest)
    return found


def _canonical(address: str) -> str:
    """An address without protocol, query, case and trailing slash; repositories of GitHub by owner and name."""
    address = address.strip().lower().partition("?")[0].rstrip("/")
    for prefix in ("https://", "http://", "www.", "github.com/"):
        address = address.removeprefix(prefix)
    return address.removesuffix(".git")


def _sorted(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(keys))
