"""One process makes the calls of several: `CallServer` beside its gateway, `RemoteCaller` in each of the others.

The event loops of processes that work on schemas are full of work. A call whose turn comes late there leaves its place
at the provider empty, and places dealt out to processes are empty in one while another has too few. So one loop that
does nothing else has all places, and the cache, the account and what is known of the provider with them.

On the wire, a pair of sockets, each frame is its length and a pickle: `(number, stage, call)` one way, with None as
call to cancel it, and `(number, result)` the other way, an exception being a result too.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pickle
import socket
import struct
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqale_assets.llm.calls import Answered, Call, answer_offline
from sqale_assets.llm.routing import StageRoute
from sqale_assets.llm.task import GatewayUnavailable

if TYPE_CHECKING:
    from sqale_assets.llm.gateway import Gateway

_LENGTH = struct.Struct("!I")
#: What reading ends with when the other end is no more.
_GONE = (asyncio.IncompleteReadError, OSError)


class CallServer:
    """Makes the calls that come in on `sockets` with the gateway's caller, in a thread of its own."""

    def __init__(self, gateway: Gateway, clients: int):
        self._gateway = gateway
        pairs = [socket.socketpair() for _ in range(clients)]
        self._ours = [ours for ours, _ in pairs]
        #: The other ends: one for each process, to be closed here once it has it.
        self.sockets = [theirs for _, theirs in pairs]
        self._loop = asyncio.new_event_loop()
        #: What is under way, by whom it is for and the number it has there.
        self._calls: dict[tuple[asyncio.StreamWriter, int], asyncio.Task[None]] = {}
        self._thread = threading.Thread(target=self._run, name="sqale-calls", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Cancel what is under way and close cache, account and connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def native_tools(self) -> dict[str, bool]:
        """`Llm.native_tools` of each stage."""
        return {stage: self._gateway.caller.native_tools(route) for stage, route in self._gateway.routes.items()}

    def _run(self) -> None:
        serving = [self._loop.create_task(self._serve(ours)) for ours in self._ours]
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._end([*serving, *self._calls.values()]))
            self._loop.close()

    async def _end(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._gateway.aclose()

    async def _serve(self, ours: socket.socket) -> None:
        """Calls of one process, until it is gone. What it had under way is made to its end: it is in the cache then."""
        reader, writer = await asyncio.open_connection(sock=ours)
        with contextlib.suppress(*_GONE), contextlib.closing(writer):
            while True:
                number, stage, call = await _received(reader)
                key = writer, number
                if call is not None:
                    self._calls[key] = self._loop.create_task(self._answer(writer, number, stage, call))
                    self._calls[key].add_done_callback(lambda _, key=key: self._calls.pop(key))
                elif task := self._calls.get(key):
                    task.cancel()

    async def _answer(self, writer: asyncio.StreamWriter, number: int, stage: Any, call: Call) -> None:
        try:
            result: Any = await self._gateway.caller.answer(self._gateway.routes[stage], call)
        except Exception as error:
            result = travelling(error)
        if not writer.is_closing():  # the reply is in the cache all the same
            writer.write(_frame((number, result)))


class RemoteCaller:
    """A `Caller` whose calls are made by the `CallServer` at the other end. For one event loop."""

    def __init__(self, theirs: socket.socket, native_tools: Mapping[str, bool]):
        self._socket, self._native_tools = theirs, native_tools
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Answered]] = {}
        self._connecting = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None

    async def answer(self, route: StageRoute, call: Call) -> Answered:
        """As `Caller.answer`. The embedded rules need the processor and no place: they stay in this process."""
        if route.targets[0].offline:
            return await answer_offline(route.targets[0], call)
        writer = await self._connected()
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        writer.write(_frame((number, route.stage, call)))
        try:
            return await future
        except asyncio.CancelledError:
            writer.write(_frame((number, route.stage, None)))
            raise
        finally:
            del self._waiting[number]

    def native_tools(self, route: StageRoute) -> bool:
        """As `Caller.native_tools`."""
        return self._native_tools[route.stage]

    async def aclose(self) -> None:
        """Close the connection."""
        if self._listening and self._writer:
            self._listening.cancel()
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                reader, self._writer = await asyncio.open_connection(sock=self._socket)
                self._listening = asyncio.create_task(self._listen(reader))
        if self._listening.done():
            raise _ended()
        return self._writer

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                number, result = await _received(reader)
                future = self._waiting.get(number)
                if not future or future.done():  # cancelled meanwhile
                    continue
                if isinstance(result, BaseException):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        except _GONE:
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(_ended())


def travelling(error: BaseException) -> BaseException:
    """`error`, or its text where it would not survive the way between processes."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _ended() -> GatewayUnavailable:
    return GatewayUnavailable(
        "the process that makes the calls has ended. What is finished is saved; run again to resume."
    )


def _frame(what: object) -> bytes:
    content = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def _received(reader: asyncio.StreamReader) -> Any:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))
