from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from sqale_assets.llm import tracing
from sqale_assets.llm.gateway import Gateway
from sqale_assets_tests.llm.conftest import Echo
from sqale_assets_tests.llm.server import FakeProvider
from sqale_assets_tests.llm.test_ledger import row

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")


def test_a_row_is_a_span_of_its_own_length():
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.make_span(provider.get_tracer("test"), row(error="names: Field required", outcome="invalid", seconds=1.5))
    (span,) = exporter.get_finished_spans()
    assert span.name == "chat echo"
    assert (span.end_time - span.start_time) / 1e9 == pytest.approx(1.5)
    assert span.attributes["gen_ai.request.model"] == "openai/m"
    assert span.attributes["sqale.schema_id"] == "s1"
    assert not span.status.is_ok


@pytest.mark.parametrize("traced", [False, True])
def test_spans_are_sent_to_the_endpoint_and_only_if_there_is_one(settings, monkeypatch, traced):
    received = []

    async def collect(request):
        received.append(await request.read())
        return web.Response()

    async def main():
        application = web.Application()
        application.router.add_post("/v1/traces", collect)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        if traced:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        async with FakeProvider() as provider:
            gateway = Gateway(settings(provider.base_url))
            await gateway.for_schema("style", "s1").ask(Echo(text="x"))
            await asyncio.to_thread(tracing.flush)
            await gateway.aclose()
        await runner.cleanup()

    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    tracing._provider.cache_clear()
    asyncio.run(main())
    tracing._provider.cache_clear()
    assert bool(received) == traced
    if traced:
        assert b"chat echo" in received[0]
