"""A model of a hundred thousand weights and a toy corpus: what shows on a CPU, in minutes, that training trains.

The corpus asks one-table questions in fixed words. The model is random, with a tokenizer made on the spot. Left alone
it would never write a call, so that no reward could tell its episodes apart; `warm_up` teaches it the protocol on
demonstrations that are right now and then: mostly their query uses another aggregate function than the one that was
asked for. What the reward then can teach is to use that one always.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.environment import Episode
from sqale_assets.training.chat import Chat
from sqale_assets.training.environment import Databases, EpisodeSettings, SqlEnvironment
from sqale_assets.training.rollout import Rollout, roll_out
from sqale_assets.training.tasks import TrainingTask, opening

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

_TABLES = {
    "boats": ("length", "weight"), "hotels": ("rooms", "stars"), "films": ("minutes", "budget"),
    "trees": ("height", "age"), "cars": ("speed", "price"), "lakes": ("depth", "area"),
    "books": ("pages", "price"), "schools": ("pupils", "classes"),
}  # fmt: skip
#: What is asked for -> the aggregate function that gives it.
_ASKED = {"highest": "max", "lowest": "min", "average": "avg", "total": "sum"}
#: A prompt as short as the toy corpus allows: a tiny model on a CPU spends its time on the prompt.
_PROMPT = """---
task: answer_question
version: 1
stage: answer
---
## system
Task: answer_question
Reply with a call: {"tool": name, "args": {...}}. Tools: list_tables, submit_sql.
## user
{{ question }}
"""
_CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def toy_episode(folder: Path) -> EpisodeSettings:
    """The bounds of an episode of the toy corpus, with its prompt written into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer_question.md").write_text(_PROMPT, encoding="utf-8")
    return EpisodeSettings(tool_turns=2, tokens=320, turn_tokens=40, prompts=folder)


def toy_tasks(folder: Path, *, seed: int = 0) -> list[TrainingTask]:
    """One database per table of the toy corpus, and a task for each of its columns and functions."""
    rng = random.Random(f"toy:{seed}")
    folder.mkdir(parents=True, exist_ok=True)
    tasks = []
    for table, columns in _TABLES.items():
        path = folder / f"{table}.sqlite"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection, connection:
            listed = ", ".join(f"{column} INTEGER" for column in columns)
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {listed})")
            rows = [(key, rng.randint(1, 900), rng.randint(1, 900)) for key in range(1, 41)]
            connection.executemany(f"INSERT INTO {table} VALUES (?,?,?)", rows)
        for column in columns:
            for asked, function in _ASKED.items():
                tasks.append(
                    TrainingTask(
                        question_id=f"{function}-{column}",
                        database_id=table,
                        database=path,
                        question=f"What is the {asked} {column} of the {table}?",
                        style="verbose",
                        sql=f"SELECT {function}({column}) FROM {table}",
                        difficulty="simple",
                        tables=1,
                        schema_tables=1,
                        tokens=900,
                    )
                )
    return tasks


def tiny_tokenizer(tasks: Sequence[TrainingTask], episode: EpisodeSettings) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer that knows the words of the toy corpus, with a ChatML template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2_000,
        special_tokens=["<|pad|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    prompts = (opening(task.question, episode.tool_turns, episode.prompts) for task in tasks)
    texts = [message["content"] for prompt in prompts for message in prompt]
    replies = [reply for task in tasks for reply in _demonstration(task, task.sql)]
    answers = [message["content"] for task in tasks for message in _played(task, episode.tool_turns)]
    tokenizer.train_from_iterator([*texts, *replies, *answers, "system\nuser\nassistant\n"], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
        chat_template=_CHAT_TEMPLATE,
    )


def tiny_model(tokenizer: PreTrainedTokenizerFast, *, width: int = 64, seed: int = 0) -> PreTrainedModel:
    """A random Llama of two layers, `width` wide."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=4_096,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
        )
    )


def demonstrations(
    tasks: Sequence[TrainingTask], databases: Databases, chat: Chat, *, count: int, right: float = 0.25, seed: int = 0
) -> list[Rollout]:
    """Episodes by a script that explores and submits as it should, but is right in a share of them only.

    In the others the aggregate function is one that was not asked for.
    """
    rng = random.Random(f"demonstrations:{seed}")
    played = []
    for number in range(count):
        task = tasks[number % len(tasks)]
        function, _, rest = task.sql.removeprefix("SELECT ").partition("(")
        if rng.random() >= right:
            function = rng.choice([each for each in _ASKED.values() if each != function])
        replies = iter(_demonstration(task, f"SELECT {function}({rest}"))
        played += roll_out(
            [task],
            lambda: SqlEnvironment(databases),
            chat,
            lambda _, replies=replies: ([_written(chat, next(replies))], None),
            most_tokens=databases.settings.tokens,
        )
    return played


def warm_up(
    model: PreTrainedModel,
    rollouts: Sequence[Rollout],
    *,
    steps: int,
    batch: int = 16,
    rate: float = 3e-3,
    seed: int = 0,
) -> list[float]:
    """Teach `model` to write what was written in `rollouts`, no token else. Returns the loss of each step."""
    import torch

    rng = random.Random(f"warm-up:{seed}")
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=rate, total_steps=steps)
    losses = []
    model.train()
    for _ in range(steps):
        ids, labels = _padded(rng.sample(list(rollouts), min(batch, len(rollouts))), model.config.pad_token_id)
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        losses.append(loss.item())
    return losses


def save_tiny(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> Path:
    """Write model and tokenizer as a folder that a run can name as its model."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _demonstration(task: TrainingTask, sql: str) -> Iterator[str]:
    for tool, args in (("list_tables", {}), ("submit_sql", {"sql": sql})):
        yield json.dumps({"tool": tool, "args": args})


def _played(task: TrainingTask, tool_turns: int) -> list[dict[str, Any]]:
    """The conversation of a demonstration after its first messages."""
    with Database.open(task.database) as database:
        episode = Episode(database, tool_turns, submission_ends=True)
        for reply in _demonstration(task, task.sql):
            episode.step(reply)
        return episode.transcript


def _written(chat: Chat, reply: str) -> list[int]:
    return [*chat.encode(reply), chat.end]


def _padded(rollouts: Sequence[Rollout], pad: int) -> tuple[Any, Any]:
    """Token ids and labels, -100 where the model did not write. Padding is at the end, where no token attends to it."""
    import torch

    longest = max(len(rollout.tokens) for rollout in rollouts)
    ids = torch.full((len(rollouts), longest), pad)
    labels = torch.full((len(rollouts), longest), -100)
    for row, rollout in enumerate(rollouts):
        tokens = torch.tensor(rollout.tokens)
        ids[row, : len(tokens)] = tokens
        written = torch.tensor([0] * len(rollout.prompt) + rollout.mask, dtype=torch.bool)
        labels[row, : len(tokens)][written] = tokens[written]
    return ids, labels
