"""The manifest: what the store knows about one asset of one schema. It is the truth; Dagster mirrors it.

An artefact exists when its manifest does and names the files' digests. Everything that Dagster shows of a
partition (counts, checks, cost) is kept here, so that the event log can be lost and rebuilt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from sqale_assets.records import LlmUsage
from sqale_assets.relational.model import Model

Status = Literal["done", "rejected"]


class CheckOutcome(Model):
    """One check of one schema: what was measured against what bound."""

    name: str
    passed: bool
    severity: Literal["error", "warn"] = "error"
    metadata: dict[str, Any] = Field(default_factory=dict)


class FileStamp(Model):
    bytes: int
    sha256: str


class Rejection(Model):
    """Why a schema is not in the corpus, and which stage decided so."""

    stage: str
    reason: str
    evidence: str


class Manifest(Model):
    """State of one (asset, schema). `inputs` are the parts of `fingerprint`, readable, for "why was it rebuilt?".

    `record_version` is that of the record's type when it was written. `counts` are the figures a person wants to see
    first; `preview` is a Markdown table or text.
    """

    asset: str
    schema_id: str
    status: Status
    fingerprint: str
    inputs: dict[str, str]
    record_version: int = 1
    rejection: Rejection | None = None
    counts: dict[str, int | float | str] = Field(default_factory=dict)
    preview: str = ""
    checks: tuple[CheckOutcome, ...] = ()
    usage: LlmUsage = LlmUsage()
    seconds: float = 0.0
    finished_at: str = ""
    files: dict[str, FileStamp] = Field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no check of severity "error" failed."""
        return all(check.passed for check in self.checks if check.severity == "error")


class FailureNote(Model):
    """A failed attempt, kept beside the last good artefact until an attempt succeeds."""

    asset: str
    schema_id: str
    fingerprint: str
    attempts: int
    error: str
    failed_at: str


def fingerprint(inputs: Mapping[str, str]) -> str:
    """A digest of everything that decides an artefact's content: 16 hex digits, stable across runs."""
    return digest(json.dumps(dict(sorted(inputs.items())), ensure_ascii=False, separators=(",", ":")).encode())[:16]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
