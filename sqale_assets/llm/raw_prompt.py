"""A conversation as the one raw prompt of a completion endpoint, in ChatML.

Chat endpoints rebuild the prompt from the messages at every turn, and the templates of reasoning models then drop the
thoughts of earlier turns. Here a turn is appended as it was written, so the prompt of a turn begins with the prompt and
the reply of the turn before: thoughts stay in context, and a server's prefix cache holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqale_assets.llm.task import Message

#: What ends a turn; a server stops there and leaves it out of its reply.
END = "<|im_end|>"


def raw_prompt(messages: Sequence[Message], opening: str = "") -> str:
    """The prompt up to where the model goes on.

    Args:
        opening: what each of the assistant's turns begins with before its own words, such as "<think>\\n".
    """
    return "".join(map(_turn(opening), messages)) + f"<|im_start|>assistant\n{opening}"


def _turn(opening: str):
    def written(message: Message) -> str:
        begun = opening if message["role"] == "assistant" else ""
        return f"<|im_start|>{message['role']}\n{begun}{message['content']}{END}\n"

    return written
