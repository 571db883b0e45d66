"""A source of two schemas, and what an undisturbed build over the same provider makes of them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.processes import copy_schemas, manifests, run

SCHEMAS = ("museum_collection.sql", "energy_metering.sql")


@dataclass(frozen=True)
class Undisturbed:
    """What an undisturbed build left, and the calls it took."""

    artefacts: dict[str, Any]
    calls: int


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    return copy_schemas(tmp_path_factory.mktemp("source"), SCHEMAS)


@pytest.fixture(scope="session")
def undisturbed(source, tmp_path_factory) -> Undisturbed:
    home = tmp_path_factory.mktemp("undisturbed")
    with RulesProvider() as provider:
        code, output, errors = run("build", "--source", source, "--no-publish", home=home, **provider.environment)
    assert code == 0 and "2 / 0 / 0" in output, output + errors
    return Undisturbed(artefacts(home), provider.calls)


def artefacts(home: Path) -> dict[str, Any]:
    """Every artefact: its fingerprint, the digest of its database, its record but for what it took."""
    found = {}
    for name, manifest in manifests(home).items():
        record = json.loads((home / name).with_name("record.json").read_text())
        record.pop("usage", None)
        found[name] = manifest["fingerprint"], manifest["files"].get("database.sqlite"), record
    return found


def wait_for(condition, process, seconds: float = 400) -> None:
    """Until `condition` holds, of a process that goes on meanwhile."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def assert_whole(home: Path, undisturbed: Undisturbed, finished: dict[str, dict] | None = None) -> None:
    """Nothing is lost and nothing is there twice; what was `finished` before the fault was not done again."""
    assert artefacts(home) == undisturbed.artefacts
    after = manifests(home)
    assert {name: after[name] for name in finished or ()} == (finished or {})
    assert not list((home / "store" / ".scratch").glob("*/*"))
