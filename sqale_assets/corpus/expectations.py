"""Great Expectations over the published corpus: suites from `quality/suites`, bounds from `quality/thresholds.yaml`.

Great Expectations takes seconds to import and would report its use; it is imported where it runs, with its analytics
switched off.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from sqale_assets.relational.model import Model

if TYPE_CHECKING:
    import pandas as pd

_OWN = ("group", "level", "type")
_LIMITS = {"min_value": "at least", "max_value": "at most"}


class ExpectationResult(Model):
    """One expectation: what was expected, on how many values, and what was found instead."""

    suite: str
    group: str
    expectation: str
    arguments: dict[str, Any]
    passed: bool
    blocking: bool
    checked: int
    failed: int
    examples: tuple[str, ...] = ()
    observed: str = ""


class QualityRun(Model):
    """The results of all suites. `docs` is the index page of the rendered Data Docs."""

    results: tuple[ExpectationResult, ...]
    docs: str

    @property
    def passed(self) -> bool:
        """Whether no blocking expectation failed: what publication waits for."""
        return all(result.passed for result in self.results if result.blocking)

    def groups(self) -> dict[str, tuple[ExpectationResult, ...]]:
        """The results by group, named suite.group: one asset check each."""
        found: dict[str, list[ExpectationResult]] = {}
        for result in self.results:
            found.setdefault(f"{result.suite}.{result.group}", []).append(result)
        return {name: tuple(results) for name, results in found.items()}


class SuiteError(ValueError):
    """A suite or threshold file says something that cannot be run. Names the file and the entry."""


def load_suites(quality: Path) -> dict[str, list[dict[str, Any]]]:
    """The suites of a quality folder by name, with `$name` replaced by its threshold."""
    thresholds = yaml.safe_load((quality / "thresholds.yaml").read_text(encoding="utf-8")) or {}
    suites: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((quality / "suites").glob("*.yaml")):
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        suites[path.stem] = [_filled(entry, thresholds, path, number) for number, entry in enumerate(entries, 1)]
    return suites


def group_bounds(quality: Path) -> dict[str, list[str]]:
    """By group, named suite.group, what is expected: for declaring one asset check each without running anything."""
    found: dict[str, list[str]] = {}
    for name, entries in load_suites(quality).items():
        for entry in entries:
            arguments = {key: value for key, value in entry.items() if key not in _OWN}
            warns = " (only warns)" if entry.get("level") == "warn" else ""
            found.setdefault(f"{name}.{entry['group']}", []).append(said(entry["type"], arguments) + warns)
    return found


def said(expectation: str, arguments: Mapping[str, Any]) -> str:
    """An expectation with its bounds as a reader takes it: "rows must be at least 1", "licence must not be null"."""
    given = {name: value for name, value in arguments.items() if value is not None}
    column, what = given.pop("column", ""), expectation.partition("_to_")[2].replace("_", " ")
    limits = [f"{words} {given.pop(name)}" for name, words in _LIMITS.items() if name in given]
    if limits:
        what = what.replace("be between", f"be {' and '.join(limits)}")
    further = "".join(f", {name.replace('_', ' ')} {value}" for name, value in given.items())
    return f"{column} must {what}{further}".strip()


def run_suites(suites: dict[str, list[dict[str, Any]]], frames: dict[str, pd.DataFrame], docs: Path) -> QualityRun:
    """Check each suite on the frame of its name, and render the Data Docs into the folder `docs`.

    Raises:
        SuiteError: an expectation does not exist or does not take its arguments, or a suite has no frame.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    _drop_default_site(context)
    source = context.data_sources.add_pandas("corpus")
    found: list[ExpectationResult] = []
    for name, entries in suites.items():
        if name not in frames:
            raise SuiteError(f"suite {name!r} has no data; there are {', '.join(sorted(frames))}")
        batch = source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("published")
        suite = context.suites.add(gx.ExpectationSuite(name=name))
        for entry in entries:
            suite.add_expectation(_expectation(name, entry))
        definition = context.validation_definitions.add(gx.ValidationDefinition(name=name, data=batch, suite=suite))
        checkpoint = context.checkpoints.add(gx.Checkpoint(name=name, validation_definitions=[definition]))
        outcome = checkpoint.run(batch_parameters={"dataframe": frames[name]})
        for validation in outcome.run_results.values():
            found += [_result(name, result) for result in validation.results]
    return QualityRun(results=tuple(found), docs=_render(context, docs))


def _filled(entry: dict[str, Any], thresholds: dict[str, Any], path: Path, number: int) -> dict[str, Any]:
    if not isinstance(entry, dict) or not {"group", "type"} <= entry.keys():
        raise SuiteError(f"{path}: entry {number} needs a group and a type")
    filled = {}
    for key, value in entry.items():
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in thresholds:
                raise SuiteError(f"{path}: entry {number} names {value}, which thresholds.yaml does not have")
            value = thresholds[value[1:]]
        filled[key] = value
    return filled


def _expectation(suite: str, entry: dict[str, Any]) -> Any:
    from great_expectations.exceptions import ExpectationNotFoundError
    from great_expectations.expectations.registry import get_expectation_impl
    from pydantic.v1 import ValidationError

    arguments = {key: value for key, value in entry.items() if key not in _OWN}
    meta = {"group": entry["group"], "level": entry.get("level", "block")}
    try:
        return get_expectation_impl(entry["type"])(**arguments, meta=meta)
    except ExpectationNotFoundError as error:
        raise SuiteError(f"suite {suite!r}: there is no expectation {entry['type']!r}") from error
    except (ValidationError, TypeError) as error:
        raise SuiteError(f"suite {suite!r}, {entry['type']}: {error}") from error


def _result(suite: str, result: Any) -> ExpectationResult:
    config, found = result.expectation_config, result.result
    examples = found.get("partial_unexpected_list") or ()
    error = (result.exception_info or {}).get("exception_message", "")
    return ExpectationResult(
        suite=suite,
        group=config.meta["group"],
        expectation=config.type,
        arguments={k: v for k, v in config.kwargs.items() if k not in ("batch_id", "column_list")},
        passed=bool(result.success),
        blocking=config.meta["level"] == "block",
        checked=int(found.get("element_count") or 0),
        failed=int(found.get("unexpected_count") or 0),
        examples=tuple(str(example)[:200] for example in examples[:5]),
        observed=str((error or "") if (value := found.get("observed_value")) is None else value)[:300],
    )


def _drop_default_site(context: Any) -> None:
    """An ephemeral context makes itself a site in a temporary folder, which nobody would ever remove."""
    for name, site in dict(context.variables.data_docs_sites or {}).items():
        context.delete_data_docs_site(name)
        shutil.rmtree(site["store_backend"]["base_directory"], ignore_errors=True)


def _render(context: Any, docs: Path) -> str:
    shutil.rmtree(docs, ignore_errors=True)  # pages of earlier runs would stay
    docs.mkdir(parents=True)
    site = {
        "class_name": "SiteBuilder",
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(docs)},
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
    }
    context.add_data_docs_site("local", site)
    context.build_data_docs(site_names=["local"])
    return str(docs / "index.html")
