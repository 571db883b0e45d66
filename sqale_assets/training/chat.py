"""A conversation as tokens that only ever grow, as the protocol asks: what the model wrote is never written anew.

Templates of reasoning models drop earlier thoughts when they render a conversation again; so only the first prompt is
rendered whole, and every further turn is appended as the tokens that stand between two replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sqale_assets.llm.task import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Stand for a reply and for what is said after it while the template is looked at; letters that no template treats.
_REPLY, _SAID = "QQREPLYQQ", "QQSAIDQQ"


class Chat:
    """The tokens of conversations under a tokenizer's chat template."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase):
        if tokenizer.chat_template is None:
            raise ValueError("the tokenizer has no chat template: the model must be one that can hold a conversation")
        self._tokenizer = tokenizer

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """The conversation's beginning, up to where the model speaks."""
        text = self._tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        return self.encode(text)

    def text(self, reply: Sequence[int]) -> str:
        """What a reply says."""
        return self._tokenizer.decode(list(reply), skip_special_tokens=True)

    def ended(self, reply: Sequence[int]) -> bool:
        """Whether a reply ends as a turn does; else it was cut off."""
        return bool(reply) and reply[-1] == self._tokenizer.eos_token_id

    def next_turn(self, said: str, *, ended: bool) -> list[int]:
        """The tokens between a reply and the next one. `ended` is whether the reply brought its own end of turn.

        What is said comes from databases: a text in it that looks like the template's own marks stays text.
        """
        before, after = self._between
        content = self._tokenizer.encode(said, add_special_tokens=False, split_special_tokens=True)
        return [*(before[1:] if ended else before), *content, *after]

    def encode(self, text: str) -> list[int]:
        """The tokens of a text in which the template's marks are marks."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    @property
    def end(self) -> int:
        """The token that ends a turn."""
        return self._tokenizer.eos_token_id

    @cached_property
    def _between(self) -> tuple[list[int], list[int]]:
        messages = [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": _REPLY},
            {"role": "user", "content": _SAID},
        ]
        text = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        before, said, after = text.partition(_REPLY)[2].partition(_SAID)
        ids = self.encode(before)
        if not said or not ids or ids[0] != self._tokenizer.eos_token_id:
            raise ValueError("the chat template does not end a reply with the tokenizer's end-of-sequence token")
        return ids, self.encode(after)
