"""What a question must be before anybody answers it: English, on its own, specific, one thing, not asked before.

Each gate looks at the text alone (and the schema's names); grounding has its own module. A fault says what to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqale_assets.relational.model import Schema

#: Words of a question: letters and digits, apostrophes inside.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')
_IDENTIFIER = re.compile(r"\b\w*[A-Za-z0-9]_[A-Za-z0-9]\w*\b|\b[a-z]+[A-Z][a-z]\w*\b")
_MASKED = re.compile(r"<[A-Z][A-Z_]+>|\[(?:name|date|value|question|placeholder)\]", re.IGNORECASE)
_META = re.compile(
    r"\b(?:this|the|our|my|given|above) (?:database|schema|tables?|dataset|data set|sql|query)\b"
    r"|\b(?:sql|foreign keys?|primary keys?|left join|inner join|group by|subquery|cte|rows? of the table)\b",
    re.IGNORECASE,
)
_UNSAID = re.compile(
    r"\b(?:(?:the|a) (?:given|specified|provided|following|certain|particular|above|aforementioned|said|corresponding)"
    r" (?:\w+ )?(?:ids?|name|code|value|date|number|customer|user|record|item|category|period)"
    r"|(?:this|that) (?:record|entry|row|id|user|customer|item)|some (?:specific|particular) \w+)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:how many|count (?:the|all)|what is the (?:total )?number of) (?:rows|records|entries|tables|columns)"
    r"(?: (?:are there|exist|are in)\b[^,]*)?[.?]?$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"^(?:list|show|select|get|give me|display) (?:all|everything|all data|all the data|\*)[.?]?$", re.IGNORECASE
)
_FENCED = re.compile(r"```|\bSELECT\b.+\bFROM\b|^\s*[{\[]", re.DOTALL)

SHORTEST, LONGEST = 20, 900
#: Share of common pairs of words from which on two questions count as the same.
SAME = 0.72


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a question was refused. `reason` is for counting, `evidence` for whoever mends it."""

    reason: str
    evidence: str


def faults(question: str, schema: Schema) -> list[Fault]:
    """What is wrong with the wording of a question, worst first; empty when nothing is."""
    found: list[Fault] = []
    text = question.strip()
    bare = _QUOTED.sub('""', text)
    if not SHORTEST <= len(text) <= LONGEST:
        found.append(Fault("length", f"the question has {len(text)} characters; {SHORTEST} to {LONGEST} are allowed"))
    if match := _FENCED.search(text):
        found.append(Fault("not_a_question", f"write plain English, not {match[0][:30]!r}"))
    if match := _MASKED.search(text):
        found.append(Fault("placeholder", f"{match[0]} is a placeholder, not a value"))
    if match := _identifier(bare, schema):
        found.append(Fault("identifier", f"{match!r} is a name from the definitions; say it in words"))
    if match := _META.search(bare):
        found.append(Fault("about_the_database", f"{match[0]!r} speaks of the database instead of what it holds"))
    if match := _UNSAID.search(bare):
        found.append(Fault("not_self_contained", f"{match[0]!r} leaves open which one; name it"))
    if _BARE.match(bare) or _NOTHING.match(bare):
        found.append(Fault("about_nothing", "the question does not say what it is about"))
    if two_questions(bare):
        found.append(Fault("two_in_one", "these are two questions; ask one"))
    return found


def _identifier(text: str, schema: Schema) -> str | None:
    names = {name.lower() for table in schema.tables for name in (table.name, *(c.name for c in table.columns))}
    for match in _IDENTIFIER.finditer(text):
        if "_" in match[0] or match[0].lower() in names:
            return match[0]
    return None


def two_questions(text: str) -> bool:
    """Whether the text asks twice: two question marks, or a second question word behind "and"."""
    if text.count("?") > 1:
        return True
    second = re.search(
        r"(?:,? and (?:also )?|; )(?:how many|what (?:is|are|was|were)|which (?!have|has|is|are|were|was|of|among)"
        r"|(?:when|where) (?:is|are|was|were|do|does|did))\b(?! (?:of|among|ones?|they|it)\b)",
        text, re.IGNORECASE,
    )  # fmt: skip
    first = re.match(r"\W*(?:how many|what|which|who|when|where)\b", text, re.IGNORECASE)
    return bool(first and second)


class Known:
    """The questions of a schema so far, to tell near-duplicates."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, frozenset[tuple[str, str]]]] = []

    def like(self, question: str) -> str | None:
        """An earlier question that says nearly the same, or None."""
        pairs = _pairs(question)
        for text, others in self._texts:
            shared = len(pairs & others)
            if shared and shared / len(pairs | others) >= SAME:
                return text
        return None

    def add(self, question: str) -> None:
        self._texts.append((question, _pairs(question)))

    @property
    def texts(self) -> Sequence[str]:
        return [text for text, _ in self._texts]


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return frozenset(zip(["", *words], [*words, ""], strict=True))


def told(found: Iterable[Fault]) -> str:
    """Faults in one line."""
    return "; ".join(fault.evidence for fault in found)
