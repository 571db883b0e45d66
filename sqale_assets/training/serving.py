"""A model in a folder behind OpenAI's protocol on loopback, so that a checkpoint is measured by its path.

transformers generates, one reply at a time: for a few hundred questions of a small model, or where there is no GPU.
For more, serve the folder with vLLM and name its address in the evaluation's route.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqale_assets.settings import Settings

if TYPE_CHECKING:
    from aiohttp import web

_PROVIDER = "hosted_vllm"  # litellm's name for servers of OpenAI's protocol
_KEY = "SQALE_LOOPBACK_KEY"  # litellm's client for raw prompts asks for a key even where the server wants none


def is_model_folder(model: str | None) -> bool:
    """Whether a model's name is the path of a folder that transformers can load."""
    return model is not None and (Path(model) / "config.json").is_file()


@contextmanager
def serving(model: str | None, settings: Settings) -> Iterator[tuple[str | None, Settings]]:
    """The model's name and the settings with which an evaluation reaches it; a model in a folder is served meanwhile.

    Its name holds a hash of its weights: a folder that is trained into again is another model.

    Raises:
        ModuleNotFoundError: the `train` extra is not installed.
    """
    if model is None or not is_model_folder(model):
        yield model, settings
        return
    folder = Path(model).resolve()
    os.environ.setdefault(_KEY, "none")
    with _Server(folder) as server:
        evaluation = settings.evaluation
        route = evaluation.route.model_copy(
            update={"api_base": server.address, "api_key_env": _KEY, "timeout": 3_600.0}
        )
        reached = evaluation.model_copy(update={"route": route})
        name = f"{_PROVIDER}/{folder.parent.name}/{folder.name}@{weights_hash(folder)}"
        yield name, settings.model_copy(update={"evaluation": reached})


def weights_hash(folder: Path) -> str:
    """A short hash over a model's weights."""
    digest = sha256()
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:8]


class _Server:
    """The server, in a thread of its own with an event loop of its own."""

    def __init__(self, folder: Path):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModelForCausalLM.from_pretrained(folder, dtype="auto", device_map=_device()).eval()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model server", daemon=True)
        self._generating = threading.Lock()
        self.address = ""

    def __enter__(self) -> _Server:
        self._thread.start()
        self._runner, port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.address = f"http://127.0.0.1:{port}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> tuple[web.AppRunner, int]:
        from aiohttp import web

        application = web.Application(client_max_size=1 << 26)
        application.router.add_post("/v1/chat/completions", self._chat)
        application.router.add_post("/v1/completions", self._complete)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, site._server.sockets[0].getsockname()[1]

    async def _chat(self, request: web.Request) -> web.Response:
        asked = await request.json()
        prompt = self._tokenizer.apply_chat_template(asked["messages"], add_generation_prompt=True, tokenize=False)
        return await self._answer(asked, prompt, lambda text: {"message": {"role": "assistant", "content": text}})

    async def _complete(self, request: web.Request) -> web.Response:
        asked = await request.json()
        return await self._answer(asked, asked["prompt"], lambda text: {"text": text})

    async def _answer(self, asked: dict[str, Any], prompt: str, content: Any) -> web.Response:
        from aiohttp import web

        text, usage, cut = await asyncio.to_thread(self._generate, asked, prompt)
        choice = {"index": 0, "finish_reason": "length" if cut else "stop", **content(text)}
        return web.json_response({"model": asked["model"], "choices": [choice], "usage": usage})

    def _generate(self, asked: dict[str, Any], prompt: str) -> tuple[str, dict[str, int], bool]:
        import torch

        ids = self._tokenizer(prompt, add_special_tokens=False, return_tensors="pt").to(self._model.device)
        before = ids["input_ids"].shape[1]
        longest = getattr(self._model.config, "max_position_embeddings", None) or before + 2_048
        room = min(asked.get("max_tokens") or 1_024, longest - before)
        if room < 1:
            return "", {"prompt_tokens": before, "completion_tokens": 0, "total_tokens": before}, True
        stop = asked.get("stop") or []
        sampling: dict[str, Any] = {"do_sample": False}
        if asked.get("temperature", 1.0) > 0:
            names = ("temperature", "top_p", "top_k")
            sampling = {"do_sample": True, **{name: asked[name] for name in names if asked.get(name) is not None}}
        with self._generating, torch.inference_mode():
            out = self._model.generate(
                **ids, max_new_tokens=room, pad_token_id=self._tokenizer.pad_token_id, **sampling
            )
        written = out[0, before:]
        text = self._tokenizer.decode(written, skip_special_tokens=True)
        for mark in [stop] if isinstance(stop, str) else stop:
            text = text.partition(mark)[0]
        usage = {"prompt_tokens": before, "completion_tokens": len(written), "total_tokens": out.shape[1]}
        return text, usage, len(written) == room and int(written[-1]) != self._tokenizer.eos_token_id


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
