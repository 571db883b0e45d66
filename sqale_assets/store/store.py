"""Where artefacts lie: one folder per (asset, schema) on any fsspec URL, written whole or not at all.

    <root>/<asset>/<schema_id>/record.json, manifest.json, failure.json, database.sqlite

Every file is written under a temporary name and renamed. The manifest goes last and names the digests of the
others, so a build that is killed between two files leaves an artefact that reads as absent and is built again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from upath import UPath

from sqale_assets.files import alive, write_whole
from sqale_assets.records import Record
from sqale_assets.store.claim import claim
from sqale_assets.store.manifest import FailureNote, FileStamp, Manifest, digest

R = TypeVar("R", bound=Record)

SCRATCH = ".scratch"
RECORD, MANIFEST, FAILURE, DATABASE = "record.json", "manifest.json", "failure.json", "database.sqlite"


class StoreError(Exception):
    """An artefact cannot be read or written. Says which, where, and what to do."""


class Store:
    """Artefacts and manifests under `root`: a local path or an fsspec URL such as s3://bucket/prefix."""

    def __init__(self, root: str | os.PathLike[str]):
        self.root = UPath(root)
        self.is_local = isinstance(self.root, Path)

    def folder(self, asset: str, schema_id: str) -> UPath:
        return self.root / asset / schema_id

    # --- reading --------------------------------------------------------------------------------

    def manifest(self, asset: str, schema_id: str) -> Manifest | None:
        """The manifest, or None where there is none or it cannot be read (then the artefact is rebuilt)."""
        data = self._read(self.folder(asset, schema_id) / MANIFEST)
        if data is None:
            return None
        try:
            return Manifest.model_validate_json(data)
        except ValidationError:
            return None

    def record(self, record_type: type[R], asset: str, schema_id: str) -> R:
        """The record of a done artefact.

        Raises:
            StoreError: there is none, it does not match its manifest (corrupt or half-written), or it was written by
                an earlier or later sqale-assets.
        """
        path = self.folder(asset, schema_id) / RECORD
        manifest, data = self.manifest(asset, schema_id), self._read(path)
        if manifest is None or manifest.status != "done" or data is None:
            raise StoreError(f"{asset} of {schema_id} is not materialized in {self.root}; materialize it first.")
        if digest(data) != manifest.files[RECORD].sha256:
            raise _corrupt(path, asset)
        if manifest.record_version != record_type.version:
            raise StoreError(
                f"{path} was written as version {manifest.record_version} of its record, this sqale-assets reads "
                f"{record_type.version}; run `sqale build` to write it anew, or use the version that wrote it."
            )
        return record_type.model_validate_json(data)

    def intact(self, manifest: Manifest) -> bool:
        """Whether the files that the manifest names are there as it names them.

        Local files are read (a gigabyte a second); of remote ones the sizes are compared, their digests when used.
        """
        folder = self.folder(manifest.asset, manifest.schema_id)
        try:
            return all(self._matches(folder / name, stamp) for name, stamp in manifest.files.items())
        except OSError:
            return False

    def _matches(self, path: UPath, stamp: FileStamp) -> bool:
        same_size = path.stat().st_size == stamp.bytes
        return same_size and (not self.is_local or _file_digest(Path(path)) == stamp.sha256)

    def schema_ids(self, asset: str) -> list[str]:
        """The schemas that have a manifest of `asset`, sorted."""
        folder = self.root / asset
        if not folder.exists():
            return []
        return sorted(path.name for path in folder.iterdir() if (path / MANIFEST).exists())

    def failure(self, asset: str, schema_id: str) -> FailureNote | None:
        data = self._read(self.folder(asset, schema_id) / FAILURE)
        return FailureNote.model_validate_json(data) if data else None

    @contextlib.contextmanager
    def local_database(self, asset: str, schema_id: str) -> Iterator[Path]:
        """The artefact's SQLite file as a local path: in place, or a temporary copy of a remote one.

        Raises:
            StoreError: it is missing, or does not match its manifest (corrupt).
        """
        path = self.folder(asset, schema_id) / DATABASE
        manifest = self.manifest(asset, schema_id)
        if manifest is None or not path.exists():
            raise StoreError(f"{path} is missing; materialize {asset} of {schema_id} again.")
        with contextlib.ExitStack() as stack:
            if self.is_local:
                local = Path(path)
            else:
                local = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sqale-"))) / DATABASE
                local.write_bytes(path.read_bytes())
            if _file_digest(local) != manifest.files[DATABASE].sha256:
                raise _corrupt(path, asset)
            yield local

    def local_path(self, name: str) -> Path | None:
        """A folder of a local store, or None on a remote one."""
        return Path(self.root / name) if self.is_local else None

    # --- writing --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def scratch(self, asset: str, schema_id: str) -> Iterator[Path]:
        """A local folder for files in the making, on the store's disk where that is local; gone afterwards."""
        parent = None
        if self.is_local:
            parent = Path(self.root / SCRATCH / f"{socket.gethostname()}.{os.getpid()}")
            parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{asset}-{schema_id}-", dir=parent) as folder:
            yield Path(folder)

    def sweep(self) -> None:
        """Remove what killed processes of this machine left in their scratch folders."""
        for folder in self.root.glob(f"{SCRATCH}/{socket.gethostname()}.*") if self.is_local else ():
            if not alive(int(folder.name.rsplit(".", 1)[1])):
                shutil.rmtree(folder, ignore_errors=True)

    def commit(
        self, manifest: Manifest, record: Record | None = None, files: Mapping[str, Path | bytes] | None = None
    ) -> Manifest:
        """Write an artefact: files and record first, manifest last. Returns the manifest with the stamps.

        A path in `files` must lie in a `scratch` folder; it is moved into place.
        """
        folder = self.folder(manifest.asset, manifest.schema_id)
        contents = dict(files or {})
        if record is not None:
            contents[RECORD] = record.model_dump_json().encode()
            manifest = manifest.model_copy(update={"record_version": record.version})
        stamps: dict[str, FileStamp] = {}
        for name, content in contents.items():
            if isinstance(content, bytes):
                stamps[name] = FileStamp(bytes=len(content), sha256=digest(content))
                self.write(folder / name, content)
            else:
                stamps[name] = FileStamp(bytes=content.stat().st_size, sha256=_file_digest(content))
                self._put_file(folder / name, content)
        manifest = manifest.model_copy(update={"files": stamps})
        self.write(folder / MANIFEST, manifest.model_dump_json(indent=1).encode())
        self.clear_failure(manifest.asset, manifest.schema_id)
        return manifest

    def claim(self, asset: str, schema_id: str) -> contextlib.AbstractAsyncContextManager[None]:
        """Hold an artefact against the other processes on a local store; waits for whichever has it."""
        return claim(Path(self.root), f"{asset}/{schema_id}") if self.is_local else contextlib.nullcontext()

    def clear_failure(self, asset: str, schema_id: str) -> None:
        (self.folder(asset, schema_id) / FAILURE).unlink(missing_ok=True)

    def note_failure(self, note: FailureNote) -> None:
        self.write(self.folder(note.asset, note.schema_id) / FAILURE, note.model_dump_json(indent=1).encode())

    def write(self, path: UPath, data: bytes) -> None:
        """Write a file whole or not at all."""
        if not self.is_local:  # object stores put whole objects
            path.write_bytes(data)
            return
        try:
            write_whole(path, data)
        except OSError as error:
            raise StoreError(
                f"cannot write {path}: {error.strerror or error}; free space or fix permissions."
            ) from error

    @contextlib.contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """A folder of the store as a local path to read from: in place, or a temporary copy of a remote one."""
        if self.is_local:
            yield Path(self.root / name)
            return
        with tempfile.TemporaryDirectory(prefix="sqale-") as scratch:
            for path in (self.root / name).rglob("*"):
                if path.is_file():
                    local = Path(scratch) / str(path.path).split(f"/{name}/", 1)[1]
                    local.parent.mkdir(parents=True, exist_ok=True)
                    local.write_bytes(path.read_bytes())
            yield Path(scratch)

    @contextlib.contextmanager
    def local_folder(self, name: str) -> Iterator[Path]:
        """A folder of the store as a local path: in place, or on a remote store a new one, uploaded at the end."""
        if self.is_local:
            folder = Path(self.root / name)
            folder.mkdir(parents=True, exist_ok=True)
            yield folder
            return
        with tempfile.TemporaryDirectory(prefix="sqale-") as scratch:
            yield Path(scratch)
            for path in sorted(Path(scratch).rglob("*")):
                if path.is_file():
                    self._put_file(self.root / name / path.relative_to(scratch).as_posix(), path)

    def _put_file(self, path: UPath, local: Path) -> None:
        if not self.is_local:
            with local.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            local.replace(path)  # `scratch` is on the same disk
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror or error}.") from error

    @staticmethod
    def _read(path: UPath) -> bytes | None:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def _corrupt(path: UPath, asset: str) -> StoreError:
    return StoreError(f"{path} does not match its manifest: it was damaged. Materialize {asset} again, which mends it.")


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
