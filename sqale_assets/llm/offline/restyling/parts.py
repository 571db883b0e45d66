"""A question taken apart: what is wanted, under which conditions, in which order.

Only English is known here: connecting words split the sentence, quoted text is never split. What cannot be
taken apart stays whole as `head`, which every style can still work with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

#: Quoted text, or a decimal number: nothing in them ends a sentence or begins a clause.
_PROTECTED = re.compile(r'"[^"\n]*"|(?<!\w)\'(?:[^\'\n]|\'(?=\w))+\'(?!\w)|“[^”\n]*”|\d+\.\d+')
_HOLD = "\u241f{}\u241f"
_HELD = re.compile("\u241f(\\d+)\u241f")

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_CLAUSE = re.compile(
    r",?\s+(?=(?:and\s+|but\s+)?(?:"
    r"(?:who|that)\s+(?:have|has|had|are|is|were|was|did|do|does|\w+ed|\w+s)\b"
    r"|whose|whom|which\s+(?:have|has|are|is|were|was|\w+ed)\b|where|having|for which|in which|on which|without"
    r"|(?:not\s+)?(?:marked|flagged|placed|made|located|assigned|recorded|created|linked|associated|dated)"
    r"\s+(?:as|in|on|by|to|with|for|at)"
    r"|with\s+(?:an?|the|at least|more than|fewer than|less than|exactly|no|any|\w+\s+status|\u241f|\d)"
    r"|(?:in|during|between|since|before|after|from|until|on|throughout)\s+(?:the year\s+)?"
    rf"(?:(?:{_MONTHS}|Q[1-4])\b|\d{{4}})"
    r"))"
)
_ORDER = re.compile(
    r"(?:,?\s+(?:and\s+)?(?=(?:sorted|ordered|ranked|arranged|listed)\b(?:\s+\w+){0,3}?\s+(?:by|from|with)\b"
    r"|starting with|from (?:the )?(?:highest|lowest|largest|smallest|newest|oldest|latest|earliest)\b"
    r"|in (?:ascending|descending|alphabetical) order)"
    r"|(?:,\s+|\s+)and\s+(?=(?:sort|order|rank)\b(?:\s+\w+){0,3}?\s+by\b))",
    re.IGNORECASE,
)
_EXTRA = re.compile(
    r",?\s+(?:and\s+)?(?=(?:along with|together with|as well as|in addition to|plus"
    r"|and (?:show|give|include|return|list|determine|identify|find|calculate|compute|report|state|their|its)\b))",
    re.IGNORECASE,
)
#: Extras that bring their own joining word.
_JOINED = re.compile(r"along with|together with|as well as|in addition to|plus")
_PURPOSE = re.compile(
    r",?\s+(?=(?:in order to|so that|so as to|so we|so I|to (?:help|assess|understand|see|support|help)\b|because)).*$"
)
_SCOPE = re.compile(
    r"^(?:For|Per|Within|Among|Across|Over|Of|In|Considering) (?P<scope>[^,]+(?:,[^,]+)*?),\s+(?P<rest>.+)$"
)
_COMMAND = re.compile(
    r"^(?:please\s+)?(?:(?:can|could|would) you\s+(?:please\s+)?)?"
    r"(?:list|show|find|give|get|return|display|identify|provide|retrieve|report|tell|determine|calculate|compute|count|name"
    r"|rank|compare|present|output|work out|find out|look up|select|fetch|pull)"
    r"(?:\s+(?:me|us))?(?:\s+(?:out|up))?\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(
    r"^how many\s+(?P<noun>.+?)\s+(?:are there|are recorded|exist|do we have|are on record|in total)\b\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
#: "which orders did Ann place": the rest of the sentence after the verb stays.
_DID = re.compile(r"^(?:did|do|does)\s+(?P<who>.+?)\s+\w+(?P<rest>\s+(?:in|on|at|during|for|from|with|between)\b.*)?$")
_HOW_MANY = re.compile(r"^how many\s+(?P<rest>.+)$", re.IGNORECASE)
_HOW_MUCH = re.compile(r"^how much\s+(?P<rest>.+)$", re.IGNORECASE)
_WHAT_IS = re.compile(r"^what(?:'s|\s+(?:is|are|was|were))\s+(?P<rest>.+)$", re.IGNORECASE)
_WHICH = re.compile(r"^(?:which|what)\s+(?P<rest>.+)$", re.IGNORECASE)
_WHO = re.compile(r"^who\s+(?P<rest>.+)$", re.IGNORECASE)
#: The verb that ends the noun phrase of "which <noun phrase> <verb> ...".
_VERB = re.compile(
    r"\s(?=(?:have|has|had|are|is|were|was|did|do|does|can|belong|belongs|appear|appears|contain|contains|hold|holds|earn"
    r"|earns|cost|costs|share|shares|occur|occurs|exceed|exceeds|need|needs|use|uses|show|shows|received|placed|made|\w+ed)\b)"
)
_AUXILIARY = re.compile(r"^(?:did|do|does|can)\b")


@dataclass(slots=True)
class Parts:
    """`kind`: "count" for how many, "list" for rows, "value" for a figure, "whole" where only the text is known.

    `head` names what is wanted, a noun phrase unless `kind` is "whole". `conditions`, `extras` and `order` begin
    with their connecting word; `scope` is what "for each ..." names.
    """

    kind: str
    head: str
    conditions: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    scope: str | None = None

    @property
    def phrase(self) -> str:
        """All of it as one noun phrase."""
        scope = [f"for {self.scope}"] if self.scope else []
        extras = [extra if _JOINED.match(extra) else f"and {extra}" for extra in self.extras]
        return " ".join([self.head, *self.conditions, *scope, *extras, *self.order])


def take_apart(question: str) -> Parts:
    """The parts of an English question or request."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group())
        return _HOLD.format(len(held) - 1)

    text = " ".join(_PROTECTED.sub(hold, question).split()).rstrip(" ?.!")
    text = _PURPOSE.sub("", text)
    scope = None
    if (match := _SCOPE.match(text)) and len(match["scope"].split()) <= 14:
        scope, text = match["scope"], match["rest"]
        text = text[0].upper() + text[1:]
    text, *order = _ORDER.split(text, maxsplit=1)
    text, *extras = _EXTRA.split(text, maxsplit=1)
    first, *conditions = _CLAUSE.split(text)
    kind, head, verb = _head(first)
    if kind == "whole":
        head, conditions = " ".join([first, *conditions]), []
    if verb:
        conditions.insert(0, verb)

    def release(part: str) -> str:
        return _HELD.sub(lambda match: held[int(match[1])], part).strip(" ,")

    return Parts(
        kind=kind,
        head=release(head),
        conditions=[release(re.sub(r"^(?:and|but)\s+", "", part)) for part in conditions],
        extras=[release(re.sub(r"^and\s+", "", part)) for part in extras],
        order=[release(re.sub(r"^and\s+", "", part)) for part in order],
        scope=release(scope) if scope else None,
    )


def _head(first: str) -> tuple[str, str, str | None]:
    """Kind, noun phrase and relative clause of a question's first clause."""
    if match := _NUMBER_OF.match(first):
        return "count", f"the number of {match['noun']}", match["rest"] or None
    if match := _HOW_MANY.match(first):
        noun, verb = _split_verb(match["rest"])
        if verb is None or not _AUXILIARY.match(verb):
            return "count", f"the number of {noun}", _relative(verb)
        return _linked("count", f"the number of {noun}", verb) or ("whole", first, None)
    if match := _HOW_MUCH.match(first):
        return "whole", first, None
    if match := _COMMAND.match(first):
        rest = match["rest"]
        if inner := _HOW_MANY.match(rest):
            noun, verb = _split_verb(inner["rest"])
            return "count", f"the number of {noun}", _relative(verb)
        if re.match(r"(?:which|who|what|how|when|where|whether)\b", rest, re.IGNORECASE):
            return _head(rest)
        if first.lower().startswith("count"):
            return "count", f"the number of {rest.removeprefix('the number of ').removeprefix('the ')}", None
        return ("count" if re.match(r"the (?:total )?number of", rest) else "list"), rest, None
    if match := _WHAT_IS.match(first):
        return "value", match["rest"], None
    if match := _WHO.match(first):
        return "list", "the people", _relative(match["rest"])
    if match := _WHICH.match(first):
        noun, verb = _split_verb(match["rest"])
        if verb is not None and not _AUXILIARY.match(verb):
            return "list", f"the {noun}", _relative(verb)
        if verb is None:
            return "list", f"the {noun}", None
        return _linked("list", f"the {noun}", verb) or ("whole", first, None)
    return "whole", first, None


def _linked(kind: str, noun: str, verb: str) -> tuple[str, str, str | None] | None:
    """The past of an English verb cannot be told from its base form, so "did Ann place" becomes a link."""
    match = _DID.match(verb)
    return (kind, noun, f"linked to {match['who']}{match['rest'] or ''}") if match else None


def _split_verb(text: str) -> tuple[str, str | None]:
    parts = _VERB.split(text, maxsplit=1)
    return (parts[0], parts[1]) if len(parts) == 2 else (text, None)


def _relative(verb: str | None) -> str | None:
    return f"that {verb}" if verb else None
