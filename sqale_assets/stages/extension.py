"""The extension stage: grow a schema to its target size with tables in its own style.

Calls of about twenty tables go on until the target is met. Whatever comes back is read like any other
SQL file and must pass the gate; what fails goes back to the model with its errors, and what still fails
is kept as rejected. Original tables are never altered: added ones carry `origin="added"`.
"""

from __future__ import annotations

import random
import re
from typing import ClassVar, Self

from pydantic import BaseModel

from sqale_assets.llm.task import InvalidAnswer, Llm, Message, Task
from sqale_assets.records import DomainDescription, ExtendedSchema, RejectedItem, SourceSchema
from sqale_assets.relational.addition import Addition, read_additions
from sqale_assets.relational.model import Schema, Table
from sqale_assets.relational.sqlite import canonical_schema
from sqale_assets.relational.style_facts import style_facts
from sqale_assets.relational.style_measure import style_profile
from sqale_assets.settings import ExtensionSettings
from sqale_assets.stages.extension_context import Context, attached_share, largest_component_share, table_lines
from sqale_assets.stages.extension_gate import Gate, Refusal
from sqale_assets.stages.extension_size import call_sizes, column_counts, target_tables

STAGE = "extended_schema"
#: How often refused tables go back to the model.
REPAIRS = 2
#: Calls in a row that add nothing before the stage gives up on its target.
BARREN_CALLS = 3
#: The share of added tables that may stand without a foreign key in or out.
MAX_DETACHED = 0.05

_FENCE = re.compile(r"```(?:\w+)?[ \t]*\n(?P<body>.*?)(?P<end>^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_CREATE = re.compile(r"\bCREATE\s+TABLE\b", re.IGNORECASE)


class ProposedTables(BaseModel):
    """The SQL of a reply: what stands in its fenced blocks, or from the first CREATE TABLE on."""

    sql: str

    @classmethod
    def parse_text(cls, text: str) -> Self:
        """Raises ValueError when there is no CREATE TABLE."""
        blocks = [match["body"] if match["end"] else _complete(match["body"]) for match in _FENCE.finditer(text)]
        sql = "\n".join(block for block in blocks if _CREATE.search(block))
        if not sql and (start := _CREATE.search(text)):
            sql = _complete(text[start.start() :])
        if not sql:
            raise ValueError("The reply holds no CREATE TABLE statement. Answer with one ```sql block of them.")
        return cls(sql=sql)


def _complete(sql: str) -> str:
    """The SQL of a reply that was cut off: up to its last whole statement, if it has one."""
    return sql[: sql.rfind(";") + 1] or sql


class ExtendSchema(Task[ProposedTables]):
    """Ask for as many new tables as `column_counts` has entries."""

    prompt: ClassVar[str] = "extend_schema"
    answer: ClassVar[type[BaseModel]] = ProposedTables

    label: str
    description: str
    style: tuple[str, ...]
    tables: tuple[str, ...]
    attach: str
    alone: tuple[str, ...]
    lacks: tuple[str, ...]
    column_counts: tuple[int, ...]


async def extend_schema(
    source: SourceSchema, domain: DomainDescription, llm: Llm, *, settings: ExtensionSettings, seed: int
) -> ExtendedSchema:
    """The source schema plus tables up to its seeded target size.

    Fewer tables than the target come back when the model has nothing more that passes the gate.

    Raises:
        GatewayUnavailable: the model cannot be asked now.
    """
    original = canonical_schema(source.definition)
    target = target_tables(source.schema_id, original, settings, seed)
    extension = _Extension(source.schema_id, original, domain, llm, seed)
    try:
        await extension.grow(target, settings.tables_per_call)
    finally:
        extension.gate.close()
    definition = extension.definition(source.definition)
    scores = extension.gate.conformities
    return ExtendedSchema(
        schema_id=source.schema_id,
        definition=definition,
        target_tables=target,
        style_conformity=round(sum(scores) / len(scores), 4) if scores else 1.0,
        attached_share=round(attached_share(definition), 4),
        connected_share=round(largest_component_share(definition), 4),
        rejected=tuple(extension.rejected),
        usage=llm.usage,
    )


class _Extension:
    """The state of one schema's extension."""

    def __init__(self, schema_id: str, original: Schema, domain: DomainDescription, llm: Llm, seed: int):
        self.rejected: list[RejectedItem] = []
        self._original, self._domain, self._llm = original, domain, llm
        profile = style_profile(original)
        self._facts = style_facts(profile)
        self.gate = Gate(original, profile)
        self._context = Context(domain, random.Random(f"{seed}:{schema_id}:extension_context"))
        self._widths = column_counts(schema_id, original, seed)
        self._calls = 0

    def definition(self, source: Schema) -> Schema:
        """The source's own tables, untouched, then the added ones in the order they came."""
        return source.model_copy(update={"tables": (*source.tables, *self._added())})

    async def grow(self, target: int, per_call: int) -> None:
        barren = 0
        while barren < BARREN_CALLS and (missing := target - len(self.gate.tables)) > 0:
            before = len(self.gate.tables)
            await self._call(call_sizes(missing, per_call), target)
            barren = 0 if len(self.gate.tables) > before else barren + 1

    async def _call(self, count: int, target: int) -> None:
        """One question and its repairs."""
        schema = Schema(tables=tuple(self.gate.tables.values()))
        task = ExtendSchema(
            label=self._domain.label,
            description=self._domain.description,
            style=self._facts,
            tables=table_lines(schema.tables),
            attach=self._context.attach(schema),
            alone=self._context.alone(schema),
            lacks=self._context.lacks(schema),
            column_counts=tuple(next(self._widths) for _ in range(count)),
        )
        self._calls += 1
        refused: list[tuple[Addition, Refusal]] = []
        for attempt in range(REPAIRS + 1):
            try:
                reply = await self._llm.ask(task, sample=self._calls)
            except InvalidAnswer as error:
                self._reject("invalid_answer", error.errors[-1], error.text)
                break
            refused = self._admit(read_additions(reply.value.sql, self.gate.tables), target)
            if not refused or len(self.gate.tables) >= target or attempt == REPAIRS:
                break
            task = task.model_copy(update={"turns": (*task.turns, *_shown_errors(reply.text, refused))})
        for addition, refusal in refused:
            self._reject(refusal.reason, refusal.evidence, addition.statement)

    def _admit(self, additions: list[Addition], target: int) -> list[tuple[Addition, Refusal]]:
        """Let through the gate what passes, in order; tables nothing is attached to are taken out again."""
        refused: list[tuple[Addition, Refusal]] = []
        admitted: list[tuple[Addition, Table]] = []
        for addition in additions:
            if len(self.gate.tables) >= target:
                break
            if addition.table is None or addition.losses:
                refused.append((addition, Refusal("unreadable", "; ".join(addition.losses))))
            elif refusal := self.gate.admit(addition.table):
                refused.append((addition, refusal))
            else:
                admitted.append((addition, addition.table))
        return refused + [(addition, refusal) for addition, refusal in self._detached(admitted)]

    def _detached(self, admitted: list[tuple[Addition, Table]]) -> list[tuple[Addition, Refusal]]:
        """Of what was just admitted, the tables that no foreign key leads from or to, beyond the few allowed."""
        added = self._added()
        attached = {
            name
            for table in added
            for key in table.foreign_keys
            if key.target_table.lower() != table.name.lower()
            for name in (table.name.lower(), key.target_table.lower())
        }
        lone = [(addition, table) for addition, table in admitted if table.name.lower() not in attached]
        before = sum(table.name.lower() not in attached for table in added) - len(lone)
        excess = lone[max(0, int(MAX_DETACHED * len(added)) - before) :]
        for _, table in excess:
            self.gate.expel(table.name)
        evidence = "no foreign key leads from or to it: attach it to a table of the database"
        return [(addition, Refusal("detached", evidence)) for addition, _ in excess]

    def _added(self) -> tuple[Table, ...]:
        return tuple(table for table in self.gate.tables.values() if table.origin == "added")

    def _reject(self, reason: str, evidence: str, item: str) -> None:
        self.rejected.append(RejectedItem(stage=STAGE, reason=reason, evidence=evidence, item=item))


def _shown_errors(reply: str, refused: list[tuple[Addition, Refusal]]) -> tuple[Message, Message]:
    """The conversation's next two turns: what the model said, and what to write again."""
    told = "\n".join(f"- {addition.name}: {refusal.evidence}." for addition, refusal in refused)
    request = (
        f"Refused: {len(refused)} of these tables; the others are in the database now.\n{told}\n"
        "Write corrected CREATE TABLE statements for these only, or other new tables in their place, "
        "in one ```sql block."
    )
    return Message(role="assistant", content=reply), Message(role="user", content=request)
