"""quality_report: Great Expectations over the published corpus, one asset check per group, and the page to look at."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from sqale_assets.assets.judge_calibration import read_calibration
from sqale_assets.assets.measuring import measured
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.published import EXPECTATIONS, PUBLISHED, published_ids
from sqale_assets.assets.release import read_release
from sqale_assets.assets.reports import read_comparison
from sqale_assets.corpus.expectations import ExpectationResult, QualityRun, group_bounds, load_suites, run_suites, said
from sqale_assets.corpus.members import Member
from sqale_assets.corpus.quality_frames import SchemaMeasures, frames, measures_of
from sqale_assets.report.data_docs import offline
from sqale_assets.report.examples import Example, merged_samples, sample_examples
from sqale_assets.settings import Settings
from sqale_assets.store import Store

REPORT = "quality_report"


def build_quality_report(settings: Settings) -> dg.AssetsDefinition:
    """The report asset; its checks are the groups of `quality/suites` as they are when the definitions load."""
    specs = [
        dg.AssetCheckSpec(
            _check_name(group),
            asset=REPORT,
            description=f"Expectations of {group} in quality/suites (bound: {'; '.join(bounds)}). "
            "A failure keeps `sqale publish` from publishing, unless it only warns.",
        )
        for group, bounds in group_bounds(settings.quality).items()
    ]

    @dg.asset(
        name=REPORT,
        deps=["dataset_comparison", "judge_calibration"],
        group_name="reports",
        kinds={"python", "greatexpectations"},
        owners=["team:corpus"],
        description="Great Expectations over the published data sets, Data Docs, and one self-contained HTML report.",
        check_specs=specs,
        freshness_policy=dg.FreshnessPolicy.cron(deadline_cron="0 8 * * *", lower_bound_delta=timedelta(days=1)),
        required_resource_keys=RESOURCES,
    )
    def quality_report(context: dg.AssetExecutionContext) -> Iterator[Any]:
        settings, store = context.resources.settings, context.resources.store
        measures, examples = _looked_at(settings, store)
        run = _run(settings.quality, store, measures)
        store.write(store.root / EXPECTATIONS, run.model_dump_json(indent=1).encode())
        store.write(store.root / REPORT / "report.html", _page(settings, store, run, examples).encode())
        by_group = {_check_name(name): results for name, results in run.groups().items()}
        yield dg.MaterializeResult(
            metadata={
                "passed": run.passed,
                "expectations": len(run.results),
                "failed": sum(not result.passed for result in run.results),
                "report": dg.MetadataValue.path(str(store.root / REPORT / "report.html")),
                "data_docs": dg.MetadataValue.path(str(store.root / REPORT / "data_docs" / "index.html")),
                "results": dg.MetadataValue.md(_table(run.results)),
            },
            check_results=[_check(spec.name, by_group.get(spec.name, ())) for spec in specs],
        )

    return quality_report


def look(members: Iterable[Member], seed: int) -> tuple[list[SchemaMeasures], list[Example]]:
    """One pass over schemas: the measures of each, and a sample of their records."""
    measures: list[SchemaMeasures] = []

    def measuring() -> Iterator[Member]:
        for member in members:
            measures.append(measures_of(member))
            yield member

    examples = sample_examples(measuring(), seed=seed)
    return measures, examples


def _looked_at(settings: Settings, store: Store) -> tuple[list[SchemaMeasures], list[Example]]:
    parts = list(measured(partial(look, seed=settings.seed), store, published_ids(store), settings))
    measures = [each for of_part, _ in parts for each in of_part]
    return measures, merged_samples((sample for _, sample in parts), seed=settings.seed)


def _run(quality: Path, store: Store, measures: Sequence[SchemaMeasures]) -> QualityRun:
    with store.local_copy(PUBLISHED) as folder, store.local_folder(REPORT) as target:
        run = run_suites(load_suites(quality), frames(folder, measures), target / "data_docs")
        offline(target / "data_docs", run)
    return run


def _page(settings: Settings, store: Store, run: QualityRun, examples: Sequence[Example]) -> str:
    from sqale_assets.report.page import report

    release, comparison = read_release(settings, store), read_comparison(store)
    date = datetime.now(UTC).date().isoformat()
    return report(release, comparison, examples, quality=run, calibration=read_calibration(store), date=date)


def _check(name: str, results: Sequence[ExpectationResult]) -> dg.AssetCheckResult:
    failed = [result for result in results if not result.passed]
    blocking = any(result.blocking for result in failed)
    return dg.AssetCheckResult(
        check_name=name,
        passed=not failed,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        metadata={
            "failed": len(failed),
            "bound": 0,
            "expectations": len(results),
            "measured": dg.MetadataValue.md(_measured(results)),
        },
    )


def _measured(results: Sequence[ExpectationResult]) -> str:
    """What each expectation of a group asks for, on how many values, and what was found."""
    rows = [
        f"| {'✓' if result.passed else '✗'} | {_cell(said(result.expectation, result.arguments))} | {result.checked:,} "
        f"| {result.failed:,} | {_cell(result.observed or ', '.join(result.examples))} |"
        for result in results
    ]
    return "\n".join(["| | bound | values | outside | observed |", "|---|---|--:|--:|---|", *rows])


def _cell(text: str, most: int = 160) -> str:
    """A text as it stands in a Markdown table's cell."""
    return (text if len(text) <= most else text[:most] + " …").replace("|", "\\|").replace("\n", " ")


def _check_name(group: str) -> str:
    """A group's name (suite.group) as Dagster takes it."""
    return group.replace(".", "__")


def _table(results: Sequence[ExpectationResult]) -> str:
    rows = [
        f"| {'✓' if result.passed else '✗'} | {result.suite} | {result.group} | {result.expectation} "
        f"| {result.arguments.get('column', '')} | {result.observed[:60]} |"
        for result in sorted(results, key=lambda result: result.passed)
    ]
    return "\n".join(["| | suite | group | expectation | column | observed |", "|---|---|---|---|---|---|", *rows])
