"""What a run is watched by: one line per step in `metrics.jsonl`, with the seed's Figure 7 and more in it.

Per step, over its episodes: `reward`, `accuracy` (share that is correct), `executes`, `parses` and `nothing` (shares of
the other tiers), `rounds`, `tool_calls` and `failed_calls` per episode, `written_tokens` and `episode_tokens` (with
prompt and tool answers), `out_of_turns` and `out_of_tokens` (shares that reached a limit), and the optimiser's `loss`,
`grad_norm` and `learning_rate`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from sqale_assets.files import write_whole

if TYPE_CHECKING:
    from sqale_assets.training.rollout import Rollout

#: TRL's names -> ours, for what it measures itself.
_TRAINER = {
    "reward": "reward",
    "reward_std": "reward_std",
    "loss": "loss",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
    "entropy": "entropy",
    "frac_reward_zero_std": "groups_without_signal",
    "step_time": "seconds",
}
EPISODE = (
    "accuracy", "executes", "parses", "nothing", "rounds", "tool_calls", "failed_calls", "written_tokens",
    "episode_tokens", "out_of_turns", "out_of_tokens",
)  # fmt: skip

#: What a run is judged by at a glance.
FIGURES = ("reward", "accuracy", "rounds", "tool_calls", "written_tokens", "episode_tokens")


def episode_metrics(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """The figures of a step's episodes, by the names in `EPISODE`."""
    figures = [rollout.environment.figures for rollout in rollouts]
    most = rollouts[0].environment.databases.settings.tool_turns
    columns = {
        "accuracy": [each.tier == "correct" for each in figures],
        "executes": [each.tier == "executes" for each in figures],
        "parses": [each.tier == "parses" for each in figures],
        "nothing": [each.tier == "nothing" for each in figures],
        "rounds": [each.rounds for each in figures],
        "tool_calls": [each.tool_calls for each in figures],
        "failed_calls": [each.failed_calls for each in figures],
        "written_tokens": [sum(rollout.mask) for rollout in rollouts],
        "episode_tokens": [len(rollout.tokens) for rollout in rollouts],
        "out_of_turns": [each.rounds > most for each in figures],
        "out_of_tokens": [each.ended_by == "token_limit" for each in figures],
    }
    return {name: fmean(columns[name]) for name in EPISODE}


class MetricsLog:
    """The steps of a run, on disk as they come, and told to `watch`."""

    def __init__(self, path: Path, watch: Callable[[dict[str, Any]], None] = lambda metrics: None):
        self.path, self._watch = path, watch

    def resume_at(self, step: int) -> None:
        """Forget the steps after `step`: they were made after the checkpoint that training goes on from."""
        kept = [line for line in read_metrics(self.path) if line["step"] <= step]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, "".join(f"{json.dumps(line)}\n" for line in kept).encode())

    def add(self, step: int, logs: Mapping[str, Any]) -> None:
        """Add a step's metrics as TRL logs them."""
        found = {ours: logs[theirs] for theirs, ours in _TRAINER.items() if theirs in logs}
        metrics = {"step": step, **found, **{name: logs[name] for name in EPISODE if name in logs}}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(metrics) + "\n")
        self._watch(metrics)


def summary(steps: Sequence[Mapping[str, Any]], share: float = 0.1) -> dict[str, float]:
    """The figures of the seed's Figure 7 and their kin over the first and the last `share` of a run's steps."""
    if not steps:
        return {}
    count = max(1, round(share * len(steps)))
    parts = {"first": steps[:count], "last": steps[-count:]}
    return {"steps": float(steps[-1]["step"])} | {
        f"{name}_{part}": round(fmean(step[name] for step in those), 4)
        for name in FIGURES
        for part, those in parts.items()
        if all(name in step for step in those)
    }


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The steps so far, in order; a line that was cut off by the process's end is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]
