"""The partitioned stages in pipeline order: the spine of the asset graph."""

from sqale_assets.assets import (
    domain_description,
    extended_schema,
    gold_queries,
    populated_database,
    questions,
    source_schema,
    styled_questions,
)
from sqale_assets.assets.stage import Stage

STAGES: tuple[Stage, ...] = (
    source_schema.STAGE,
    domain_description.STAGE,
    extended_schema.STAGE,
    populated_database.STAGE,
    questions.STAGE,
    styled_questions.STAGE,
    gold_queries.STAGE,
)
