"""domain_description: what the database is about, as a label, a few sentences and its key entities."""

from sqale_assets.assets.stage import Stage
from sqale_assets.assets.work import Made, Work
from sqale_assets.records import DomainDescription, SourceSchema
from sqale_assets.stages.domain import describe_domain
from sqale_assets.store.repositories import open_repository


async def build(work: Work) -> Made:
    source, settings = work.load(SourceSchema, "source_schema"), work.settings.domain
    async with open_repository(source.source.repository, settings) as repository:
        record = await describe_domain(source, work.llm("domain"), repository, tool_turns=settings.tool_turns)
    return Made(
        record=record,
        counts={"domain": record.label, "evidence": record.evidence},
        preview=f"{record.description}\n\nKey entities: {', '.join(record.entities)}",
    )


STAGE = Stage(
    name="domain_description",
    position=1,
    group="schemas",
    description="What the database is about: a domain label, a short description, the key entities.",
    upstream=("source_schema",),
    version="1",
    record=DomainDescription,
    build=build,
    settings=lambda settings: settings.domain,
    models=("domain",),
    prompts=("describe_domain",),
    kinds=frozenset({"python", "llm"}),
)
