"""A question taken apart: what is wanted, of which things, under which conditions, in which order.

`forms` recognises how a sentence is put; here it is cut into sentences and clauses. Only English is known: connecting
words split, quoted text is never split. What cannot be taken apart stays whole, which every style can work with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqale_assets.llm.offline.restyling.forms import Core, core_of

#: Quoted text or a decimal number: nothing in them ends a sentence or begins a clause.
_PROTECTED = re.compile(
    r'\bof which (?:it is|they are)\b|"[^"\n]*"|(?<!\w)\'(?:[^\'\n]|\'(?=\w))+\'(?!\w)|“[^”\n]*”|\d+\.\d+'
)
_HOLD = "\u241f{}\u241f"
_HELD = re.compile("\u241f(\\d+)\u241f")

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
#: The joiner that stands before a clause tells whether it belongs to the things or to the clause before it.
_CLAUSE = re.compile(
    r"(?P<joiner>,?\s+(?:and\s+|but\s+)?)(?=(?:"
    r"(?:who|that)\s+(?:have|has|had|are|is|were|was|did|do|does|\w+ed|\w+s)\b"
    r"|whose|whom|which\s+(?:have|has|are|is|were|was|\w+ed)\b|where|having|for which|in which|on which|without"
    r"|(?:last\s+)?(?:\w+ed|due|born|paid|starting|ending|expiring|arriving|departing)"
    r"\s+(?:in|during|on or after|before|no earlier|earlier)\b"
    r"|(?:named|called|titled|entitled|of\s+\w+)\s+\u241f"
    r"|(?:not\s+)?(?:marked|flagged|placed|made|located|assigned|recorded|created|linked|associated|dated)"
    r"\s+(?:as|in|on|by|to|with|for|at)"
    r"|with\s+(?:an?|the|at least|more than|fewer than|less than|exactly|no|any|some"
    r"|(?:[\w'’]+\s+){1,5}\u241f|\u241f|\d)"
    r"|(?:in|during|between|since|before|after|from|until|on|throughout)\s+(?:the year\s+)?"
    rf"(?:(?:{_MONTHS}|Q[1-4])\b|\d{{4}})"
    r"))"
)
_ORDER = re.compile(
    r",?\s+(?:and\s+)?(?=(?:sorted|ordered|ranked|arranged|listed)\b(?:\s+\w+){0,3}?\s+(?:by|from|with)\b"
    r"|starting with|from (?:the )?(?:highest|lowest|largest|smallest|newest|oldest|latest|earliest)\b"
    r"|in (?:ascending|descending|alphabetical) order$)",
    re.IGNORECASE,
)
_TIES = re.compile(
    r",?\s+(?:(?:including|with|keeping|listing|list|include)\s+(?:all\s+)?(?:ties|in case of a tie)|ties included"
    r"|(?:taking|preferring) the (?:lower|smaller) .+ where values tie"
    r"|the (?:lower|smaller) .+ (?:first|winning) in a tie"
    r"|zero included|counting zero where there are none|giving equal values the same rank)$",
    re.IGNORECASE,
)
#: How ties are broken or ranked, beside that they are included.
_TOLD_TIES = re.compile(r"lower|smaller|rank|zero")
_PURPOSE = re.compile(
    r"(?:,?\s+(?=in order to|so that|so as to|so we|because)|,\s+(?=to (?:help|assess|understand|see|support)\b)).*$"
)
#: A second sentence: about the order, about what to show, or a remark.
_SORT_SENTENCE = re.compile(r"^(?:sort|order|rank)\b.*?\b(?P<order>by .+)$", re.IGNORECASE)
_SHOW_SENTENCE = re.compile(
    r"^(?:show|give|list|report|return|include|add|tell me|state|name|present)"
    r"\s+(?:me\s+)?(?P<what>.+?)(?:\s+(?:too|as well))?$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.?!;])\s+(?!what is the average of these)(?=\S)", re.IGNORECASE)


@dataclass(slots=True)
class Parts:
    """`kind`: "rows" for columns or figures of things, "count" for their number, "whole" where only text is known.

    `what` lists what is wanted as noun phrases, empty for the things themselves; `entity` names the things;
    `conditions` begin with their connecting word; `extras` follow them ("but not among ..."); `group` is what a figure
    is wanted for each of; `order` begins with "sorted by"; `notes` are remarks, such as about ties. Of a whole
    question, `entity` is the text. `things_first` says that the question names the things before what is wanted.
    """

    kind: str
    entity: str
    what: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    group: str | None = None
    order: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    things_first: bool = False


def take_apart(question: str) -> Parts:
    """The parts of an English question or request."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group())
        return _HOLD.format(len(held) - 1)

    def release(part: str) -> str:
        return _HELD.sub(lambda match: held[int(match[1])], part).strip(" ,;")

    main, *others = _SENTENCE.split(" ".join(_PROTECTED.sub(hold, question).split()))
    parts = _main(_PURPOSE.sub("", main.rstrip(" ?.!;")))
    for other in others:
        _second(parts, other.rstrip(" ?.!;"))
    for name in ("what", "conditions", "extras", "order", "notes"):
        setattr(parts, name, [release(part) for part in getattr(parts, name) if release(part)])
    parts.entity = release(parts.entity)
    parts.group = release(parts.group) if parts.group else None
    return parts


def _main(text: str) -> Parts:
    whole = text
    text, notes = _cut(_TIES, text)
    text, order = _cut(_ORDER, text)
    notes = [note if _TOLD_TIES.search(note) else "ties included" for note in notes]
    core = core_of(text)
    if core is None:
        return Parts("whole", whole, notes=[])
    parts = Parts(
        core.kind,
        "",
        what=core.what,
        extras=core.extras,
        group=core.group,
        order=[*core.order, *order],
        notes=[*core.notes, *notes],
        things_first=core.things_first,
    )
    first, *clauses = _clauses(core.things)
    parts.entity, parts.conditions = _bare(first), [*clauses, *core.conditions]
    _split_what(parts, core)
    return parts


_OF = re.compile(r"(?P<what>.+)\s+(?:of|for|across|over|among)\s+(?P<entity>.+)$")
_GROUPED = re.compile(r"(?P<rest>.+?)\s+(?:for each|for every|per)\s+(?P<group>.+)$")


def _split_what(parts: Parts, core: Core) -> None:
    """What is left of the last "of" is wanted, as in "the name and the city of customers"."""
    if core.what_in_things and (match := _OF.match(parts.entity)):
        parts.what, parts.entity = [match["what"]], _bare(match["entity"])
    grouped = _GROUPED.match(parts.conditions[-1] if parts.conditions else parts.entity)
    if grouped and parts.group is None:
        parts.group = grouped["group"]
        if parts.conditions:
            parts.conditions[-1] = grouped["rest"]
        else:
            parts.entity = grouped["rest"]
    if parts.kind == "rows" and parts.what and re.match(r"the (?:total )?(?:number|count)$", parts.what[0]):
        parts.kind, parts.what = "count", []
    parts.what = [each for part in parts.what for each in _listed(part)]


def _second(parts: Parts, sentence: str) -> None:
    if match := _SORT_SENTENCE.match(sentence):
        parts.order.append(f"sorted {match['order']}")
    elif match := _SHOW_SENTENCE.match(sentence):
        text, notes = _cut(_TIES, match["what"])
        parts.notes += notes
        if re.search(r"\bties?\b|^(?:all|every one)\b", text):
            parts.notes.append("ties included")
        elif text != "that figure":  # which is what is wanted already
            parts.what += _listed(re.sub(r"\b(?:its|their) ", "the ", text))
    else:
        parts.notes.append(
            re.sub(r"^if several tie.*|.*\bcase of a tie.*", "ties included", sentence, flags=re.IGNORECASE)
        )


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, list[str]]:
    """The text before the pattern's first match, and what follows."""
    match = pattern.search(text)
    return (text[: match.start()], [text[match.start() :].strip(" ,")]) if match else (text, [])


def _clauses(text: str) -> list[str]:
    """The text before its first clause, and the clauses.

    A clause without "and" or a comma before it belongs to the one before: "with an order | that is late".
    """
    first, *rest = _CLAUSE.split(text)
    pieces = [first]
    for joiner, clause in zip(rest[::2], rest[1::2], strict=True):
        if len(pieces) > 1 and not joiner.strip():
            pieces[-1] += f" {clause}"
        else:
            pieces.append(clause)
    return pieces


def _listed(text: str) -> list[str]:
    """ "the a, the b and the c" -> its items, which keep their articles."""
    items = [item.strip() for item in re.split(r",\s+(?:and\s+)?|\s+and\s+", text) if item.strip()]
    return ["the number of times" if item == "how often" else item for item in items]


def _bare(text: str) -> str:
    return re.sub(r"^(?:the|all|every|each|any|a|an)\s+(?:the\s+|of the\s+)?", "", text)
