"""A source of three schemas, and what an undisturbed build over the same provider makes of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.processes import copy_schemas, manifests, published, run


@dataclass(frozen=True)
class Undisturbed:
    """An undisturbed build: the published files, the fingerprints of all artefacts, the calls it took."""

    published: dict[str, bytes]
    fingerprints: dict[str, str]
    calls: int


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    return copy_schemas(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="session")
def undisturbed(source, tmp_path_factory) -> Undisturbed:
    home = tmp_path_factory.mktemp("undisturbed")
    with RulesProvider() as provider:
        code, output, errors = run("build", "--source", source, home=home, **provider.environment)
    assert code == 0 and "3 / 0 / 0" in output, output + errors
    return Undisturbed(published(home), fingerprints(home), provider.calls)


def fingerprints(home: Path) -> dict[str, str]:
    """Every artefact's fingerprint and the digests of its files, but for records, which tell how long they took."""
    return {name: (each["fingerprint"], each["files"].get("database.sqlite")) for name, each in manifests(home).items()}


def wait_for(condition, process, seconds: float = 240) -> None:
    """Until `condition` holds, of a process that goes on meanwhile."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def assert_whole(home: Path, undisturbed: Undisturbed, finished: dict[str, dict] | None = None) -> None:
    """Nothing is lost and nothing is there twice; what was `finished` before the fault was not done again."""
    assert fingerprints(home) == undisturbed.fingerprints
    assert published(home) == undisturbed.published
    after = manifests(home)
    assert {name: after[name] for name in finished or ()} == (finished or {})
    assert not list((home / "store" / ".scratch").glob("*/*"))
