"""Records of JSON files of any size, one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def records(path: Path) -> Iterator[Any]:
    """The records of a JSON list or of JSON lines.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is neither.
    """
    import ijson

    with path.open("rb") as file:
        lines = file.read(1) == b"{"
        file.seek(0)
        try:
            yield from (
                (json.loads(line) for line in file if line.strip())
                if lines
                else ijson.items(file, "item", use_float=True)
            )
        except ijson.JSONError as error:
            raise ValueError(f"{path}: not a JSON list: {error}") from error
