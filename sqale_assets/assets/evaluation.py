"""evaluation_episodes and evaluation_report: models measured on the published test split, a partition per model.

A model is added as a partition in the UI's dialog, or by `sqale evaluate --model ...`, which reports what it measured.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from sqale_assets.assets.partitioned_stage import RESOURCES
from sqale_assets.assets.pictures import picture
from sqale_assets.assets.published import PUBLISHED
from sqale_assets.evaluation.corpora import open_corpus
from sqale_assets.evaluation.evaluate import evaluate
from sqale_assets.evaluation.figures import Figures, Pair, figures
from sqale_assets.evaluation.items import CorpusError
from sqale_assets.evaluation.log import Evaluated, read_runs
from sqale_assets.evaluation.place import evaluation_folder
from sqale_assets.settings import Settings
from sqale_assets.training.serving import serving

EPISODES, REPORT = "evaluation_episodes", "evaluation_report"
MODELS = dg.DynamicPartitionsDefinition(name="evaluated_model")


@dg.asset(
    name=EPISODES,
    deps=["published_schemas", "published_queries", "published_provenance"],
    partitions_def=MODELS,
    group_name="evaluation",
    kinds={"python", "llm"},
    owners=["team:corpus"],
    description="Episodes of one model on the test split: schema withheld, eight tools, six turns, three schema sizes.",
    required_resource_keys=RESOURCES,
)
def evaluation_episodes(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    settings, store, gateway = (getattr(context.resources, name) for name in ("settings", "store", "gateway"))
    root = evaluation_folder(settings)

    async def measure(published: Path, model: str | None, reached: Settings) -> Evaluated:
        try:
            corpus = open_corpus(published, "test", root / "databases")
            watch = _Log(context.log)
            return await evaluate(corpus, reached, gateway, root / "runs", watch, model=model)
        finally:
            await gateway.aclose()

    with store.local_copy(PUBLISHED) as published, serving(context.partition_key, settings) as (model, reached):
        try:
            evaluated = asyncio.run(measure(published, model, reached))
        except CorpusError as error:
            raise dg.Failure(str(error), allow_retries=False) from None
    return dg.MaterializeResult(metadata=metadata_of(evaluated, root))


@dg.asset(
    name=REPORT,
    deps=[EPISODES],
    group_name="evaluation",
    kinds={"python", "altair"},
    owners=["team:corpus"],
    description="Every measured model beside the paper's: Figures 4, 5 and 8, tests between models, episode replays.",
    required_resource_keys=RESOURCES,
)
def evaluation_report(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    from sqale_assets.report.evaluation import write_report

    settings = context.resources.settings
    root = evaluation_folder(settings)
    runs = read_runs(root / "runs")
    if not runs:
        raise dg.Failure(f"No model has been measured yet: materialize {EPISODES}.", allow_retries=False)
    written = write_report(runs, root, settings.quality, seed=settings.seed)
    return dg.MaterializeResult(
        metadata={
            "figures": dg.MetadataValue.md(figures_table(written.figures)),
            "pairs": dg.MetadataValue.md(_pairs_table(written.pairs)),
            "report": dg.MetadataValue.path(str(written.path)),
            **{name: picture(name, png) for name, png in written.pictures.items()},
        }
    )


def report_measured(instance: dg.DagsterInstance, evaluated: Evaluated, root: Path) -> None:
    """Tell Dagster of a run that was made outside of it."""
    instance.add_dynamic_partitions(MODELS.name, [evaluated.run.model])
    instance.report_runless_asset_event(
        dg.AssetMaterialization(EPISODES, partition=evaluated.run.model, metadata=metadata_of(evaluated, root))
    )


def metadata_of(evaluated: Evaluated, root: Path) -> dict[str, Any]:
    """What a person wants to see of a run."""
    found, episodes = figures(evaluated), evaluated.episodes
    return {
        "figures": dg.MetadataValue.md(figures_table(found)),
        "accuracy_full": next((each.correct.percent for each in found if each.condition == "full"), 0.0),
        "episodes": len(episodes),
        "questions_that_cannot_be_asked": len(evaluated.problems),
        "tokens": sum(episode.tokens_in + episode.tokens_out for episode in episodes),
        "cost": sum(episode.cost for episode in episodes),
        "style": evaluated.run.style,
        "run": evaluated.run.fingerprint,
        "folder": dg.MetadataValue.path(str(root / "runs")),
    }


def figures_table(found: Sequence[Figures]) -> str:
    """The main figures in Markdown, a row per run and condition."""
    rows = [
        f"| {each.model} | {each.style} | {each.condition} | {each.correct.total} | {each.correct.percent} "
        f"({100 * each.correct.low:.0f}–{100 * each.correct.high:.0f}) | {each.correct_bird.percent} "
        f"| {each.opened_all.percent} | {each.literals_seen.percent} | {each.rounds:.1f} | {each.calls:.1f} "
        f"| {'' if each.tflops is None else f'{each.tflops:.0f}'} |"
        for each in found
    ]
    head = (
        "| model | asked | tables | n | accuracy % (95%) | BIRD's rule | gold tables opened | literals seen | rounds |"
    )
    return "\n".join([f"{head} calls | TFLOPs |", "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|", *rows])


def _pairs_table(pairs: Sequence[Pair]) -> str:
    rows = [
        f"| {each.first} | {each.second} | {each.condition} | {each.questions} | {100 * each.difference:+.1f} "
        f"({100 * each.low:+.1f} to {100 * each.high:+.1f}) | {each.p:.3g} |"
        for each in pairs
    ]
    head = "| first | second | tables | n | difference, points (95%) | McNemar p |"
    return "\n".join([head, "|---|---|---|--:|--:|--:|", *rows])


class _Log:
    """A watch that writes to the run's log: what cannot be asked, then the running accuracy."""

    def __init__(self, log: Any, every: int = 50):
        self._log, self._every = log, every
        self._correct = self._ended = 0

    def sampled(self, corpus: Any, questions: int) -> None:
        for remark in corpus.remarks:
            self._log.warning(remark)
        self._log.info(f"{questions} questions of {corpus.name}, {corpus.split}")

    def checked(self) -> None:
        pass

    def prepared(self, ready: int, problems: Any, recorded: Any, left: int) -> None:
        for problem in problems:
            self._log.warning(f"{problem.question_id} cannot be asked: {problem.reason}: {problem.detail}")
        self._log.info(f"{ready} questions can be asked; {len(recorded)} episodes are there, {left} are left")

    def refused(self, problem: Any) -> None:
        self._log.warning(f"{problem.question_id} cannot be asked: {problem.reason}: {problem.detail}")

    def ended(self, episode: Any) -> None:
        self._ended += 1
        self._correct += episode.correct
        if self._ended % self._every == 0:
            self._log.info(f"{self._ended} episodes, {100 * self._correct / self._ended:.1f}% correct")
