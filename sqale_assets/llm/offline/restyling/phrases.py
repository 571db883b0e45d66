"""What the styles share: the request, and noun phrases from a question's parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqale_assets.llm.offline.restyling.compact import bare
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.relational.names import is_plural


@dataclass(frozen=True, slots=True)
class Request:
    """What the prompt says: the question, its values as (value, where), the tables in words, the styles refused.

    `terms` are words of the question with what they belong to, or what they refer to.
    """

    question: str
    values: tuple[tuple[str, str], ...]
    subjects: tuple[str, ...]
    terms: tuple[dict[str, str], ...] = ()
    refused: frozenset[str] = frozenset()


def wanted(parts: Parts, *, articles: bool = True) -> str:
    """What is wanted as one phrase: "the name and the city", "the number"; empty for the things themselves."""
    if parts.kind == "count":
        return "the number" if articles else "number"
    return listing([(_with_article(each) if articles else bare(each)) for each in parts.what])


def per_group(parts: Parts) -> str:
    """ " per city" where a figure is wanted for each of something, else nothing."""
    return f" per {bare(parts.group)}" if parts.group else ""


def asked_of(parts: Parts, *, articles: bool = True, preposition: str = "of") -> str:
    """What is wanted, of what: "the number of orders whose status is 'open' per customer"; else the things alone."""
    asked = wanted(parts, articles=articles)
    if not asked:
        return things(parts) + per_group(parts)
    if asked.endswith("number of times"):
        preposition = "for"
    return f"{asked} {things(parts, preposition, plain=parts.kind == 'count')}{per_group(parts)}"


def things(parts: Parts, preposition: str = "", *, plain: bool = False) -> str:
    """The things with their conditions: "all customers whose city is 'Oslo' and that have at least one order".

    `plain` things have no determiner: their number is told.
    """
    named = parts.entity if plain else determined(parts)
    one = named.startswith("each ") or (named.startswith("the ") and is_singular(parts.entity))
    conditions = [_in_number(each, one=one and not plain) for each in parts.conditions]
    return " ".join(filter(None, (preposition, named, clause_list(conditions), *parts.extras)))


def _in_number(condition: str, *, one: bool) -> str:
    """A relative clause whose verb agrees with its noun: each customer that has."""
    verbs = {"have": "has", "are": "is", "do": "does"} if one else {"has": "have", "is": "are", "does": "do"}
    return re.sub(r"^(that|who|which) (\w+)", lambda match: f"{match[1]} {verbs.get(match[2], match[2])}", condition)


_SUPERLATIVE = re.compile(
    r"(?:with|that ha(?:s|ve)) the (?:highest|largest|greatest|maximum|lowest|smallest|minimum|most)\b"
)


def determined(parts: Parts) -> str:
    """The things with a determiner that fits their number."""
    singled = any(_SUPERLATIVE.match(condition) for condition in parts.conditions)
    if re.match(r"(?:first )?\d", parts.entity) or parts.entity == "people" or (singled and is_singular(parts.entity)):
        return f"the {parts.entity}"
    return f"each {parts.entity}" if is_singular(parts.entity) else f"all {parts.entity}"


def is_singular(noun: str) -> bool:
    last = noun.split()[-1].lower() if noun.split() else ""
    return is_plural(last) is False


def is_one(parts: Parts) -> bool:
    """Whether what is wanted takes "is"."""
    return parts.kind == "count" or (len(parts.what) == 1 and is_singular(parts.what[0].split(" of ")[0]))


def listing(items: list[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1]))) if items else ""


def clause_list(clauses: list[str], joiner: str | None = None) -> str:
    """Clauses one after the other, with "and" before the last."""
    return joiner.join(clauses) if joiner else listing(clauses)


def _with_article(noun: str) -> str:
    return noun if re.match(r"(?:the|every|each|all|a|an|those)\b", noun) else f"the {noun}"


#: Words that hold no requirement of their own: what stands between them is a fragment.
_GLUE = re.compile(
    r"^(?:how|many|much|what|which|who|when|where|did|do|does|is|are|was|were|the|a|an|of|to|that|by|for|in|on|at|with|and|please"
    r"|can|could|there|show|list|find|give|me|get|have|has|had|be|been|from|it|its|their)$",
    re.IGNORECASE,
)


def chunks(request: Request) -> list[str]:
    """A question that could not be taken apart, as what stands between its small words; values stay whole."""
    tokens = re.findall(r'"[^"\n]*"|\'[^\'\n]*\'|[^\s]+', request.question.rstrip(" ?.!"))
    fragments: list[list[str]] = [[]]
    for token in tokens:
        if _GLUE.match(token.strip(",;")):
            fragments.append([])
        else:
            fragments[-1].append(token.strip(",;"))
            if token.endswith((",", ";")):
                fragments.append([])
    return [" ".join(words) for words in fragments if words]
