"""What a column means, told from its name and kind: the first pattern of `meanings.txt` that fits."""

from __future__ import annotations

import re
from functools import lru_cache

from sqale_assets.llm.offline.filling.vocabulary import lines

_GROUPS = {
    "text": ("text", "enum"),
    "number": ("integer", "decimal", "real"),
    "moment": ("date", "datetime"),
}
#: Of text columns, only those that say so are dates.
_DATED = re.compile(
    r"\b(date|time|on|at|when|datum|fecha|since|check ?in|start\w*|creat\w*|updat\w*|expir\w*|deadline)\b"
)


@lru_cache(maxsize=65536)
def meaning_of(words: tuple[str, ...], kind: str) -> str:
    """The meaning of a column; "" where no pattern fits."""
    text = " ".join(word for word in words if not word.isdigit()) or " ".join(words)
    found = _first(text, kind)
    if not found and kind == "text":  # numbers and dates that are kept as text
        for other in ("datetime", "decimal"):
            found = _first(text, other)
            if found and (other == "decimal" or _DATED.search(text)):
                return found
        return ""
    if found == "text.body" and words[-1] == "text" and len(words) > 1:
        return _before_text(text.removesuffix(" text"))
    return found


def _before_text(text: str) -> str:
    """What `review_text`, `title_text` or `location_text` means: what it would without its last word."""
    found = _first(text, "text")
    return found if found.startswith(("text.", "name", "address.", "place.", "expression")) else "text.statement"


def _first(text: str, kind: str) -> str:
    return next((meaning for meaning, pattern in _patterns(kind) if pattern.search(text)), "")


@lru_cache(maxsize=32)
def _patterns(kind: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns that apply to a kind, in order."""
    found = []
    for line in lines("meanings.txt"):
        meaning, kinds, pattern = line.split(" | ", 2)
        allowed = [name for word in kinds.split() for name in _GROUPS.get(word, (word,))]
        if kind in allowed or "any" in allowed:
            found.append((meaning, re.compile(pattern)))
    return tuple(found)
