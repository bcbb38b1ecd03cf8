"""A scripted model server on loopback: real HTTP, real server-sent events, no model.

    with WireServer() as server:                         # also usable while a subprocess is the client
        server.script(
            [text("I look. "), call("read_file", {"path": "a.txt"})],   # first request
            error(429, retry_after="1"),                                # second
            [text("Do", "ne.")],                                        # third
        )
        ... provider: type "openai" or "anthropic", base_url=server.url ...
        assert server.requests[0].json["messages"][-1]["content"] == "hi"

The same script answers `/chat/completions` and `/messages`, each in its dialect, with the end mark added unless the
answer says otherwise (`cut`, `raw`). The server runs in a thread of its own and is gone when the block ends.
An unscripted request gets a 500 that says so.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from support.wire_steps import (
    Chat,
    Cut,
    Error,
    Messages,
    Pause,
    Stall,
    Step,
    call,
    cut,
    error,
    finish,
    pause,
    raw,
    reasoning,
    render,
    stall,
    text,
    usage,
)

__all__ = [
    "Recorded", "WireServer", "call", "cut", "error", "finish", "pause", "raw", "reasoning", "stall", "text", "usage",
]  # fmt: skip


@dataclass
class Recorded:
    """One request as it came. Times are `time.perf_counter()`; `answered_at` is None while the answer runs."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    arrived_at: float
    answered_at: float | None = None

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Step | Sequence[Step] | Callable[[Recorded], "Step | Sequence[Step]"]


@dataclass
class _Script:
    answers: list[Answer] = field(default_factory=list)
    repeat_last: bool = False

    def take(self, request: Recorded) -> list[Step]:
        if not self.answers:
            return [error(500, f"WireServer: no answer is scripted for request {request.method} {request.path}")]
        keep = self.repeat_last and len(self.answers) == 1
        answer = self.answers[0] if keep else self.answers.pop(0)
        if callable(answer):
            answer = answer(request)
        return list(answer) if isinstance(answer, Sequence) else [answer]


class WireServer:
    """See the module. `requests` holds model calls only; `models` is what GET `/models` lists.

    All public methods may be called from any thread. Waiting methods raise AssertionError after `timeout` seconds.
    """

    def __init__(self, models: Sequence[str] = ("scripted",)) -> None:
        self.models = list(models)
        self.requests: list[Recorded] = []
        self.port = 0
        self._script = _Script()
        self._changed = threading.Condition()
        self._stalled = self._went_away = self._connections = 0
        self._loop = asyncio.new_event_loop()
        self._released: asyncio.Event
        self._clients: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wire-server", daemon=True)

    # ---- what tests use --------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The base URL for both dialects, with `/v1`."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        """How many connections were ever accepted."""
        return self._connections

    def script(self, *answers: Answer, repeat_last: bool = False) -> None:
        """Set the answers, one a request: a step, a list of steps, or a function of the request that gives them."""
        self._script = _Script(list(answers), repeat_last)

    def release(self) -> None:
        """Let every stalled answer, now and later, go on."""
        self._loop.call_soon_threadsafe(self._released.set)

    def wait_requests(self, count: int, timeout: float = 10) -> Recorded:
        """Wait until `count` model calls have come; return the last of them."""
        self._wait(lambda: len(self.requests) >= count, f"request {count}", timeout)
        return self.requests[count - 1]

    def wait_stalled(self, count: int = 1, timeout: float = 10) -> None:
        """Wait until `count` answers have reached their stall."""
        self._wait(lambda: self._stalled >= count, f"stall {count}", timeout)

    def wait_gone(self, count: int = 1, timeout: float = 10) -> None:
        """Wait until `count` clients closed the connection while their answer ran."""
        self._wait(lambda: self._went_away >= count, f"closed connection {count}", timeout)

    # ---- life ------------------------------------------------------------------------------------------------

    def __enter__(self) -> WireServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> None:
        self._released = asyncio.Event()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=1 << 26)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        self._server.close()
        for task in self._clients:
            task.cancel()
        if self._clients:
            await asyncio.wait(self._clients)

    def _wait(self, is_so: Callable[[], bool], what: str, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(is_so, timeout):
                raise AssertionError(f"WireServer waited {timeout} s for {what}; {len(self.requests)} requests came")

    def _note(self, *, stalled: int = 0, gone: int = 0, request: Recorded | None = None) -> None:
        with self._changed:
            self._stalled += stalled
            self._went_away += gone
            if request is not None:
                self.requests.append(request)
            self._changed.notify_all()

    # ---- HTTP ------------------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        self._connections += 1
        try:
            while (request := await _read_request(reader)) is not None:
                if not await self._respond(request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self._note(gone=1)
        except asyncio.CancelledError:
            pass  # the server ends; the connection is dropped below
        finally:
            self._clients.discard(task)
            writer.transport.abort()

    async def _respond(self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; returns whether the connection may be used again."""
        if request.method == "GET":
            listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
            await _send_whole(writer, 200, json.dumps(listed))
            return True
        self._note(request=request)
        steps = self._script.take(request)
        dialect = Messages if request.path.endswith("/messages") else Chat
        if isinstance(steps[0], Error):
            first = steps[0]
            body = first.body if first.body is not None else dialect.error_body(first.status)
            await _send_whole(writer, first.status, body if isinstance(body, str) else json.dumps(body), first.headers)
            request.answered_at = time.perf_counter()
            return True
        return await self._stream(request, steps, dialect(str(request.json.get("model", ""))), reader, writer)

    async def _stream(
        self, request: Recorded, steps: list[Step], dialect: Chat | Messages, reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:  # fmt: skip
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for item in render(dialect, steps, input_tokens=len(request.body) // 4):
            if item == b"":
                continue  # an empty chunk would end the body
            if isinstance(item, bytes):
                writer.write(f"{len(item):x}\r\n".encode() + item + b"\r\n")
                await writer.drain()
            elif isinstance(item, Cut):
                writer.close()
                return False
            elif not await self._hold(item, reader):
                self._note(gone=1)
                return False
        writer.write(b"0\r\n\r\n")
        request.answered_at = time.perf_counter()
        await writer.drain()
        return True

    async def _hold(self, step: Stall | Pause, reader: asyncio.StreamReader) -> bool:
        """Wait as the step says; False if the client went away meanwhile."""
        gone = asyncio.ensure_future(reader.read(1))  # a client that waits for its answer sends nothing
        release = asyncio.ensure_future(self._released.wait())
        if isinstance(step, Stall):
            self._note(stalled=1)
        try:
            wanted = (gone, release) if isinstance(step, Stall) else (gone,)
            limit = step.seconds if isinstance(step, Pause) else None
            await asyncio.wait(wanted, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            return not gone.done()
        finally:
            gone.cancel()
            release.cancel()
            await asyncio.wait((gone, release))


async def _read_request(reader: asyncio.StreamReader) -> Recorded | None:
    """Read one request; None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except ConnectionError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Recorded(method, path, headers, body, time.perf_counter())


async def _send_whole(
    writer: asyncio.StreamWriter, status: int, body: str, headers: dict[str, str] | None = None
) -> None:
    kind = "application/json" if body.lstrip().startswith(("{", "[")) else "text/html"
    every = {"Content-Type": kind, "Content-Length": str(len(body.encode()))} | (headers or {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in every.items())
    writer.write(f"HTTP/1.1 {status} Scripted\r\n{lines}\r\n{body}".encode())
    await writer.drain()
