"""Every setting, with its default.

Environment variables win over `sqale.yaml` at the repository's root, which wins over a `sqale.yaml` lying in the
source folder (a source may carry its own sizes, as the bundled sample does), which wins over the defaults.
`SQALE_SOURCE`, `SQALE_MODEL`; nested ones with two underscores: `SQALE_EXTENSION__MEDIAN_TABLES=40`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveFloat, PositiveInt
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, YamlConfigSettingsSource

REPOSITORY = Path(__file__).resolve().parent.parent
SETTINGS_FILE = REPOSITORY / "sqale.yaml"
SAMPLE = REPOSITORY / "sample"
OFFLINE_MODEL = "offline/rules"

#: Stages that ask a model, as they are named in `models` and in SQALE_MODEL_<STAGE>.
ModelStage = Literal["domain", "extend", "populate", "question", "style", "answer", "judge"]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CatalogSettings(Section):
    """Which schemas are taken."""

    licences: tuple[str, ...] = Field((), description="SPDX identifiers to take; none: every licence")
    limit: PositiveInt | None = Field(None, description="take at most so many schemas, in sorted order")
    raw_sql: Path | None = Field(None, description="folder of raw .sql files, preferred over SchemaPile's JSON")
    rows_per_table: PositiveInt = Field(200, description="original rows kept per table")
    opt_outs: Path | None = Field(None, description="list of source URLs or repositories whose owners want out")


class DomainSettings(Section):
    """Where the annotating agent finds source repositories. With neither place set it reads the schema alone."""

    repositories: Path | None = Field(None, description="folder of repositories, as owner/name or owner__name")
    github_api: str | None = Field(None, description="base URL of a GitHub REST API; none: no network")
    github_token_env: str = Field("GITHUB_TOKEN", description="name of the variable that holds the token, if any")
    tool_turns: PositiveInt = Field(6, description="turns in which the agent may look into the repository")


class ExtensionSettings(Section):
    """Target sizes. Drawn per schema from a gamma distribution (p10 / median / p90 about 30 / 113 / 216)."""

    median_tables: PositiveInt = Field(113, description="median of the drawn number of tables")
    max_tables: PositiveInt = Field(350, description="no schema is extended beyond this")
    tables_per_call: PositiveInt = Field(20, description="new tables asked for in one call")
    extra_tables: NonNegativeInt | None = Field(
        None, description="so many new tables per schema instead of a drawn target; 0: no extension"
    )


class PopulationSettings(Section):
    median_rows: PositiveInt = Field(69, description="median of rows per table")
    scale: PositiveFloat = Field(1.0, description="multiplies the rows of every table")
    generator_seconds: PositiveFloat = Field(10.0, description="time limit of one generator function")
    generator_megabytes: PositiveInt = Field(256, description="memory limit of one generator function")


class QuestionSettings(Section):
    per_schema: PositiveInt = Field(18, description="questions asked per schema")
    max_relevant_tables: PositiveInt = Field(20, description="most tables that a question may be about")


class StyleSettings(Section):
    """The rewrites (seed, "Style variation"). Weak models need one style at a time, more often."""

    per_call: int = Field(7, ge=1, le=7, description="styles asked for in one call; 1 is what weak models need")
    attempts: PositiveInt = Field(3, description="calls per style at most: the first, and those after it failed")


class AnswerSettings(Section):
    """The agent's bounds (seed, "The models"): tool turns, failed queries in a row, judge rejections."""

    tool_turns: PositiveInt = Field(6, description="turns with tool calls before the final one")
    failed_queries: PositiveInt = Field(4, description="failed queries in a row that end an episode")
    judge_retries: NonNegativeInt = Field(2, description="rejections that go back to the agent before the last")
    query_seconds: PositiveFloat = Field(5.0, description="time limit of one query")
    result_rows: PositiveInt = Field(50, description="rows of a result that the agent and the data set keep")
    single_calls: bool = Field(False, description="one call per turn under a JSON schema; what weak models need")
    show_tables: bool = Field(
        False, description="begin with the relevant tables described, with sample rows; what weak models need"
    )
    native_tools: bool | None = Field(
        None, description="native tool calls; unset: where litellm says that the model makes them"
    )
    second_opinion: bool = Field(False, description="judge twice, the parts in another order; a third verdict decides")
    template_repeats: PositiveInt = Field(3, description="queries per schema that differ in constants only")
    other_populations: NonNegativeInt = Field(
        0, description="further populations on which gold queries and their mutants are compared; each costs one more"
    )


class BudgetSettings(Section):
    """Hard limits of a run, and in total over all runs on a store: the call that would cross one is not made."""

    dollars: PositiveFloat | None = Field(None, description="US dollars of one run")
    tokens: PositiveInt | None = Field(None, description="tokens of one run, prompts and replies")
    calls: PositiveInt | None = Field(None, description="calls of one run")
    total_dollars: PositiveFloat | None = Field(None, description="US dollars of all runs on the store")
    total_tokens: PositiveInt | None = Field(None, description="tokens of all runs on the store")
    total_calls: PositiveInt | None = Field(None, description="calls of all runs on the store")


class Route(Section):
    """How a stage reaches its model: anything litellm takes. Unset fields fall back to the defaults."""

    model: str | None = Field(None, description="litellm's model string")
    api_base: str | None = Field(None, description="base URL; unset: the provider's own")
    api_key_env: str | None = Field(None, description="name of the variable that holds the key")
    temperature: float | None = Field(None, description="unset: what the prompt file says")
    max_tokens: PositiveInt | None = Field(None, description="unset: what the prompt file says")
    timeout: PositiveFloat = Field(120.0, description="seconds after which a call is given up")
    concurrency: PositiveInt | None = Field(None, description="calls in flight; unset: the global `concurrency`")
    requests_per_minute: PositiveInt | None = Field(None, description="unset: the global `requests_per_minute`")
    tokens_per_minute: PositiveInt | None = Field(None, description="unset: the global `tokens_per_minute`")
    fallbacks: tuple[str, ...] = Field((), description="models that are asked when this one is down")
    extra: dict[str, Any] = Field(default_factory=dict, description="further parameters, passed to litellm")
    endpoint: Literal["chat", "completion"] = Field(
        "chat", description="completion: the conversation goes as one raw ChatML prompt that only grows"
    )
    opening: str = Field("", description='what an assistant\'s turn begins with in a raw prompt, such as "<think>\\n"')


class EvaluationSettings(Section):
    """How models are measured (seed, "The models" and Figures 4 and 8). `route` says how the model is reached."""

    route: Route = Field(Route(), description="how the measured model is reached")
    questions: PositiveInt = Field(300, description="questions sampled from the split")
    databases: PositiveInt | None = Field(None, description="sample from so many databases only")
    style: str = Field("evidence_supported", description="the phrasing that is asked")
    tables: tuple[str, ...] = Field(("gold", "+32", "full"), description="schema sizes: gold, +N distractors, full")
    episode_tokens: PositiveInt = Field(12_288, description="prompt and replies of one episode together")
    episodes_in_flight: PositiveInt = Field(64, description="episodes at once")
    temperature: float = Field(0.6, description="sampling")
    top_p: float = Field(0.95, description="sampling")
    top_k: PositiveInt | None = Field(20, description="not sent to OpenAI's own service, which has none")
    stop: tuple[str, ...] = Field(("<|im_end|>", "<|endoftext|>"), description="what ends a reply")


class TrainingSettings(Section):
    """How Dagster trains models. A run's own settings are a file in `runs`, its partition that file's name."""

    runs: Path = Field(REPOSITORY / "training", description="folder of the runs' settings files")
    launcher: tuple[str, ...] = Field(
        (), description="what starts `train ...`, e.g. accelerate's launcher and -m sqale_assets.cli; none: this Python"
    )
    retries: NonNegativeInt = Field(2, description="new attempts after a crash, each from the last checkpoint")
    retry_seconds: PositiveFloat = Field(60.0, description="wait before a new attempt")


class LocalCorpus(Section):
    """A copy of another corpus, which the comparison measures by our rules.

    `pairs` is a JSON list or JSON lines of questions with SQL (BIRD dev.json, SynSQL data.json), `tables` a
    Spider-style tables.json and `databases` the folder with its SQLite files (`NAME/NAME.sqlite`). `queries` and
    `schemas` are folders of parquet files with the columns of the published data sets, such as SQaLe's own. A test set
    is `held_out`: the leak guard counts what the corpus has nearly the same.
    """

    name: str
    held_out: bool = False
    pairs: Path | None = None
    tables: Path | None = None
    databases: Path | None = None
    queries: Path | None = None
    schemas: Path | None = None


class Settings(BaseSettings):
    """Settings of a build. Unknown names in `sqale.yaml` are errors that name the field."""

    model_config = SettingsConfigDict(
        env_prefix="SQALE_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    source: Path = Field(SAMPLE, description="SchemaPile .json/.json.gz, or a folder of .sql files")
    store: str = Field(
        default_factory=lambda data: str(REPOSITORY / "data" / _stem(data["source"])),
        description="where artefacts go: a path or any fsspec URL; by default data/<name of the source>",
    )
    prompts: Path = Field(REPOSITORY / "prompts", description="folder of the prompt files")
    quality: Path = Field(REPOSITORY / "quality", description="folder of thresholds, suites and targets")
    seed: int = Field(0, description="everything drawn follows from it and the schema's id")
    force: bool = Field(False, description="recompute even where the fingerprint is unchanged")
    test_share: float = Field(0.05, gt=0, lt=1, description="share of schemas in the test split")

    model: str = Field(OFFLINE_MODEL, description="litellm model string of every stage that has none of its own")
    models: dict[ModelStage, Route] = Field(default_factory=dict, description="routes of single stages")
    concurrency: PositiveInt = Field(64, description="calls in flight per route")
    requests_per_minute: PositiveInt | None = Field(
        None, description="bound of each provider, model and address, kept by all processes together; unset: none"
    )
    tokens_per_minute: PositiveInt | None = Field(
        None, description="the same in tokens, prompts and replies; a call counts with its `max_tokens` until it ends"
    )
    redis: str | None = Field(
        None, description="Redis in which several machines share these bounds; unset: a file that one machine's share"
    )
    cache_megabytes: PositiveInt = Field(4096, description="bound of the response cache")
    schemas_in_flight: PositiveInt = Field(
        default_factory=lambda data: max(24, data["concurrency"] // 2),
        description="schemas worked on at once in a run; by default half as many as calls, but at least 24",
    )
    processes: PositiveInt | None = Field(
        None,
        description="worker processes: by default one per core, with a remote model one per 64 calls in flight",
    )
    partitions_per_run: PositiveInt = Field(200, description="schemas in one Dagster run of a stage")

    docs_url: str | None = Field(None, description="address of the repository's files, for links in the UI")
    references: tuple[LocalCorpus, ...] = Field((), description="copies of other corpora, for the comparison")

    catalog: CatalogSettings = CatalogSettings()
    domain: DomainSettings = DomainSettings()
    extension: ExtensionSettings = ExtensionSettings()
    population: PopulationSettings = PopulationSettings()
    questions: QuestionSettings = QuestionSettings()
    styles: StyleSettings = StyleSettings()
    answers: AnswerSettings = AnswerSettings()
    budget: BudgetSettings = BudgetSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    training: TrainingSettings = TrainingSettings()

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource, dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:  # fmt: skip
        own = YamlConfigSettingsSource(settings_cls, yaml_file=SETTINGS_FILE)
        source = Path(init_settings().get("source") or os.environ.get("SQALE_SOURCE") or own().get("source") or SAMPLE)
        carried = YamlConfigSettingsSource(settings_cls, yaml_file=source / SETTINGS_FILE.name)
        return init_settings, env_settings, own, carried

    @property
    def dagster_home(self) -> Path:
        """Where Dagster keeps its instance unless DAGSTER_HOME says otherwise: beside the artefacts."""
        local = "://" not in self.store
        return (Path(self.store) if local else REPOSITORY / "data" / _stem(self.source)) / "dagster"


def _stem(source: Path) -> str:
    return source.resolve().name.split(".")[0] or "corpus"


@lru_cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
