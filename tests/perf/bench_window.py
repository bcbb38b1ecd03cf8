"""The whole program against the budgets of streaming, rest and opening, offscreen on its own event loop.

    python tests/perf/bench_window.py [stream] [tokens] [core] [rest] [open]

`create_application` runs here; the model's server is a process of its own, so what it costs is not counted. Judged is
this process's processor time (all threads); the wall time stands beside it. `core` streams the same tokens without a
window: what it takes is no matter of drawing.
"""

from __future__ import annotations

import asyncio
import cProfile
import gc
import os
import pstats
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "desktop"), str(ROOT / "tests/perf")]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from bench_chat import STREAM
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from placet.app import Application, create_application
from placet.core.domain.events import Done, Error
from placet.core.domain.ids import SessionId
from placet.core.hub.core import open_core
from placet.core.hub.hub import HOME_SOURCE
from placet.core.store.connection import Connection
from placet.ui.loop import make_event_loop
from support.placet_process import write_config
from support.stores import fill, new_session, opened_store
from support.wire_server import Recorded, WireServer, pause, text
from support.wire_steps import Pause, Stall, Step

RATE = 500
TOKENS = 20_000
MESSAGES = 10_000
REST_S = 20.0

_missed: list[str] = []


# ---- the server, in its own process ------------------------------------------------------------------------------


class PacedServer(WireServer):
    """Each pause ends when it is due, counted from the first one: the rate holds whatever a single wait takes."""

    began, given = 0.0, 0

    async def _hold(self, step: Stall | Pause, reader: asyncio.StreamReader) -> bool:
        if not isinstance(step, Pause):
            return await super()._hold(step, reader)
        if self.given == 0:
            self.began = time.perf_counter()
        self.given += 1
        await asyncio.sleep(max(0.0, self.began + self.given * step.seconds - time.perf_counter()))
        return True


def serve() -> None:
    """Answer "rate <n> count <n>" with that many pieces of text at that rate, until the parent closes our input."""

    def answer(request: Recorded) -> list[Step]:
        server.given = 0
        rate, count = map(int, re.findall(r"rate (\d+) count (\d+)", request.body.decode())[-1])
        pieces = [STREAM[at : at + 4] for at in range(0, len(STREAM), 4)]
        return [step for number in range(count) for step in (text(pieces[number % len(pieces)]), pause(1 / rate))]

    with PacedServer() as server:
        server.script(answer, repeat_last=True)
        print(server.url, flush=True)
        sys.stdin.read()


@contextmanager
def model_server() -> Any:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        try:
            yield child.stdout.readline().strip()
        finally:
            child.stdin.close()


# ---- what is measured --------------------------------------------------------------------------------------------


class Watch:
    """Processor time of this process and wall time since it was made, in milliseconds."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return (time.process_time() - self._cpu) * 1e3, (time.perf_counter() - self._wall) * 1e3


class Ticks:
    """The gaps of a 5 ms timer: what a click would have had to wait, in wall and in thread time."""

    def __init__(self) -> None:
        self.walls: list[float] = []
        self.cpus: list[float] = []
        self._last = (time.perf_counter(), time.thread_time())
        self._timer = QTimer()
        self._timer.setTimerType(self._timer.timerType().PreciseTimer)
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.walls.append((now[0] - self._last[0]) * 1e3)
        self.cpus.append((now[1] - self._last[1]) * 1e3)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()
        for what, gaps in (("wall", sorted(self.walls)), ("processor", sorted(self.cpus))):
            p50, p99 = gaps[len(gaps) // 2], gaps[int(len(gaps) * 0.99)]
            print(f"  gaps of a 5 ms timer, {what}: p50 {p50:.1f}, p99 {p99:.1f}, longest {gaps[-1]:.1f} ms")


class Paints(QObject):
    """Counts paint events by the widget they were for."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            name = type(watched).__name__ if not watched.objectName() else watched.objectName()
            parent = watched.parent()
            if name == "qt_scrollarea_viewport" and parent is not None:
                name = f"{type(parent).__name__}.viewport"
            self.counts[name] = self.counts.get(name, 0) + 1
        return False


def report(what: str, measured: float, budget: float, unit: str = "ms", wall: float | None = None) -> None:
    verdict = "" if measured <= budget else "  OVER"
    if verdict:
        _missed.append(what)
    beside = "" if wall is None else f"; wall {wall:.1f}"
    print(f"{what:58} {measured:8.2f} {unit} (<= {budget:g}{beside}){verdict}", flush=True)


# ---- the program -------------------------------------------------------------------------------------------------


async def prepare(home: Path, messages: int) -> SessionId:
    """A data folder whose session, the source's active one, has so many messages."""
    async with opened_store(home) as opened:
        session = await new_session(opened.store, source=HOME_SOURCE, title=f"{messages} messages")
        frame = await opened.store.turns.root_frame(session.id)
        await fill(opened.store, frame.id, messages)
        return session.id


@asynccontextmanager
async def started(home: Path, session: SessionId) -> AsyncIterator[Application]:
    application = create_application(home)
    application.window.resize(1440, 900)  # the screen that is not there is smaller
    try:
        await application.start(session=session)
        await indexed(application)
        await asyncio.sleep(1.5)  # what start-up left behind is no part of what is measured
        yield application
    finally:
        await application.aclose()


async def indexed(application: Application) -> None:
    """Wait until the search index has taken in the history that was made a moment ago."""

    def waiting(connection: Connection) -> int:
        return int(connection.all("SELECT count(*) FROM search_waiting")[0][0])

    async with asyncio.timeout(120):
        while await application.store.database.look(waiting):  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(0.5)


async def one_answer(hub: Any, rate: int, count: int) -> None:
    events = hub.events()
    await hub.send_message(HOME_SOURCE, f"rate {rate} count {count}")
    async for envelope in events:
        if isinstance(envelope.event, Error):
            raise SystemExit(envelope.event.message)
        if isinstance(envelope.event, Done):
            break
    events.close()


async def stream(application: Application) -> None:
    """The longest stall, and what is painted meanwhile."""
    seconds = 6
    await one_answer(application.hub, RATE, RATE)  # fonts, lexers, connection
    await asyncio.sleep(0.5)
    watch, ticks = Watch(), Ticks()
    await one_answer(application.hub, RATE, RATE * seconds)
    ticks.stop()
    cpu, wall = watch.read()
    report(f"{RATE} chunks a second for {seconds} s: longest stall", max(ticks.cpus), 16, wall=max(ticks.walls))
    print(f"  ({RATE * seconds} chunks took {cpu:.0f} ms of processor, {wall / 1e3:.1f} s)")
    paints, app = Paints(), QApplication.instance()
    assert app is not None
    app.installEventFilter(paints)
    began = time.perf_counter()
    await one_answer(application.hub, RATE, RATE * 3)
    took = time.perf_counter() - began
    app.removeEventFilter(paints)
    print("  painted a second:", {name: round(count / took, 1) for name, count in sorted(paints.counts.items())})


async def tokens(application: Application) -> None:
    watch = Watch()
    await one_answer(application.hub, RATE, TOKENS)
    cpu, wall = watch.read()
    report(f"{TOKENS} tokens at {RATE} a second, whole window", cpu, 1000, wall=wall)


async def fast_tokens(application: Application) -> None:
    watch = Watch()
    await one_answer(application.hub, 4_000, TOKENS)
    cpu, wall = watch.read()
    report(f"{TOKENS} tokens at 4000 a second, whole window", cpu, 1000, wall=wall)


async def rest(application: Application) -> None:
    gc.collect()
    await asyncio.sleep(2)
    watch = Watch()
    await asyncio.sleep(REST_S)
    cpu, wall = watch.read()
    report(f"processor at rest over {REST_S:g} s", cpu / wall * 100, 0.1, unit="%")


async def core(home: Path) -> None:
    """The same tokens from the server to the bus, with nobody who draws them."""
    made = open_core(home)
    await made.start()
    await made.hub.clear(HOME_SOURCE)
    for rate in (RATE, 4_000):
        watch = Watch()
        await one_answer(made.hub, rate, TOKENS)
        cpu, wall = watch.read()
        print(f"  without a window, {TOKENS} tokens at {rate} a second: {cpu:.0f} ms (wall {wall:.0f})")
    await made.aclose()


# ---- opening -----------------------------------------------------------------------------------------------------


class FirstPaint(QObject):
    """Tells when the chat has painted a given session."""

    def __init__(self, application: Application) -> None:
        super().__init__()
        self._view = application.content.chat.transcript
        self._view.viewport().installEventFilter(self)
        self._wanted: SessionId | None = None
        self._painted = asyncio.Event()

    async def of(self, session: SessionId) -> None:
        self._wanted = session
        self._painted.clear()
        await self._painted.wait()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._view.model.session_id == self._wanted:
            asyncio.get_event_loop().call_soon(self._painted.set)
        return False


async def open_sessions(home: Path) -> None:
    """Sessions of 100 and of 100,000 messages by turns; judged is the middle of several."""
    small, large = await prepare(home, 100), await prepare(home, 100_000)
    other = await prepare(home, 60)
    took: dict[SessionId, list[tuple[float, float]]] = {small: [], large: []}
    async with started(home, other) as application:
        paint = FirstPaint(application)
        for _ in range(12):
            for session in (small, large):
                watch = Watch()
                application.content.conversation.show(session)
                await paint.of(session)
                took[session].append(watch.read())
                await asyncio.sleep(0.15)
    middle = {}
    for session, name in ((small, "100"), (large, "100,000")):
        cpu, wall = (sorted(column)[len(column) // 2] for column in zip(*took[session], strict=True))
        middle[session] = cpu
        report(f"open a session of {name} messages, first page painted", cpu, 40, wall=wall)
    report("100,000 messages against 100", middle[large] / middle[small], 1.3, unit="x")


# ---- running -----------------------------------------------------------------------------------------------------


def run(work: Coroutine[Any, Any, None]) -> None:
    app = QApplication.instance() or QApplication(["placet"])
    with asyncio.Runner(loop_factory=lambda: make_event_loop(app)) as runner:
        if os.environ.get("PROFILE") != "1":
            runner.run(work)
            return
        profile = cProfile.Profile()
        profile.runcall(runner.run, work)
        pstats.Stats(profile).sort_stats(os.environ.get("SORT", "tottime")).print_stats(45)


def main() -> int:
    if "--serve" in sys.argv:
        serve()
        return 0
    running: dict[str, Callable[[Application], Coroutine[Any, Any, None]]] = {
        "stream": stream,
        "tokens": tokens,
        "fast": fast_tokens,
        "rest": rest,
    }
    names = sys.argv[1:] or [*running, "core", "open"]

    async def in_window(home: Path, session: SessionId) -> None:
        async with started(home, session) as application:
            for name in names:
                if name in running:
                    await running[name](application)

    with tempfile.TemporaryDirectory() as folder, model_server() as url:
        home = Path(folder) / "home"
        write_config(home, url)
        session = asyncio.run(prepare(home, MESSAGES))
        if set(names) & set(running):
            run(in_window(home, session))
        if "core" in names:
            asyncio.run(core(home))
        if "open" in names:
            run(open_sessions(home))
    return 1 if _missed else 0


if __name__ == "__main__":
    sys.exit(main())
