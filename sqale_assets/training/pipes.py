"""What a trainer tells the Dagster run that started it, over Dagster Pipes. Started by hand, it tells nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqale_assets.training.metrics import read_metrics, summary


class Told:
    """Where a step's metrics and the finished run go; by default nowhere."""

    def step(self, metrics: dict[str, Any]) -> None:
        """A step has ended."""

    def done(self, model: Path, metrics: Path) -> None:
        """The run has ended. `metrics` is its file of metrics."""


class FromDagster(Told):
    """Tells a Dagster run. When that is gone, the trainer stops: who starts the run anew goes on from a checkpoint."""

    def __init__(self, context: Any):
        self._context, self._parent = context, os.getppid()

    def step(self, metrics: dict[str, Any]) -> None:
        if os.getppid() != self._parent:
            raise SystemExit("the Dagster run that started this training has ended; start it again to go on")
        self._context.report_custom_message(metrics)

    def done(self, model: Path, metrics: Path) -> None:
        found = summary(read_metrics(metrics))
        paths = {"model": model, "metrics": metrics, "checkpoints": metrics.parent}
        self._context.report_asset_materialization(
            metadata={
                **{name: {"raw_value": float(value), "type": "float"} for name, value in found.items()},
                **{name: {"raw_value": str(path), "type": "path"} for name, path in paths.items()},
            }
        )


@contextmanager
def telling() -> Iterator[Told]:
    """Whom this process tells. Of several on as many devices the first one speaks."""
    from dagster_pipes import DAGSTER_PIPES_CONTEXT_ENV_VAR, open_dagster_pipes

    if DAGSTER_PIPES_CONTEXT_ENV_VAR not in os.environ or os.environ.get("RANK", "0") != "0":
        yield Told()
        return
    with open_dagster_pipes() as context:
        yield FromDagster(context)
