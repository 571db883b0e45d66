"""dataset_statistics and dataset_comparison: the figures of the published corpus, alone and beside other corpora."""

from collections import Counter
from functools import partial

import dagster as dg

from sqale_assets.assets.measuring import measured
from sqale_assets.assets.members import accepted_ids, done_ids
from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.pictures import picture
from sqale_assets.assets.published import not_published, published_ids
from sqale_assets.assets.stages import STAGES
from sqale_assets.statistics.comparison import FIGURE_3, FIGURES, Comparison, compare, load_reference
from sqale_assets.statistics.corpus import CorpusStatistics, CorpusTally, tally
from sqale_assets.statistics.local import measure
from sqale_assets.statistics.process import FunnelStep
from sqale_assets.store import Store
from sqale_assets.store.summary import summarise

STATISTICS, COMPARISON = "dataset_statistics", "dataset_comparison"
#: The charts in the metadata, scaled so that they are not wider than the dialogue in which the UI shows them.
SHOWN, SCALE_SHOWN = ("schema_size", "sql_features", "funnel"), 1.3
_SCHEMA_STAGES = [stage.name for stage in STAGES if stage.group != "questions"]


@dg.asset(
    name=STATISTICS,
    deps=["published_schemas", "published_queries", "published_provenance"],
    group_name="reports",
    kinds={"python", "json"},
    owners=["team:corpus"],
    description="Figures over the published corpus: schemas, SQL, questions, yields and cost.",
    required_resource_keys=RESOURCES,
)
def dataset_statistics(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    settings, store = context.resources.settings, context.resources.store
    counted, published = CorpusTally(), frozenset(published_ids(store))
    for part in measured(partial(tally, published=published), store, done_ids(store), settings):
        counted.merge(part)
    found = counted.statistics(_schema_steps(store))
    store.write(store.root / STATISTICS / "statistics.json", found.model_dump_json(indent=1).encode())
    sql, schemas = found.sql, found.schemas
    return dg.MaterializeResult(
        metadata={
            "schemas": schemas.schemas,
            "question_records": found.records,
            "phrasings": found.phrasings,
            "placeholder_phrasings": found.placeholder_phrasings,
            "median_tables": schemas.tables_median,
            "median_columns": schemas.columns_median,
            "foreign_keys": schemas.fk_total,
            "median_rows_per_table": schemas.rows_per_table_median or 0,
            "tables_populated_pct": schemas.tables_populated_pct or 0.0,
            "null_cells_pct": schemas.null_cells_pct or 0.0,
            "foreign_keys_valid_pct": schemas.fk_cells_valid_pct or 0.0,
            "nested_pct": sql.nested_pct,
            "multi_join_of_join_pct": sql.multi_join_of_join_pct,
            "tables_per_query": sql.tables_mean,
            "five_or_more_tables_pct": sql.tables_ge5_pct,
            "relevant_tables_median": found.relevant_tables_median,
            "domains": dg.MetadataValue.json(found.domains),
            "licences": dg.MetadataValue.json(found.licences),
            "yields": dg.MetadataValue.md(_funnel_table(found)),
        }
    )


@dg.asset(
    name=COMPARISON,
    deps=[STATISTICS],
    group_name="reports",
    kinds={"python", "altair"},
    owners=["team:corpus"],
    description="The corpus beside BIRD, EHRSQL, SynSQL, Spider and SQaLe: the paper's Figure 3 row and SQL figures.",
    required_resource_keys=RESOURCES,
)
def dataset_comparison(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    from sqale_assets.statistics.charts import charts, render

    settings, store = context.resources.settings, context.resources.store
    ours = read_statistics(store)
    reference = load_reference(settings.quality / "reference_statistics.json")
    comparison = compare(ours, reference, [measure(copy) for copy in settings.references])
    folder = store.root / COMPARISON
    store.write(folder / "comparison.json", comparison.model_dump_json(indent=1).encode())
    store.write(folder / "comparison.md", comparison.markdown().encode())
    drawn = charts(ours, comparison)
    for name, chart in drawn.items():
        store.write(folder / "charts" / f"{name}.png", render(chart))
    return dg.MaterializeResult(
        metadata={
            "figure_3": dg.MetadataValue.md(comparison.markdown(FIGURE_3)),
            "queries": dg.MetadataValue.md(comparison.markdown([f for f in FIGURES if f not in FIGURE_3])),
            "claims_that_differ": dg.MetadataValue.md(_disagreements(comparison)),
            **{f"chart_{name}": picture(name, render(drawn[name], scale=SCALE_SHOWN)) for name in SHOWN},
            "folder": dg.MetadataValue.path(str(folder)),
        }
    )


def read_statistics(store: Store) -> CorpusStatistics:
    """The statistics as last computed."""
    return CorpusStatistics.model_validate_json((store.root / STATISTICS / "statistics.json").read_bytes())


def read_comparison(store: Store) -> Comparison:
    """The comparison as last computed."""
    return Comparison.model_validate_json((store.root / COMPARISON / "comparison.json").read_bytes())


def _schema_steps(store: Store) -> list[FunnelStep]:
    """The funnel of the stages that count schemas, and of publication: what is done need not be published."""
    done = done_ids(store)
    left_out = Counter(why for key, why in not_published(store).items() if key in done)
    return [
        FunnelStep(
            stage=stage.asset,
            unit="schema",
            entered=stage.done + sum(stage.reasons.values()) + stage.failed,
            passed=stage.done,
            rejected=stage.reasons | ({"failed": stage.failed} if stage.failed else {}),
        )
        for stage in summarise(store, _SCHEMA_STAGES, accepted_ids(store))
    ] + [
        FunnelStep(
            stage="published_schemas",
            unit="schema",
            entered=len(done),
            passed=len(done) - left_out.total(),
            rejected=dict(left_out.most_common()),
        )
    ]


def _funnel_table(found: CorpusStatistics) -> str:
    rows = [
        f"| {step.stage} | {step.unit}s | {step.entered:,} | {step.passed:,} | {step.yield_pct} "
        f"| {', '.join(f'{reason} {count}' for reason, count in step.rejected.items()) or '-'} |"
        for step in found.process.funnel
    ]
    return "\n".join(["| stage | of | entered | passed | % | rejected |", "|---|---|--:|--:|--:|---|", *rows])


def _disagreements(comparison: Comparison) -> str:
    rows = [
        f"| {each.corpus} | {FIGURES[each.figure]} | {each.published.value} | {each.computed.value} |"
        for each in comparison.disagreements()
    ]
    return "\n".join(["| corpus | figure | published | by our rule |", "|---|---|--:|--:|", *rows])
