"""litellm, set up once: quiet, local, nothing sent but the call, the offline rules registered as a provider.

litellm's own logging, cost and callback layers take most of its processor time. All of it hangs on the call's
logging object, which litellm lets the caller pass: `Silent` does nothing but remember what was sent and received.
Measured per call: 6.2 ms as litellm comes, 3.6 ms with it (direct.py then avoids most of that too); for the rules
3.7 ms as litellm comes and 1.0 ms with it.
"""

from __future__ import annotations

import gc
import itertools
import os
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqale_assets.llm import offline
from sqale_assets.llm.task import Message
from sqale_assets.settings import OFFLINE_MODEL

CHARACTERS_PER_TOKEN = 4
_NUMBERS = itertools.count()


def estimate_tokens(messages: list[Message]) -> int:
    """Roughly the tokens of `messages`: four characters each."""
    return sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN + 1


@lru_cache(maxsize=1)
def load_litellm() -> Any:
    """litellm, imported on first use (seconds) and set up once."""
    # The price list of the installed version instead of one from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # OpenAI-compatible servers through litellm's own HTTP client, not the openai SDK: only then does litellm say
    # completely what it sends, which direct.py repeats.
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")
    # pydantic on litellm's own types, a page of them while the first call imports the rest of litellm
    warnings.filterwarnings("ignore", message=r"Items? .* on TypedDict class", category=UserWarning)
    import litellm
    from litellm.utils import custom_llm_setup

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    litellm.callbacks = []
    litellm.custom_provider_map = [{"provider": OFFLINE_MODEL.split("/")[0], "custom_handler": _rules_handler()}]
    custom_llm_setup()  # litellm does this while it builds its own logging object, which ours replaces
    calm_collector()
    return litellm


def calm_collector() -> None:
    """No collection looks again at what is imported: a million objects that live as long as the process.

    And it comes when there is more to collect: syntax trees, which are circles, by the ten thousand.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


async def close_litellm() -> None:
    """Close the HTTP sessions that belong to the running loop."""
    if load_litellm.cache_info().currsize:
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()


def _rules_handler() -> Any:
    from litellm import CustomLLM

    class Rules(CustomLLM):
        """The offline model as litellm calls any provider."""

        def completion(self, *arguments: Any, **call: Any) -> Any:
            text = offline.respond(call["messages"])
            response = call["model_response"]
            response.choices[0].message.content = text
            response.usage.prompt_tokens = estimate_tokens(call["messages"])
            response.usage.completion_tokens = len(text) // CHARACTERS_PER_TOKEN + 1
            return response

    return Rules()


def silent_logging(call: Mapping[str, Any], call_type: str = "completion") -> Any:
    """A logging object for one call of litellm's. It knows what litellm `sent` and `received`, and logs nothing."""
    return _silent_logging()(
        model=call["model"],
        messages=call["messages"],
        stream=False,
        call_type=call_type,
        start_time=datetime.now(UTC).replace(tzinfo=None),
        litellm_call_id=str(next(_NUMBERS)),
        function_id="",
    )


@lru_cache(maxsize=1)
def _silent_logging() -> type[Any]:
    from litellm.litellm_core_utils.litellm_logging import Logging

    class Silent(Logging):
        """litellm's logging object without what it would log, price and call back."""

        sent: Mapping[str, Any] = MappingProxyType({})
        received: Any = None

        def pre_call(self, *arguments: Any, additional_args: Mapping[str, Any] = sent, **rest: Any) -> None:
            self.sent = additional_args
            super().pre_call(*arguments, additional_args=additional_args, **rest)

        def post_call(self, original_response: Any, *arguments: Any, **rest: Any) -> None:
            self.received = original_response
            super().post_call(original_response, *arguments, **rest)

        def response_cost_calculator(self, *_: Any, **__: Any) -> None:
            return None

        def claim_async_success_log(self) -> bool:
            return False

        def handle_sync_success_callbacks_for_async_calls(self, *_: Any, **__: Any) -> None:
            return None

        def success_handler(self, *_: Any, **__: Any) -> None:
            return None

        def failure_handler(self, *_: Any, **__: Any) -> None:
            return None

        async def async_failure_handler(self, *_: Any, **__: Any) -> None:
            return None

    return Silent
