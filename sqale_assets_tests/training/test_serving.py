"""A checkpoint measured by its path: served on loopback, asked by the evaluation that measures any model."""

from __future__ import annotations

import json
import urllib.request

import pytest
from typer.testing import CliRunner

from sqale_assets.evaluation.log import read_runs
from sqale_assets.settings import Settings
from sqale_assets.training import tiny
from sqale_assets.training.serving import is_model_folder, serving, weights_hash
from sqale_assets_tests.training.test_assets import bird_form

torch = pytest.importorskip("torch", reason="needs the train extra: make test-train")
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A folder with a random tiny model, and the toy corpus in BIRD's form with its prompt."""
    folder = tmp_path_factory.mktemp("served")
    episode = tiny.toy_episode(folder / "prompts")
    tasks = tiny.toy_tasks(folder / "toy")
    tokenizer = tiny.tiny_tokenizer(tasks, episode)
    tiny.save_tiny(tiny.tiny_model(tokenizer), tokenizer, folder / "run" / "final")
    bird_form(folder / "corpus", tasks, "dev")
    return folder


def post(address: str, path: str, **body):
    request = urllib.request.Request(
        f"{address}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def test_the_server_says_what_the_model_says(toy):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = toy / "run" / "final"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    messages = [{"role": "user", "content": "What is the highest length of the boats?"}]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    ids = tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
    written = model.generate(**ids, max_new_tokens=12, do_sample=False)[0, ids["input_ids"].shape[1] :]
    expected = tokenizer.decode(written, skip_special_tokens=True)
    with serving(str(folder), Settings()) as (name, settings):
        assert name == f"hosted_vllm/run/final@{weights_hash(folder)}"
        address = settings.evaluation.route.api_base
        chat = post(address, "chat/completions", model="m", messages=messages, temperature=0, max_tokens=12)
        raw = post(address, "completions", model="m", prompt=prompt, temperature=0, max_tokens=12, stop=[expected[-1]])
        assert chat["choices"][0]["message"]["content"] == expected
        assert raw["choices"][0]["text"] == expected.partition(expected[-1])[0]
        assert chat["usage"]["prompt_tokens"] == ids["input_ids"].shape[1]
        assert chat["choices"][0]["finish_reason"] == "length"
        long = post(address, "completions", model="m", prompt="boats " * 5_000, temperature=0)
        assert long["choices"][0] == {"index": 0, "finish_reason": "length", "text": ""}, "longer than the model takes"
    with pytest.raises(OSError):
        post(address, "completions", model="m", prompt="x")


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_a_checkpoint_is_evaluated_by_its_path(toy, tmp_path, monkeypatch, endpoint):
    from sqale_assets.cli import app

    monkeypatch.setenv("SQALE_PROMPTS", str(toy / "prompts"))
    monkeypatch.setenv("SQALE_EVALUATION__ROUTE__MAX_TOKENS", "40")
    result = CliRunner().invoke(app.app, [
        "evaluate", "--model", str(toy / "run" / "final"), "--corpus", str(toy / "corpus"), "--split", "dev",
        "--n", "3", "--tables", "full", "--tokens", "4000", "--style", "verbose", "--endpoint", endpoint,
        "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out"),
    ])  # fmt: skip
    assert result.exit_code == 0, result.output
    (run,) = read_runs(tmp_path / "out" / "runs")
    assert run.run.model.startswith("hosted_vllm/run/final@") and len(run.episodes) == 3
    assert all(episode.tokens_in > 50 and episode.tokens_out > 0 for episode in run.episodes)


def test_only_a_folder_with_a_model_is_served(tmp_path):
    assert not is_model_folder(None) and not is_model_folder("openai/gpt") and not is_model_folder(str(tmp_path))
    with serving("openai/gpt", Settings()) as (name, settings):
        assert (name, settings) == ("openai/gpt", Settings())
