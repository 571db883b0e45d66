"""Saying a noun phrase or a condition in fewer words."""

# ruff: noqa: E501 - a pattern reads best on one line

from __future__ import annotations

import re

_SHORTER = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\bthe (?:total )?number of (?:distinct|different|unique) ", "count of distinct "),
        (r"\bthe (?:total )?number of ", "count of "),
        (r"\b(?:greater than or equal to|no (?:less|fewer) than)\b", "at least"),
        (r"\b(?:less than or equal to|no more than)\b", "at most"),
        (r"\b(?:greater|higher|more) than\b", "over"),
        (r"\b(?:lower|less|fewer) than\b", "under"),
        (
            r"\bwhose (?P<what>(?:(?!\b(?:whose|and|was)\b)[^,\"])+?) (?:is|are|equals?) (?=over|under|above|below|at|between|exactly)",
            r"with \g<what> ",
        ),
        (r"\bwhose (?P<what>(?:(?!\b(?:whose|and|was)\b)[^,\"])+?) (?:is|are|equals?) (?=[\"'“\d])", r"with \g<what> "),
        (
            r"\bwhose (?P<what>(?:(?!\b(?:whose|and|was)\b)[^,\"])+?) (?:is|falls|lies) (?=in\b|on\b|before\b|after\b)",
            r"with \g<what> ",
        ),
        (r"\b(?:that|who|which) (?:have|has) (?:at least one|one or more)\b", "with some"),
        (r"\b(?:that|who|which) (?:have|has)\b(?! (?:\w+ed|been|not)\b)", "with"),
        (r"\bfor which at least one (?P<what>[^,\"]+?) (?:exists|is recorded)", r"with some \g<what>"),
        (r"\b(?:that|who|which) (?:are|is|were|was) ", ""),
        (r"\bin the year (?=\d)", "in "),
        (r"\ball (?!records?\b)(?:of )?(?:the )?", ""),
        (r"\balong with\b|\btogether with\b|\bas well as\b", "plus"),
        (r"\bin (ascending|descending) order\b", r"\1"),
    )
)
_ARTICLE = re.compile(r"\b(?:the|a|an) (?=[a-z])")


def compact(text: str, *, articles: bool = True) -> str:
    """The text in fewer words; without articles when asked."""
    for pattern, replacement in _SHORTER:
        text = pattern.sub(replacement, text)
    return text if articles else _ARTICLE.sub("", text)


def fragment(condition: str) -> str:
    """A condition as a fragment: "whose status is 'open'" -> "status is 'open'"."""
    text = re.sub(
        r"^(?:whose|where|for which|in which|on which|having|(?:that|who|which) (?:are|is|were|was)|who|that|which"
        r"|with (?=[a-z]+ (?:above|over|under|below|of|on|before|in|between|from|starting)\b)|with an? |with the )\s*",
        "",
        condition,
    )
    return text or condition


def no_command(text: str) -> str:
    """A fragment without the verb or question word that would make it a sentence."""
    return re.sub(
        r"^(?:(?:show|list|find|give|get|count|sort|order|rank|what|which|who|how(?! many)|where|when|make|include)\s+(?:the\s+)?)+",
        "",
        text,
    )


def bare(noun_phrase: str) -> str:
    """A noun phrase without its article, and without an adverbial "for each" in front."""
    return re.sub(r"^(?:the|all|every|each|any|a|an)\s+(?:the\s+|of the\s+)?", "", noun_phrase)


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """Without the capital that only a sentence's start gave: names and quoted text keep theirs."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
