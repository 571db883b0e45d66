"""Does the reward rise? GRPO on the toy corpus of one-table questions, with a model of some 400,000 weights, on a CPU.

    pip install -c constraints.txt -e '.[train]'
    python benchmarks/toy_training.py OUT [--steps 60] [--all]

A random model is warmed up on demonstrations that call the tools as they should, but mostly use another aggregate
function than the one that was asked for. Then it is trained with GRPO, by the same trainer, environment and reward as
any other run, on the questions that ask for the highest value; `--all` trains on all four functions, where the model
would have to learn to read which is asked for. OUT holds the warm model, the run with its metrics, and `reward.png`.
Both parts go on where they were stopped.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from sqale_assets.statistics.charts import render
from sqale_assets.training import tiny
from sqale_assets.training.charts import curves
from sqale_assets.training.chat import Chat
from sqale_assets.training.config import CorpusPart, GrpoSettings, RunSettings
from sqale_assets.training.curriculum import Curriculum, order
from sqale_assets.training.environment import Databases
from sqale_assets.training.metrics import read_metrics, summary
from sqale_assets.training.place import METRICS

QUESTIONS, WIDTH, WARM_UP, RIGHT = 32, 128, 800, 0.4
PANELS = {"reward": "reward", "accuracy": "share of correct answers", "executes": "runs, but is wrong"}


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="all four aggregate functions")
    given = parser.parse_args()
    torch.set_num_threads(1)
    out, started = given.out.resolve(), time.process_time()

    episode = tiny.toy_episode(out / "prompts")
    tasks = tiny.toy_tasks(out / "databases")[:QUESTIONS]
    with Databases(out / "instances", episode) as databases:
        if not (out / "warm" / "config.json").exists():
            warm(out, tasks, databases, given.seed)
            print(f"warm-up: {time.process_time() - started:.0f} s of CPU")
        grpo = GrpoSettings(
            steps=given.steps, prompts=4, generations=8, micro_batch=32, learning_rate=3e-4, warmup_steps=0,
            scheduler="constant", gradient_checkpointing=False, precision="fp32", save_every=10,
        )  # fmt: skip
        run = RunSettings(
            name="toy", model=str(out / "warm"), seed=given.seed, corpus=CorpusPart(path=out), episode=episode,
            grpo=grpo, curriculum=Curriculum(strength=0),
        )  # fmt: skip
        asked = tasks if given.all else [task for task in tasks if task.sql.startswith("SELECT max(")]
        ordered = order(asked, grpo.steps * grpo.prompts, run.curriculum, seed=run.seed)
        from sqale_assets.training.trainer import train

        train(run, ordered, out / "run", databases, watch=lambda metrics: print(line(metrics), flush=True))
    steps = read_metrics(out / "run" / METRICS)
    (out / "reward.png").write_bytes(render(curves({"toy corpus": steps}, PANELS)))
    print(json.dumps(summary(steps), indent=1))
    print(f"{time.process_time() - started:.0f} s of CPU")


def warm(out: Path, tasks: list, databases: Databases, seed: int) -> None:
    """Teach a random model the protocol, and save it."""
    tokenizer = tiny.tiny_tokenizer(tasks, databases.settings)
    shown = tiny.demonstrations(tasks, databases, Chat(tokenizer), count=512, right=RIGHT, seed=seed)
    model = tiny.tiny_model(tokenizer, width=WIDTH, seed=seed)
    losses = tiny.warm_up(model, shown, steps=WARM_UP, seed=seed)
    print(f"{model.num_parameters():,} weights; loss {losses[0]:.2f} to {losses[-1]:.3f}")
    tiny.save_tiny(model, tokenizer, out / "warm")


def line(metrics: dict) -> str:
    shown = ("step", "reward", "accuracy", "executes", "parses", "nothing", "entropy", "grad_norm", "seconds")
    return "  ".join(f"{name} {metrics[name]:.4g}" for name in shown if name in metrics)


if __name__ == "__main__":
    main()
