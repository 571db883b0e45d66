"""The note of an evidence-supported question: what its values and terms mean in the data, in plain words."""

from __future__ import annotations

import re
from random import Random

_PLACES = (
    "{value} is a {where}", "{value} is recorded as {where}", "{value} refers to the {where}",
    "{value} stands for a {where}", "the {where} is where {value} appears", "{value} names a {where}",
    "{value} is one value of the {where}", "look for {value} in the {where}", "{value} occurs as {where}",
    "{value} should be read as the {where}",
)  # fmt: skip
#: For values that are not stored as such but say something about stored ones: "bound on the price of products".
_ROLES = ("{value} is a {where}", "{value} serves as a {where}", "{value} means a {where}", "take {value} as a {where}")
_DERIVED = {
    "limit": ("{value} is how many results to keep", "only the first {value} results count", "{value} bounds the list"),
    "count": ("{value} counts related records", "{value} is compared with how many records belong together"),
    "range": ("{value} is a threshold", "{value} is a bound, not a stored value"),
    "period": ("{value} is a period of time", "{value} covers every day of that period"),
}
_FIGURE = r"\b(?:number|count|average|mean|total|maximum|minimum|highest|lowest)\b"
#: A term of the question -> what one must know about it.
_TERMS = (
    (r"\b(?:average|mean)\b", (
        "the average is the mean of all recorded values", "missing values do not count towards the average",
        "an average is taken over the records that have a value",
    )),
    (r"\b(?:percentage|share|proportion|percent)\b", (
        "the percentage is the part divided by the whole, times 100",
        "a share compares the matching records with all of them",
    )),
    (r"\b(?:highest|largest|most|greatest|maximum|latest|longest)\b", (
        "the highest is the maximum, and all that reach it count", "ties for the top place are all part of the answer",
        "the most means no other has more",
    )),
    (r"\b(?:lowest|smallest|least expensive|fewest|minimum|earliest|shortest|cheapest)\b", (
        "the lowest is the minimum, and all that reach it count", "ties for the last place are all part of the answer",
    )),
    (r"\b(?:above|over|(?:more|greater|higher) than|exceed\w*)\b", (
        "the bound itself is not included", "equal values do not count as above",
    )),
    (r"\b(?:below|under|(?:less|fewer|lower) than)\b", (
        "the bound itself is not included", "equal values do not count as below",
    )),
    (r"\b(?:at least(?! one)|or more|no less than)\b", (
        "the stated number itself is included", "at least includes the bound",
    )),
    (r"\b(?:at most|no more than)\b", ("the stated number itself is included", "at most includes the bound")),
    (r"\bbetween\b", ("both ends of the range are included", "a range includes its first and its last value")),
    (r"\b(?:distinct|different|unique)\b", (
        "repeated values are counted once", "duplicates do not add to the result",
    )),
    (r"\b(?:rank|ranked)\b", ("equal values share a rank", "a rank of 1 is the first place")),
    (r"\brunning total\b", ("a running total adds up all records up to and including the current one",)),
    (r"\b(?:no|without|not have any|none)\b", (
        "records without any counterpart are meant", "absence means that no related record exists",
    )),
    (r"\b(?:sum|combined|in total)\b", (
        "a total adds up the recorded values", "the total is the sum over the matching records",
    )),
    (rf"{_FIGURE}.*\b(?:for each|per|for every)\b|\b(?:for each|per|for every)\b.*{_FIGURE}", (
        "one result belongs to each group", "figures are worked out group by group",
    )),
    (r"\b(?:how many|number of|count)\b", (
        "each matching record is counted once", "the number is a count of records",
    )),
    (r"\b(?:contain|includ|mention|start|begin)\w*\b", (
        "only a part of the text has to match", "the match is on part of the text",
    )),
    (r"\b(?:missing|not recorded|unknown)\b", ("a value that was never entered counts as missing",)),
)  # fmt: skip
_ABOUT = (
    "the records on {} hold the answer", "{} are kept as separate records that refer to each other",
    "everything needed is recorded with {}", "the answer combines what is known about {}", "{} are linked by reference",
    "one has to look at {}", "the facts are found with {}",
)  # fmt: skip


def note(question: str, values: tuple[tuple[str, str], ...], subjects: tuple[str, ...], rng: Random) -> str:
    """One to three short sentences: where values belong, what terms mean; else which records are involved."""
    sentences = [_about_value(value, where, rng) for value, where in _distinct(values)[:3]]
    terms = [rng.choice(meanings) for pattern, meanings in _TERMS if re.search(pattern, question, re.IGNORECASE)]
    rng.shuffle(terms)
    sentences += terms[: max(0, 2 - len(sentences)) or (rng.random() < 0.3)]
    if not sentences or (len(sentences) < 2 and rng.random() < 0.5):
        names = list(subjects[:2]) or ["the data"]
        sentences.append(rng.choice(_ABOUT).format(" and ".join(names)))
    return " ".join(sentence[:1].upper() + sentence[1:] + "." for sentence in sentences)


def _distinct(values: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return list(dict(values).items())


def _about_value(value: str, where: str, rng: Random) -> str:
    if where in _DERIVED:
        return rng.choice(_DERIVED[where]).format(value=value)
    shown = value if re.fullmatch(r"[\d.,:/$%-]+", value) else f"'{value}'"
    templates = _ROLES if where.startswith(("bound on", "period of", "part of")) else _PLACES
    sentence = rng.choice(templates).format(value=shown, where=where)
    return re.sub(r"\ba (?=[aeiou])", "an ", sentence)
