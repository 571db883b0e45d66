"""The file of a run's episodes: one JSON line each, only ever appended to, so that a killed run loses none.

<root>/<model>/<fingerprint>/run.json  problems.json  episodes.jsonl
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from sqale_assets.evaluation.records import EpisodeRecord, Problem, Run
from sqale_assets.files import write_whole

_PROBLEMS = TypeAdapter(tuple[Problem, ...])


class EpisodeLog:
    """The episodes of one run below `root`."""

    def __init__(self, root: Path, run: Run):
        self.run = run
        self.folder = root / slug(run.model) / run.fingerprint
        self.path = self.folder / "episodes.jsonl"

    def open(self, problems: Sequence[Problem]) -> dict[tuple[str, str, str], EpisodeRecord]:
        """Begin or go on; returns the episodes that are there. A line that a kill cut off is dropped."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / "run.json", self.run.model_dump_json(indent=1).encode())
        self.note(problems)
        if not self.path.exists():
            return {}
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            write_whole(self.path, whole)
        return {record.key: record for record in _episodes(self.path)}

    def note(self, problems: Sequence[Problem]) -> None:
        """Keep what cannot be asked, in the place of what was kept before."""
        write_whole(self.folder / "problems.json", _PROBLEMS.dump_json(tuple(problems), indent=1))

    def add(self, record: EpisodeRecord) -> None:
        """Append one episode. It is on its way to the disk when this returns, whatever then happens to the process."""
        with self.path.open("ab") as file:
            file.write(record.model_dump_json().encode() + b"\n")


class Evaluated(NamedTuple):
    """A run as it stands on disk."""

    run: Run
    problems: tuple[Problem, ...]
    episodes: tuple[EpisodeRecord, ...]


def read_runs(root: Path) -> list[Evaluated]:
    """Every run below `root` that has an episode, by model and fingerprint.

    Raises:
        ValueError: a file is not one of ours; says which.
    """
    return [read_run(path.parent) for path in sorted(root.glob("*/*/episodes.jsonl")) if path.stat().st_size]


def read_run(folder: Path) -> Evaluated:
    """One run's folder. Raises ValueError as `read_runs` does."""
    try:
        run = Run.model_validate_json((folder / "run.json").read_bytes())
        problems = _PROBLEMS.validate_json((folder / "problems.json").read_bytes())
        return Evaluated(run, problems, tuple(_episodes(folder / "episodes.jsonl")))
    except (ValidationError, OSError) as error:
        raise ValueError(f"{folder}: not a run of `sqale evaluate` ({error}); delete it or evaluate again") from None


def slug(model: str) -> str:
    """A model's name as a folder's."""
    return re.sub(r"[^\w.+-]+", "_", model).strip(".") or "model"


def _episodes(path: Path) -> Iterator[EpisodeRecord]:
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield EpisodeRecord.model_validate_json(line)
