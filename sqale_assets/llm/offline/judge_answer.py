"""The offline judge: checks question and query against each other, word by word, without the grammar of the agent.

It looks from both sides: what the question says must have left a trace in the query (values, figures, order, negation,
things named), and what the query does must follow from something that the question says. Each rule is a function
from a case to an objection or None; the first objection decides.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp

from sqale_assets.llm.offline.english import words
from sqale_assets.llm.offline.english.lexicon import column_phrases, links_of, noun_of, role_of
from sqale_assets.llm.task import Message
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.introspect import read_schema
from sqale_assets.sqlenv.sqlfacts import NotASelect, base_tables, parse_select

_BLOCK = re.compile(r"```(\w+)\n(.*?)\n?```", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
#: Stands before what rows share; a table named there need not be read.
_PEER = re.compile(r"\b(?:same|within each|for each|separately for each|for their|for its) ")
_MONTHS = "january february march april may june july august september october november december"

Objection = tuple[str, str]


def respond(messages: list[Message]) -> str:
    """The verdict, as JSON."""
    blocks = dict(_BLOCK.findall(messages[1]["content"]))
    objection = judge(Case(blocks["question"], blocks["sql"], json.loads(blocks["result"]), blocks["schema"]))
    if objection is None:
        return json.dumps({"accepted": True, "category": "", "reason": ""})
    return json.dumps({"accepted": False, "category": objection[0], "reason": objection[1]}, ensure_ascii=False)


@dataclass(frozen=True)
class Case:
    """What the judge sees. `result` has `columns`, the first `rows` and `row_count`."""

    question: str
    sql: str
    result: dict[str, Any]
    ddl: str

    @cached_property
    def tree(self) -> exp.Query:
        return parse_select(self.sql)

    @cached_property
    def text(self) -> str:
        """The question in lower case, values in quotes left out."""
        return _QUOTED.sub('""', self.question).lower()

    @cached_property
    def plain(self) -> str:
        """`text` without the names of things and columns, whose words ask for nothing ("total amount", "sort")."""
        text = self.text
        for phrase in sorted(self.phrases, key=lambda each: (-len(each), each)):
            text = re.sub(rf"\b{re.escape(phrase)}\b", "#", text)
        # Said of an average: rows without children do not count, which no condition need express.
        return re.sub(r"(?:ignoring|leaving out) those without any", "", text)

    @cached_property
    def schema(self) -> Schema:
        """The tables concerned, as SQLite understands their definitions; empty where it does not."""
        connection = sqlite3.connect(":memory:")
        try:
            connection.executescript(self.ddl)
            return read_schema(connection)
        except sqlite3.Error:
            return Schema(tables=())
        finally:
            connection.close()

    @cached_property
    def columns(self) -> set[str]:
        """What columns are called, in full and short."""
        found = {" ".join(words.spoken(column.name)) for table in self.schema.tables for column in table.columns}
        for table in self.schema.tables:
            found |= set(column_phrases(table).values())
        return {phrase for phrase in found if phrase}

    @cached_property
    def nouns(self) -> dict[str, list[str]]:
        """What things are called -> the tables, in lower case."""
        found: dict[str, list[str]] = {}
        for table in self.schema.tables:
            found.setdefault(noun_of(table.name), []).append(table.name.lower())
        return found

    @cached_property
    def roles(self) -> set[str]:
        """What keys call the things that they lead to."""
        return {role_of(link, links) for table in self.schema.tables for links in [links_of(table)] for link in links}

    @cached_property
    def phrases(self) -> set[str]:
        """Every name in either number."""
        every = self.columns | set(self.nouns) | self.roles
        return every | {words.plural(phrase) for phrase in every}

    @cached_property
    def constants(self) -> tuple[set[str], set[float]]:
        """Texts and numbers in the query."""
        texts, numbers = set(), set()
        for node in self.tree.find_all(exp.Literal):
            if node.is_string:
                texts.add(node.this)
            else:
                numbers.add(-float(node.this) if isinstance(node.parent, exp.Neg) else float(node.this))
        return texts, numbers

    def says(self, pattern: str) -> bool:
        return re.search(rf"\b(?:{pattern})\b", self.plain) is not None

    def has(self, *kinds: type[exp.Expression]) -> bool:
        return self.tree.find(*kinds) is not None


def judge(case: Case) -> Objection | None:
    """The first objection to the query, or None."""
    try:
        _ = case.tree
    except NotASelect as error:
        return "wrong_filter", f"The query cannot be read: {error}"
    return next((objection for rule in _RULES if (objection := rule(case)) is not None), None)


def _values_used(case: Case) -> Objection | None:
    texts, numbers = case.constants
    stripped = {text.strip("%") for text in texts}
    for value in _QUOTED.findall(case.question):
        if value not in stripped:
            return "wrong_filter", f'The question asks about "{value}", which the query does not compare with.'
    for day in _DAY.findall(case.text):
        if not any(text.startswith(day) for text in texts):
            return "wrong_filter", f"The question names {day}, which the query does not use."
    spelled = " ".join(texts)
    for number in _numbers(case):
        if number not in numbers and not re.search(rf"\b0*{number:g}\b", spelled):
            return "wrong_filter", f"The question names {number:g}, which the query does not use."
    return None


def _values_asked(case: Case) -> Objection | None:
    texts, numbers = case.constants
    asked = {value.lower() for value in _QUOTED.findall(case.question)}
    named = set(_numbers(case))
    for text in sorted(texts):
        bare = text.strip("%").lower()
        known = not bare or bare in asked or _named(bare, case) or re.fullmatch(r"%[YmdH%-]+", text)
        if (
            not known
            and not _period(bare, case)
            and bare not in ("y", "n", "yes", "no", "true", "false", "t", "f", "0", "1")
        ):
            return "wrong_filter", f"The query compares with '{text}', which the question does not mention."
    for number in sorted(numbers):
        if number not in named and number not in (0.0, 1.0, 100.0):
            return "wrong_filter", f"The query uses the number {number:g}, which the question does not mention."
    return None


def _named(text: str, case: Case) -> bool:
    """Whether the question says the text, though not in quotes."""
    return len(text) > 2 and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", case.text) is not None


def _period(text: str, case: Case) -> bool:
    """Whether a text stands for a period that the question names: 2021, or 2021-03 for March 2021."""
    match = re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text)
    if not match or float(match[1]) not in _numbers(case):
        return False
    return match[2] is None or _MONTHS.split()[int(match[2]) - 1] in case.text


def _numbers(case: Case) -> list[float]:
    text = _DAY.sub(" ", case.text)
    for phrase in sorted(case.phrases, key=lambda each: (-len(each), each)):
        if re.search(r"\d", phrase):
            text = re.sub(rf"\b{re.escape(phrase)}\b", " ", text)
    return [float(number) for number in _NUMBER.findall(text)]


def _figures(case: Case) -> Objection | None:
    tree = case.tree
    counted = case.says("how many|number of|count|how often|occur more than|the most")
    if counted and not case.has(exp.Count) and not case.says("that figure"):
        return "wrong_aggregate", "The question asks for a number of things, and the query counts nothing."
    if case.says("percentage|percent") and not any(node.this == "100.0" for node in tree.find_all(exp.Literal)):
        return "wrong_aggregate", "The question asks for a percentage."
    asks_average = case.says("average|mean")
    if asks_average and not case.has(exp.Avg):
        return "wrong_aggregate", "The question asks for an average, and the query computes none."
    if not asks_average and case.has(exp.Avg) and not re.search(r"\b(?:average|mean)\b", case.text):
        return "wrong_aggregate", "The query computes an average that was not asked for."
    if case.has(exp.Sum) and not case.has(exp.Case) and not re.search(
        r"\b(?:total|totals|sum|combined|overall|cumulative|add up)\b", case.text
    ):  # fmt: skip
        return "wrong_aggregate", "The query adds up values, which the question does not ask for."
    extreme = case.says("highest|largest|greatest|lowest|smallest|maximum|minimum")
    if extreme and not (case.has(exp.Max, exp.Min, exp.Order)):
        return "wrong_aggregate", "The question asks for the highest or lowest, and the query does not look for it."
    return None


def _negation(case: Case) -> Objection | None:
    negated = case.has(exp.Not, exp.Except) or any(node.find(exp.Null) for node in case.tree.find_all(exp.Is))
    denies = case.says(r"no|without|not|never|lack|lacks|none|missing|unknown")
    allowed = re.search(
        r"no (?:less|more|earlier|later) than|without repeats|zero|not (?:marked|flagged|set)", case.plain
    )
    if denies and not negated and not allowed:
        return "wrong_filter", "The question excludes something, and the query does not."
    excludes = case.has(exp.Except) or any(isinstance(node.this, exp.Exists) for node in case.tree.find_all(exp.Not))
    if excludes and not denies:
        return "wrong_filter", "The query excludes rows that the question does not exclude."
    return None


def _order(case: Case) -> Objection | None:
    asks = case.says("sorted|sort|ordered|order (?:the|by)|going through|proceeding|in order by|rank")
    if asks and not case.has(exp.Order):
        return "wrong_order", "The question asks for an order, and the query has none."
    outer = case.tree.args.get("order")
    if outer is not None and not (asks or case.says("highest|largest|greatest|lowest|smallest")):
        return "wrong_order", "The query sorts the result, which the question does not ask for."
    first = outer.expressions[0] if outer is not None else None
    if isinstance(first, exp.Ordered) and re.search(r"\bascending|lowest to|smallest to", case.plain):
        descends = re.search(r"descending|highest to|largest to", case.plain)
        if first.args.get("desc") and not descends and not case.tree.args.get("limit"):
            return "wrong_order", "The order is reversed."
    return None


def _limit(case: Case) -> Objection | None:
    limit = case.tree.args.get("limit")
    if limit is None:
        return None
    if float(limit.expression.name or "nan") not in _numbers(case):
        return "missing_rows", "The query cuts the result to a number of rows that the question does not name."
    return None


def _grain(case: Case) -> Objection | None:
    distinct = case.has(exp.Distinct, exp.Group, exp.SetOperation)
    if case.says("different|distinct|without repeats") and not distinct:
        return "wrong_grain", "The question asks for different values, and the query may repeat them."
    if re.match(r"(?:how many|what is the (?:total )?number of|count)\b", case.plain) and not case.says(
        "each|every|per|by"
    ):
        rows = case.result.get("row_count", 0)
        if rows != 1:
            return "wrong_grain", f"The question asks for one number, and the query returns {rows} rows."
    grouped = case.tree.args.get("group") is not None
    if grouped and not case.says("each|every|per|by|which|what"):
        return "wrong_grain", "The query groups, and the question does not ask for a figure per anything."
    return None


def _things(case: Case) -> Objection | None:
    """Each table that the question names must be read, unless the words stand for something else as well."""
    read = {name.lower() for name in base_tables(case.tree)}
    peers = [text[match.end() : match.end() + 60] for text in [case.text] for match in _PEER.finditer(text)]
    for table in case.schema.tables:
        for link in (links := links_of(table)):
            if table.name.lower() in read and f"{role_of(link, links)}'s" in case.text:
                parents = {other.parent.lower() for other in links if role_of(other, links) == role_of(link, links)}
                if not parents & read:
                    return (
                        "wrong_join",
                        f"The question is about the {role_of(link, links)}, and {link.parent} is not read.",
                    )
    for noun, tables in case.nouns.items():
        if read & set(tables):
            continue
        for form in (words.plural(noun), noun):
            for match in re.finditer(rf"\b{re.escape(form)}\b", case.text):
                if form in case.columns | case.roles or any(peer.startswith(form) for peer in peers):
                    continue
                if not _inside_longer(case, match.start(), match.end()):
                    return (
                        "wrong_join",
                        f"The question is about {words.plural(noun)}, and the query does not read them.",
                    )
    return None


def _inside_longer(case: Case, start: int, end: int) -> bool:
    """Whether the words at that place are a part of a longer name."""
    for phrase in case.phrases:
        for match in re.finditer(rf"\b{re.escape(phrase)}\b", case.text):
            if match.start() <= start and end <= match.end() and match.end() - match.start() > end - start:
                return True
    return False


def _columns(case: Case) -> Objection | None:
    """Each column that the result shows must be spoken of, or be a figure."""
    called: dict[str, set[str]] = {}
    for table in case.schema.tables:
        for name, phrase in column_phrases(table).items():
            called.setdefault(name.lower(), set()).update((phrase, words.plural(phrase)))
    for select in _shown(case.tree):
        node = select.unalias()
        phrases = called.get(node.name.lower(), set()) if isinstance(node, exp.Column) else set()
        if phrases and not any(re.search(rf"\b{re.escape(phrase)}\b", case.text) for phrase in phrases):
            return "extra_column", f"The result shows {node.name}, which was not asked for."
    return None


def _shown(tree: exp.Query) -> Iterator[exp.Expression]:
    if isinstance(tree, exp.Select):
        yield from tree.expressions


def _result(case: Case) -> Objection | None:
    if not case.result.get("row_count"):
        return "missing_rows", "The query returns no rows."
    return None


_RULES: tuple[Callable[[Case], Objection | None], ...] = (
    _result, _limit, _values_used, _values_asked, _figures, _negation, _order, _grain, _things, _columns,
)  # fmt: skip
