"""Slips of the finger, for writers who make none: two words of a question with a letter dropped.

A model that is refused for spelling all right is told them. If it still does, they are put into its text: a 1.5B model,
shown its own question with two mistakes in it, mends them in four of five tries.
"""

from __future__ import annotations

import re

from sqale_assets.stages.style_fidelity import naming_words

_QUOTED = re.compile(r"""("[^"]*"|“[^”]*”|(?<!\w)'[^']*'(?!\w))""")


def slips(question: str) -> dict[str, str]:
    """Words of the question in the singular, and how they might be typed; none of a quoted value or a name."""
    plain = "".join(_QUOTED.split(question)[::2])
    found = (word for word in naming_words(question) if len(word) > 4 and re.search(rf"\b{word}", plain))
    longest = sorted(found, key=len, reverse=True)[:2]
    return {word: word[:2] + word[3:] for word in longest} or {"the": "teh"}


def with_slips(phrasing: str, question: str) -> str:
    """The phrasing of a question with its slips, but for quoted values and what is written large."""
    parts = _QUOTED.split(phrasing)  # every second one is quoted
    for word, slip in slips(question).items():
        parts[::2] = (re.sub(rf"\b{word}(?=(?:e?s)?\b)", slip, part) for part in parts[::2])
    return "".join(parts)
