"""What `grpo_run` starts in tests: `sqale train` itself, killed once after the step in SQALE_TEST_KILL.

Without the `train` extra a trainer stands in that learns nothing, but keeps checkpoints and metrics as the real one.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from pathlib import Path

from sqale_assets.training import pipes
from sqale_assets.training.metrics import EPISODE, MetricsLog
from sqale_assets.training.place import FINAL, METRICS


def stand_in(run, tasks, output: Path, databases, *, watch) -> Path:
    """A checkpoint every two steps, a model at the end; nothing more once that is there."""
    if (output / FINAL).exists():
        return output / FINAL
    kept = sorted(int(path.name.partition("-")[2]) for path in output.glob("checkpoint-*"))
    log = MetricsLog(output / METRICS, watch)
    log.resume_at(kept[-1] if kept else 0)
    for step in range((kept[-1] if kept else 0) + 1, run.grpo.steps + 1):
        task = tasks[step % len(tasks)]
        log.add(step, {"reward": 0.1 * step, **dict.fromkeys(EPISODE, 0.5), "episode_tokens": task.tokens})
        if step % 2 == 0:
            (output / f"checkpoint-{step}").mkdir()
    (output / FINAL).mkdir()
    return output / FINAL


def killed_once(flag: Path, at: int) -> None:
    """The process dies in the step `at`, as if it were killed, the first time that it gets there."""
    told = pipes.FromDagster.step

    def step(self, metrics) -> None:
        told(self, metrics)
        if metrics["step"] == at and not flag.exists():
            flag.touch()
            os._exit(9)

    pipes.FromDagster.step = step


if __name__ == "__main__":
    if importlib.util.find_spec("trl") is None:
        trainer = types.ModuleType("sqale_assets.training.trainer")
        trainer.train = stand_in
        sys.modules[trainer.__name__] = trainer
        sys.modules["trl"] = types.ModuleType("trl")
        sys.modules["trl"].__spec__ = importlib.machinery.ModuleSpec("trl", None)
    flag, _, at = os.environ["SQALE_TEST_KILL"].rpartition(":")
    killed_once(Path(flag), int(at))
    from sqale_assets.cli import main

    main()
