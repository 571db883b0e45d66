"""Opening a corpus: which form it has, and its split as items.

Known are parquet folders with the columns of the published SQaLe (ours and theirs), and folders in the form of BIRD
or Spider. What cannot be read is a CorpusError that names the path.
"""

from __future__ import annotations

from pathlib import Path

from sqale_assets.evaluation.items import Corpus, CorpusError
from sqale_assets.evaluation.json_corpora import open_json
from sqale_assets.evaluation.parquet_corpora import open_parquet

FORMS = "a folder of parquet files with SQaLe's columns, or one with BIRD's or Spider's <split>.json and databases"


def open_corpus(path: Path, split: str, workspace: Path) -> Corpus:
    """The split of the corpus at `path`. Databases that have to be made go into `workspace`.

    Raises:
        CorpusError: nothing there, of no known form, or without that split.
    """
    if not path.is_dir():
        kind = "a file" if path.exists() else "nothing"
        raise CorpusError(f"{path}: expected {FORMS}; found {kind}")
    if any(path.rglob("*.parquet")):
        return open_parquet(path, split, workspace)
    if any(path.glob("*.json")):
        return open_json(path, split)
    found = ", ".join(sorted(each.name for each in path.iterdir())[:8]) or "an empty folder"
    raise CorpusError(f"{path}: expected {FORMS}; found {found}")
