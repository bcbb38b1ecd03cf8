"""What runs in threads sees a stop, and a time limit ends it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.stopping import TurnStopped
from placet.core.domain.tools import Execution, Replay, ToolResult
from placet.core.tools import ripgrep
from placet.core.tools.workers import Workers


async def test_t8_a_search_in_a_thread_sees_the_stop(bench, monkeypatch):
    monkeypatch.setattr(ripgrep, "ripgrep", lambda: None)
    for number in range(300):
        bench.write(f"many/{number}", "some words\n" * 5_000)
    began_to_search = threading.Event()

    class Watching(set):
        def __iter__(self):
            began_to_search.set()
            return super().__iter__()

    bench.denied = Watching()
    running = asyncio.ensure_future(bench.run("grep_files", pattern="absent"))
    assert await asyncio.to_thread(began_to_search.wait, 5)
    bench.stop.set()
    with pytest.raises(TurnStopped):
        await running


async def test_an_abandoned_work_ends_at_its_next_check():
    workers = Workers()
    started, ended = threading.Event(), threading.Event()

    def work(check):
        started.set()
        try:
            while True:
                check()
                ended.wait(0.005)
        finally:
            ended.set()

    running = asyncio.ensure_future(workers.run(work))
    assert await asyncio.to_thread(started.wait, 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended.is_set()
    workers.close()


async def test_a_time_limit_is_a_failure_that_says_so(bench):
    cancelled = asyncio.Event()

    async def run(_io):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return ToolResult(text="never")

    operation = Execution(
        tool="slow", category="other", label="", detail="", timeout_s=0.05, replay=Replay.SAFE, run=run
    )
    bench.prepare = lambda _name, **_arguments: operation
    with pytest.raises(ToolFailure, match=r"slow timed out after 0\.05 s"):
        await bench.run("slow")
    assert cancelled.is_set()


async def test_a_write_is_never_run_here(bench):
    with pytest.raises(TypeError, match="no execution"):
        await bench.run("write_file", path="a", content="b")
    assert not list(bench.folder.iterdir())
