"""SIGKILL to each process of a build that was launched in the UI, and to all of them at once."""

import time

import pytest

from sqale_assets_tests.dagster_api import STAGES
from sqale_assets_tests.faults.conftest import artefacts
from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.faults.services import Services
from sqale_assets_tests.processes import manifests

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("victim", ["web", "daemon", "run worker", "machine"])
def test_a_backfill_outlives_whatever_is_killed(victim, source, undisturbed, tmp_path):
    with RulesProvider(latency=0.1) as provider:
        services = Services(source, tmp_path, **provider.environment)
        try:
            services.start("web", "daemon")
            backfill, keys = services.build()
            services.wait_until(lambda: provider.calls >= undisturbed.calls // 3 and provider.in_flight, 400)
            in_flight, finished = provider.in_flight, manifests(tmp_path)
            services.kill(victim)
            killed = time.monotonic()
            if victim in ("web", "daemon"):
                services.start(victim)
            elif victim == "machine":
                services.start("web", "daemon")
            status = services.wait_until(lambda: services.api.backfill_status(backfill), 600)
            took = time.monotonic() - killed
            for stage in STAGES:
                stats = services.api.partition_stats(stage)
                assert stats == {"numMaterialized": len(keys), "numFailed": 0, "numPartitions": len(keys)}, stage
        finally:
            services.stop()
    print(f"{victim}: {status} {took:.0f} s later; {provider.calls} calls, {provider.wasted} of them again")
    assert status == "COMPLETED_SUCCESS"
    assert provider.wasted <= (in_flight if victim in ("run worker", "machine") else 0)
    assert artefacts(tmp_path) == undisturbed.artefacts
    after = manifests(tmp_path)
    assert {name: after[name] for name in finished} == finished
