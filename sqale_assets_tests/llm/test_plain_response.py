"""A plain response is read as litellm reads it, or left to litellm."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqale_assets.llm.direct import _converted
from sqale_assets.llm.plain_response import plain_response
from sqale_assets.llm.provider import _completion
from sqale_assets.llm.routing import Target

TARGET = Target("openai/some-model")
PLAIN = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "some-model",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "SELECT 1"}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}  # fmt: skip
CALL = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}


def varied(**changes):
    """PLAIN with a message, choice or usage field changed."""
    choice = PLAIN["choices"][0]
    parts = {name: dict(part) for name, part in (("message", choice["message"]), ("usage", PLAIN["usage"]))}
    rest = {name: value for name, value in choice.items() if name != "message"}
    for where, fields in changes.items():
        (rest if where == "choice" else parts[where]).update(fields)
    return {**PLAIN, "choices": [{**rest, "message": parts["message"]}], "usage": parts["usage"]}


@pytest.mark.parametrize(
    "response",
    [
        PLAIN,
        varied(message={"content": "", "refusal": None, "tool_calls": None, "annotations": [], "function_call": None}),
        varied(choice={"finish_reason": "length", "logprobs": None}),
        varied(usage={"prompt_tokens_details": {"cached_tokens": 5, "audio_tokens": 0}}),
        varied(usage={"prompt_tokens_details": None, "completion_tokens_details": {"reasoning_tokens": 1}}),
    ],
)
def test_the_usual_is_read_without_litellm(response):
    plain = plain_response(response)
    assert plain is not None
    assert _completion(TARGET, plain) == _completion(TARGET, _converted(response))


@pytest.mark.parametrize(
    "response",
    [
        varied(message={"content": None, "tool_calls": [CALL]}),
        varied(message={"content": "text", "tool_calls": [CALL]}),
        varied(message={"reasoning_content": "hm"}),
        varied(message={"content": "<think>hm</think>SELECT 1"}),
        varied(message={"content": [{"type": "text", "text": "SELECT 1"}]}),
        varied(choice={"finish_reason": "eos_token"}),
        varied(usage={"prompt_tokens": None}),
        varied(usage={"cache_read_input_tokens": 5}),
        {**PLAIN, "error": {"message": "no", "code": 500}},
        {**PLAIN, "choices": PLAIN["choices"] * 2},
        {**PLAIN, "choices": []},
        {**PLAIN, "usage": None},
        {"detail": "no such model"},
        [],
        None,
    ],
)
def test_anything_else_is_left_to_litellm(response):
    assert plain_response(response) is None


_TEXTS = st.text(max_size=40) | st.sampled_from(["<think>a</think>b", "a</think>b"])
_JSON = st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=8)
_MESSAGES = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": _TEXTS},
    optional={
        "refusal": st.none() | st.text(max_size=5), "tool_calls": st.none() | st.just([]) | st.just([CALL]),
        "reasoning_content": st.text(max_size=5), "audio": st.none(), "images": st.none(),
    },
)  # fmt: skip
_DETAILS = st.none() | st.fixed_dictionaries({}, optional={"cached_tokens": st.none() | st.integers(0, 9)})
_USAGES = st.fixed_dictionaries(
    {"prompt_tokens": st.integers(0, 99), "completion_tokens": st.integers(0, 99), "total_tokens": st.integers(0, 99)},
    optional={
        "prompt_tokens_details": _DETAILS, "completion_tokens_details": st.none() | st.just({"reasoning_tokens": 3}),
        "prompt_cache_hit_tokens": st.integers(0, 9), "cost": st.floats(0, 1),
    },
)  # fmt: skip
_CHOICES = st.fixed_dictionaries(
    {"index": st.just(0), "message": _MESSAGES, "finish_reason": st.sampled_from(["stop", "length", "tool_calls"])},
    optional={"logprobs": st.none(), "stop_reason": _JSON, "token_ids": st.none()},
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(_CHOICES, _USAGES, st.dictionaries(st.sampled_from(["system_fingerprint", "service_tier", "timings"]), _JSON))
def test_whatever_is_read_is_read_as_litellm_does(choice, usage, rest):
    response = {**PLAIN, **rest, "choices": [choice], "usage": usage}
    if (plain := plain_response(response)) is not None:
        assert _completion(TARGET, plain) == _completion(TARGET, _converted(response))
