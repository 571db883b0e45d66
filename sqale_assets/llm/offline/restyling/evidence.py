"""The note of an evidence-supported question: what its values and terms mean in the data, in plain words."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import re
from random import Random

from sqale_assets.llm.offline.english.words import plural
from sqale_assets.llm.offline.restyling.compact import bare
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.llm.offline.restyling.phrases import Request
from sqale_assets.relational.names import is_plural, singular_words

_PLACES = (
    "{value} is a value of the {where}", "{value} is recorded as the {where}", "{value} refers to the {where}",
    "the {where} is where {value} appears", "{value} is one {where}", "look for {value} in the {where}",
    "{value} should be read as the {where}", "the {where} can be {value}",
)  # fmt: skip
#: For values that are not stored as such but say something about stored ones, by how they are stored.
_ROLES = {
    "bound on the ": (
        "{value} is compared with the {where}", "{value} is a bound on the {where}", "the {where} has to be set against {value}",
        "{value} is a limit for the {where}",
    ),
    "period of the ": (
        "{value} is when the {where} falls", "the {where} tells whether it was {value}", "{value} covers the {where}",
        "whether it is {value} depends on the {where}",
    ),
    "part of the ": (
        "{value} is only a part of the {where}", "the {where} has {value} somewhere in it",
        "{value} is to be found inside the {where}",
    ),
}  # fmt: skip
_DERIVED = {
    "limit": ("only the first {value} count", "the list ends after {value}", "{value} is how many to keep"),
    "count": ("{value} is compared with a number of {counted}", "{value} counts {counted}"),
    "range": ("{value} is a threshold for the figure",),
    "period": ("{value} is a period of time, with all of its days",),
}
_REFERENCES = (
    "the {term} of {an_of} is {a_to}", "each {of} refers to {a_to} as its {term}", "{a_to} is the {term} of {ofs}",
    "{ofs} name {a_to} as the {term}",
)  # fmt: skip
_BELONGING = (
    "each {of} belongs to {a_to}", "{ofs} refer to {tos}", "{an_of} is linked to its {to}",
    "every {of} is recorded with its {to}",
)  # fmt: skip
_COLUMNS = (
    "the {term} is recorded with each {of}", "{ofs} carry the {term}", "{term} means that of the {of}",
    "each {of} has a {term} of its own", "the {term} belongs to the {of}",
)  # fmt: skip
#: A wording of the question -> what one must know about it; the groups of the match fill the note.
_WORDINGS = (
    (r"\b(?:average|mean) (?P<what>(?!of\b|over\b|across\b|is\b|number\b)[a-z]+(?: [a-z]+)?) (?:of|across|over|for|among)\b", (
        "the average leaves out records without a recorded {what}", "the average {what} is the mean over those that have one",
    )),
    (r"\bpercentage of those\b|\bwhat percentage\b|\bshare of those\b", (
        "the percentage sets those against all of them, times 100",
        "the percentage is 100 times the part, divided by the whole",
    )),
    (r"\b(?P<most>highest|largest|greatest|maximum|lowest|smallest|minimum) (?P<what>[a-z]+(?: [a-z]+)?)(?=[?.,;]| among| of)", (
        "all that reach the {most} {what} count, not only one", "several can share the {most} {what}",
    )),
    (r"\b(?<!no )(?P<how>(?:above|over|more than|greater than|higher than|below|under|less than|lower than)) (?P<bound>\d[\d.]*)", (
        "{bound} itself does not count as {how} {bound}", "{how} {bound} leaves {bound} itself out",
    )),
    (r"\b(?P<how>at least|at most|no more than|no less than) (?P<bound>[2-9]\d*(?:\.\d+)?)", (
        "{how} {bound} includes {bound} itself",
    )),
    (r"\bbetween (?P<low>[\d.-]+) and (?P<high>[\d.-]+)", ("both {low} and {high} still count",)),
    (r"\b(?:distinct|different) (?P<what>[a-z]+(?: (?!of\b|that\b|among\b|in\b|are\b|occur|appear|found\b)[a-z]+){0,3})", (
        "{what} that repeat are counted once", "each of the {what} counts only once",
    )),
    (r"\bby (?P<what>[a-z]+(?: [a-z]+)?) from \w+ to \w+ (?:and|among)", ("equal values of the {what} share a rank",)),
    (r"\b(?:have no|without any|do not have any|no) (?P<what>[a-z]+(?: [a-z]+){0,2}?)(?= whose| with| where|[?.,]| and| for| exist|$)", (
        "without {what} means that none refers to them", "having no {what} means that none is linked to them",
    )),
    (r"\b(?:number of|count of|how many) (?P<what>[a-z]+(?: [a-z]+){0,2}?)(?= are| whose| with| where| that| for| per| there| does| do|[?.,])", (
        "each of the {what} counts as one", "the number is that of the matching {what}",
    )),
    (r"\b(?P<what>[a-z]+(?: [a-z]+)?) is (?:missing|not recorded|unknown)", ("the {what} is missing where none was entered",)),
)  # fmt: skip


def note(request: Request, parts: Parts, rng: Random) -> str:
    """One to three short sentences: where values belong, what refers to what, what a wording means."""
    values = [(value, where) for value, where in dict(request.values).items() if value.lower() != "one"]
    sentences = [_about_value(request, value, where, rng) for value, where in values[:3]]
    told = " ".join(sentences).lower()
    terms = [_about_term(term, rng) for term in _telling(request.terms, told)]
    wordings = [_about_wording(match, meanings, rng) for match, meanings in _wordings(request.question)]
    rng.shuffle(wordings)
    sentences += [*terms, *wordings][: max(1 if len(sentences) < 2 or rng.random() < 0.4 else 0, 2 - len(sentences))]
    if not sentences:
        sentences = [_about_things(parts, rng)]
    return " ".join(sentence[:1].upper() + sentence[1:] + "." for sentence in sentences)


def _about_things(parts: Parts, rng: Random) -> str:
    """Where what is asked for stands, when nothing else is known."""
    one = " ".join(singular_words(tuple(parts.entity.split()))) if parts.kind != "whole" else "record"
    columns = [bare(each) for each in parts.what if not re.search(r"\bof\b|\d|\"", each)]
    if columns:
        return rng.choice(_COLUMNS).format(term=columns[0], of=one, ofs=plural(one))
    return rng.choice(("each of the {ofs} is one record", "{ofs} are recorded one by one")).format(ofs=plural(one))


def _about_value(request: Request, value: str, where: str, rng: Random) -> str:
    if where in _DERIVED:
        counted = re.search(
            rf"{re.escape(value)} (?!and\b|or\b|among\b|with\b|that\b)(?P<what>[a-z]+(?: [a-z]+){{0,2}}?s)\b",
            request.question,
        )
        return rng.choice(_DERIVED[where]).format(
            value=value, counted=counted["what"] if counted else "related records"
        )
    shown = value if re.fullmatch(r"[\d.,:/$%-]+|[A-Z][a-z]+ \d{4}", value) else f"'{value}'"
    for role, templates in _ROLES.items():
        if where.startswith(role):
            return rng.choice(templates).format(value=shown, where=where.removeprefix(role))
    return rng.choice(_PLACES).format(value=shown, where=where)


def _telling(terms: tuple[dict[str, str], ...], told: str) -> list[dict[str, str]]:
    """Terms that say something the values have not said: references whose role is no repetition come first."""
    fresh = [term for term in terms if f"{term['term']} of {term['of']}" not in told]
    return sorted(fresh, key=lambda term: ("refers to" not in term, term["term"] == term.get("refers to")))


def _about_term(term: dict[str, str], rng: Random) -> str:
    of, to = term["of"], term.get("refers to", "")
    templates = _COLUMNS if not to else _BELONGING if to == term["term"] else _REFERENCES
    return rng.choice(templates).format(
        term=term["term"],
        of=of,
        ofs=plural(of),
        an_of=_article(of),
        to=to,
        tos=plural(to) if to else "",
        a_to=_article(to),
    )


def _wordings(question: str):
    unquoted = re.sub(r'"[^"]*"', '""', question)
    for pattern, meanings in _WORDINGS:
        if match := re.search(pattern, unquoted, re.IGNORECASE):
            yield match, meanings


def _about_wording(match: re.Match[str], meanings: tuple[str, ...], rng: Random) -> str:
    return rng.choice(meanings).format(**match.groupdict())


def _article(noun: str) -> str:
    if is_plural(noun.split()[-1]) if noun else True:
        return noun
    return f"an {noun}" if re.match(r"(?!uni|use|one|eu)[aeiou]|hour|hono", noun) else f"a {noun}"
