"""One process at a time on one artefact: two runs over the same schemas would pay twice for the same calls.

A claim is a lock on one byte of one file per store, which the operating system lets go when its holder dies, however it
dies. It holds between the processes of a machine (and over NFS), not on an object store, nor within a process, which
gives each schema to one task.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

CLAIMS = ".claims"
#: Seconds after which whoever waits looks again.
_LOOK_AGAIN = 0.2


@contextlib.asynccontextmanager
async def claim(folder: Path, artefact: str) -> AsyncIterator[None]:
    """Hold `artefact` of the store in `folder`, once no other process does."""
    file, place = _opened(folder, os.getpid()), _place(artefact)
    while not _locked(file, place):
        await asyncio.sleep(_LOOK_AGAIN)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


def _locked(file: int, place: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):  # POSIX allows both
        return False
    return True


@cache
def _opened(folder: Path, _process: int) -> int:
    """The file, opened once in a process: closing any descriptor of it would let go every claim of the process."""
    folder.mkdir(parents=True, exist_ok=True)
    return os.open(folder / CLAIMS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)


def _place(artefact: str) -> int:
    return int.from_bytes(hashlib.sha256(artefact.encode()).digest()[:7], "big")
