"""TRL's own trainer over the exported rows: a step of GRPO with our reward on what each row carries."""

import json
import sys
from pathlib import Path

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from sqale_assets.training.chat import Chat
from sqale_assets.training.environment import Databases, EpisodeSettings, SqlEnvironment
from sqale_assets.training.rollout import roll_out
from sqale_assets.training.tasks import TrainingTask

folder, model, output = map(Path, sys.argv[1:])
torch.set_num_threads(1)
rows = load_dataset("json", data_files=str(folder / "train.jsonl"), split="train")
episode = EpisodeSettings.model_validate_json((folder / "episode.json").read_bytes())
databases = Databases(folder / "instances", episode)
tokenizer = AutoTokenizer.from_pretrained(model)
tasks = {}
for row in rows:
    task = TrainingTask.model_validate_json(row["task"])
    tasks[row["prompt"][-1]["content"]] = task.model_copy(update={"database": folder / task.database})


def play(prompts, trainer):
    def generate(conversations):
        return trainer._generate_single_turn(conversations, None, {}, num_generations=1)

    played = roll_out(
        [tasks[prompt[-1]["content"]] for prompt in prompts], lambda: SqlEnvironment(databases), Chat(tokenizer),
        generate, most_tokens=episode.tokens,
    )  # fmt: skip
    return {
        "prompt_ids": [each.prompt for each in played],
        "completion_ids": [each.completion for each in played],
        "env_mask": [each.mask for each in played],
        "logprobs": None,
        "paid": [each.environment.outcome.value for each in played],
    }


trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32),
    reward_funcs=[lambda paid, **_: paid],
    args=GRPOConfig(
        output_dir=str(output), max_steps=1, per_device_train_batch_size=4, num_generations=2, bf16=False, use_cpu=True,
        max_completion_length=episode.turn_tokens, report_to=[], disable_tqdm=True, remove_unused_columns=False,
    ),
    train_dataset=rows,
    processing_class=tokenizer,
    rollout_func=play,
)  # fmt: skip
trainer.train()
print(json.dumps({"rows": len(rows), "steps": trainer.state.global_step}))
