"""CHECKs on the shape of a text: GLOB and LIKE patterns, matched and written.

`K-[0-9][0-9]` matches K-07. Of a generated value that does not match, a new one is made from the pattern.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

from sqlglot import exp

_PART = re.compile(r"\[\^?\]?[^\]]*\]|.", re.DOTALL)


def pattern_of(term: exp.Expression) -> tuple[exp.Expression, str] | None:
    """(what is matched, GLOB pattern) of a GLOB or LIKE comparison with a literal; None for anything else."""
    if not isinstance(term, exp.Glob | exp.Like) or not isinstance(term.expression, exp.Literal):
        return None
    text = term.expression.this
    if isinstance(term, exp.Like):
        text = text.translate({ord("%"): "*", ord("_"): "?", ord("*"): "[*]", ord("?"): "[?]"})
    return term.this, text


def matches(pattern: str, value: str) -> bool:
    """Whether SQLite's GLOB holds."""
    return _compiled(pattern).fullmatch(value) is not None


def written(pattern: str, rng: random.Random) -> str:
    """A value that matches: a character for each class, a few digits or nothing for a star."""
    return "".join(_character(part, rng) for part in _PART.findall(pattern))


def _character(part: str, rng: random.Random) -> str:
    if part == "*":
        return ""
    if part == "?":
        return rng.choice("ABCDEFGHKLMNPRSTUVWXYZ")
    if len(part) == 1:
        return part
    inside = re.compile(_class(part))
    return rng.choice([c for c in map(chr, range(33, 127)) if inside.fullmatch(c)] or [""])


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    special = {"*": ".*", "?": "."}
    return re.compile(
        "".join(special.get(p, re.escape(p) if len(p) == 1 else _class(p)) for p in _PART.findall(pattern)), re.DOTALL
    )


def _class(part: str) -> str:
    return "[" + ("^" if part[1] == "^" else "") + part[1:-1].lstrip("^").replace("\\", "\\\\") + "]"
