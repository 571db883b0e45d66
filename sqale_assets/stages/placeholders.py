"""What is no phrasing at all: placeholders, echoes of the prompt, sentences that break off.

The published SQaLe has 87,365 of them in 1,408,056 phrasings. `is_placeholder` is the authors' loader's rule
and a stricter one of ours; a phrasing that either refuses is never shipped.
"""

from __future__ import annotations

import re

from sqale_assets.records import DIFFICULTIES, STYLES

#: The rule by which the authors' loader (`SQaLe` 0.2, `is_usable_question`) refuses a stripped text.
_LOADER = re.compile(rf"[\s.…]*|<[^>]*>|\**\s*(?:{'|'.join(DIFFICULTIES)})\s*\**", re.IGNORECASE)

_LABELS = (
    *DIFFICULTIES,
    *STYLES,
    *(style.replace("_", " ") for style in STYLES),
    *("string", "text", "question", "rewrite", "rephrased", "phrasing", "style", "original", "same", "same as above"),
    *("n/?a", "none", "null", "nil", "nan", "tbd", "todo", "tba", "unknown", "undefined", "empty", "placeholder"),
    *("question text", "your question", "rewritten question", "the question", "question here", "lorem ipsum.*"),
)
#: A label alone, in any wrapping: `N/A`, `[question]`, `"..."`, `Moderate:`, `<a> <b>`.
_LABEL = re.compile(rf"\W*(?:\w+\s+)?(?:{'|'.join(_LABELS)})(?:\s+(?:version|here|goes here))?\W*", re.IGNORECASE)
_BRACKETS = re.compile(r"(?:\s*(?:<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\})[\s.,;:]*)+")
_SLOT = re.compile(
    r"<(?:string|text|question|value|name|table|column|insert|your)\b[^>]*>|\[(?:insert|your)\b[^\]]*\]|\{\{.*?\}\}"
    r"|\[(?:question|value|name|date|number|table|column)\]",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(r"[\W\d_]*")
_ECHO = re.compile(
    r"\b(?:as an ai|language model|json object|rewrite (?:the|this) question|rephrase (?:the|this)|the styles?:"
    r"|here (?:is|are|'s) (?:the|a|your) (?:rewrit|rephras|question|version)|task: \w+|left_out)",
    re.IGNORECASE,
)
_ECHO_HINTS = (
    "as an ai",
    "language model",
    "json object",
    "rewrit",
    "rephras",
    "the style",
    "here ",
    "task:",
    "left_out",
)
_STYLE_PREFIX = re.compile(
    rf"\W*(?:{'|'.join(STYLES)}|{'|'.join(style.replace('_', ' ') for style in STYLES)})\W*:", re.IGNORECASE
)
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}[\W\d_].*?[^\W\d_]{2,}", re.DOTALL)
_LONGEST_LABEL = 80
#: Words that no English question ends with.
_DANGLING = re.compile(
    r"(?:[,(\[{–—-]|\b(?:and|or|the|a|an|of|whose|between|than|from|into|because|which|their|its|every|per)|(?:\.\.\.|…))$",
    re.IGNORECASE,
)


def is_placeholder(text: str | None) -> bool:
    """Whether a phrasing is none: refused by the loader's rule or by ours."""
    return placeholder_reason(text) is not None


def placeholder_reason(text: str | None) -> str | None:
    """Why `text` is no phrasing, in a few words for the model that wrote it; None when it is one."""
    if text is None or _LOADER.fullmatch(text.strip()):
        return "it is a placeholder"
    text = text.strip()
    if _NO_WORDS.fullmatch(text):
        return "it holds no words"
    if len(text) <= _LONGEST_LABEL and (_LABEL.fullmatch(text) or _BRACKETS.fullmatch(text)):
        return "it is a label instead of a question"
    if any(bracket in text for bracket in "<[{") and (slot := _SLOT.search(text)):
        return f"it has an unfilled slot: {slot.group()}"
    if (echo := _STYLE_PREFIX.match(text)) or (echo := _echo(text)):
        return f"it repeats the instructions: {echo.group().strip()}"
    if not _TWO_WORDS.search(text):
        return "it is shorter than two words"
    if _DANGLING.search(text[-24:]):  # longer than the longest of them, with the word before
        return "it breaks off"
    return None


def _echo(text: str) -> re.Match[str] | None:
    """The corpus has over a million phrasings: a search for plain words first saves most of the time."""
    lowered = text.lower()
    return _ECHO.search(text) if any(hint in lowered for hint in _ECHO_HINTS) else None
