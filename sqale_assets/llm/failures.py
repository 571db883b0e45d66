"""litellm's exceptions as the gateway's own: what happened, in one redacted line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from sqale_assets.llm.errors import Broken, FormatUnsupported, Misconfigured, Overloaded, Refused, TimedOut, redact
from sqale_assets.llm.routing import Target

_TLS_CONTEXT = re.compile(r" ssl:<[^>]*>")
_WRAPPING = re.compile(r"\A(?:(?:litellm\.)?\w+(?:Error|Exception)(?:: | - ))+")


def before_litellm(error: BaseException) -> BaseException:
    """What was raised before litellm wrapped it."""
    while type(error).__module__.split(".")[0] in ("litellm", "openai") and (error.__cause__ or error.__context__):
        error = error.__cause__ or error.__context__
    return error


def explained(target: Target, error: Exception) -> Exception:
    """litellm's exception as one of ours, its text redacted."""
    import openai
    from litellm import exceptions

    if isinstance(error, Broken):
        return error
    text = f"{target.model}: {redact(_first_line(error), target.secrets)}"
    if "response_format" in str(error):
        return FormatUnsupported(text)
    if "LLM Provider NOT provided" in str(error):
        return Misconfigured(f"{target.model}: litellm knows no such provider")
    match error:
        case exceptions.RateLimitError():
            return Overloaded(text, _retry_after(error))
        case exceptions.Timeout():
            return TimedOut(f"{target.model}: no reply within {target.timeout:g} s")
        case exceptions.ContextWindowExceededError() | exceptions.ContentPolicyViolationError():
            return Refused(text)
        case (
            exceptions.AuthenticationError()
            | exceptions.PermissionDeniedError()
            | exceptions.NotFoundError()
            | exceptions.PaymentRequiredError()
            | exceptions.LiteLLMUnknownProvider()
        ):
            return Misconfigured(text)
        case openai.BadRequestError() | openai.UnprocessableEntityError():
            return Refused(text)
        case exceptions.APIError() if 400 <= error.status_code < 500:
            return Refused(text)
        case _:
            return Broken(text)


def _first_line(error: Exception) -> str:
    """What the provider said, without the names of the exceptions that litellm wrapped around it."""
    line = _WRAPPING.sub("", next(iter(str(error).strip().splitlines()), "")) or type(error).__name__
    line = _TLS_CONTEXT.sub("", line)
    return line if len(line) <= 400 else line[:397] + "..."


def _retry_after(error: Any) -> float | None:
    """Seconds to wait: the header holds a number or a date."""
    value = (getattr(error, "litellm_response_headers", None) or {}).get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
