"""The offline writer: questions in controlled English over the tables, figures and stories of its prompt.

For each request it drafts meanings that have the wanted features, says them, and keeps the first whose words
can be read in one way only, the way they were meant. It returns words; the meaning is forgotten.
"""

from __future__ import annotations

import hashlib
import json
import re
from random import Random
from typing import Any

from sqale_assets.llm.offline.english.drafting.drafter import Drafter
from sqale_assets.llm.offline.english.meaning import Day, Node, Request
from sqale_assets.llm.offline.english.picture import Picture
from sqale_assets.llm.offline.english.reading import read
from sqale_assets.llm.offline.english.sql import to_sql
from sqale_assets.llm.offline.english.wording import say
from sqale_assets.llm.task import Message
from sqale_assets.sqlenv.sqlfacts import sql_facts

#: Drafts per request: a third with the wanted features, half with others of the difficulty, the last ones easier.
TRIES = 90

#: What can be asked instead where the tables do not allow for what was wanted.
_INSTEAD: dict[str, tuple[tuple[str, ...], ...]] = {
    "simple": (("filter",), ("aggregate", "filter"), ("distinct",), ("top",), ("join",), ("aggregate", "period")),
    "moderate": (
        ("group",), ("group", "aggregate", "join"), ("percentage",), ("nested", "filter"), ("nested",), ("window",),
        ("set_operation",), ("nested", "aggregate"), ("filter", "join", "multi_join"), ("cte",), ("group", "having"),
    ),
    "hard": (
        ("cte", "join"), ("cte", "join"), ("cte", "window"), ("cte", "window", "join"), ("window", "join", "filter"),
        ("set_operation", "join", "filter"), ("set_operation", "filter"), ("nested", "join", "filter"),
        ("nested", "group", "join"), ("nested", "aggregate", "join", "filter"), ("group", "having", "join", "filter"),
    ),
}  # fmt: skip
_STUTTER = re.compile(r"\b(\w+) (?:(?:the|its|their) )?\1\b", re.IGNORECASE)

_BLOCK = re.compile(r"```(\w+)\n(.*?)\n?```", re.DOTALL)
_NUMBERED = re.compile(r"^(\d+)\. ([a-z_, ]+)", re.MULTILINE)
_DIFFICULTY = re.compile(r"^Difficulty of all questions: (\w+)", re.MULTILINE)


def respond(messages: list[Message]) -> str:
    """One question per open request of the last message, as JSON."""
    prompt = messages[1]["content"]
    blocks = dict(_BLOCK.findall(prompt))
    picture = Picture(
        blocks["ddl"],
        json.loads(blocks["facts"]),
        [json.loads(line) for line in blocks["stories"].splitlines() if line.strip()],
    )
    difficulty = match[1] if (match := _DIFFICULTY.search(prompt)) else "simple"
    open_ = blocks["requests"] if len(messages) == 2 else messages[-1]["content"]
    seed = hashlib.sha256("\x00".join(message["content"] for message in messages).encode()).hexdigest()
    rng = Random(seed)
    questions = []
    for number, features in _NUMBERED.findall(open_):
        written = _write(picture, frozenset(re.split(r"[, ]+", features.strip())), difficulty, rng)
        if written is not None:
            question, literals = written
            questions.append(
                {"number": int(number), "question": question, "difficulty": difficulty, "literals": literals}
            )
    return json.dumps({"questions": questions}, ensure_ascii=False)


def _write(picture: Picture, wanted: frozenset[str], difficulty: str, rng: Random) -> tuple[str, list[Any]] | None:
    """A question with the wanted features and difficulty; failing that, others of the difficulty, or near it."""
    if not picture.tables:
        return None
    for attempt in range(TRIES):
        exact, near = attempt < TRIES // 3, attempt < 5 * TRIES // 6
        asked = wanted if exact else frozenset(rng.choice(_INSTEAD[difficulty]))
        request = Drafter(picture, asked, difficulty, rng).draft()
        if request is None:
            continue
        sql = to_sql(request, picture.schema)
        needed = wanted if attempt < TRIES // 6 else wanted - {"twelve_tables"}  # as many as the schema allows
        if exact and not needed <= features(sql, request):
            continue
        measured = sql_facts(sql).difficulty
        if measured != difficulty and (near or {measured, difficulty} == {"simple", "hard"}):
            continue
        try:
            text = say(request, picture.lexicon, rng)
        except LookupError:
            continue
        if not _STUTTER.search(text) and read(text, picture.lexicon) == [request]:
            return text, list(_literals(request))
    return None


def features(sql: str, request: Request) -> set[str]:
    """The features of steering that a query has, told from its text."""
    joins = len(re.findall(r"\bJOIN\b", sql))
    tables = re.findall(r"\b(?:FROM|JOIN) ([^\s()]+)", sql)
    base = [name for name in tables if name not in ("counts", "compared", "figures")]
    tests = {
        "join": joins >= 1,
        "multi_join": joins >= 2,
        "five_tables": len(set(base)) >= 5,
        "eight_tables": len(set(base)) >= 8,
        "twelve_tables": len(set(base)) >= 12,
        "self_join": joins >= 1 and len(set(base)) < len(base),
        "aggregate": bool(re.search(r"\b(?:COUNT|SUM|AVG|MIN|MAX)\(", sql)),
        "group": "GROUP BY" in sql,
        "having": "HAVING" in sql,
        "order": bool(re.search(r"\) ORDER BY|[^(] ORDER BY [^)]*$", sql)),
        "top": "LIMIT" in sql,
        "distinct": "DISTINCT" in sql,
        "nested": "(SELECT" in sql,
        "set_operation": bool(re.search(r"\b(?:INTERSECT|EXCEPT|UNION)\b", sql)),
        "window": " OVER (" in sql,
        "cte": sql.startswith("WITH "),
        "percentage": "100.0 *" in sql,
        "filter": "WHERE" in sql or "HAVING" in sql,
        "period": "strftime(" in sql,
    }
    return {name for name, found in tests.items() if found}


def _literals(node: Any):
    """The values that a request compares with."""
    if isinstance(node, tuple):
        for item in node:
            yield from _literals(item)
    elif isinstance(node, Node):
        for name in node.__slots__ if hasattr(node, "__slots__") else ():
            value = getattr(node, name)
            if name in ("value", "other", "number", "over") and value not in (None, 0, 1):
                yield value.iso if isinstance(value, Day) else value
            else:
                yield from _literals(value)
