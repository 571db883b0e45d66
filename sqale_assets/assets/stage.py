"""A stage and what it means to run it: fingerprint, skip, build, commit. Dagster does not come into it.

Each schema ends as done, rejected or failed (DESIGN section 2). The manifest's fingerprint covers everything that
decides an artefact's content, so that an unchanged schema is never computed twice.
"""

import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqale_assets.assets.work import Made, Work
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.llm.routing import stage_route
from sqale_assets.records import LlmUsage, Record, Rejected
from sqale_assets.settings import ModelStage, Settings
from sqale_assets.store import FailureNote, Manifest, Rejection, Store, StoreError, fingerprint


@dataclass(frozen=True)
class Stage:
    """A partitioned stage. `position` is its place in the pipeline, counted from 0.

    `settings` picks what of the settings decides the result; `models` are the gateway stages that it asks.
    `checks` are names of outcomes that `build` puts into `Made.checks`, with what each asserts.
    """

    name: str
    position: int
    group: str
    description: str
    upstream: tuple[str, ...]
    version: str
    record: type[Record]
    build: Callable[[Work], Awaitable[Made]]
    settings: Callable[[Settings], Any] = lambda _: None
    models: tuple[ModelStage, ...] = ()
    prompts: tuple[str, ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    kinds: frozenset[str] = frozenset({"python", "json"})


def code_version(stage: Stage, settings: Settings) -> str:
    """Version of the stage's code, of its record (the first one is not named) and of the prompts that it uses."""
    own = stage.version + (f"r{stage.record.version}" if stage.record.version > 1 else "")
    labels = [f"{name}:{load_prompt(name, settings.prompts).label}" for name in stage.prompts]
    return "+".join([own, *labels])


def inputs(
    stage: Stage, schema_id: str, settings: Settings, manifests: Mapping[str, Manifest | None]
) -> tuple[dict[str, str], Rejection | None]:
    """Everything that decides the artefact's content, and the rejection that an upstream stage passes on.

    `manifests` are those of the schema's upstream artefacts, by asset.

    Raises:
        StoreError: an upstream asset has not been materialized for this schema.
    """
    parts = {
        "code": code_version(stage, settings),
        "settings": repr(stage.settings(settings)),
        "seed": str(settings.seed),
    }
    parts |= {f"model:{model}": stage_route(settings, model).label for model in stage.models}
    rejection = None
    for name in stage.upstream:
        manifest = manifests.get(name)
        if manifest is None:
            raise StoreError(f"{stage.name} of {schema_id} needs {name}, which is missing; materialize {name} first.")
        parts[f"upstream:{name}"] = manifest.fingerprint
        rejection = rejection or manifest.rejection
    return parts, rejection


def stale_schemas(
    stages: Sequence[Stage], schema_ids: Sequence[str], settings: Settings, store: Store
) -> dict[str, set[str]]:
    """Per stage, the schemas whose artefact would be computed again: its inputs changed, or those of a stage before."""
    stale: dict[str, set[str]] = {stage.name: set() for stage in stages}
    assets = dict.fromkeys(name for stage in stages for name in (*stage.upstream, stage.name))
    for schema_id in schema_ids:
        manifests = {name: store.manifest(name, schema_id) for name in assets}
        for stage in stages:
            if (manifest := manifests[stage.name]) is None:
                continue
            try:
                parts, _ = inputs(stage, schema_id, settings, manifests)
            except StoreError:  # an upstream artefact is gone
                parts = {}
            behind = any(schema_id in stale.get(name, ()) for name in stage.upstream)
            if behind or fingerprint(parts) != manifest.fingerprint:
                stale[stage.name].add(schema_id)
    return stale


async def run_stage(stage: Stage, schema_id: str, settings: Settings, store: Store, gateway: Any) -> Manifest:
    """Bring one schema through one stage and commit it; an unchanged one is returned as it stands.

    Another process that is at work on the same artefact is waited for, and what it made is taken.
    """
    async with store.claim(stage.name, schema_id):
        upstream = {name: store.manifest(name, schema_id) for name in stage.upstream}
        parts, rejection = inputs(stage, schema_id, settings, upstream)
        mark = fingerprint(parts)
        existing = store.manifest(stage.name, schema_id)
        if existing and existing.fingerprint == mark and not settings.force and store.intact(existing):
            store.clear_failure(stage.name, schema_id)  # of an attempt with other inputs
            return existing
        try:
            return await _make(stage, schema_id, settings, store, gateway, parts, rejection)
        except Exception as error:
            previous = store.failure(stage.name, schema_id)
            attempts = previous.attempts + 1 if previous and previous.fingerprint == mark else 1
            note = FailureNote(
                asset=stage.name, schema_id=schema_id, fingerprint=mark, attempts=attempts,
                error=f"{type(error).__name__}: {error}", failed_at=_now(),
            )  # fmt: skip
            with contextlib.suppress(StoreError):  # a full disk must not hide the error itself
                store.note_failure(note)
            raise


async def _make(
    stage: Stage, schema_id: str, settings: Settings, store: Store, gateway: Any,
    parts: dict[str, str], rejection: Rejection | None,
) -> Manifest:  # fmt: skip
    started = time.perf_counter()
    made: Made | None = None
    with store.scratch(stage.name, schema_id) as scratch:
        if rejection is None:
            try:
                made = await stage.build(Work(schema_id, settings, store, gateway, scratch))
            except Rejected as decision:
                rejection = Rejection(stage=stage.name, reason=decision.reason, evidence=decision.evidence)
        manifest = Manifest(
            asset=stage.name,
            schema_id=schema_id,
            status="done" if made else "rejected",
            fingerprint=fingerprint(parts),
            inputs=parts,
            rejection=rejection,
            counts=made.counts if made else {},
            preview=made.preview if made else "",
            checks=made.checks if made else (),
            usage=getattr(made.record, "usage", LlmUsage()) if made else LlmUsage(),
            seconds=time.perf_counter() - started,
            finished_at=_now(),
        )
        return store.commit(manifest, made.record if made else None, made.files if made else None)


def note_unattempted(stage: Stage, schema_id: str, store: Store, reason: BaseException) -> None:
    """Keep why a schema's turn never came or did not end, which is no attempt: Dagster shows it failed, so must we."""
    previous = store.failure(stage.name, schema_id)
    if previous is None:
        note = FailureNote(
            asset=stage.name, schema_id=schema_id, fingerprint="", attempts=0, error=str(reason), failed_at=_now()
        )
        with contextlib.suppress(StoreError):
            store.note_failure(note)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
