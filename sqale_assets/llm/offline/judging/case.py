"""A question and a query as the offline judge reads them: the question's words, the query's tree, the tables' names."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp

from sqale_assets.llm.offline.english import words
from sqale_assets.llm.offline.english.lexicon import column_phrases, links_of, noun_of, role_of
from sqale_assets.relational.model import Schema
from sqale_assets.sqlenv.introspect import read_schema
from sqale_assets.sqlenv.sqlfacts import is_cte, parse_select

#: A category of the judge's prompt, and a sentence for the writer.
Objection = tuple[str, str]

QUOTED = re.compile(r'"([^"]*)"')
DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")


@dataclass(frozen=True)
class Case:
    """What the judge sees. `result` has `columns`, the first `rows` and `row_count`, None where it was not run."""

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
        return QUOTED.sub('""', self.question).lower()

    @cached_property
    def plain(self) -> str:
        """`text` with # for the names of things and columns, whose words ask for nothing ("total amount", "sort")."""
        text = re.sub(r", (?:sorted|ordered) by\b", ". sort them by", self.text)
        text = re.sub(r"(^|[,.?;] |\band )name (?=the |its |their )", r"\1give ", text)  # the verb, no column
        if self.phrases:
            longest = sorted(self.phrases, key=lambda each: (-len(each), each))
            text = re.sub(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", "#", text)
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
    def called(self) -> dict[str, set[str]]:
        """Column, in lower case -> what it is called, in either number."""
        found: dict[str, set[str]] = {}
        for table in self.schema.tables:
            for name, phrase in column_phrases(table).items():
                found.setdefault(name.lower(), set()).update((phrase, words.plural(phrase)))
        return found

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
    def numbers(self) -> list[float]:
        """The numbers that the question says, those in days and names left out."""
        text = self.text
        for phrase in sorted(self.phrases, key=lambda each: (-len(each), each)):
            if re.search(r"\d", phrase):
                text = re.sub(rf"\b{re.escape(phrase)}\b", " ", text)
        return numbers_in(text)

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

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Alias in lower case -> base table; aliases that stand for two tables are left out."""
        found: dict[str, set[str]] = {}
        for table in self.tree.find_all(exp.Table):
            found.setdefault(table.alias_or_name.lower(), set()).add("" if is_cte(table) else table.name)
        return {alias: name for alias, names in found.items() if len(names) == 1 for name in names if name}

    @property
    def shown(self) -> list[exp.Expression]:
        """What the rows of the result show."""
        tree = self.tree
        while isinstance(tree, exp.SetOperation):
            tree = tree.left
        return list(tree.selects)

    def says(self, pattern: str) -> bool:
        """Whether the question says it, names apart."""
        return re.search(rf"\b(?:{pattern})\b", self.plain) is not None

    def names(self, phrase: str) -> bool:
        """Whether the question says a name, in either number."""
        return any(re.search(rf"\b{re.escape(each)}\b", self.text) for each in (phrase, words.plural(phrase)))

    def has(self, *kinds: type[exp.Expression]) -> bool:
        return self.tree.find(*kinds) is not None

    def nodes(self, *kinds: type[exp.Expression]) -> Iterator[Any]:
        return self.tree.find_all(*kinds)


def numbers_in(text: str) -> list[float]:
    """The numbers that stand by themselves in a text."""
    return [float(number) for number in _NUMBER.findall(DAY.sub(" ", text))]


Rule = Callable[[Case], Objection | None]


def looks_out(select: exp.Select) -> bool:
    """Whether a subquery speaks of a table outside of itself."""
    inside = {table.alias_or_name.lower() for table in select.find_all(exp.Table)}
    inside |= {part.alias.lower() for part in select.find_all(exp.Subquery, exp.CTE) if part.alias}
    columns = list(select.find_all(exp.Column))
    return any(column.table.lower() not in inside for column in columns if column.table) or any(
        not column.table for column in columns
    )
