"""Whether a rewrite still asks what the question asks: the same things, figures, bounds, order and second sentences.

Belongs here: comparing two English texts about the same request. What a style must look like is in `style_checks`.
The comparison is by classes of words ("average", "mean") and by the words that name things, so that a rewrite may
choose its own words; a rewrite that loses or changes a class asks something else.
"""

# ruff: noqa: E501 - a pattern reads best on one line

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from sqale_assets.relational import names
from sqale_assets.stages.literals import QuestionLiteral

#: Styles that may leave conditions, details and order out.
LEAVES_OUT = frozenset(("short_ambiguous", "short_high_level"))
#: The least share of a sentence's naming words that a rewrite repeats; the others may be said in other words.
KEPT_WORDS = 0.5
_KEPT_WORDS_SHORT = 0.25


def _classes(**patterns: str) -> dict[str, re.Pattern[str]]:
    """Patterns for texts in lower case: those that ignore the case take almost twice as long."""
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


#: What a question computes. `count` is not asked for by "total amount", nor `total` by "total number".
_FIGURES = _classes(
    count=r"\bhow (?:many|often)\b|(?<!only )\b(?:count|tally)\b(?! (?:only|just))|\bfrequency\b"
    r"|(?:^|[^\w\s]\s*|\b(?:the|their|total|exact|that|its|average|mean|highest|lowest|largest|smallest|greatest|by|whose|show"
    r"|report|give|get|find|and|with|in|what|overall)\s)numbers?\b(?! column)"
    r"|(?<!or )\b(?:more|fewer) (?!than\b)[^,.;]{2,80} than\b",
    average=r"\b(?:averages?|(?<!i )mean|avg|typical)\b",
    total=r"\b(?:total|combined|overall|altogether|cumulative)\b(?! (?:number|count|average|mean))|\bsum\b|\badd\w* up\b"
    r"|\bin all\b",
    share=r"\b(?:percent\w*|(?:the|what|which|a) share|proportion|fraction|portion)\b|%",
    rank=r"\brank\w*\b",
)
#: Where a number is asked for, any mention of it will do; elsewhere it may be part of a name ("phone number").
_ANY_NUMBER = re.compile(r"\b(?:numb\w*|nr|count\w*|tally)\b", re.IGNORECASE)
#: Superlatives, and which end they mean.
_ENDS = _classes(
    highest=r"\b(?:highest|largest|greatest|maximum|max|biggest|most|top|latest|newest|longest|best|peak)\b(?<!at most)",
    lowest=r"\b(?:lowest|smallest|minimum|min|fewest|least|earliest|oldest|shortest|cheapest|bottom)\b(?<!at least)",
)
#: How a value is compared. "At least one" says that there is one, which has no number.
_BOUNDS = _classes(
    above=r"\b(?:above|over(?= [\d$€£]| (?:the )?(?:average|mean|overall))|exceed\w*|beyond)\b"
    r"|\b(?<!no )(?<!not )(?:greater|higher|more|bigger|larger) than\b(?! or equal)"
    r"|(?<!or )\bmore (?!than\b)[^,.;]{2,80} than\b",
    at_least=r"\bat least (?!one\b)|\b(?:no|not) (?:less|fewer|earlier) than\b|(?<!one )\bor (?:more|above|higher|later|after)\b"
    r"|\bgreater than or equal\b|\bsince\b|\bonwards?\b|\bminimum of\b",
    below=r"\b(?:below|under|(?<!no )(?<!not )(?:less|lower|fewer|smaller|earlier) than(?! or equal)|before|prior to)\b",
    at_most=r"\bat most\b|\bno (?:more|later|higher) than\b|\bless than or equal\b|\bup to\b|\bor (?:less|fewer|below)\b",
    between=r"\bbetween\b|\bfrom \S*\d\S* (?:up )?to\b|\brange\b",
    no=r"\bno\b(?! (?:more|less|fewer|later|earlier|higher) than)|\b(?:not|without|never|none|missing|unknown|except|excluding|lack\w*|unset|cannot|zero)\b"
    r"|n['’]t\b|\b(?:dont|doesnt|isnt|arent|havent|hasnt|cant|wont)\b",
    distinct=r"\b(?:distinct|different|unique|(?:only )?once|repeats|duplicates)\b",
)
_ORDERS = _classes(
    ascending=r"\bascending\b|\b(?:low|small|few)\w*(?: \w+)? (?:to|first)\b|\bincreasing\b|\balphabetical\w*\b|\ba(?: to |-)z\b",
    descending=r"\bdescending\b|\b(?:high|larg|great|most|big)\w*(?: \w+)? (?:to|first)\b|\bdecreasing\b",
)
#: "Order" where it is no thing that somebody placed.
_ORDERING = re.compile(r"\bin (?:\w+ )?order\b|\border (?:by|the|them)\b", re.IGNORECASE)
_KINDS = {**_FIGURES, **_ENDS, **_BOUNDS, **_ORDERS}
#: Classes that a rewrite must not bring in: with them it asks for something else.
_NOT_ADDED = ("count", "average", "total", "share", "rank")
#: Figures that are a step on the way to "the most": one who writes steps down may name them.
_STEPS = ("count", "total")

#: Why somebody asks: not part of what is asked.
_PURPOSE = re.compile(r",?\s+(?:in order to|so that|so as to|so we|because)\b.*$")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+)*")
#: The list of what is wanted: "show the name, the due date and its owner".
_ITEM = re.compile(r"\b(?:the|its|their) (?P<item>[\w ]+?)(?=,| and (?:the|its|their)\b| of\b| for\b| along\b|[.?]|$)")
_LIST = re.compile(
    r"\b(?:show|list|give|report|return|display|provide|present|retrieve|find|get|fetch|up|me|see|need|are|with)\s+"
    r"(?P<list>(?:the|its|their) [^?.;\"]+)",
    re.IGNORECASE,
)
_SAYS_NOTHING_TEXT = """a about across add all along also among an and any anybody are as ascending ask at away back based be been before being
    belong break brief bring by calculate can case certain come compare compute consider contrast could cover current
    describe descending detail determine did display do does down during each either end entry equal every exact exist
    fall far fetch figure find first follow for found from full further get give given going group had has have having
    help her here highest his hold how i identify if in include including individual information inclusive into is it
    its itself just keep kind know last least let lie like limit list live look looking lowest made make many matching me
    mention more most my need next none number occur of off on once one only or ordered other our out over
    overall own part peer people per pick place please present print provide pull rank read record report respective
    result retrieve return row same see select set several share show so some sort sorted start state such take taking
    tell than that the their them then there these they thing this those through tie ties time to together too total turn
    under until up us value want was we well were what when where which while who whom whose will with within without
    work would year you your keeping considering flagged marked large sharing shared"""
_SAYS_NOTHING = frozenset(form for word in _SAYS_NOTHING_TEXT.split() for form in (word, f"{word}s"))


def losses(style: str, phrasing: str, question: str, literals: Sequence[QuestionLiteral]) -> list[str]:
    """What `phrasing` no longer asks of `question`, or asks instead, in words for the model; empty when it is faithful.

    `literals` are the question's; whether they are kept is not looked at here, but their words name no things.
    Styles in `LEAVES_OUT` may lose anything but the figure that is asked for and the things it is about.
    """
    bare = (_without(_PURPOSE.sub("", question), literals), _without(phrasing, literals))
    asked, said = bare[0], _corrected(bare[1], bare[0]) if style == "spelling_grammar_mistakes" else bare[1]
    wanted, found = _kinds(asked), dict(_kinds(said))
    if "count" in wanted and _ANY_NUMBER.search(said):
        found.setdefault("count", "number")
    lost = [] if style in LEAVES_OUT else [kind for kind in wanted if kind not in found]
    faults = [f"it no longer says {_SAID[kind]}, as {wanted[kind]!r} does" for kind in lost]
    faults += [
        f"it asks for {_SAID[kind]} ({found[kind]!r}), which the question does not"
        for kind in _NOT_ADDED
        if kind in found
        and kind not in wanted
        and not names_a_thing(found[kind], asked)
        and not (kind == "total" and "count" in wanted)
        and not (style == "structured" and kind in _STEPS and ("highest" in wanted or "lowest" in wanted))
    ]
    if style == "short_ambiguous":
        return [*faults, *_topic_kept(asked, said, sum(literal.text in phrasing for literal in literals))]
    return [*faults, *(_intent_kept if style in LEAVES_OUT else _names_kept)(asked, said)]


#: A class as a fault names it.
_SAID: Mapping[str, str] = {
    "count": "a number of things", "average": "an average", "total": "a total", "share": "a percentage",
    "rank": "a rank", "highest": "the highest", "lowest": "the lowest", "above": "that it is above a bound",
    "at_least": "that the bound is included below", "below": "that it is below a bound",
    "at_most": "that the bound is included above", "between": "that there are two bounds",
    "no": "that something is absent", "distinct": "that repeats count once", "ascending": "ascending order",
    "descending": "descending order",
}  # fmt: skip


def told_figures(question: str) -> tuple[str, ...]:
    """The words that say what is computed, compared, picked and sorted: what `losses` looks for in a rewrite."""
    return tuple(dict.fromkeys(_kinds(question).values()))


def drops_a_figure(phrasing: str, question: str) -> bool:
    """Whether a figure, a bound or an order of the question is not in the phrasing."""
    return not _kinds(question).keys() <= _kinds(phrasing).keys()


@lru_cache(maxsize=4096)
def naming_words(text: str) -> tuple[str, ...]:
    """The words of a text that name things, in the singular and each once: no verbs of asking, no figures, no bounds."""
    text = text.lower()
    for pattern in (_ORDERING, *_KINDS.values()):
        text = pattern.sub(" ", text)
    found = (names.singular(word) for word in _WORD.findall(text) if word not in _SAYS_NOTHING and len(word) > 1)
    return tuple(word for word in dict.fromkeys(found) if word not in _SAYS_NOTHING)


def kept(words: Sequence[str], text: str) -> list[str]:
    """Those of `words` that stand in `text`, in whatever form or with a slip of the finger."""
    there = {names.singular(word.lower()) for word in _WORD.findall(text)}
    return [word for word in words if word in there or any(_alike(word, other) for other in there)]


def names_a_thing(word: str, text: str) -> bool:
    """Whether a word of a class stands in the text all the same, as part of a name ("account number")."""
    return word.lower().rstrip("s") in text.lower()


@lru_cache(maxsize=65536)
def _alike(word: str, other: str) -> bool:
    shorter = min(len(word), len(other))
    if shorter >= 4 and word[: max(4, shorter - 2)] == other[: max(4, shorter - 2)]:
        return True
    if shorter < 3 or abs(len(word) - len(other)) > 2 or word[0] != other[0]:
        return False
    return SequenceMatcher(a=word, b=other, autojunk=False).ratio() >= 0.74


@lru_cache(maxsize=4096)
def _kinds(text: str) -> Mapping[str, str]:
    lowered = text.lower()
    found = ((kind, pattern.search(lowered)) for kind, pattern in _KINDS.items())
    return {kind: text[match.start() : match.end()].strip() for kind, match in found if match}


def _without(text: str, literals: Sequence[QuestionLiteral]) -> str:
    """The text without its values, quoted or not: their words say nothing of the request."""
    for literal in sorted(literals, key=lambda each: -len(each.text)):
        if literal.kind != "number":
            text = re.sub(rf"[\"'“]?(?<!\w){re.escape(literal.text)}(?!\w)[\"'”]?", " ", text, flags=re.IGNORECASE)
    return text


def _corrected(text: str, question: str) -> str:
    """Misspelt words as the question spells them, where one of its words is meant."""
    text = re.sub(r"(?<=er|re|ss) then\b", " than", text)
    known = list(dict.fromkeys([*(word.lower() for word in _WORD.findall(question)), *_OFTEN_MISSPELT]))

    def right(match: re.Match[str]) -> str:
        word = match.group().lower()
        if word in known or word in _SAYS_NOTHING:
            return word
        scored = [
            (SequenceMatcher(a=word, b=each, autojunk=False).ratio(), each) for each in known if each[0] == word[0]
        ]
        best = max(scored, default=(0.0, ""))
        return best[1] if best[0] >= 0.7 else word

    return _WORD.sub(right, text)


_OFTEN_MISSPELT = (
    "number", "count", "many", "average", "total", "percentage", "highest", "lowest", "largest", "smallest", "maximum",
    "minimum", "without", "above", "below", "least", "more", "less", "than", "with", "ascending", "descending", "different", "distinct",
)  # fmt: skip


def _names_kept(question: str, phrasing: str) -> Iterator[str]:
    """Each sentence's things are spoken of, and every item of a list of wanted things."""
    for sentence in _SENTENCE.split(question):
        words = naming_words(sentence)
        found = kept(words, phrasing)
        if words and len(found) < KEPT_WORDS * len(words):
            missing = ", ".join(word for word in words if word not in found)
            yield f"it says too little of {sentence.strip()!r}: nothing about {missing}"
    for listed in _LIST.finditer(question):
        items = [item for match in _ITEM.finditer(listed["list"]) if (item := naming_words(match["item"]))]
        if len(items) > 1:
            lost = [" ".join(item) for item in items if not kept(item[-1:], phrasing)]
            if lost:
                yield f"it no longer asks for {', '.join(lost)}"


#: Where the conditions of a question begin: figures behind it are not what is asked for.
_CONDITION = re.compile(r"\b(?:whose|with|where|that|who|for which|having|of which|ordered|sorted)\b", re.IGNORECASE)

#: A figure that things are picked by, instead of being asked for.
_COMPARED = re.compile(r"\bthan (?:the )?average\b|\bof those above\b", re.IGNORECASE)


def _intent_kept(question: str, phrasing: str) -> Iterator[str]:
    """The things are spoken of, and a figure where one is asked for."""
    figures = [kind for kind in _kinds(_CONDITION.split(question, maxsplit=1)[0]) if kind in _FIGURES]
    said = {*_kinds(phrasing), *(["count"] if _ANY_NUMBER.search(phrasing) else [])}
    if figures and not said & set(figures) and not _COMPARED.search(question):
        yield f"it no longer says that {_SAID[figures[0]]} is asked for"
    words = naming_words(question)
    if words and len(kept(words, phrasing)) < _KEPT_WORDS_SHORT * len(words):
        yield f"it hardly says what the question is about: {', '.join(words)}"


def _topic_kept(question: str, phrasing: str, values: int) -> Iterator[str]:
    """A short text may be vague, but one must see what it is about: two of the question's things or values."""
    words = naming_words(question)
    if len(kept(words, phrasing)) + values < min(2, len(words)):
        yield f"it is too bare: say at least two of {', '.join(words)}"
