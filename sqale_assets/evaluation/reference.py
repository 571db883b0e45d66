"""The paper's own figures, beside which ours are drawn: `quality/reference_evaluation.json`."""

from __future__ import annotations

from pathlib import Path

from sqale_assets.relational.model import Model

#: The model that the paper trains, and the one that it begins with.
TRAINED, UNTRAINED = "M_SQaLe", "Qwen3.5-2B"


class Point(Model):
    """A model of Figure 5: parameters in billions, accuracy in percent, TFLOPs per question."""

    model: str
    parameters: float
    accuracy: float
    tflops: float


class Reference(Model):
    """Figures 4, 5 and 8 in percent: model -> test set -> accuracy; model -> condition -> (accuracy, opened)."""

    source: str
    figure_4: dict[str, dict[str, float]]
    figure_5: tuple[Point, ...]
    figure_8: dict[str, dict[str, tuple[float, float]]]
    literals_seen: dict[str, float]


def load_reference(quality: Path) -> Reference:
    """The figures as they lie in the `quality` folder."""
    return Reference.model_validate_json((quality / "reference_evaluation.json").read_bytes())
