"""`litellm.acompletion` the short way: litellm shows once how a request is made, then it is posted as it is.

litellm takes about 4 ms of CPU per call to work out the same URL, headers and parameters again and again. So the first
call of each kind (all but the messages' content) goes through litellm, whose logging object is told what is sent and
what came back. If that was a chat completion with our messages in it unchanged, and litellm's own converter reads the
response as litellm did, then later calls of that kind put their messages into the same request and post it themselves.
Errors, and responses that are more than a text (plain_response.py), are still read by litellm. Whatever does not fit
(other protocols, signed requests, litellm's own rewriting of messages) goes through litellm, call for call. No provider
is named here: what fits shows itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary

import orjson

from sqale_assets.llm.backend import load_litellm, silent_logging
from sqale_assets.llm.plain_response import plain_response

_ENDPOINT = "/chat/completions"
#: parameters of a route that change how a request travels: litellm's business
_TRANSPORT = frozenset({"ssl_verify", "client", "shared_session"})
_DENIED = (401, 403)


@dataclass(slots=True)
class Template:
    """A request without its messages: the body is JSON up to their place."""

    url: Any
    headers: dict[str, str]
    body: bytes
    timeout: Any
    proxy: str | None
    worked: bool = False


_templates: dict[bytes, Template | None] = {}
_sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()


async def acompletion(call: dict[str, Any]) -> Any:
    """The response to `call` (litellm's parameters), as `litellm.acompletion` returns and raises it."""
    kind = _kind(call)
    if template := _templates.get(kind):
        response = await _post(template, call)
        if response is not None:
            return response
    logging = silent_logging(call, "acompletion")
    response = await load_litellm().acompletion(**call, litellm_logging_obj=logging)
    if kind and kind not in _templates:
        _templates[kind] = _learned(call, logging.sent, logging.received, response)
    return response


async def close_sessions() -> None:
    """Close the running loop's connections."""
    if session := _sessions.pop(asyncio.get_running_loop(), None):
        await session.close()


def _kind(call: Mapping[str, Any]) -> bytes:
    """What calls have in common that differ in their messages' content alone; empty if that cannot be told."""
    if not _TRANSPORT.isdisjoint(call):
        return b""
    rest = {name: value for name, value in call.items() if name != "messages"}
    try:
        return orjson.dumps([rest, [message["role"] for message in call["messages"]]])
    except TypeError:  # something that is not plain data
        return b""


def _learned(call: Mapping[str, Any], sent: Mapping[str, Any], received: Any, response: Any) -> Template | None:
    """The template of what litellm `sent`; None where it cannot be repeated with other messages."""
    import aiohttp
    from yarl import URL

    body, url = sent.get("complete_input_dict"), sent.get("api_base")
    if not isinstance(body, dict) or not isinstance(url, str) or sent.get("openai_sdk"):
        return None
    rewritten = body.get("messages") != call["messages"] or ("tools" in body) != ("tools" in call)
    if rewritten or body.get("stream") or not urlsplit(url).path.endswith(_ENDPOINT):
        return None
    try:
        read = _converted(orjson.loads(received))
        start = orjson.dumps({name: value for name, value in body.items() if name != "messages"})
    except Exception:  # not JSON, or nothing that litellm's converter takes: litellm read it in another way
        return None
    if read.choices != response.choices or read.usage != response.usage:
        return None
    headers = {"Content-Type": "application/json", **sent.get("headers", {})}
    timeout = aiohttp.ClientTimeout(total=call["timeout"])
    return Template(URL(url, encoded=True), headers, start[:-1] + b',"messages":', timeout, _proxy(url))


def _proxy(url: str) -> str | None:
    """The environment's proxy for `url`. aiohttp would ask the system again at every request, in a thread."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


async def _post(template: Template, call: Mapping[str, Any]) -> Any:
    """The response; None if the template's credentials have run out, which litellm knows how to renew."""
    import aiohttp
    import httpx

    data = template.body + orjson.dumps(call["messages"]) + b"}"
    try:
        async with _session().post(
            template.url,
            data=data,
            headers=template.headers,
            timeout=template.timeout,
            proxy=template.proxy,
            allow_redirects=False,
        ) as answer:
            content, status = await answer.read(), answer.status
    except TimeoutError as error:
        raise _as_litellm(call, httpx.ReadTimeout(str(error))) from None
    except aiohttp.ClientError as error:
        raise _as_litellm(call, httpx.ConnectError(str(error))) from None
    if status in _DENIED:
        _forget(template)
        return None
    if status != 200:
        raise _as_litellm(call, _http_error(status, content.decode(errors="replace"), answer.headers))
    try:
        parsed = orjson.loads(content)
        response = plain_response(parsed) or _converted(parsed)
    except Exception as error:  # litellm's converter raises bare ones, with what the provider says in a 200
        raise _as_litellm(call, error) from None
    template.worked = True
    return response


def _forget(template: Template) -> None:
    """Learn it anew; not if it has never worked, as it would be in vain again."""
    for kind, known in _templates.items():
        if known is template:
            if template.worked:
                del _templates[kind]
            else:
                _templates[kind] = None
            return


def _converted(response: Any) -> Any:
    from litellm.litellm_core_utils.llm_response_utils.convert_dict_to_response import convert_to_model_response_object

    return convert_to_model_response_object(
        response_object=response, model_response_object=load_litellm().ModelResponse()
    )


def _http_error(status: int, text: str, headers: Mapping[str, str]) -> Exception:
    import httpx
    from litellm.llms.base_llm.chat.transformation import BaseLLMException

    return BaseLLMException(status_code=status, message=text, headers=httpx.Headers(list(headers.items())))


def _as_litellm(call: Mapping[str, Any], error: Exception) -> Exception:
    """`error` as litellm's own call would have raised it."""
    litellm = load_litellm()
    model, provider, *_ = litellm.get_llm_provider(call["model"], api_base=call.get("api_base"))
    try:
        litellm.exception_type(model=model, original_exception=error, custom_llm_provider=provider)
    except Exception as mapped:
        return mapped
    return error


def _session() -> Any:
    """The running loop's session, with litellm's rules for certificates. The throttle bounds its connections."""
    loop = asyncio.get_running_loop()
    session = _sessions.get(loop)
    if session is None or session.closed:
        import aiohttp
        from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

        session = _sessions[loop] = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=get_ssl_configuration()),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
    return session
