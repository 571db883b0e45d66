"""The provider goes away and comes back, and one that fails a fifth of its calls at random."""

import random
import time

import pytest

from sqale_assets_tests.faults.conftest import assert_whole, wait_for
from sqale_assets_tests.faults.provider import RulesProvider
from sqale_assets_tests.llm.server import rate_limited, status
from sqale_assets_tests.processes import manifests, run, sqale

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_provider_that_is_down_ends_the_run_within_a_minute_and_nothing_is_lost(source, undisturbed, tmp_path):
    """How long it is down does not matter: after some twenty seconds without any success no more is asked."""
    with RulesProvider(latency=0.1) as provider:
        build = sqale("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment)
        wait_for(lambda: provider.calls >= undisturbed.calls // 2, build)
        in_flight = provider.in_flight
        provider.stop()
        stopped = time.monotonic()
        output, errors = build.communicate(timeout=300)
        took = time.monotonic() - stopped
        assert build.returncode == 1 and "run again to resume" in errors.replace("\n", " "), output + errors
        assert "Traceback" not in output + errors
        assert took < 60, f"{took:.0f} s"
        finished = manifests(tmp_path)
        assert finished

        provider.start()
        code, output, errors = run("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment)
    assert code == 0, output + errors
    print(f"ended after {took:.0f} s; {provider.calls} calls for {undisturbed.calls}, {provider.wasted} of them again")
    assert provider.wasted <= in_flight
    assert_whole(tmp_path, undisturbed, finished)


def test_a_fifth_of_the_calls_failing_at_random_keeps_nothing_from_completing(source, undisturbed, tmp_path):
    draw = random.Random(0)
    kinds = [rate_limited(), rate_limited(0.2), status(500), status(503)]
    with RulesProvider(faults=lambda _: draw.choice(kinds) if draw.random() < 0.2 else None) as provider:
        code, output, errors = run("build", "--source", source, "--no-publish", home=tmp_path, **provider.environment)
    assert code == 0 and "2 / 0 / 0" in output, output + errors
    print(f"{provider.rejected} of {provider.calls + provider.rejected} calls failed")
    assert provider.rejected > 0.1 * provider.calls and provider.wasted == 0
    assert_whole(tmp_path, undisturbed)
