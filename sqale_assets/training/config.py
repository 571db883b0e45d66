"""A training run's settings: one YAML file per run, which may extend another.

The three runs of the paper lie in `training/`: `sqale.yaml`, `synsql.yaml` and `bird.yaml` extend `grpo.yaml` and say
nothing but which corpus they train on and how strong its length curriculum is. Relative paths are looked up from the
repository's root. What the seed leaves open (learning rate, batch size, the tiers' values) is ours, and says so there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, ValidationError

from sqale_assets.relational.model import Model
from sqale_assets.settings import REPOSITORY
from sqale_assets.training.curriculum import Curriculum
from sqale_assets.training.environment import PROTOCOL, EpisodeSettings
from sqale_assets.training.reward import SCALE, RewardScale
from sqale_assets.training.selection import Criteria


class SettingsError(ValueError):
    """A settings file that cannot be used. Names the file and the field."""


class CorpusPart(Model):
    """A split of a corpus that `evaluation.corpora` can read. Without a path: the store's own publication."""

    path: Path | None = None
    split: str = "train"


class GrpoSettings(Model):
    """Group-relative policy optimisation, as TRL does it.

    Attributes:
        steps: optimiser steps.
        prompts: tasks per step; each is played `generations` times, and all of a step's episodes run at once.
        micro_batch: episodes per forward and backward pass of a device.
        loss: how tokens are weighed; "dapo" gives every generated token of a batch the same weight.
        beta: weight of the KL penalty; 0 needs no reference model in memory.
        scale_rewards: what advantages are divided by.
    """

    steps: PositiveInt = 1_800
    prompts: PositiveInt = 16
    generations: PositiveInt = Field(8, ge=2)
    micro_batch: PositiveInt = 1
    learning_rate: PositiveFloat = 1e-6
    scheduler: Literal["constant", "constant_with_warmup", "linear", "cosine"] = "constant_with_warmup"
    warmup_steps: NonNegativeInt = 20
    weight_decay: NonNegativeFloat = 0.0
    max_grad_norm: PositiveFloat = 1.0
    beta: NonNegativeFloat = 0.0
    epsilon: PositiveFloat = 0.2
    epsilon_high: PositiveFloat = 0.28
    loss: Literal["grpo", "bnpo", "dr_grpo", "dapo"] = "dapo"
    scale_rewards: Literal["group", "batch", "none"] = "group"
    temperature: PositiveFloat = 1.0
    top_p: PositiveFloat = 1.0
    gradient_checkpointing: bool = True
    precision: Literal["bf16", "fp32"] = "bf16"
    save_every: PositiveInt = 50
    keep_checkpoints: PositiveInt = 2

    @property
    def episodes(self) -> int:
        """Episodes per step."""
        return self.prompts * self.generations


class LoraSettings(Model):
    """Low-rank adapters on all linear layers, instead of training every weight."""

    rank: PositiveInt = 64
    alpha: PositiveInt = 128
    dropout: NonNegativeFloat = 0.0


class VllmSettings(Model):
    """Generation with vLLM: in the trainer's own processes, or on a server of its own."""

    mode: Literal["colocate", "server"] = "colocate"
    gpu_memory: PositiveFloat = 0.35
    tensor_parallel: PositiveInt = 1
    server_url: str | None = None


class RunSettings(Model):
    """Everything that a run depends on.

    Attributes:
        name: the run's name, and its partition in Dagster.
        model: a path or a name on the Hugging Face hub.
        held_out: what the run will be measured on; no schema of it, nor one that resembles it, is trained on.
    """

    name: str
    model: str
    seed: int = 0
    corpus: CorpusPart
    held_out: tuple[CorpusPart, ...] = ()
    selection: Criteria = Criteria()
    curriculum: Curriculum = Curriculum()
    episode: EpisodeSettings = PROTOCOL
    reward: RewardScale = SCALE
    grpo: GrpoSettings = GrpoSettings()
    lora: LoraSettings | None = None
    vllm: VllmSettings | None = None


def read_run(path: Path, **changes: Any) -> RunSettings:
    """The settings of a run. `changes` win over the file, nested as in it; None changes nothing.

    Raises:
        SettingsError: no such file, not YAML, or a field that is unknown or wrong.
    """
    merged = _merge(_read(path, ()), {name: value for name, value in changes.items() if value is not None})
    merged.setdefault("name", path.stem)
    try:
        run = RunSettings.model_validate(merged)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise SettingsError(f"{path}: {problems}") from None
    parts = [run.corpus, *run.held_out]
    rooted = [part.model_copy(update={"path": part.path and REPOSITORY / part.path}) for part in parts]
    return run.model_copy(update={"corpus": rooted[0], "held_out": tuple(rooted[1:])})


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    if path in above:
        raise SettingsError(f"{path}: extends itself")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, yaml.YAMLError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: must be a mapping of settings")
    base = content.pop("extends", None)
    return content if base is None else _merge(_read(path.parent / base, (*above, path)), content)


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        nested = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = _merge(merged[name], value) if nested else value
    return merged
