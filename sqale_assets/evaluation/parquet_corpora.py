"""Corpora in SQaLe's parquet form: a data set of schemas with their rows, and one of questions, wherever they lie.

Files are told apart by their columns, so that our `published` folder, the two Hugging Face downloads side by side, and
files of another naming are all read. Databases are built by the authors' own loader, as every other user has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqale_assets.evaluation.items import Corpus, CorpusError, Item
from sqale_assets.records import DIFFICULTIES
from sqale_assets.stages.placeholders import is_placeholder

#: Columns that tell what a parquet file is.
_SCHEMAS = {"schema_id", "full_schema", "schema_content"}
_QUERIES = {"question_id", "schema_id", "sql", "questions", "difficulty"}
_PROVENANCE = {"question_id", "domain"}


def open_parquet(path: Path, split: str, workspace: Path) -> Corpus:
    """The split of the parquet files anywhere below `path`.

    Raises:
        CorpusError: the schemas or the questions are missing, or a file cannot be read.
    """
    schemas, queries, provenance = _files(path, split)
    known = {row.pop("question_id"): row for row in _rows(provenance, ["question_id", "domain", "discrimination"])}
    items = tuple(_item(row, known.get(row["question_id"], {})) for row in _rows(queries, sorted(_QUERIES)))
    if not items:
        raise CorpusError(f"{path}: the split {split!r} holds no question")
    return Corpus(path.resolve().name, "sqale", split, items, _Databases(schemas, workspace))


def _files(path: Path, split: str) -> tuple[list[Path], list[Path], list[Path]]:
    """The split's files of schemas, of questions, and of provenance where there is any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: dict[str, list[Path]] = {"schemas": [], "queries": [], "provenance": []}
    splits: set[str] = set()
    for file in sorted(path.rglob("*.parquet")):
        splits.add(re.split(r"[-.]", file.name)[0])
        if not re.match(rf"{re.escape(split)}[-.]", file.name):
            continue
        try:
            columns = set(pq.read_schema(file).names)
        except (pa.ArrowInvalid, OSError) as error:
            raise CorpusError(f"{file}: not a parquet file that can be read ({error})") from None
        for name, needed in (("schemas", _SCHEMAS), ("queries", _QUERIES), ("provenance", _PROVENANCE)):
            if needed <= columns:
                kinds[name].append(file)
                break
    if not any(kinds.values()):
        raise CorpusError(f"{path}: no parquet file of the split {split!r}; there are {', '.join(sorted(splits))}")
    for name, needed in (("schemas", _SCHEMAS), ("queries", _QUERIES)):
        if not kinds[name]:
            columns = ", ".join(sorted(needed))
            raise CorpusError(f"{path}: no parquet file of the split {split!r} has the columns {columns}")
    return kinds["schemas"], kinds["queries"], kinds["provenance"]


def _rows(files: list[Path], columns: list[str]) -> Iterator[dict[str, Any]]:
    """The rows of files, with those of `columns` that a file has."""
    import pyarrow.parquet as pq

    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=64, columns=columns):
            yield from batch.to_pylist()


def _item(row: dict[str, Any], known: dict[str, Any]) -> Item:
    phrasings = row["questions"]
    if isinstance(phrasings, str):
        phrasings = json.loads(phrasings)
    return Item(
        question_id=str(row["question_id"]),
        database_id=str(row["schema_id"]),
        phrasings={style: text for style, text in phrasings.items() if not is_placeholder(text)},
        sql=row["sql"],
        difficulty=row["difficulty"] if row["difficulty"] in DIFFICULTIES else None,
        domain=known.get("domain"),
        discrimination=known.get("discrimination"),
    )


class _Databases:
    """SQLite files of the schemas, each built when first asked for and kept under a name that holds its content."""

    def __init__(self, files: list[Path], workspace: Path):
        self._files, self._workspace = files, workspace
        self._places: dict[str, tuple[Path, int, int]] | None = None
        self._made: dict[str, Path] = {}

    def __call__(self, schema_id: str) -> Path:
        if schema_id not in self._made:
            self._made[schema_id] = self._build(self._row(schema_id))
        return self._made[schema_id]

    def _row(self, schema_id: str) -> dict[str, Any]:
        """One schema's row: rows are large, so only its row group is read."""
        import pyarrow.parquet as pq

        if self._places is None:
            self._places = dict(_places(self._files))
        if schema_id not in self._places:
            raise CorpusError(f"no schema {schema_id!r} in the split's {len(self._files)} file(s) of schemas")
        file, group, at = self._places[schema_id]
        table = pq.ParquetFile(file).read_row_group(group, columns=sorted(_SCHEMAS))
        return table.slice(at, 1).to_pylist()[0]

    def _build(self, row: dict[str, Any]) -> Path:
        import sqale

        content = f"{row['full_schema']}\x1f{row['schema_content']}"
        slug = re.sub(r"[^\w-]", "_", str(row["schema_id"]))[:80]
        path = self._workspace / f"{slug}-{sha256(content.encode()).hexdigest()[:12]}.sqlite"
        if not path.exists():
            self._workspace.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.unlink(missing_ok=True)
            sqale.build_database(row, unfinished).close()
            unfinished.replace(path)
        return path


def _places(files: list[Path]) -> Iterator[tuple[str, tuple[Path, int, int]]]:
    """Schema id -> file, row group and row within it; the first of equal ids last, so that it wins in a dict."""
    import pyarrow.parquet as pq

    found = []
    for file in files:
        opened = pq.ParquetFile(file)
        for group in range(opened.num_row_groups):
            ids = opened.read_row_group(group, columns=["schema_id"]).column(0).to_pylist()
            found += [(str(name), (file, group, at)) for at, name in enumerate(ids)]
    return reversed(found)
