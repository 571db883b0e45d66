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
_DATED = re.compile(r"\b(date|time|on|at|when|datum|fecha|since|check ?in|start\w*)\b")


@lru_cache(maxsize=65536)
def meaning_of(words: tuple[str, ...], kind: str) -> str:
    """The meaning of a column; "" where no pattern fits."""
    text = " ".join(word for word in words if not word.isdigit()) or " ".join(words)
    found = _first(text, kind)
    if not found and kind == "text":  # numbers and dates that are kept as text
        for other in ("datetime", "decimal"):
            found = _first(text, other)
            if found and (other == "decimal" or found != "date.start" or _DATED.search(text)):
                return found
        return ""
    return found


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
