"""Where the shared real corpus lies, for the tests that want it: SQALE_SHARED, or `shared` beside the checkout."""

import os
from functools import lru_cache
from pathlib import Path

import pytest

from sqale_assets.relational.fidelity import Reading
from sqale_assets.relational.reader import read_sql

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CORPUS = SHARED / "corpus" / "sql"
SLICE = SHARED / "corpus" / "schemapile_slice.json"

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus of SQL files at {CORPUS}; set SQALE_SHARED")
needs_slice = pytest.mark.skipif(not SLICE.is_file(), reason=f"no SchemaPile slice at {SLICE}; set SQALE_SHARED")


@lru_cache(maxsize=1)
def corpus_readings() -> dict[str, Reading]:
    """The corpus of SQL files as read, by file name."""
    return {path.name: read_sql(path.read_bytes()) for path in sorted(CORPUS.glob("*.sql"))}
