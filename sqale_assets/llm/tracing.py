"""One OpenTelemetry span per call, made from its ledger row, if OTEL_EXPORTER_OTLP_ENDPOINT is set.

Attribute names follow OpenTelemetry's conventions for generative AI. Needs the extra `otel`; without an
endpoint nothing is imported and nothing is sent.
"""

from __future__ import annotations

import os
import warnings
from datetime import timedelta
from functools import lru_cache
from typing import Any

from sqale_assets.llm.ledger import LedgerRow

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def record(row: LedgerRow) -> None:
    """Send `row` as a span, in the background."""
    if provider := _provider():
        make_span(provider.get_tracer("sqale_assets.llm"), row)


def flush() -> None:
    """Send what waits to be sent, for two seconds at most."""
    if provider := _provider():
        provider.force_flush(2_000)


def make_span(tracer: Any, row: LedgerRow) -> None:
    from opentelemetry.trace import SpanKind, Status, StatusCode

    span = tracer.start_span(
        f"chat {row.task}",
        kind=SpanKind.CLIENT,
        start_time=_nanoseconds(row, 0.0),
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": row.model,
            "gen_ai.usage.input_tokens": row.tokens_in,
            "gen_ai.usage.output_tokens": row.tokens_out,
            "sqale.stage": row.stage,
            "sqale.schema_id": row.schema_id,
            "sqale.prompt": row.prompt,
            "sqale.outcome": row.outcome,
            "sqale.cached": row.cached,
            "sqale.attempt": row.attempt,
            "sqale.retries": row.retries,
            "sqale.cost": row.cost,
        },
    )
    if row.error:
        span.set_status(Status(StatusCode.ERROR, row.error))
    span.end(_nanoseconds(row, row.seconds))


def _nanoseconds(row: LedgerRow, after: float) -> int:
    return int((row.asked_at + timedelta(seconds=after)).timestamp() * 1e9)


@lru_cache(maxsize=1)
def _provider() -> Any:
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        warnings.warn("an OTLP endpoint is set, but spans need `pip install sqale-assets[otel]`", stacklevel=2)
        return None
    provider = TracerProvider(resource=Resource.create({"service.name": "sqale-assets"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
