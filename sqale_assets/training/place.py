"""Where runs lie, and the files of one.

<folder>/tasks.jsonl  selection.json      what is trained on, and why the rest is not
<folder>/databases  instances             what the tasks refer to
<output>/run.json                         what the run was started with
<output>/metrics.jsonl  checkpoint-*  final
"""

from __future__ import annotations

from pathlib import Path

import yaml

from sqale_assets.settings import Settings

TASKS, SELECTION, DATABASES, INSTANCES = "tasks.jsonl", "selection.json", "databases", "instances"
RUN, METRICS, FINAL = "run.json", "metrics.jsonl", "final"


def run_files(folder: Path) -> dict[str, Path]:
    """The settings files of runs by the run's name: the YAML files in `folder` that name a corpus."""
    files = sorted(folder.glob("*.yaml"))
    return {path.stem: path for path in files if "corpus" in (yaml.safe_load(path.read_text(encoding="utf-8")) or {})}


def training_folder(settings: Settings) -> Path:
    """The folder of all runs: beside the artefacts where the store is local, else beside Dagster's instance."""
    return (Path(settings.store) if "://" not in settings.store else settings.dagster_home.parent) / "training"
