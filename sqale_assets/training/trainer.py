"""GRPO on TRL over the environment: every prompt of a step is played to its end, and the loss sees the model's tokens.

TRL plays no tools here. Its `rollout_func` gives us the step's prompts; `rollout.roll_out` plays the episodes through
the trainer's own generation (transformers, or vLLM where a run asks for it) and hands back tokens with their mask, the
reward and the figures to watch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqale_assets.training.chat import Chat
from sqale_assets.training.config import RunSettings
from sqale_assets.training.environment import Databases, EpisodeSettings, SqlEnvironment
from sqale_assets.training.metrics import MetricsLog, episode_metrics
from sqale_assets.training.place import FINAL, METRICS
from sqale_assets.training.rollout import Rollout, roll_out
from sqale_assets.training.tasks import TrainingTask, opening

if TYPE_CHECKING:
    from trl import GRPOConfig, GRPOTrainer


def train(
    run: RunSettings,
    tasks: Sequence[TrainingTask],
    output: Path,
    databases: Databases,
    *,
    watch: Callable[[dict[str, Any]], None] = lambda metrics: None,
) -> Path:
    """Train on `tasks`, in their order, and return the folder of the trained model, ready to be evaluated.

    A run that was stopped goes on from its last checkpoint in `output` as if nothing had happened; one that is finished
    is not trained again. `watch` is called with each step's metrics, which also go to `output`/metrics.jsonl.
    """
    final = output / FINAL
    if (final / "config.json").exists():
        return final
    trainer = build_trainer(run, tasks, output, databases, watch=watch)
    checkpoint = last_checkpoint(output)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    if trainer.is_world_process_zero():
        _save(trainer, final)
    return final


def build_trainer(
    run: RunSettings,
    tasks: Sequence[TrainingTask],
    output: Path,
    databases: Databases,
    *,
    watch: Callable[[dict[str, Any]], None] = lambda metrics: None,
    keep_rollouts: list[Rollout] | None = None,
) -> GRPOTrainer:
    """The trainer of a run, not yet started. `keep_rollouts` gets every episode, for whoever wants to look at them."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOTrainer

    by_id = {task.task_id: task for task in tasks}
    tokenizer = AutoTokenizer.from_pretrained(run.model)
    dtype = torch.bfloat16 if run.grpo.precision == "bf16" and run.lora else torch.float32
    model = AutoModelForCausalLM.from_pretrained(run.model, dtype=dtype)
    chat = Chat(tokenizer)

    def play(prompts: list[Any], trainer: GRPOTrainer) -> dict[str, Any]:
        def generate(conversations: list[list[int]]) -> tuple[list[list[int]], list[list[float]] | None]:
            # Private, and the one door to TRL's generation that keeps vLLM's weights in step: see constraints.txt.
            return trainer._generate_single_turn(conversations, None, {}, num_generations=1)

        rollouts = roll_out(
            [by_id[prompt[-1]["name"]] for prompt in prompts],
            lambda: SqlEnvironment(databases, run.reward),
            chat,
            generate,
            most_tokens=run.episode.tokens,
        )
        if keep_rollouts is not None:
            keep_rollouts.extend(rollouts)
        return {
            "prompt_ids": [rollout.prompt for rollout in rollouts],
            "completion_ids": [rollout.completion for rollout in rollouts],
            "env_mask": [rollout.mask for rollout in rollouts],
            "logprobs": [rollout.logprobs for rollout in rollouts] if trainer.use_vllm else None,
            "rollout": rollouts,
        }

    return GRPOTrainer(
        model=model,
        reward_funcs=[episode_reward],
        args=_arguments(run, output),
        train_dataset=Dataset.from_list([{"prompt": prompt_of(task, run.episode)} for task in tasks]),
        processing_class=tokenizer,
        peft_config=_adapters(run),
        rollout_func=play,
        callbacks=[_callback(MetricsLog(output / METRICS, watch))],
    )


def prompt_of(task: TrainingTask, episode: EpisodeSettings) -> list[dict[str, str | None]]:
    """A task as TRL's data set holds it: its messages. The last one's `name` says which task it is."""
    *before, last = opening(task.question, episode.tool_turns, episode.prompts)
    return [*({**message, "name": None} for message in before), {**last, "name": task.task_id}]


def episode_reward(
    rollout: list[Rollout], log_metric: Callable[[str, float], None] | None = None, **_: Any
) -> list[float]:
    """The rewards that the environments paid, for TRL. Logs the episodes' figures beside them."""
    if log_metric is not None:
        for name, value in episode_metrics(rollout).items():
            log_metric(name, value)
    return [each.environment.outcome.value for each in rollout if each.environment.outcome is not None]


def last_checkpoint(output: Path) -> Path | None:
    """The newest whole checkpoint of a run: transformers writes its trainer state last."""
    found = [path for path in output.glob("checkpoint-*") if (path / "trainer_state.json").exists()]
    return max(found, key=lambda path: int(path.name.partition("-")[2]), default=None)


def _arguments(run: RunSettings, output: Path) -> GRPOConfig:
    from trl import GRPOConfig

    grpo, world = run.grpo, int(os.environ.get("WORLD_SIZE", "1"))
    accumulated, rest = divmod(grpo.episodes, grpo.micro_batch * world)
    if rest:
        raise ValueError(f"{grpo.episodes} episodes per step do not divide by {grpo.micro_batch} on {world} device(s)")
    return GRPOConfig(
        output_dir=str(output),
        seed=run.seed,
        max_steps=grpo.steps,
        per_device_train_batch_size=grpo.micro_batch,
        gradient_accumulation_steps=accumulated,  # and so every step generates once, all of its episodes together
        num_generations=grpo.generations,
        shuffle_dataset=False,  # the curriculum has ordered it
        max_completion_length=run.episode.turn_tokens,
        learning_rate=grpo.learning_rate,
        lr_scheduler_type=grpo.scheduler,
        warmup_steps=grpo.warmup_steps,
        weight_decay=grpo.weight_decay,
        max_grad_norm=grpo.max_grad_norm,
        beta=grpo.beta,
        epsilon=grpo.epsilon,
        epsilon_high=grpo.epsilon_high,
        loss_type=grpo.loss,
        scale_rewards=grpo.scale_rewards,
        temperature=grpo.temperature,
        top_p=grpo.top_p,
        gradient_checkpointing=grpo.gradient_checkpointing,
        bf16=grpo.precision == "bf16",
        logging_steps=1,
        save_steps=grpo.save_every,
        save_total_limit=grpo.keep_checkpoints,
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        **_generation(run),
    )


def _generation(run: RunSettings) -> dict[str, Any]:
    if run.vllm is None:
        return {}
    return {
        "use_vllm": True,
        "vllm_mode": run.vllm.mode,
        "vllm_gpu_memory_utilization": run.vllm.gpu_memory,
        "vllm_tensor_parallel_size": run.vllm.tensor_parallel,
        "vllm_max_model_length": run.episode.tokens,
        "vllm_server_base_url": run.vllm.server_url,
    }


def _adapters(run: RunSettings) -> Any:
    if run.lora is None:
        return None
    from peft import LoraConfig

    lora = run.lora
    return LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def _callback(log: MetricsLog) -> Any:
    from transformers import TrainerCallback

    class Metrics(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                log.resume_at(state.global_step)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if state.is_world_process_zero and logs and "reward" in logs:
                log.add(state.global_step, logs)

    return Metrics()


def _save(trainer: GRPOTrainer, final: Path) -> None:
    """The whole model, adapters merged into it, with its tokenizer: what any server loads by its path."""
    model = trainer.accelerator.unwrap_model(trainer.model)
    if hasattr(model, "merge_and_unload"):
        model = model.merge_and_unload()
    unfinished = final.with_name(f".{final.name}.part")
    model.save_pretrained(unfinished)
    trainer.processing_class.save_pretrained(unfinished)
    unfinished.replace(final)
