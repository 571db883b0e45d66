"""Checks of the published data sets, read back from the parquet files themselves."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import dagster as dg

from sqale_assets.assets.published import HELD_OUT, LEAKS, PUBLISHED, VERIFICATION
from sqale_assets.corpus.leaks import HeldOutReport, LeakItem, LeakReport, find_leaks
from sqale_assets.corpus.publish import read_rows
from sqale_assets.corpus.split import SPLITS, Split
from sqale_assets.corpus.verify import differences_by_kind, verify
from sqale_assets.records import STYLES
from sqale_assets.stages.gold_phrasings import misfits
from sqale_assets.statistics.local import local_pairs


@dg.asset_check(
    asset="published_queries",
    name="loader_verification",
    additional_deps=["published_schemas"],
    description="The authors' loader rebuilds every table and row, and every gold query gives its published result "
    "(bound: 0 differences, score of the gold queries 1.0).",
    required_resource_keys={"store"},
)
def loader_verification(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    store = context.op_execution_context.resources.store
    with store.local_copy(PUBLISHED) as folder:
        result = verify(folder)
    store.write(store.root / PUBLISHED / VERIFICATION, result.model_dump_json(indent=1).encode())
    return dg.AssetCheckResult(
        passed=result.passed,
        metadata={
            "loader": result.loader,
            "schemas": result.schemas,
            "tables": result.tables,
            "rows": result.rows,
            "questions": result.questions,
            "gold_score": result.gold_score,
            "differences": result.difference_count,
            "bound": "0 differences, score 1.0",
            "kinds": differences_by_kind(result),
            "sample": [f"{item.schema_id} {item.kind}: {item.detail}"[:300] for item in result.differences[:10]],
        },
    )


@dg.asset_check(
    asset="published_queries",
    name="phrasings_fit_gold",
    description="Every phrasing says the constants that its gold query compares with, where its style keeps values; "
    "the evidence speaks of what the query reads (bound: 100%). Questions held back for it are in the quarantine.",
    required_resource_keys={"store"},
)
def phrasings_fit_gold(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    wrong: list[str] = []
    questions, faulty = 0, Counter[str]()
    with context.op_execution_context.resources.store.local_copy(PUBLISHED) as folder:
        for split in SPLITS:
            for row in read_rows(folder / "queries", split, ["question_id", "questions", "sql"]):
                found = misfits(row["questions"], row["sql"])
                questions += 1
                faulty.update({each.partition(":")[0] for each in found})
                wrong += [f"{row['question_id']} {each}" for each in found]
    return dg.AssetCheckResult(
        passed=not wrong,
        metadata={
            "questions": questions,
            **{style: 1 - faulty[style] / questions if questions else 1.0 for style in STYLES},
            "bound": 1.0,
            "misfits": wrong[:20],
        },
    )


@dg.asset_check(
    asset="published_provenance",
    name="clusters_not_split",
    description="Clusters of near-duplicate schemas with members in both train and test (bound: 0).",
    required_resource_keys={"store"},
)
def clusters_not_split(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    seen = defaultdict(set)
    with context.op_execution_context.resources.store.local_copy(PUBLISHED) as folder:
        for split in SPLITS:
            for row in read_rows(folder / "provenance", split, ["cluster"]):
                seen[row["cluster"]].add(split)
    crossing = sorted(cluster for cluster, splits in seen.items() if len(splits) > 1)
    return dg.AssetCheckResult(
        passed=not crossing,
        metadata={"clusters": len(seen), "crossing": len(crossing), "bound": 0, "which": crossing[:20]},
    )


@dg.asset_check(
    asset="published_queries",
    name="no_leak_into_test",
    description="Test questions that stand, with their SQL, in the training set as a near duplicate (bound: 0).",
    required_resource_keys={"store"},
)
def no_leak_into_test(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    store = context.op_execution_context.resources.store
    with store.local_copy(PUBLISHED) as folder:
        report = find_leaks(_items(folder, "train"), list(_items(folder, "test")))
    store.write(store.root / PUBLISHED / LEAKS, report.model_dump_json(indent=1).encode())
    return dg.AssetCheckResult(passed=report.leaked_both == 0, metadata=_leaks_found(report))


@dg.asset_check(
    asset="published_queries",
    name="no_leak_into_held_out",
    description="Questions of held-out sets that stand, with their SQL, in the corpus as near duplicates (bound: 0). "
    "The sets are the `references` in the settings with `held_out: true`.",
    required_resource_keys={"store", "settings"},
)
def no_leak_into_held_out(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    resources = context.op_execution_context.resources
    store, reports = resources.store, {}
    with store.local_copy(PUBLISHED) as folder:
        for copy in resources.settings.references:
            if copy.held_out:
                test = [LeakItem(f"{copy.name} {n}", *pair) for n, pair in enumerate(local_pairs(copy))]
                reports[copy.name] = find_leaks(chain(_items(folder, "train"), _items(folder, "test")), test)
    found = HeldOutReport(reports=reports)
    store.write(store.root / PUBLISHED / HELD_OUT, found.model_dump_json(indent=1).encode())
    return dg.AssetCheckResult(
        passed=found.leaked_both == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={name: _leaks_found(report) for name, report in reports.items()} or {"held_out_sets": 0, "bound": 0},
    )


def _leaks_found(report: LeakReport) -> dict[str, Any]:
    return {
        "test_questions": report.test_items,
        "train_questions": report.train_items,
        "leaked_questions": report.leaked_questions,
        "leaked_sql": report.leaked_sql,
        "leaked_both": report.leaked_both,
        "bound": 0,
        "sample": [f"{leak.what} {leak.test_id} ~ {leak.train_id}: {leak.text}"[:300] for leak in report.leaks[:10]],
    }


def _items(folder: Path, split: Split) -> Iterator[LeakItem]:
    for row in read_rows(folder / "queries", split, ["question_id", "questions", "sql"]):
        yield LeakItem(row["question_id"], row["questions"]["verbose"], row["sql"])


PUBLISHED_CHECKS = (
    loader_verification,
    phrasings_fit_gold,
    clusters_not_split,
    no_leak_into_test,
    no_leak_into_held_out,
)
