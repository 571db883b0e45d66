"""judge_calibration: how far the judge can be trusted, measured on the labelled pairs of `quality/judge`."""

import asyncio

import dagster as dg
from pydantic import ValidationError

from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.llm.routing import stage_route
from sqale_assets.stages.calibration import PRECISION_FALL, REFERENCE, JudgeCalibration, calibrate, drift, parse_pairs
from sqale_assets.store import Store

CALIBRATION = "judge_calibration"
_CHECK = dg.AssetCheckSpec(
    "judge_has_not_drifted",
    asset=CALIBRATION,
    description="Kappa and precision of the same judge, on the labelled pairs, against the last time (bound: kappa not "
    f"below its last interval, precision at most {PRECISION_FALL:.0%} lower)",
)


@dg.asset(
    name=CALIBRATION,
    group_name="reports",
    kinds={"python", "llm"},
    owners=["team:corpus"],
    description="Accuracy, precision and kappa of the judge model on labelled pairs, beside the paper's judge.",
    check_specs=[_CHECK],
    required_resource_keys=RESOURCES,
)
def judge_calibration(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    settings, store, gateway = (getattr(context.resources, name) for name in ("settings", "store", "gateway"))
    model = stage_route(settings, "judge").targets[0].model

    async def measure() -> dict[str, JudgeCalibration]:
        found = {}
        for path in sorted((settings.quality / "judge").glob("*.jsonl")):
            pairs = parse_pairs(path.read_text(encoding="utf-8"))
            judge = gateway.for_schema("judge", f"calibration_{path.stem}")
            found[path.stem] = await calibrate(pairs, judge, model=model)
        await gateway.aclose()
        return found

    measured = asyncio.run(measure())
    changes, bounds = [], {}
    for name, now in measured.items():
        path = store.root / CALIBRATION / f"{name}.json"
        before = _before(path)
        if before and before.model == model:
            bounds[name] = before.kappa_low
            if change := drift(now, before):
                changes.append(f"{name}: {change}")
        store.write(path, now.model_dump_json(indent=1).encode())
    return dg.MaterializeResult(
        metadata={"judge": model, "figures": dg.MetadataValue.md(_table(measured))},
        check_results=[
            dg.AssetCheckResult(
                check_name=_CHECK.name,
                passed=not changes,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={
                    "kappa": {name: each.kappa for name, each in measured.items()},
                    "bound": bounds or "none yet: this judge is measured for the first time",
                    "changes": changes,
                },
            )
        ],
    )


def read_calibration(store: Store) -> dict[str, JudgeCalibration]:
    """The figures by labelled set, as last measured; empty where they never were."""
    folder = store.root / CALIBRATION
    found = {path.stem: _before(path) for path in sorted(folder.glob("*.json"))} if folder.exists() else {}
    return {name: each for name, each in found.items() if each}


def _before(path) -> JudgeCalibration | None:
    try:
        return JudgeCalibration.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _table(measured: dict[str, JudgeCalibration]) -> str:
    rows = [
        f"| {name} | {each.pairs} | {each.accuracy:.3f} | {each.precision:.3f} | {each.recall:.3f} | {each.caught:.3f} "
        f"| {each.kappa:.2f} ({each.kappa_low:.2f} to {each.kappa_high:.2f}) |"
        for name, each in measured.items()
    ]
    rows.append(
        f"| the paper's judge | 225 | {REFERENCE['accuracy']} | {REFERENCE['precision']} | | | {REFERENCE['kappa']} |"
    )
    head = "| labelled set | pairs | accuracy | precision | recall | wrong ones caught | kappa (95%) |"
    return "\n".join([head, "|---|--:|--:|--:|--:|--:|---|", *rows])
