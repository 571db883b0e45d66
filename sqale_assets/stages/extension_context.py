"""What an extension call gets to see: a bounded view of the schema, chosen anew for every call."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping

import networkx as nx

from sqale_assets.records import DomainDescription
from sqale_assets.relational.graph import foreign_key_graph
from sqale_assets.relational.model import Schema, Table
from sqale_assets.relational.names import singular, words
from sqale_assets.relational.sqlite import create_table, quote
from sqale_assets.relational.style_patterns import is_junction

#: DDL shown per call: about 1,500 tokens, so that prompt and answer fit an 8k context up to some 200 tables.
MAX_DDL_CHARACTERS = 6_000
#: Tables of high degree shown every time; the rest of the space goes to the others in turn.
HUBS = 3
MAX_ALONE = 60
MAX_LACKS = 6

#: Usual areas that one schema is asked for: all of them would make every schema alike.
AREAS = 9

#: What nearly every database that grew has somewhere, as (words that show it is there, name of what lacks).
USUAL_AREAS = (
    (("payment", "invoice", "refund"), "payments"),
    (("address", "location"), "addresses"),
    (("contact", "phone"), "contacts"),
    (("attachment", "file", "document", "image", "photo"), "attachments"),
    (("log", "audit", "history"), "audit log"),
    (("notification", "alert", "message"), "notifications"),
    (("tag", "label", "keyword"), "tags"),
    (("approval", "review"), "approval request"),
    (("schedule", "calendar", "shift"), "calendar entry"),
    (("preference", "setting", "option"), "user preference"),
    (("role", "permission", "access"), "roles"),
    (("report", "statistic", "metric"), "saved report"),
    (("feedback", "rating", "complaint", "survey"), "feedback"),
    (("note", "comment", "remark"), "notes"),
    (("contract", "agreement", "subscription"), "contracts"),
    (("budget", "cost", "expense"), "budgets"),
    (("supplier", "vendor", "partner"), "suppliers"),
    (("task", "todo", "assignment"), "tasks"),
    (("template",), "document templates"),
    (("newsletter", "campaign", "subscription"), "newsletters"),
    (("asset", "equipment", "device", "inventory"), "assets"),
    (("holiday", "absence", "leave"), "holidays"),
    (("training", "course", "certificate"), "trainings"),
    (("incident", "risk", "ticket", "issue"), "support ticket"),
    (("import", "export", "sync"), "import job"),
    (("consent", "privacy"), "consent record"),
    (("meeting", "appointment", "booking"), "meetings"),
    (("translation", "language"), "languages"),
)


class Context:
    """Rotates through the schema: what was shown least and hangs together most comes first."""

    def __init__(self, domain: DomainDescription, rng: random.Random):
        self._entities = domain.entities
        self._areas = rng.sample(USUAL_AREAS, AREAS)
        self._shown: Counter[str] = Counter()
        self._named: Counter[str] = Counter()
        self._ddl: dict[str, str] = {}

    def attach(self, schema: Schema) -> str:
        """DDL of the tables that new ones should attach to, at most `MAX_DDL_CHARACTERS` of it."""
        degrees = _degrees(schema)
        tables = [table for table in schema.tables if reference(table) and not is_junction(table)]
        hubs = sorted(tables, key=lambda table: -degrees[table.name])[:HUBS]
        named = {table.name for table in hubs}
        others = sorted(
            (table for table in tables if table.name not in named),
            key=lambda table: (self._shown[table.name], table.origin == "added", -degrees[table.name]),
        )
        statements: list[str] = []
        room = MAX_DDL_CHARACTERS
        for table in (*hubs, *others):
            statement = self._statement(table)
            if len(statement) <= room:
                room -= len(statement)
                statements.append(statement)
                self._shown[table.name] += 1
        return "\n\n".join(statements)

    def alone(self, schema: Schema) -> tuple[str, ...]:
        """Tables that can be referred to but stand outside the largest component, those named least first."""
        names = {table.name for table in schema.tables if reference(table)}
        outside = [name for name in _outside(schema) if name in names]
        chosen = sorted(outside, key=lambda name: self._named[name])[:MAX_ALONE]
        self._named.update(chosen)
        return tuple(chosen)

    def lacks(self, schema: Schema) -> tuple[str, ...]:
        """The domain's entities without a table, then usual areas that no table's name shows; in turn."""
        present = {singular(word) for table in schema.tables for word in words(table.name)}
        entities = [
            entity for entity in self._entities if not {singular(word) for word in words(entity)} <= present
        ]  # fmt: skip
        areas = [name for shown_by, name in self._areas if not present & set(shown_by)]
        chosen = sorted(dict.fromkeys((*entities, *areas)), key=lambda name: self._named[f"lack {name}"])[:MAX_LACKS]
        self._named.update(f"lack {name}" for name in chosen)
        return tuple(chosen)

    def _statement(self, table: Table) -> str:
        if table.name not in self._ddl:
            self._ddl[table.name] = create_table(table) + ";"
        return self._ddl[table.name]


def table_lines(tables: Iterable[Table]) -> tuple[str, ...]:
    """Every table as `name(key TYPE)`, without the parentheses where nothing can refer to it; quoted as in SQL."""
    lines = []
    for table in tables:
        key = ", ".join(f"{quote(name)} {_type(table, name)}" for name in reference(table))
        lines.append(f"{quote(table.name)}({key})" if key else quote(table.name))
    return tuple(lines)


def reference(table: Table) -> tuple[str, ...]:
    """The columns by which foreign keys refer to the table: its primary key, else its first UNIQUE; or none."""
    return table.primary_key or (table.unique[0] if table.unique else ())


def attached_share(schema: Schema) -> float:
    """The share of the added tables with a foreign key in or out, other than to themselves."""
    degrees = _degrees(schema)
    added = [table.name for table in schema.tables if table.origin == "added"]
    return sum(degrees[name] > 0 for name in added) / len(added) if added else 1.0


def largest_component_share(schema: Schema) -> float:
    """The share of all tables that the largest component of the foreign-key graph holds."""
    return 1 - len(_outside(schema)) / len(schema.tables) if schema.tables else 1.0


def _type(table: Table, name: str) -> str:
    column = table.column(name)
    return column.declared_type if column else ""


def _degrees(schema: Schema) -> Mapping[str, int]:
    """Foreign keys in and out by table name, self-references left out."""
    degrees: Counter[str] = Counter()
    spelled = {table.name.lower(): table.name for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            target = spelled.get(key.target_table.lower())
            if target is not None and target != table.name:
                degrees[table.name] += 1
                degrees[target] += 1
    return degrees


def _outside(schema: Schema) -> list[str]:
    """The tables outside the largest component, in the order of the schema."""
    components = list(nx.weakly_connected_components(foreign_key_graph(schema)))
    largest = max(components, key=len) if components else set()
    return [table.name for table in schema.tables if table.name not in largest]
