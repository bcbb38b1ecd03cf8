"""Opening the Inbox with 500 things waiting, on the whole program: the longest time that its loop is not free.

    python tests/perf/bench_inbox.py

Judged is processor time between two ticks of a timer; the wall time stands beside it. The first opening makes the
page, the later ones only read and show.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "desktop"), str(ROOT / "tests/perf")]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from bench_window import Ticks, prepare, report, started

from placet.core.domain.review import PendingRequest
from placet.ui.loop import make_event_loop
from placet.ui.qt_application import qt_application
from placet.ui.window import MainWindow
from support.placet_process import write_config
from support.review_samples import command_request, write_request
from support.stores import new_session, opened_store

COUNT = 500
OPENINGS = 14
BUDGET_MS = 16.0


async def fill(home: Path) -> None:
    """In fifty sessions: commands of each, and in every tenth a batch of edits. Nothing of them can be planned."""
    async with opened_store(home) as opened:
        sessions = [await new_session(opened.store, title=f"Session {n}") for n in range(50)]
        for n in range(COUNT):
            made: Callable[..., PendingRequest] = write_request if n % 50 < 5 else _command
            session = sessions[n % 50]
            path = f"/w/{n}.py"
            await opened.store.approvals.add(
                made(
                    n + 1,
                    session_id=session.id,
                    created_at=time.time() - n - 10_000 * (n % 50 < 5),
                    path=path,
                    label=path,
                )
            )


def _command(number: int, **fields: object) -> PendingRequest:
    return command_request(f"make target-{number} && echo {'x' * 200}", number, **{**fields, "path": ""})


async def measured(what: str, act: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(0.5)
    ticks = Ticks()
    await act()
    await asyncio.sleep(0.5)
    ticks.stop()
    report(what, max(ticks.cpus), BUDGET_MS, wall=max(ticks.walls))


async def reopened(window: MainWindow, place: str) -> None:
    """The least and the median of several; other pages stand beside, for a busy machine makes all of them dearer."""
    stalls = []
    for _ in range(OPENINGS):
        window.places.go_to("search")
        await asyncio.sleep(0.15)
        ticks = Ticks()
        window.places.go_to(place)
        await asyncio.sleep(0.25)
        with redirect_stdout(StringIO()):
            ticks.stop()
        stalls.append(max(ticks.cpus))
    print(f"opening {place} again: least {min(stalls):.1f}, median {median(stalls):.1f} ms")


async def main(home: Path) -> None:
    write_config(home, "http://127.0.0.1:9")
    session = await prepare(home, 1_000)
    await fill(home)
    async with started(home, session) as application:
        window = application.content
        print(f"{window.inbox.waiting.count} items, {COUNT} requests")

        async def go() -> None:
            window.places.go_to("inbox")

        async def walk() -> None:
            for row in range(1, 40):
                window.pages.inbox.list.setCurrentIndex(window.pages.inbox.list.model().index(row, 0))
                await asyncio.sleep(0.01)

        await measured("the first opening", go)
        for place in ("inbox", "chat", "changes"):
            await reopened(window, place)
        window.places.go_to("inbox")
        await asyncio.sleep(0.5)
        assert window.pages.inbox.pane.isVisible()
        await measured("walking 40 items", walk)


if __name__ == "__main__":
    loop = make_event_loop(qt_application())
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main(Path(folder)))
