"""Writing the parquet data sets: streamed, in shards, complete or not at all.

A data set's folder holds `data/{train,test}-00000-of-0000N.parquet`, which `load_dataset` and the authors' loader
find by name. Same records, same bytes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqale_assets.corpus.columns import DATASETS, arrow_schema
from sqale_assets.corpus.members import Member
from sqale_assets.corpus.rows import provenance_rows, query_rows, schema_row
from sqale_assets.corpus.split import SPLITS, Split
from sqale_assets.relational.model import Model

if TYPE_CHECKING:
    import pyarrow.parquet as pq

#: A shard is closed once it holds so many bytes of uncompressed data; Hugging Face advises 300 to 500 MB compressed.
SHARD_BYTES = 1_000_000_000
#: A row group is what a reader loads at least: bounded in bytes for schemas, whose rows are large.
ROW_GROUP_BYTES = 32_000_000
ROW_GROUP_ROWS = 5_000


class PublishedFile(Model):
    """One parquet file. `path` is relative to the data set's folder, sizes on disk and in Arrow."""

    path: str
    split: Split
    rows: int
    bytes: int
    arrow_bytes: int = 0


class PublishedDataset(Model):
    """What was written for one data set."""

    name: str
    files: tuple[PublishedFile, ...]

    def rows(self, split: Split | None = None) -> int:
        """Rows of one split, or of all."""
        return sum(file.rows for file in self.files if split in (None, file.split))

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    def arrow_bytes(self, split: Split | None = None) -> int:
        """What the rows of one split, or of all, take in memory: the size that Hugging Face's cards give."""
        return sum(file.arrow_bytes for file in self.files if split in (None, file.split))


def publish_schemas(members: Iterable[Member], splits: Mapping[str, Split], folder: Path) -> PublishedDataset:
    """Write `folder`/schemas. Schemas that `splits` does not name are left out."""
    rows = ((splits[m.schema_id], schema_row(m)) for m in members if m.schema_id in splits)
    return write_dataset("schemas", rows, folder)


def publish_queries(members: Iterable[Member], splits: Mapping[str, Split], folder: Path) -> PublishedDataset:
    """Write `folder`/queries: the publishable questions of the schemas that `splits` names."""
    rows = ((splits[m.schema_id], row) for m in members if m.schema_id in splits for row in query_rows(m))
    return write_dataset("queries", rows, folder)


def publish_provenance(
    members: Iterable[Member], splits: Mapping[str, Split], clusters: Mapping[str, str], folder: Path
) -> PublishedDataset:
    """Write `folder`/provenance: one row per row of the queries."""
    rows = (
        (splits[m.schema_id], row)
        for m in members
        if m.schema_id in splits
        for row in provenance_rows(m, splits[m.schema_id], clusters[m.schema_id])
    )
    return write_dataset("provenance", rows, folder)


def write_dataset(
    name: str, rows: Iterable[tuple[Split, dict[str, Any]]], folder: Path, *, shard_bytes: int = SHARD_BYTES
) -> PublishedDataset:
    """Write the rows of a data set in one pass and put them in the place of what was there, all at once.

    Rows are (split, values of `columns`). A split without rows gets one empty file, so that readers find it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.glob(f".{name}-*"):  # of a run that was killed
        shutil.rmtree(leftover)
    made = Path(tempfile.mkdtemp(dir=folder, prefix=f".{name}-"))
    made.chmod(0o755)
    try:
        (made / "data").mkdir()
        writers = {split: _Shards(name, split, made / "data", shard_bytes) for split in SPLITS}
        for split, row in rows:
            writers[split].add(row)
        files = tuple(
            PublishedFile(
                path=f"data/{path.name}", split=split, rows=count, bytes=path.stat().st_size, arrow_bytes=size
            )
            for split, writer in writers.items()
            for path, count, size in writer.finish()
        )
        _replace(folder / name, made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return PublishedDataset(name=name, files=files)


def read_rows(folder: Path, split: Split, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of one split of a data set's folder, in order, a few at a time."""
    import pyarrow.parquet as pq

    for path in sorted((folder / "data").glob(f"{split}-*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=64, columns=columns):
            yield from batch.to_pylist()


class _Shards:
    """Writes one split's rows into numbered files; the total is part of the names, so they are given at the end."""

    def __init__(self, dataset: str, split: Split, folder: Path, shard_bytes: int):
        self.schema = arrow_schema(dataset)
        self.names = [field.name for field in DATASETS[dataset]]
        self.split, self.folder, self.shard_bytes = split, folder, shard_bytes
        self.pending: list[dict[str, Any]] = []
        self.pending_bytes = self.written_bytes = 0
        self.writer: pq.ParquetWriter | None = None
        self.counts: list[int] = []
        self.sizes: list[int] = []

    def add(self, row: dict[str, Any]) -> None:
        if row.keys() != set(self.names):
            raise ValueError(f"columns {sorted(row.keys() ^ set(self.names))} are missing or unknown")
        self.pending.append(row)
        self.pending_bytes += sum(len(value) for value in row.values() if isinstance(value, str))
        if self.pending_bytes >= ROW_GROUP_BYTES or len(self.pending) >= ROW_GROUP_ROWS:
            self._flush()

    def finish(self) -> list[tuple[Path, int, int]]:
        """Close the last file and give all their final names; returns them with their rows and bytes in memory."""
        if self.pending or not self.counts:
            self._flush()
        self._close()
        named = []
        for number, (count, size) in enumerate(zip(self.counts, self.sizes, strict=True)):
            path = self.folder / f"{self.split}-{number:05}-of-{len(self.counts):05}.parquet"
            self._part(number).rename(path)
            named.append((path, count, size))
        return named

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self.writer is None:
            self.writer = pq.ParquetWriter(self._part(len(self.counts)), self.schema, compression="zstd")
            self.counts.append(0)
            self.sizes.append(0)
        if self.pending:
            table = pa.Table.from_pylist(self.pending, schema=self.schema)
            self.writer.write_table(table)
            self.sizes[-1] += table.nbytes
        self.counts[-1] += len(self.pending)
        self.written_bytes += self.pending_bytes
        self.pending, self.pending_bytes = [], 0
        if self.written_bytes >= self.shard_bytes:
            self._close()

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer, self.written_bytes = None, 0

    def _part(self, number: int) -> Path:
        return self.folder / f"{self.split}-{number:05}.part"


def _replace(target: Path, made: Path) -> None:
    """Put `made` in the place of `target`. A rename cannot replace a folder with files, hence the step aside."""
    aside = made.with_name(f"{made.name}-old")
    if target.exists():
        target.rename(aside)
    made.rename(target)
    shutil.rmtree(aside, ignore_errors=True)
