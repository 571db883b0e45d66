"""How the corpus came to be: what each stage let through and refused, and what an accepted record cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from sqale_assets.corpus.members import Answered, Member
from sqale_assets.records import DIFFICULTIES, LlmUsage
from sqale_assets.statistics.sql import percent

PUBLISHED = "published_queries"


class FunnelStep(BaseModel):
    """What went into a stage and came out. `rejected` counts by reason; `unit` is what is counted."""

    stage: str
    unit: str
    entered: int
    passed: int
    rejected: dict[str, int] = {}

    @property
    def yield_pct(self) -> float:
        return percent(self.passed, self.entered)


class StageCost(BaseModel):
    """What a stage cost over all schemas. `cost` is in US dollars."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


class ProcessStatistics(BaseModel):
    """The funnel in pipeline order, costs by stage, and how asked and measured difficulty compare.

    `verdicts` counts the judge's verdicts by category ("accepted" for those it accepted).
    """

    funnel: list[FunnelStep]
    costs: dict[str, StageCost]
    tokens_per_record: float
    cost_per_record: float
    difficulty_asked: dict[str, int]
    difficulty_measured: dict[str, int]
    verdicts: dict[str, int]
    rounds: dict[int, int]


#: What each figure is.
DEFINITIONS = {
    "funnel": "what entered a stage and what it passed on; the rest by the reason for which it was refused",
    "costs": "calls, tokens and US dollars of all schemas that went through every stage, by stage",
    "tokens_per_record": "tokens in and out of all stages / published questions",
    "cost_per_record": "US dollars of all stages / published questions",
    "difficulty_asked": "questions by the level that they were generated for",
    "difficulty_measured": "questions by the level that the gold SQL turned out to have",
    "verdicts": "the judge's verdicts on queries that were accepted in the end, by category",
    "rounds": "accepted queries by the number of tool turns of the answering agent",
}


class ProcessTally:
    """Running sums over the schemas that went through, so that any number can be streamed."""

    def __init__(self) -> None:
        self.asked = self.questions = self.styled = self.answered = self.published = 0
        self.rejected: dict[str, Counter[str]] = {
            stage: Counter() for stage in ("questions", "styled_questions", "gold_queries", PUBLISHED)
        }
        self.costs: dict[str, StageCost] = {}
        self.asked_difficulty: Counter[str] = Counter()
        self.measured_difficulty: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.rounds: Counter[int] = Counter()

    def add(self, member: Member, answered: Sequence[Answered], *, published: bool = True) -> None:
        """Count a schema that went through every stage; `answered` are its questions that could be published."""
        self.asked += len(member.questions.questions) + len(member.questions.rejected)
        self.questions += len(member.questions.questions)
        self.styled += len(member.styled.questions)
        self.answered += len(member.gold.queries)
        for record in (member.questions, member.styled, member.gold):
            for item in record.rejected:
                self.rejected.setdefault(item.stage, Counter())[item.reason] += 1
        for stage, usage in member.usage().items():
            self._add_cost(stage, usage)
        for query in member.gold.queries:
            self.rounds[query.rounds] += 1
            self.verdicts.update("accepted" if v.accepted else (v.category or "rejected") for v in query.verdicts)
        gold = len(member.gold.queries)
        self.rejected[PUBLISHED]["no_gold_query"] += len(member.questions.questions) - gold
        self.rejected[PUBLISHED]["unusable_phrasing"] += gold - len(answered)
        if not published:
            self.rejected[PUBLISHED]["schema_not_published"] += len(answered)
            return
        for each in answered:
            self.published += 1
            self.asked_difficulty[each.question.difficulty] += 1
            self.measured_difficulty[each.gold.measured_difficulty] += 1

    def merge(self, other: ProcessTally) -> None:
        """Count what another tally has counted."""
        self.asked += other.asked
        self.questions += other.questions
        self.styled += other.styled
        self.answered += other.answered
        self.published += other.published
        for stage, reasons in other.rejected.items():
            self.rejected.setdefault(stage, Counter()).update(reasons)
        for stage, cost in other.costs.items():
            self._add_cost(stage, cost)
        for name in ("asked_difficulty", "measured_difficulty", "verdicts", "rounds"):
            getattr(self, name).update(getattr(other, name))

    def statistics(self, schema_steps: Iterable[FunnelStep] = ()) -> ProcessStatistics:
        """The figures so far. `schema_steps` are the stages before the questions, which count schemas."""
        tokens = sum(cost.tokens_in + cost.tokens_out for cost in self.costs.values())
        dollars = sum(cost.cost for cost in self.costs.values())
        steps = (
            ("questions", "question", self.asked, self.questions),
            ("styled_questions", "question", self.questions, self.styled),
            ("gold_queries", "question", self.questions, self.answered),
            (PUBLISHED, "question", self.questions, self.published),
        )
        return ProcessStatistics(
            funnel=[
                *schema_steps,
                *(
                    FunnelStep(
                        stage=stage, unit=unit, entered=entered, passed=passed,
                        rejected={why: n for why, n in self.rejected[stage].most_common() if n},
                    )
                    for stage, unit, entered, passed in steps
                ),
            ],
            costs={stage: cost.model_copy(update={"cost": round(cost.cost, 6)}) for stage, cost in self.costs.items()},
            tokens_per_record=round(tokens / self.published, 1) if self.published else 0.0,
            cost_per_record=round(dollars / self.published, 6) if self.published else 0.0,
            difficulty_asked=_by_difficulty(self.asked_difficulty),
            difficulty_measured=_by_difficulty(self.measured_difficulty),
            verdicts=dict(self.verdicts.most_common()),
            rounds=dict(sorted(self.rounds.items())),
        )  # fmt: skip

    def _add_cost(self, stage: str, usage: LlmUsage | StageCost) -> None:
        cost = self.costs.setdefault(stage, StageCost())
        cost.calls += usage.calls
        cost.tokens_in += usage.tokens_in
        cost.tokens_out += usage.tokens_out
        cost.cost += usage.cost


def _by_difficulty(counts: Mapping[str, int]) -> dict[str, int]:
    return {difficulty: counts.get(difficulty, 0) for difficulty in DIFFICULTIES}
