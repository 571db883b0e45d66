"""Where evaluations lie: beside the artefacts where the store is local, else beside Dagster's instance."""

from __future__ import annotations

from pathlib import Path

from sqale_assets.settings import Settings


def evaluation_folder(settings: Settings) -> Path:
    """The folder of runs, built databases and the report. Episodes are appended to, which object stores cannot do."""
    return (Path(settings.store) if "://" not in settings.store else settings.dagster_home.parent) / "evaluation"
