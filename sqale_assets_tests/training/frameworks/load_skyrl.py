"""SkyRL-Gym plays the exported rows, read as SkyRL reads them, in its own `text2sql`: the gold and a wrong answer."""

import json
import sys
from pathlib import Path

import datasets
import skyrl_gym
from omegaconf import DictConfig

folder = Path(sys.argv[1])
rows = datasets.load_dataset("parquet", data_files=str(folder / "train.parquet"), split="train")


def played(row, *replies):
    extras = {name: value for name, value in row.items() if name not in ("prompt", "env_class")}
    environment = skyrl_gym.make(row["env_class"], env_config=DictConfig({"db_path": str(folder)}), extras=extras)
    environment.init(row["prompt"])
    return [environment.step(reply) for reply in replies]


row = rows[0]
gold = row["reward_spec"]["ground_truth"]
look = "<think>look</think><sql>SELECT name FROM sqlite_master</sql>"
right = played(row, look, f"<think>so</think><solution>{gold}</solution>")
wrong = played(row, "<think>so</think><solution>SELECT -1</solution>")
print(json.dumps({
    "rows": len(rows), "observation": right[0]["observations"][0]["content"],
    "rewards": [right[-1]["reward"], wrong[-1]["reward"]],
    "golds": [played(each, f"<think>x</think><solution>{each['reward_spec']['ground_truth']}</solution>")[-1]["reward"]
              for each in rows],
    "turns": row["max_turns"], "columns": rows.column_names,
}))  # fmt: skip
