"""The tools under the loop of the window: no child watcher, no selector of asyncio's is needed."""

from __future__ import annotations

import asyncio

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.stopping import TurnStopped

loop_of_the_window = pytest.importorskip("placet.ui.loop")


def test_commands_and_reads_run_under_qasync(qapp, bench):
    bench.write("a.txt", "x\n")
    loop = loop_of_the_window.make_event_loop(qapp)

    async def all_kinds():
        assert (await bench.run("execute_cmd", command="seq 1 20000")).facts["lines"] == 20_000
        assert "1\tx" in await bench.text("read_file", path="a.txt")
        assert "a.txt:1:x" in await bench.text("grep_files", pattern="x")
        with pytest.raises(ToolFailure, match="timed out"):
            await bench.run("execute_cmd", command="sleep 9", timeout=0.1)
        loop.call_later(0.1, bench.stop.set)
        with pytest.raises(TurnStopped):
            await bench.run("execute_cmd", command="trap '' TERM; sleep 99; sleep 99")

    with loop:
        loop.run_until_complete(asyncio.wait_for(all_kinds(), 20))
