"""Pushing a release to a Hugging Face endpoint. Endpoint and token come from HF_ENDPOINT and HF_TOKEN."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sqale_assets.relational.model import Model

HUGGING_FACE = "https://huggingface.co"
#: What of a published folder goes up, in this order; leftovers and notes of our own stay here.
_PATTERNS = ("README.md", "CHANGES.md", "croissant.json", "*/data/*.parquet")


class PushedFile(Model):
    """A file of the release. `path` is its path in the repository, `bytes` its size."""

    path: str
    bytes: int


class Push(Model):
    """What went up, or in a dry run would go. `removed` are files of the repository that the release no longer has."""

    repo: str
    endpoint: str
    files: tuple[PushedFile, ...]
    removed: tuple[str, ...] = ()
    commit: str | None = None

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


class PushError(Exception):
    """The release cannot be pushed. Says why, and what to do."""


def push(folder: Path, repo: str, *, private: bool = True, dry_run: bool = False, message: str = "New release") -> Push:
    """Push the release in `folder` to the dataset repository `repo` ("owner/name") in one commit.

    The repository is created if there is none; shards of an earlier release that are gone are removed with it. A dry
    run makes no request.

    Raises:
        PushError: the folder holds no release, there is no token, or the endpoint refused.
    """
    endpoint = os.environ.get("HF_ENDPOINT") or HUGGING_FACE
    files = tuple(PushedFile(path=path, bytes=(folder / path).stat().st_size) for path in _release_files(folder))
    if not any(file.path.endswith(".parquet") for file in files):
        raise PushError(f"{folder} holds no published data sets; materialize published_queries first.")
    if not any(file.path == "README.md" for file in files):
        raise PushError(f"{folder} has no README.md, the dataset card; materialize dataset_card first.")
    if dry_run:
        return Push(repo=repo, endpoint=endpoint, files=files)
    token = os.environ.get("HF_TOKEN")
    if not token:
        raise PushError("HF_TOKEN is not set; create a token with write access and set it.")
    return _pushed(folder, repo, endpoint, token, files, private, message)


def _pushed(
    folder: Path, repo: str, endpoint: str, token: str, files: tuple[PushedFile, ...], private: bool, message: str
) -> Push:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError

    # Which HTTP library is underneath depends on the version; its base error is the first base of the hub's own.
    unreachable = HfHubHTTPError.__bases__[0]
    # Xet storage is Hugging Face's own, and the client would try nothing else; other endpoints speak git LFS.
    constants.HF_HUB_DISABLE_XET = endpoint != HUGGING_FACE
    api = HfApi(endpoint=endpoint, token=token)
    try:
        api.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
        ours = {file.path for file in files}
        gone = [path for path in api.list_repo_files(repo, repo_type="dataset") if _is_shard(path) and path not in ours]
        operations = [CommitOperationAdd(path, folder / path) for path in sorted(ours)]
        removals = [CommitOperationDelete(path) for path in gone]
        changes = folder / "CHANGES.md"
        described = changes.read_text(encoding="utf-8") if changes.exists() else None
        commit = api.create_commit(
            repo, [*operations, *removals], commit_message=message, commit_description=described, repo_type="dataset"
        )
    except HfHubHTTPError as error:
        raise PushError(f"{endpoint} refused: {error}") from error
    except unreachable as error:
        raise PushError(f"{endpoint} cannot be reached: {error}") from error
    except (RuntimeError, ValueError, OSError) as error:  # a file's upload broke off, or the repository's name is none
        raise PushError(f"the push to {endpoint} failed: {error}{_cause(error)}; nothing was committed.") from error
    return Push(repo=repo, endpoint=endpoint, files=files, removed=tuple(gone), commit=commit.oid)


def _cause(error: BaseException) -> str:
    return f" ({error.__cause__})" if error.__cause__ else ""


def _release_files(folder: Path) -> Iterator[str]:
    for pattern in _PATTERNS:
        yield from sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern))


def _is_shard(path: str) -> bool:
    return path.endswith(".parquet") and path.count("/") == 2 and path.split("/")[1] == "data"
