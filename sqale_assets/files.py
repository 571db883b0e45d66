"""What the operating system is asked for by every package: files written whole, a full disk told, who is alive.

Nothing of ours is imported here.
"""

from __future__ import annotations

import errno
import os
import uuid
from pathlib import Path

#: How SQLite and its wrappers say that no more can be written.
_FULL = ("disk is full", "disk I/O error", "No space left on device", "Disk quota exceeded")


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


def disk_trouble(error: BaseException | None) -> str:
    """What a full or broken disk said, wherever in the chain of causes of `error`; empty if it was none.

    Dagster's storage, SQLite and litellm each wrap it in whatever they were doing.
    """
    while error is not None:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or any(sign in str(error) for sign in _FULL):
            return str(error)
        error = error.__cause__ or error.__context__
    return ""


def alive(pid: int) -> bool:
    """Whether there is such a process on this machine. One that got a dead one's number only holds back room."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
