"""What a database is about: a label from a fixed list, a short description, the key entities.

The evidence is the source repository where one is at hand, looked into with tools, else the schema itself with its
comments and a few of its rows.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, StringConstraints, field_validator

from sqale_assets.llm.task import Llm, Task
from sqale_assets.records import DomainDescription, SourceSchema
from sqale_assets.relational.model import Row, Table

#: The labels, with what each covers.
DOMAINS: dict[str, str] = {
    "accounting": "ledgers, invoices, budgets, taxes",
    "agriculture": "farms, crops, plants, harvests",
    "animal care": "pets, livestock health, breeding, animal welfare",
    "automotive": "cars, dealers, garages",
    "banking": "accounts, loans, investments, payments",
    "chat and messaging": "conversations, channels, messages, calls",
    "clinical research": "trials, cohorts, observational health data",
    "construction and trades": "building works, contractors, quotations",
    "content management": "pages, posts and media of a website",
    "crowdfunding and charity": "projects, backers, donations",
    "customer relations": "leads, contacts, support",
    "data processing": "data sets, warehouses, replication, security of data",
    "document management": "documents, folders, approvals",
    "e-commerce": "online shops: products, carts, orders, reviews",
    "e-mail": "mail servers, spam filters, mailboxes",
    "education": "students, courses, teachers, grades",
    "energy": "power grids, meters, tariffs",
    "events and tickets": "events, registrations, venues",
    "examinations and quizzes": "tests, questions, answers, evaluations",
    "film and television": "films, actors, cinemas, video rental",
    "food service": "restaurants, dishes, take-away orders",
    "games": "players, worlds, scores",
    "geography": "countries, cities, regions as such",
    "government": "public administration, citizens, permits",
    "healthcare": "patients, doctors, appointments, vaccinations",
    "hospitality and travel": "hotels, bookings, trips",
    "human resources": "employees, departments, salaries",
    "identity and access": "users, roles, permissions as the subject itself",
    "insurance": "policies, claims, premiums",
    "internet of things": "devices, sensors, readings",
    "inventory": "stock, hardware and equipment records",
    "laboratory science": "experiments, samples, measurements",
    "law": "courts, cases, investigations",
    "library": "books, members, loans",
    "logistics": "shipments, carriers, depots",
    "manufacturing": "production lines, machines, work orders",
    "marketing": "campaigns, advertisements, audiences",
    "monitoring and operations": "metrics, servers, services, configuration of systems",
    "museums and art": "artworks, exhibitions, artists",
    "music": "artists, albums, tracks",
    "news and publishing": "articles, authors, readers",
    "online community": "forums, posts, votes, members",
    "personal productivity": "to-do lists, notes, calendars",
    "project management": "projects, tasks, iterations, members",
    "real estate": "properties, leases, tenants",
    "sales and point of sale": "customers, sales, products of a trade business",
    "securities trading": "stocks, bonds, portfolios, prices",
    "social network": "profiles, followers, likes",
    "software development": "repositories, builds, releases, bug reports",
    "space": "planets, spaceships, missions",
    "sports": "teams, players, matches, clubs",
    "surveys and polls": "questionnaires, responses",
    "telecommunications": "subscribers, calls, internet access",
    "transport": "vehicles, routes, passengers",
    "weather and environment": "weather, climate, pollution",
    "workflow and job scheduling": "process definitions, jobs, triggers, executions",
    "general": "nothing of the above, or tables made for a test",
}

MAX_TABLES = 150
MAX_COLUMNS = 30
MAX_TABLES_WITH_ROWS = 12
ROWS_SHOWN = 2
_VALUE_LENGTH = 40

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=40, max_length=1200)]
Noun = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]


class Annotation(BaseModel):
    """The answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    label: str
    description: Sentence
    entities: tuple[Noun, ...]

    @field_validator("label")
    @classmethod
    def _known(cls, label: str) -> str:
        known = label.strip().lower()
        if known not in DOMAINS:
            raise ValueError(f"{label!r} is not in the list of domains; take one of it as it is spelled there")
        return known

    @field_validator("entities")
    @classmethod
    def _several(cls, entities: tuple[str, ...]) -> tuple[str, ...]:
        distinct = tuple({entity.lower(): entity for entity in entities}.values())
        if not distinct:
            raise ValueError("name at least one thing that the database is about")
        return distinct[:8]


class DescribeDomain(Task[Annotation]):
    """`source` says where the schema comes from, `schema_text` shows it."""

    prompt: ClassVar[str] = "describe_domain"
    answer: ClassVar[type[BaseModel]] = Annotation

    source: str
    schema_text: str

    def variables(self) -> dict[str, object]:
        return {"source": self.source, "schema": self.schema_text, "domains": DOMAINS, "tools": (), "turns_left": 0}


async def describe_domain(source: SourceSchema, llm: Llm) -> DomainDescription:
    """Annotate a schema. Raises what `llm.ask` raises."""
    reply = await llm.ask(DescribeDomain(source=_origin(source), schema_text=schema_text(source)))
    annotation = reply.value
    return DomainDescription(
        schema_id=source.schema_id,
        label=annotation.label,
        description=annotation.description,
        entities=annotation.entities,
        evidence="schema",
        usage=llm.usage,
    )


def schema_text(source: SourceSchema) -> str:
    """The schema as the prompt shows it: one block per table, the largest schemas cut short."""
    tables = source.definition.tables
    with_rows = [table.name for table in tables if source.rows.get(table.name)][:MAX_TABLES_WITH_ROWS]
    blocks = [
        _table_text(table, source.rows[table.name][:ROWS_SHOWN] if table.name in with_rows else ())
        for table in tables[:MAX_TABLES]
    ]
    if len(tables) > MAX_TABLES:
        blocks.append(f"(and {len(tables) - MAX_TABLES} more tables)")
    return "\n".join(blocks)


def _origin(source: SourceSchema) -> str:
    lines = [f"file: {source.source.name}"]
    if source.source.repository:
        lines.insert(0, f"repository: {source.source.repository}")
    return "\n".join(lines)


def _table_text(table: Table, rows: tuple[Row, ...]) -> str:
    names = [column.name for column in table.columns]
    shown = names[:MAX_COLUMNS] + (["..."] if len(names) > MAX_COLUMNS else [])
    lines = [f"- {table.name}", f"  columns: {', '.join(shown)}"]
    targets = dict.fromkeys(key.target_table for key in table.foreign_keys)
    if targets:
        lines.append(f"  references: {', '.join(targets)}")
    if table.comment:
        lines.append(f"  comment: {_line(table.comment, 200)}")
    notes = [f"{column.name} = {_line(column.comment, 60)}" for column in table.columns if column.comment][:8]
    if notes:
        lines.append(f"  notes: {' | '.join(notes)}")
    lines += [f"  row: {' | '.join(_line(value, _VALUE_LENGTH) for value in row[:12])}" for row in rows]
    return "\n".join(lines)


def _line(value: object, length: int) -> str:
    """The value on one line and without what would end the prompt's fence."""
    text = " ".join(str("" if value is None else value).replace("```", "'''").split())
    return text if len(text) <= length else text[: length - 3] + "..."
