"""The offline agent: reads a question in controlled English and finds its SQL by exploring the database.

It knows nothing but its conversation. It lists the tables and describes those whose names the question
speaks of, follows their keys to what else is meant, reads the question over what it has seen, looks up how the
values are stored, drafts and runs the query, and submits it when the result can be the answer. A question
that it cannot read, or can read in several ways, it does not answer: a wrong query is worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from sqale_assets.llm.offline.english import terse, words
from sqale_assets.llm.offline.english.grammar import tokens
from sqale_assets.llm.offline.english.lexicon import Lexicon, links_of, noun_of, role_of
from sqale_assets.llm.offline.english.meaning import Children, Compare, Entity, Link, Node, Ref, Request
from sqale_assets.llm.offline.english.reading import read
from sqale_assets.llm.offline.english.sql import to_sql
from sqale_assets.llm.offline.english.sql_source import Findings, literal
from sqale_assets.llm.offline.observations import Observations
from sqale_assets.llm.task import Message
from sqale_assets.sqlenv.names import identifier

#: Tables described in one turn: the calls of a turn share the room for their answers.
PER_TURN = 10
#: Values looked at where one of them is asked for.
VALUES = 200
#: Readings that are worth drafting; a question with more is ambiguous.
MAX_DRAFTS = 3


def respond(messages: list[Message]) -> str:
    """The agent's next turn: tool calls, or the submission."""
    question = messages[1]["content"].partition("```question\n")[2].partition("\n```")[0]
    return _Agent(question, Observations.of(messages[2:])).turn()


def _call(tool: str, **args: Any) -> str:
    return json.dumps({"tool": tool, "args": args}, ensure_ascii=False)


def _say(thought: str, *calls: str) -> str:
    return "\n".join([f"<think>{thought}</think>", *calls])


class _Agent:
    """One turn's thinking, over all that was seen before it."""

    def __init__(self, question: str, seen: Observations):
        self.question, self.seen = terse.without_note(question), seen
        self.terse = terse.has_note(question)

    def turn(self) -> str:
        if self.seen.rejections:
            return self.mend()
        if self.seen.final:
            return self.last_word()
        return self.survey() or self.inspect() or self.look_up() or self.draft()

    # --- the steps, each None when it has nothing left to do

    def survey(self) -> str | None:
        """List the tables, all pages of them."""
        if not self.seen.pages_seen:
            return _say("Which tables are there?", _call("list_tables"))
        missing = [page for page in range(1, self.seen.pages + 1) if page not in self.seen.pages_seen]
        if missing:
            return _say("There are more tables.", *(_call("list_tables", page=page) for page in missing))
        return None

    def inspect(self) -> str | None:
        """Describe the tables that the question names, then those that it means by the keys that lead there."""
        if self.seen.next_page:
            calls = [_call("describe_table", table_name=name, page=page) for name, page in self.seen.next_page.items()]
            return _say("Some tables have more columns.", *calls[:PER_TURN])
        wanted = [name for name in dict.fromkeys([*self.named, *self.meant]) if name not in self.seen.described]
        if not wanted and not self.readings:
            wanted = [name for name in self.hidden if name not in self.seen.described]
        if not wanted:
            return None
        why = "The question speaks of these." if not self.seen.described else "Their keys lead to these."
        return _say(why, *(_call("describe_table", table_name=name) for name in wanted[:PER_TURN]))

    def look_up(self) -> str | None:
        """See how the values are stored, which keys are empty, and how flags are kept."""
        calls = [call for reading in self.readings[:MAX_DRAFTS] for call in self.checks(reading)]
        open_ = {_place(call): call for call in calls if not self.answered(call)}
        if not open_:
            return None
        for call in calls:  # of two look-ups at one column, the one that shows more
            if _place(call) in open_ and dict(call[1]).get("limit") == VALUES:
                open_[_place(call)] = call
        return _say("How are these stored?", *(_call(tool, **dict(args)) for tool, args in open_.values()))

    def draft(self) -> str:
        """Run the query of each reading that the data supports; submit the one that is left."""
        supported = [reading for reading in self.readings[:MAX_DRAFTS] if self.supported(reading)]
        drafts = list(
            dict.fromkeys(to_sql(reading, self.lexicon.schema, self.findings(reading)) for reading in supported)
        )
        if not drafts:
            return _say(self.perplexed())
        if len(drafts) > 1 or len(self.readings) > MAX_DRAFTS:
            return _say("The question can be read in more than one way, and the data does not tell which is meant.")
        (sql,) = drafts
        answer = self.seen.queries.get(sql)
        if answer is None:
            return _say("This should answer it; does it run?", _call("run_query", sql=sql))
        if "error" in answer:
            return _say(f"That does not run ({answer['error']}), and I see no other way to write it.")
        if not answer.get("rows") or all(cell is None for row in answer["rows"] for cell in row):
            return _say("No rows meet the conditions, so there is nothing to answer.")
        return _say(f"It returns {answer['row_count']} rows, as asked.", _call("submit_sql", sql=sql))

    def mend(self) -> str:
        """After a rejection: stand by the query, which is the only one that the question allows, if there is one."""
        if not self.seen.submitted:
            return _say(self.perplexed())
        return _say("I read the question again and it says the same.", _call("submit_sql", sql=self.seen.submitted[-1]))

    def last_word(self) -> str:
        """No turns are left: submit the draft if there is one that ran."""
        ran = [
            sql
            for reading in self.readings
            if self.supported(reading)
            for sql in [to_sql(reading, self.lexicon.schema, self.findings(reading))]
        ]
        if len(set(ran)) == 1:
            return _say("This is my answer.", _call("submit_sql", sql=ran[0]))
        return _say(self.perplexed())

    def perplexed(self) -> str:
        if self.readings:
            return "The values that the question speaks of are not stored where it says."
        return "I cannot tell what the question means over these tables."

    # --- which tables

    @cached_property
    def said(self) -> str:
        """The question's words and marks, one blank around each, quoted values left out."""
        return f" {' '.join(token.text if token.kind != 'text' else '.' for token in tokens(self.question))} "

    @cached_property
    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """Table -> where the question says its noun, in either number."""
        return {name: found for name in self.seen.names if (found := list(self.places(noun_of(name))))}

    def places(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Where the question says a phrase, in either number."""
        for form in dict.fromkeys((phrase, words.plural(phrase))):
            start = self.said.find(f" {form} ")
            while start >= 0:
                yield start, start + len(form) + 2
                start = self.said.find(f" {form} ", start + 1)

    @cached_property
    def named(self) -> list[str]:
        """Tables whose noun stands in the question, not only as a part of a longer table's noun."""
        every = [span for spans in self.spans.values() for span in spans]

        def inside(span: tuple[int, int]) -> bool:
            return any(each[0] <= span[0] and span[1] <= each[1] and each != span for each in every)

        return [name for name, spans in self.spans.items() if any(not inside(span) for span in spans)]

    @cached_property
    def hidden(self) -> list[str]:
        """Tables whose noun stands in the question only inside of a longer one."""
        return [name for name in self.spans if name not in self.named]

    @cached_property
    def meant(self) -> list[str]:
        """Tables that keys of described ones lead to, where the question says the key's role or the table's noun."""
        found: list[str] = []
        for table in self.seen.described.values():
            links = links_of(table)
            for link in links:
                if link.parent in self.seen.names and (
                    any(self.places(role_of(link, links))) or any(self.places(noun_of(link.parent)))
                ):
                    found.append(link.parent)
        return found

    # --- what it means

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.seen.schema)

    @cached_property
    def readings(self) -> list[Request]:
        if not self.terse:
            return read(self.question, self.lexicon)
        sentences = terse.full_forms(self.question)
        return list(dict.fromkeys(each for text in sentences for each in read(text, self.lexicon, terse=True)))

    def checks(self, reading: Request) -> Iterator[tuple[str, tuple[tuple[str, Any], ...]]]:
        """Tool calls that show what the reading supposes of the data."""
        for table, ref, node in _compared(reading, ""):
            if node is not None and (asked := _texts(node)):
                end = _end(table, ref)
                yield _values_of(end, ref.column, VALUES)
                seen = self.seen.values.get((end, ref.column))
                if seen and seen.get("truncated") and not asked <= _stored(seen):
                    yield "run_query", (("sql", _spellings(end, ref.column, asked)),)
            elif node is not None and node.op in ("true", "false"):
                yield _values_of(_end(table, ref), ref.column, VALUES)
        for table, columns in self.nullable(reading).items():
            for column in columns:
                if (table, column) not in self.seen.values:
                    yield _values_of(table, column, 1)

    def nullable(self, reading: Request) -> dict[str, list[str]]:
        """Columns and keys of the reading that may be empty, by table."""
        found: dict[str, dict[str, None]] = {}
        for table, ref, _ in _compared(reading, ""):
            for link in ref.chain:
                found.setdefault(link.child, {}).update(dict.fromkeys(link.columns))
            if ref.column:
                found.setdefault(_end(table, ref), {})[ref.column] = None
        return {
            table: names
            for table, columns in found.items()
            if (names := [name for name in columns if self.may_be_null(table, name)])
        }

    def may_be_null(self, table: str, name: str) -> bool:
        described = self.seen.described[table]
        column = described.column(name)
        return column is not None and column.nullable is not False and name not in described.primary_key

    def answered(self, call: tuple[str, tuple[tuple[str, Any], ...]]) -> bool:
        tool, args = call[0], dict(call[1])
        if tool == "run_query":
            return args["sql"] in self.seen.queries
        seen = self.seen.values.get((args["table_name"], args["column_name"]))
        return seen is not None and (args["limit"] == 1 or len(seen["values"]) > 1 or not seen.get("truncated"))

    def supported(self, reading: Request) -> bool:
        """Whether each text that the reading compares with is stored where it says, and flags are flags."""
        for table, ref, node in _compared(reading, ""):
            if node is None:
                continue
            end = _end(table, ref)
            seen = self.seen.values.get((end, ref.column))
            if node.op in ("true", "false") and _truth(seen) is None:
                return False
            if (asked := _texts(node)) and not asked <= _stored(seen):
                found = self.seen.queries.get(_spellings(end, ref.column, asked), {})
                if not asked <= {row[0] for row in found.get("rows", [])}:
                    return False
        return True

    def findings(self, reading: Request) -> Findings:
        """What the look-ups showed."""
        nulls = {
            (table, name)
            for table, columns in self.nullable(reading).items()
            for name in columns
            if self.seen.values.get((table, name), {}).get("nulls")
        }
        flags = {place: truth for place, seen in self.seen.values.items() if (truth := _truth(seen)) is not None}
        return Findings(frozenset(nulls), flags)


def _compared(node: Any, table: str) -> Iterator[tuple[str, Ref, Compare | None]]:
    """Every column of a named request, with the table it is told of, and the comparison it stands in."""
    if isinstance(node, tuple):
        for item in node:
            yield from _compared(item, table)
    elif isinstance(node, Ref):
        yield table, node, None
    elif isinstance(node, Compare):
        yield table, node.ref, node
    elif isinstance(node, Children):
        assert isinstance(node.link, Link)
        yield from _compared(node.conditions, node.link.child)
    elif isinstance(node, Entity):
        yield from _compared(node.conditions, node.table)
    elif isinstance(node, Node):
        parts = {name: getattr(node, name) for name in node.__slots__}
        entity = parts.get("entity")
        scope = entity.table if isinstance(entity, Entity) else table
        children = parts.get("children")
        for name in ("column", "key"):
            if isinstance(parts.get(name), str):
                owner = children.link.child if isinstance(children, Children) else scope
                yield owner, Ref(parts[name]), None
        for part in parts.values():
            yield from _compared(part, scope)


def _end(table: str, ref: Ref) -> str:
    return ref.chain[-1].parent if ref.chain else table


def _place(call: tuple[str, tuple[tuple[str, Any], ...]]) -> tuple[Any, ...]:
    """What a look-up is about, however many values it asks for."""
    return (call[0], *(value for name, value in call[1] if name != "limit"))


def _texts(node: Compare) -> set[str]:
    """The texts that a comparison says are stored."""
    return {value for value in (node.value, node.other) if isinstance(value, str)} if node.op in ("=", "in") else set()


def _values_of(table: str, column: str, limit: int) -> tuple[str, tuple[tuple[str, Any], ...]]:
    return "distinct_values", (("table_name", table), ("column_name", column), ("limit", limit))


def _stored(seen: dict[str, Any] | None) -> set[Any]:
    return {value for value, _ in seen["values"]} if seen else set()


def _spellings(table: str, column: str, asked: set[str]) -> str:
    """A query for the stored spellings of texts, where a column has too many values to list."""
    cell = identifier(column)
    listed = ", ".join(literal(value) for value in sorted(asked))
    return f"SELECT {cell}, COUNT(*) FROM {identifier(table)} WHERE {cell} COLLATE NOCASE IN ({listed}) GROUP BY {cell}"


def _truth(seen: dict[str, Any] | None) -> tuple[Any, Any] | None:
    """The stored true and false of a flag."""
    if seen is None:
        return None
    stored = {str(value).lower(): value for value, _ in seen["values"]}
    for true, false in (("1", "0"), ("true", "false"), ("y", "n"), ("yes", "no"), ("t", "f")):
        if stored and set(stored) <= {true, false}:
            return stored.get(true, 1), stored.get(false, 0)
    return None
