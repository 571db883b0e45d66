"""Degenerate data: what no lived-in table looks like, with figures; the table is asked again for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sqale_assets.relational.model import Model, Value
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.links import lowered
from sqale_assets.stages.populating.rules import TableRules

#: Below this, a repeated value is no sign of anything.
ENOUGH_ROWS = 8
#: So many rows tell what a function makes; the rest is more of it.
LOOKED_AT = 1000
#: Fewer rows than this share of those asked for are too few.
FEW = 0.1
#: A few names that end in a number are nothing: "Room 4", "Level 2".
NUMBERED_SHARE = 0.2

_NUMBERED = re.compile(
    r"(?:value|test|sample|example|dummy|foo|item|row|entry|record|string|text|name|title|description|data|placeholder)"
    r"[ _#-]?\d+",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[ _#-]?\d+")
_LOREM_WORDS = ("lorem", "ipsum", "dolor sit", "amet", "consectetur", "adipiscing")
_LOREM = re.compile(rf"\b({'|'.join(_LOREM_WORDS)})\b", re.IGNORECASE)
PLACEHOLDER = re.compile(r"<[A-Z][A-Z_ ]{2,}>")


class Finding(Model):
    """Something degenerate. `count` of `of` values show it; `column` is empty where whole rows do."""

    kind: str
    column: str
    count: int
    of: int
    example: str = ""

    def __str__(self) -> str:
        where = f"column {self.column}" if self.column else "the rows"
        seen = f", such as {self.example!r}" if self.example else ""
        return f"{where}: {_WORDS[self.kind]} ({self.count} of {self.of}{seen})"


_WORDS = {
    "all_null": "always None",
    "constant": "always the same value",
    "few_values": "only a few different values, although the original rows all differ",
    "numbered": "numbered placeholders instead of real-sounding values",
    "lorem": "lorem ipsum instead of real-sounding text",
    "placeholder": "anonymisation placeholders",
    "repeated_rows": "the same row over and over, apart from its key",
    "few_rows": "fewer rows than were asked for",
}


def degenerate(data: TableData, rules: TableRules, expected: int) -> list[Finding]:
    """The findings over the generated rows, column by column. `expected` is how many rows were asked for."""
    table = data.table
    start = data.originals
    end = min(len(data), start + LOOKED_AT)
    count = end - start
    if count < expected * FEW:  # closed vocabularies may end early, but not at once
        return [Finding(kind="few_rows", column="", count=count, of=expected)]
    if count < ENOUGH_ROWS:
        return []
    linked = {name for key in table.foreign_keys for name in lowered(key.columns)}
    keys = set(lowered(table.primary_key))
    findings = []
    for column in table.columns:
        name = column.name.lower()
        values = data.columns[name][start:end]
        known = [value for value in values if value is not None]
        if not known:
            if name not in linked:
                findings.append(Finding(kind="all_null", column=column.name, count=count, of=count))
            continue
        if name in linked:
            continue
        if len(set(known)) == 1 and len(known) >= ENOUGH_ROWS and not _may_be_constant(rules, name):
            findings.append(_finding("constant", column.name, known, known))
        if not rules.columns[name].allowed and _repeats_too_much(data.columns[name][:start], known):
            findings.append(_finding("few_values", column.name, list(dict.fromkeys(known)), known))
        texts = [value for value in known if isinstance(value, str)]
        numbered = [text for text in texts if text[-1:].isdigit() and not text[0].isdigit()] if name not in keys else []
        if len(numbered) > NUMBERED_SHARE * len(texts):
            found = [text for text in numbered if _is_numbered(text, name, table.name.lower())]
            if len(found) > NUMBERED_SHARE * len(texts):
                findings.append(_finding("numbered", column.name, found, known))
        joined = "\n".join(texts).lower()
        hints = (("lorem", _LOREM, _LOREM_WORDS), ("placeholder", PLACEHOLDER, ("<",)))
        for kind, pattern, hint in hints:  # looking for words is much faster than for patterns
            if any(word in joined for word in hint) and (found := [text for text in texts if pattern.search(text)]):
                findings.append(_finding(kind, column.name, found, known))
    findings += _repeated_rows(data, start, end, keys | linked)
    return findings


def _repeats_too_much(originals: Sequence[Value], known: Sequence[Value]) -> bool:
    """Whether a text that differs in all original rows (a name, a title) hardly ever differs in the new ones."""
    before = [value for value in originals if isinstance(value, str)]
    telling = len(before) >= 4 and len(before) == len(originals) == len(set(before)) and len(known) >= 2 * ENOUGH_ROWS
    return telling and len(set(known)) < 0.15 * len(known)


def _finding(kind: str, column: str, found: Sequence[Value], of: Sequence[Value]) -> Finding:
    return Finding(kind=kind, column=column, count=len(found), of=len(of), example=str(found[0])[:60])


def _is_numbered(text: str, *names: str) -> bool:
    """Whether a text is a filler word or one of `names` (in lower case), and a number."""
    if _NUMBERED.fullmatch(text):
        return True
    lowered = text.lower()
    return any(lowered.startswith(name) and _NUMBER.fullmatch(lowered, len(name)) for name in names)


def _may_be_constant(rules: TableRules, name: str) -> bool:
    rule = rules.columns[name]
    return (
        rule.column.kind == "boolean" or len(rule.allowed) == 1 or bool(rule.low is not None and rule.low == rule.high)
    )


def _repeated_rows(data: TableData, start: int, end: int, keys: set[str]) -> list[Finding]:
    names = [name for name in data.columns if name not in keys]
    if len(names) < 3:
        return []
    rows = Counter(zip(*(data.columns[name][start:end] for name in names), strict=True))
    row, most = rows.most_common(1)[0]
    total = end - start
    if most <= max(3, 0.3 * total):
        return []
    return [Finding(kind="repeated_rows", column="", count=most, of=total, example=str(row)[:60])]
