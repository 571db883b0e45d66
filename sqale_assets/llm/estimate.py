"""What a build will take, before anything is spent: calls, tokens, money and hours per stage.

Calls per schema and tokens per call come from the store's own ledger where a stage has been measured with
its model (else with another; offline rules count: their prompts are the same), else from averages measured
on the sample. The judge's calibration is the same number of calls for any source, and a line of its own.
Money comes from the model's price, time from the ledger's own latencies or an assumed speed. The first
forecast of a store is kept, so that it can be held against what the run then took.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from sqale_assets.llm.ledger import read_ledger
from sqale_assets.llm.prices import price
from sqale_assets.llm.routing import STAGES, stage_routes
from sqale_assets.settings import OFFLINE_MODEL, ModelStage, Settings

if TYPE_CHECKING:
    from upath import UPath

#: Schemas that a stage must have been measured on before its own figures are believed.
ENOUGH_SCHEMAS = 3
#: Assumed where a model was never measured: seconds before the first token, and tokens per second.
FIRST_TOKEN, TOKENS_PER_SECOND = 1.0, 50.0

#: Measured on the sample (12 schemas, 2,035 calls, offline rules at four characters per token): calls
#: per unit of work (extension call, table, question) and tokens in and out per call. Language models
#: answer at greater length than the rules, so a first few schemas with the real model say more.
CALLS_PER_UNIT = {"extend": 1.25, "populate": 0.91, "question": 0.34, "style": 1.82, "answer": 5.2, "judge": 1.03}
TOKENS_PER_CALL: dict[ModelStage, tuple[int, int]] = {
    "domain": (1545, 79),
    "extend": (1735, 540),
    "populate": (949, 285),
    "question": (2516, 160),
    "style": (575, 207),
    "answer": (1059, 50),
    "judge": (1236, 15),
}

#: the judge's labelled pairs: how they are called in the forecast, and where in the ledger they stand for a schema
CALIBRATION = "calibration"
LINES = (*STAGES, CALIBRATION)

_COLUMNS = ["stage", "schema_id", "model", "outcome", "cached", "tokens_in", "tokens_out", "cost", "seconds"]


class StageFigures(BaseModel):
    """One stage: sums over its schemas. `dollars` None: no known price. `hours` with the route's calls in flight."""

    model_config = ConfigDict(frozen=True)

    model: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = 0.0
    hours: float = 0.0


class Forecast(BaseModel):
    """Figures per line (a stage or the calibration) for `schemas` schemas. `measured`: averages from the ledger."""

    model_config = ConfigDict(frozen=True)

    schemas: int
    stages: dict[str, StageFigures]
    measured: tuple[ModelStage, ...] = ()


class _Average(BaseModel):
    calls_per_schema: float
    tokens_in: float
    tokens_out: float


def forecast(settings: Settings, schemas: int, ledger: UPath, *, source_tables: float = 10.6) -> Forecast:
    """What `schemas` schemas of `source_tables` tables on average will take with the models and sizes of `settings`."""
    routes = stage_routes(settings)
    targets = {stage: route.targets[0] for stage, route in routes.items()}
    measured, seconds = _measured(ledger, {stage: target.model for stage, target in targets.items()})
    averages = _sample_averages(settings, source_tables) | measured

    def figures(stage: ModelStage, calls: int) -> StageFigures:
        average, target = averages[stage], targets[stage]
        tokens_in, tokens_out = round(calls * average.tokens_in), round(calls * average.tokens_out)
        prices = price(target)
        assumed = FIRST_TOKEN + average.tokens_out / TOKENS_PER_SECOND
        each = 0.0 if target.offline else seconds.get(target.model, assumed)
        return StageFigures(
            model=target.model,
            calls=calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            dollars=None if prices is None else tokens_in * prices[0] + tokens_out * prices[1],
            hours=calls * each / target.concurrency / 3600,
        )

    stages = {stage: figures(stage, math.ceil(averages[stage].calls_per_schema * schemas)) for stage in STAGES}
    return Forecast(
        schemas=schemas,
        stages={**stages, CALIBRATION: figures("judge", _labelled_pairs(settings))},
        measured=tuple(stage for stage in STAGES if stage in measured),
    )


def _labelled_pairs(settings: Settings) -> int:
    return sum(
        bool(line.strip())
        for path in (settings.quality / "judge").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    )


def actual(settings: Settings, ledger: UPath) -> Forecast:
    """What the store's runs took so far with the models of `settings`; replies from the cache took nothing."""
    targets = {stage: route.targets[0] for stage, route in stage_routes(settings).items()}
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0.0, 0.0])
    schemas = set()
    for row in read_ledger(ledger, _COLUMNS).to_pylist():
        target = targets.get(row["stage"])
        if not target or row["model"] != target.model or row["cached"] or row["outcome"] not in ("ok", "invalid"):
            continue
        line = _line(row)
        if line != CALIBRATION:
            schemas.add(row["schema_id"])
        amounts = (1, row["tokens_in"], row["tokens_out"], row["cost"], row["seconds"])
        sums[line] = [total + amount for total, amount in zip(sums[line], amounts, strict=True)]
    targets[CALIBRATION] = targets["judge"]
    return Forecast(
        schemas=len(schemas),
        stages={
            line: StageFigures(
                model=targets[line].model,
                calls=int(calls),
                tokens_in=int(tokens_in),
                tokens_out=int(tokens_out),
                dollars=dollars,
                hours=seconds / targets[line].concurrency / 3600,
            )
            for line, (calls, tokens_in, tokens_out, dollars, seconds) in sums.items()
        },
    )


def _line(row: dict[str, Any]) -> str:
    return CALIBRATION if row["schema_id"].startswith(f"{CALIBRATION}_") else row["stage"]


def keep_first(made: Forecast, path: UPath) -> Forecast:
    """The forecast kept at `path`, if it is for the same models and schemas; else `made`, kept there from now on."""
    if path.exists():
        kept = Forecast.model_validate_json(path.read_bytes())
        if kept.schemas == made.schemas and _models(kept) == _models(made):
            return kept
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.model_dump_json(indent=1).encode())
    return made


def _models(made: Forecast) -> dict[str, str]:
    return {stage: figures.model for stage, figures in made.stages.items()}


def _measured(ledger: UPath, models: dict[ModelStage, str]) -> tuple[dict[ModelStage, _Average], dict[str, float]]:
    """Averages of the stages measured on enough schemas, and seconds per call of each model."""
    schemas: dict[tuple[str, str], set[str]] = defaultdict(set)
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    waits: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
    for row in read_ledger(ledger, _COLUMNS).to_pylist():
        if row["outcome"] not in ("ok", "invalid") or row["cached"] or _line(row) == CALIBRATION:
            continue
        key = row["stage"], row["model"]
        schemas[key].add(row["schema_id"])
        sums[key] = [sums[key][0] + 1, sums[key][1] + row["tokens_in"], sums[key][2] + row["tokens_out"]]
        waits[row["model"]] = [waits[row["model"]][0] + 1, waits[row["model"]][1] + row["seconds"]]
    averages: dict[ModelStage, _Average] = {}
    for stage, model in models.items():
        enough = [key for key, found in schemas.items() if key[0] == stage and len(found) >= ENOUGH_SCHEMAS]
        if enough:
            key = max(enough, key=lambda key: (key[1] == model, len(schemas[key]), key))
            calls, tokens_in, tokens_out = sums[key]
            averages[stage] = _Average(
                calls_per_schema=calls / len(schemas[key]), tokens_in=tokens_in / calls, tokens_out=tokens_out / calls
            )
    return averages, {model: seconds / calls for model, (calls, seconds) in waits.items() if model != OFFLINE_MODEL}


def _sample_averages(settings: Settings, source_tables: float) -> dict[ModelStage, _Average]:
    """Calls per schema follow from the sizes asked for, tokens per call are the sample's."""
    extension = settings.extension
    wanted = extension.median_tables - source_tables if extension.extra_tables is None else extension.extra_tables
    added = max(0.0, wanted)
    units: dict[ModelStage, float] = {
        "extend": math.ceil(added / extension.tables_per_call),
        "populate": source_tables + added,
        **dict.fromkeys(("question", "style", "answer", "judge"), settings.questions.per_schema),
    }
    return {
        stage: _Average(
            calls_per_schema=units.get(stage, 1) * CALLS_PER_UNIT.get(stage, 1),
            tokens_in=tokens[0],
            tokens_out=tokens[1],
        )
        for stage, tokens in TOKENS_PER_CALL.items()
    }
