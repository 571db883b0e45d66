"""How a provider can fail a call, as the gateway distinguishes it. Texts are redacted before they get here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

#: Variables whose values are secrets, whatever their provider.
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|AUTHORIZATION)$", re.IGNORECASE)
_MIN_SECRET = 8


class ProviderError(Exception):
    """A call failed. Base of the kinds below."""


class Overloaded(ProviderError):
    """429: the same call may succeed later. `retry_after` in seconds, if the provider said."""

    def __init__(self, message: str, retry_after: float | None = None):
        super().__init__(message)
        self.retry_after = retry_after


class TimedOut(Overloaded):
    """No reply in time: too much load, or a reply that never ends."""


class Broken(ProviderError):
    """5xx, connection refused, nonsense instead of a response: the provider may be down."""


class Refused(ProviderError):
    """The provider refuses this very request (too long, against its policy): asking again is pointless."""


class Misconfigured(ProviderError):
    """Wrong key, model or address: no call on this target can succeed."""


class FormatUnsupported(ProviderError):
    """The provider does not take this `response_format`."""


def secret_values(named: Mapping[str, object]) -> set[str]:
    """Values of `named`, and of mappings in it, whose names say that they are secrets."""
    found: set[str] = set()
    for name, value in named.items():
        if isinstance(value, Mapping):
            found |= secret_values(value)
        elif isinstance(value, str) and len(value) >= _MIN_SECRET and _SECRET_NAME.search(name):
            found |= {value, value.split()[-1]}  # "Bearer <secret>": the secret by itself too
    return found


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without `secrets` and without those of the environment."""
    return without({*secrets, *secret_values(os.environ)}, text)


def without(secrets: Iterable[str], text: str) -> str:
    """`text` without `secrets`, the longest first, as one may be part of another."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
