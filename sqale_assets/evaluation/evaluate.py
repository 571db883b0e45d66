"""A whole evaluation: sample, make ready, run what is not recorded yet, read back what is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from sqale_assets.evaluation.agent import evaluation_route, parameters_of
from sqale_assets.evaluation.conditions import distractors
from sqale_assets.evaluation.harness import answer_settings, run_all, work_of
from sqale_assets.evaluation.items import Corpus, CorpusError, Item, sample
from sqale_assets.evaluation.log import EpisodeLog, Evaluated, read_run
from sqale_assets.evaluation.preflight import prepare
from sqale_assets.evaluation.records import EpisodeRecord, Problem, Run
from sqale_assets.llm.gateway import Gateway
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.llm.routing import StageRoute
from sqale_assets.settings import Settings


class Watch(Protocol):
    """Told how an evaluation goes."""

    def sampled(self, corpus: Corpus, questions: int) -> None: ...
    def checked(self) -> None: ...
    def prepared(
        self, ready: int, problems: Sequence[Problem], recorded: Sequence[EpisodeRecord], left: int
    ) -> None: ...
    def ended(self, episode: EpisodeRecord) -> None: ...
    def refused(self, problem: Problem) -> None: ...


async def evaluate(
    corpus: Corpus,
    settings: Settings,
    gateway: Gateway,
    root: Path,
    watch: Watch,
    *,
    model: str | None = None,
    parameters: float | None = None,
) -> Evaluated:
    """Measure `model` on a sample of `corpus` as `settings.evaluation` says, and keep the episodes below `root`.

    Args:
        parameters: the model's, in billions; by default what its name tells.

    Raises:
        CorpusError: no question of the sample can be asked, or the style or a condition is not known.
        GatewayUnavailable: the model cannot be asked now; what was recorded stays.
    """
    chosen = settings.evaluation
    _check(corpus, chosen.style, chosen.tables)
    items = sample(corpus.items, chosen.questions, seed=settings.seed, databases=chosen.databases)
    watch.sampled(corpus, len(items))
    ready, problems = prepare(corpus, items, chosen.style, progress=watch.checked)
    route = evaluation_route(settings, model)
    log = EpisodeLog(root, run_of(corpus, items, settings, route, parameters))
    recorded = log.open(problems)
    work = work_of(ready, chosen.tables, recorded)
    watch.prepared(len(ready), problems, tuple(recorded.values()), len(work))
    if not ready:
        raise CorpusError(f"{corpus.name}: none of the {len(items)} sampled questions can be asked")

    def keep(episode: EpisodeRecord) -> None:
        log.add(episode)
        watch.ended(episode)

    def refuse(problem: Problem) -> None:
        problems.append(problem)
        log.note(problems)
        watch.refused(problem)

    if work:
        await run_all(work, settings, gateway, route, keep, refuse)
    return read_run(log.folder)


def run_of(
    corpus: Corpus, items: Sequence[Item], settings: Settings, route: StageRoute, parameters: float | None
) -> Run:
    """What tells this run's episodes from those of others."""
    chosen, target, bounds = settings.evaluation, route.targets[0], answer_settings(settings)
    asked = json.dumps([[item.question_id, item.phrasings.get(chosen.style), item.sql] for item in items])
    return Run(
        model=target.model,
        corpus=corpus.name,
        form=corpus.form,
        split=corpus.split,
        style=chosen.style,
        seed=settings.seed,
        prompt=load_prompt("answer_question", settings.prompts).label,
        protocol={
            "route": route.label,
            "endpoint": target.endpoint,
            "opening": target.opening,
            "tool_turns": bounds.tool_turns,
            "failed_queries": bounds.failed_queries,
            "query_seconds": bounds.query_seconds,
            "single_calls": bounds.single_calls,
            "native_tools": bounds.native_tools,
            "episode_tokens": chosen.episode_tokens,
            "sample": sha256(asked.encode()).hexdigest()[:12],
        },
        parameters=parameters_of(target.model) if parameters is None else parameters,
    )


def _check(corpus: Corpus, style: str, conditions: Sequence[str]) -> None:
    known = sorted({name for item in corpus.items for name in item.phrasings})
    if style not in known:
        raise CorpusError(f"{corpus.name} has no phrasing {style!r}; it has {', '.join(known)}")
    for condition in conditions:
        try:
            distractors(condition)
        except ValueError as error:
            raise CorpusError(str(error)) from None
