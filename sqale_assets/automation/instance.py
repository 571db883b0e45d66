"""The Dagster instance of a store: where DAGSTER_HOME says, else beside the artefacts."""

from __future__ import annotations

import os
import shutil

import dagster as dg

from sqale_assets.settings import REPOSITORY, Settings


def set_dagster_home(settings: Settings) -> str:
    """Point DAGSTER_HOME at the store's instance unless the user has set it; returns the folder."""
    if not os.environ.get("DAGSTER_HOME"):
        home = settings.dagster_home.resolve()
        home.mkdir(parents=True, exist_ok=True)
        if not (home / "dagster.yaml").exists():
            shutil.copy(REPOSITORY / "dagster.yaml", home / "dagster.yaml")
        os.environ["DAGSTER_HOME"] = str(home)
    return os.environ["DAGSTER_HOME"]


def open_instance(settings: Settings) -> dg.DagsterInstance:
    set_dagster_home(settings)
    return dg.DagsterInstance.get()
