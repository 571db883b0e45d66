"""SIGKILL to each process of a build that was launched in the UI, one after the other, and at last to all at once."""

import time

import pytest

from sqale_assets_tests.dagster_api import STAGES
from sqale_assets_tests.faults.conftest import artefacts
from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.faults.services import Services
from sqale_assets_tests.processes import manifests

VICTIMS = ("web", "daemon", "run worker", "machine")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_backfill_outlives_whatever_is_killed(source, undisturbed, tmp_path):
    finished, calls, may_be_wasted = {}, 0, 0
    with RulesProvider(latency=1.0) as provider:  # so slow that every kill meets a run at work
        services = Services(source, tmp_path, **provider.environment)
        try:
            services.start("web", "daemon")
            backfill, keys = services.build()
            for victim in VICTIMS:
                provider.watch()
                services.wait_until(
                    lambda calls=calls: provider.calls > calls and provider.in_flight and services.at_work(), 900
                )
                finished |= manifests(tmp_path)
                if victim in ("run worker", "machine"):
                    may_be_wasted += provider.peak  # a reply that was sent may not have been read yet
                killed = time.monotonic()
                services.kill(victim)
                services.start(*(["web", "daemon"] if victim == "machine" else {victim} & {"web", "daemon"}))
                calls = provider.calls + 2
                print(
                    f"{victim} killed after {provider.calls} calls, there again {time.monotonic() - killed:.0f} s later"
                )
            status = services.wait_until(lambda: services.api.backfill_status(backfill), 1800)
            print(f"{status} {time.monotonic() - killed:.0f} s after the last")
            for stage in STAGES:
                stats = services.api.partition_stats(stage)
                assert stats == {"numMaterialized": len(keys), "numFailed": 0, "numPartitions": len(keys)}, stage
        finally:
            services.stop()
    print(f"{provider.calls} calls for {undisturbed.calls}, {provider.wasted} of them again, {may_be_wasted} in flight")
    assert status == "COMPLETED_SUCCESS"
    assert provider.wasted <= may_be_wasted
    assert artefacts(tmp_path) == undisturbed.artefacts
    after = manifests(tmp_path)
    assert finished and {name: after[name] for name in finished} == finished
