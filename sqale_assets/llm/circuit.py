"""Is the provider down? Told from failures that only passed by, and from refusals of single calls."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

REFUSALS = 25
SUSPECT = 16


@dataclass
class Circuit:
    """Opens when for `patience` seconds every call failed, at least `failures` of them.

    While open it lets one call through every `probe_after` seconds, and closes when that succeeds.
    `patience` outlasts a provider's restart; together with the longest back-off it ends a run within a minute.
    """

    patience: float = 20.0
    failures: int = 4
    probe_after: float = 10.0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._failed = self._refused = 0
        self._failing_since = math.inf
        self._open_until: float | None = None
        self.last_success = -math.inf
        self.last_error = ""

    @property
    def suspect(self) -> bool:
        """So many failures in a row look like an outage."""
        return self._failed >= SUSPECT

    def admit(self) -> bool:
        """False while open; once `probe_after` has passed, True for one call."""
        if self._open_until is None:
            return True
        if self.clock() < self._open_until:
            return False
        self._open_until = self.clock() + self.probe_after
        return True

    def succeeded(self) -> None:
        self._failed, self._refused, self._failing_since, self._open_until = 0, 0, math.inf, None
        self.last_success = self.clock()

    def broke(self, began: float, error: str) -> None:
        """A call that began at `began` failed: a success since then speaks against an outage."""
        self._failed += 1
        self._failing_since = min(self._failing_since, began)
        if self._failed >= self.failures and self.clock() - self._failing_since >= self.patience:
            self.open(error)

    def refused(self, error: str) -> None:
        """A call was refused. Many in a row are no matter of the single call."""
        self._refused += 1
        if self._refused >= REFUSALS:
            self.open(f"{self._refused} calls in a row were refused, the last with: {error}")

    def open(self, error: str) -> None:
        self.last_error = error
        self._open_until = self.clock() + self.probe_after
