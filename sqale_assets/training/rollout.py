"""Playing many episodes at once, token by token accounted for: which the model wrote, which the environment.

The loss may only see what the model wrote. `Rollout.mask` has a 1 for each of its tokens, ends of turn included, and a
0 for every token that it was told: tool answers, the budget, the template's marks between turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqale_assets.training.chat import Chat
from sqale_assets.training.environment import SqlEnvironment
from sqale_assets.training.tasks import TrainingTask

#: Token ids of each conversation so far -> each one's next reply, with its log probabilities where they are known.
Generate = Callable[[list[list[int]]], tuple[list[list[int]], list[list[float]] | None]]

#: Tokens that must be left for a reply, or the episode ends.
LEAST_REPLY = 32


@dataclass
class Rollout:
    """One episode as tokens. `completion`, `mask` and `logprobs` correspond by position."""

    environment: SqlEnvironment
    prompt: list[int]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def tokens(self) -> list[int]:
        return self.prompt + self.completion

    def wrote(self, ids: Sequence[int], logprobs: Sequence[float]) -> None:
        """Add what the model wrote."""
        self.completion += ids
        self.mask += [1] * len(ids)
        self.logprobs += logprobs

    def was_told(self, ids: Sequence[int]) -> None:
        """Add what the environment said."""
        self.completion += ids
        self.mask += [0] * len(ids)
        self.logprobs += [0.0] * len(ids)


def roll_out(
    tasks: Sequence[TrainingTask],
    environment: Callable[[], SqlEnvironment],
    chat: Chat,
    generate: Generate,
    *,
    most_tokens: int,
) -> list[Rollout]:
    """Play one episode per task, all at once, each up to `most_tokens` tokens with its prompt.

    Raises:
        NoReference: no reward can hang on a task; selection leaves such tasks out.
    """
    rollouts = []
    for task in tasks:
        playing = environment()
        rollouts.append(Rollout(playing, chat.prompt(playing.reset(task))))
    active = rollouts
    while active:
        replies, logprobs = generate([rollout.tokens for rollout in active])
        for number, rollout in enumerate(active):
            known = logprobs[number] if logprobs is not None else [0.0] * len(replies[number])
            _take(rollout, replies[number], known, chat, most_tokens)
        active = [rollout for rollout in active if not rollout.environment.done]
    return rollouts


def _take(rollout: Rollout, reply: Sequence[int], logprobs: Sequence[float], chat: Chat, most: int) -> None:
    """Give a reply to the environment, and its answer to the conversation as far as there is room."""
    room = max(most - len(rollout.tokens), 0)
    rollout.wrote(reply[:room], logprobs[:room])
    if len(reply) > room or not reply:
        rollout.environment.cut_off()
        if not rollout.completion:  # a prompt without room for a reply: an end that the model did not write
            rollout.was_told([chat.end])
        return
    step = rollout.environment.step(chat.text(reply))
    if step.observation is None:
        return
    said = chat.next_turn(step.observation, ended=chat.ended(reply))
    if len(rollout.tokens) + len(said) + LEAST_REPLY > most:
        rollout.environment.cut_off()
    else:
        rollout.was_told(said)
