"""Local files written whole or not at all. Nothing of ours is imported here, so that every package may use it."""

from __future__ import annotations

import uuid
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old or the new one, in a folder that is made if it is not there.

    Raises:
        OSError: it cannot be written; what was there before is left as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".partial-{uuid.uuid4().hex}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
