"""Schemas go through stages on their own; what fails, stops or is stopped reaches the runs as it would without."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sqale_assets.assets.outcomes import Outcomes
from sqale_assets.assets.pipeline import Pipeline, largest_first, worthwhile
from sqale_assets.assets.stage import Stage
from sqale_assets.assets.stages import STAGES
from sqale_assets.assets.stream import NotAttempted
from sqale_assets.assets.work import Made
from sqale_assets.llm.task import GatewayUnavailable
from sqale_assets.records import DomainDescription, Rejected
from sqale_assets.settings import Settings
from sqale_assets.stages.extension_size import drawn_tables
from sqale_assets.store import Store, StoreError


class Stages:
    """A first stage, two that need it and one that needs those. `acts` says what a stage does to a schema."""

    def __init__(self, folder, acts=None, **settings):
        self.settings = Settings(source=folder, store=str(folder / "store"), **settings)
        self.store, self.acts, self.log = Store(self.settings.store), acts or {}, []
        self.all = [self.stage("a", 0), self.stage("b", 1, "a"), self.stage("c", 2, "a"), self.stage("d", 3, "b", "c")]

    def stage(self, name: str, position: int, *upstream: str) -> Stage:
        async def build(work) -> Made:
            self.log.append((name, work.schema_id, "begins"))
            if act := self.acts.get((name, work.schema_id)):
                await act()
            self.log.append((name, work.schema_id, "ends"))
            return Made(
                DomainDescription(schema_id=work.schema_id, label="x", description=name, entities=(), evidence="schema")
            )

        return Stage(
            name=name, position=position, group="g", description="d", upstream=upstream, version="1",
            record=DomainDescription, build=build,
        )  # fmt: skip

    @contextmanager
    def pipeline(self, keys) -> Iterator[Outcomes]:
        outcomes = Outcomes()
        with Pipeline(self.all, keys, self.settings, self.store, None, outcomes):
            yield outcomes


def raising(error: Exception):
    async def act() -> None:
        raise error

    return act


def ends(outcomes: Outcomes, stage: str, keys) -> dict[str, object]:
    return {end.key: end.error or end.value.status for end in outcomes.finished(stage, keys)}


def test_no_schema_waits_for_another(tmp_path):
    stages, release = Stages(tmp_path), threading.Event()

    async def slow() -> None:
        await asyncio.to_thread(release.wait, 20)

    stages.acts["a", "slow"] = slow
    keys = ["quick", "slow"]
    with stages.pipeline(keys) as outcomes:
        assert ends(outcomes, "d", ["quick"]) == {"quick": "done"}  # before the slow one left the first stage
        first = next(outcomes.finished("a", ["quick"]))
        assert first.value.status == "done"
        release.set()
        assert ends(outcomes, "a", ["slow"]) == {"slow": "done"}
        assert ends(outcomes, "d", ["slow"]) == {"slow": "done"}
    order = [stage for stage, key, what in stages.log if key == "quick" and what == "ends"]
    assert order[0] == "a" and order[-1] == "d" and sorted(order) == ["a", "b", "c", "d"]


def test_stages_that_do_not_need_one_another_run_at_once(tmp_path):
    stages, met = Stages(tmp_path), []

    def meet(name):
        async def act() -> None:
            met.append(name)
            while len(met) < 2:
                await asyncio.sleep(0.01)

        return act

    stages.acts |= {("b", "x"): meet("b"), ("c", "x"): meet("c")}
    with stages.pipeline(["x"]) as outcomes:
        assert ends(outcomes, "d", ["x"]) == {"x": "done"}


def test_no_more_schemas_are_under_way_than_asked(tmp_path):
    stages, under_way, most = Stages(tmp_path, schemas_in_flight=2), 0, 0

    async def act() -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1

    keys = [f"k{number}" for number in range(7)]
    stages.acts |= {("a", key): act for key in keys}
    with stages.pipeline(keys) as outcomes:
        assert set(ends(outcomes, "d", keys).values()) == {"done"}
    assert most == 2


def test_a_failed_or_rejected_schema_does_not_keep_the_others(tmp_path):
    stages = Stages(tmp_path)
    stages.acts |= {("a", "bad"): raising(ValueError("boom")), ("b", "unfit"): raising(Rejected("no_tables", "none"))}
    keys = ["bad", "good", "unfit"]
    with stages.pipeline(keys) as outcomes:
        first, last = ends(outcomes, "a", keys), ends(outcomes, "d", keys)
    assert str(first.pop("bad")) == "boom" and first == {"good": "done", "unfit": "done"}
    missing = last.pop("bad")
    assert isinstance(missing, StoreError) and "materialize" in str(missing)
    assert last == {"good": "done", "unfit": "rejected"}
    assert stages.store.failure("a", "bad").attempts == 1


def test_nothing_is_begun_once_no_call_can_be_made(tmp_path):
    stages = Stages(tmp_path, schemas_in_flight=1)
    stages.acts["b", "k1"] = raising(GatewayUnavailable("the provider is down"))
    keys = ["k0", "k1", "k2", "k3"]
    with stages.pipeline(keys) as outcomes:
        ended = {end.key: end for end in outcomes.finished("b", keys)}
    assert ended["k0"].value and ended["k1"].stops
    assert all(isinstance(ended[key].error, NotAttempted) and "down" in str(ended[key].error) for key in ("k2", "k3"))
    assert {key for _, key, _ in stages.log} == {"k0", "k1"}


def test_what_is_done_is_not_done_again(tmp_path):
    stages, keys = Stages(tmp_path), ["k0", "k1"]
    for expected in (16, 0):
        stages.log.clear()
        with stages.pipeline(keys) as outcomes:
            assert [set(ends(outcomes, stage.name, keys).values()) for stage in stages.all] == [{"done"}] * 4
        assert len(stages.log) == expected


def test_leaving_it_cancels_what_is_under_way(tmp_path):
    stages, begun, cancelled = Stages(tmp_path), threading.Event(), []

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    stages.acts["a", "k0"] = endless
    started = time.monotonic()
    with stages.pipeline(["k0", "k1"]):
        assert begun.wait(20)
    assert cancelled and time.monotonic() - started < 25
    assert stages.store.manifest("a", "k0") is None and stages.store.failure("a", "k0") is None


def test_a_fault_of_its_own_is_not_waited_for_for_ever(tmp_path):
    class Broken:
        async def aclose(self) -> None:
            raise RuntimeError("the ledger cannot be written")

    stages = Stages(tmp_path)
    outcomes = Outcomes()
    pipeline = Pipeline(stages.all, [], stages.settings, stages.store, Broken(), outcomes)
    with pipeline, pytest.raises(RuntimeError, match="ledger"):
        list(outcomes.finished("a", ["k0"]))


def test_it_is_for_remote_models():
    assert not worthwhile(STAGES, Settings())
    assert worthwhile(STAGES, Settings(models={"answer": {"model": "openai/gpt-4o-mini"}}))


def test_the_largest_begin_first_in_each_range_with_small_ones_among_them():
    settings = Settings(partitions_per_run=6)
    keys = [f"k{number}" for number in range(10)]
    ordered = largest_first(keys, settings)
    assert sorted(ordered[:6]) == keys[:6] and sorted(ordered[6:]) == sorted(keys[6:])
    sizes = [drawn_tables(key, settings.extension, settings.seed) for key in ordered]
    for round_ in (sizes[:3], sizes[3:6], sizes[6:8], sizes[8:]):
        assert round_ == sorted(round_, reverse=True)
    assert sizes[0] == max(sizes[:6]) and min(sizes[:3]) < max(sizes[3:6])
