"""Source repositories for the annotating agent: folders on disk, or a GitHub REST API.

Both are read-only. A folder is left by no path and no link; the API is asked for the default branch, so that all
schemas of a repository are described from the same state of it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from sqale_assets.settings import DomainSettings
from sqale_assets.stages.repository import Match, Repository, RepositoryError, RepositoryFile, RepositoryUnavailable

_IGNORED = frozenset({".git", "node_modules", "__pycache__", ".venv", "vendor", "target", "dist", "build"})
_MAX_FILES, _MAX_BYTES = 20_000, 1_000_000


@contextlib.asynccontextmanager
async def open_repository(name: str | None, settings: DomainSettings) -> AsyncIterator[Repository | None]:
    """The repository `owner/name` where settings know a place that has it; None otherwise.

    Raises:
        RepositoryUnavailable: the API cannot be reached or is used up; a repository that does not exist is None.
    """
    if name is None or name.count("/") != 1:
        yield None
        return
    folder = local_folder(name, settings.repositories)
    if folder is not None:
        yield LocalRepository(name, folder)
    elif settings.github_api:
        async with GitHubRepository.connect(name, settings) as repository:
            yield repository if await repository.exists() else None
    else:
        yield None


def local_folder(name: str, root: Path | None) -> Path | None:
    """The folder of a repository below `root`: owner/name or owner__name, in any case."""
    if root is None or not root.is_dir():
        return None
    owner, _, project = name.lower().partition("/")
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if folder.name.lower() == f"{owner}__{project}":
            return folder
        if folder.name.lower() == owner:
            found = (path for path in sorted(folder.iterdir()) if path.is_dir() and path.name.lower() == project)
            return next(found, None)
    return None


class LocalRepository:
    """A repository checked out in a folder."""

    evidence: Literal["repository"] = "repository"

    def __init__(self, name: str, folder: Path):
        self.name, self._root = name, folder.resolve()

    async def files(self) -> list[RepositoryFile]:
        found: list[RepositoryFile] = []
        for parent, folders, names in os.walk(self._root):
            folders[:] = sorted(folder for folder in folders if folder not in _IGNORED)
            for name in sorted(names):
                path = Path(parent) / name
                if path.is_file() and not path.is_symlink():
                    found.append(RepositoryFile(path.relative_to(self._root).as_posix(), path.stat().st_size))
            if len(found) >= _MAX_FILES:
                break
        return sorted(found[:_MAX_FILES])

    async def read(self, path: str) -> str:
        target = (self._root / path).resolve()
        if not target.is_relative_to(self._root) or not target.is_file():
            raise RepositoryError(f"no file {path!r}")
        if target.stat().st_size > _MAX_BYTES:
            raise RepositoryError(f"{path!r} is too large to read; search in it")
        return _decoded(target.read_bytes(), path)

    async def search(self, text: str, limit: int) -> list[Match]:
        wanted, found = text.lower(), []
        for file in await self.files():
            if file.size > 10 * _MAX_BYTES:
                continue
            content = (self._root / file.path).read_bytes()
            if b"\0" in content[:1024] or wanted.encode() not in content.lower():
                continue
            for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
                if wanted in line.lower():
                    found.append(Match(file.path, number, line))
                    if len(found) == limit:
                        return found
        return found


class GitHubRepository:
    """A repository behind a GitHub REST API (docs.github.com/rest: repos, git/trees, contents, search/code)."""

    evidence: Literal["github"] = "github"

    def __init__(self, name: str, session: Any, base: str):
        self.name, self._session, self._base = name, session, base.rstrip("/")
        self._files: list[RepositoryFile] | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, name: str, settings: DomainSettings) -> AsyncIterator[GitHubRepository]:
        import aiohttp

        token = os.environ.get(settings.github_token_env)
        headers = {"User-Agent": "sqale-assets", "X-GitHub-Api-Version": "2022-11-28"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        timeout = aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            yield cls(name, session, str(settings.github_api))

    async def exists(self) -> bool:
        try:
            await self._get(f"/repos/{self.name}")
        except _NotFound:
            return False
        return True

    async def files(self) -> list[RepositoryFile]:
        if self._files is None:
            tree = await self._get(f"/repos/{self.name}/git/trees/HEAD?recursive=1")
            blobs = (entry for entry in tree.get("tree", ()) if entry.get("type") == "blob")
            files = [RepositoryFile(entry["path"], entry.get("size", 0)) for entry in blobs]
            self._files = sorted(file for file in files if _IGNORED.isdisjoint(PurePosixPath(file.path).parts))
        return self._files

    async def read(self, path: str) -> str:
        size = next((file.size for file in await self.files() if file.path == path), None)
        if size is None:
            raise RepositoryError(f"no file {path!r}")
        if size > _MAX_BYTES:
            raise RepositoryError(f"{path!r} is too large to read; search in it")
        content = await self._get(
            f"/repos/{self.name}/contents/{quote(path)}", accept="application/vnd.github.raw+json"
        )
        return _decoded(content, path)

    async def search(self, text: str, limit: int) -> list[Match]:
        query = quote(f'"{text}" repo:{self.name}')
        accept = "application/vnd.github.text-match+json"
        answer = await self._get(f"/search/code?q={query}&per_page={limit}", accept=accept)
        return [
            Match(item["path"], None, line)
            for item in answer.get("items", ())
            for match in item.get("text_matches", ())
            for line in match.get("fragment", "").splitlines()
            if text.lower() in line.lower()
        ][:limit]

    async def _get(self, path: str, accept: str = "application/vnd.github+json") -> Any:
        """The answer as JSON, or as bytes where raw content was asked for."""
        import aiohttp

        try:
            async with self._session.get(self._base + path, headers={"Accept": accept}) as response:
                if response.status == 404:
                    raise _NotFound(f"{self.name}: {path.partition('?')[0]} is not there")
                used_up = response.headers.get("X-RateLimit-Remaining") == "0" or "Retry-After" in response.headers
                if response.status >= 500 or (response.status in (403, 429) and used_up):
                    told = "its rate limit is reached; wait, or set a token" if used_up else f"status {response.status}"
                    raise RepositoryUnavailable(f"{self._base}: {told}")
                if response.status >= 400:
                    raise RepositoryError(f"the server answered {response.status}")
                return await (response.read() if "raw" in accept else response.json())
        except (aiohttp.ClientError, TimeoutError) as error:
            raise RepositoryUnavailable(f"{self._base} cannot be reached: {error}") from error


class _NotFound(RepositoryError):
    pass


def _decoded(content: bytes, path: str) -> str:
    if b"\0" in content[:1024]:
        raise RepositoryError(f"{path!r} is no text file")
    return content.decode("utf-8", "replace")
