"""`execute_cmd`: what comes out, what is left running, and how it ends."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import psutil
import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.stopping import TurnStopped

HANGS_S = 20  # what waits for a child that sleeps waits for minutes


def body(result):
    return result.text.partition("\n")[2]


def alive(marker):
    """Processes with this word in their command line or environment-independent arguments, zombies apart."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and marker in words:
            found.append(process)
    return found


@pytest.fixture
def seconds():
    """A sleep that no other test uses, and that is ended afterwards."""
    name = f"300.{os.getpid()}{time.monotonic_ns()}"
    yield name
    for process in alive(name):
        process.kill()


async def timed_out(bench, command, timeout=1):
    with pytest.raises(ToolFailure) as caught:
        async with asyncio.timeout(timeout + HANGS_S):
            await bench.run("execute_cmd", command=command, timeout=timeout)
    assert "timed out" in str(caught.value)
    return str(caught.value)


async def test_output_exit_code_and_facts(bench):
    result = await bench.run("execute_cmd", command="echo out; echo err >&2; exit 3")
    assert result.text.startswith("[exit 3, ") and body(result) == "out\nerr\n"
    assert (result.facts["exit"], result.facts["lines"]) == (3, 2)
    assert result.facts["duration_ms"] < 5_000
    assert "".join(bench.live) == "out\nerr\n"
    assert body(await bench.run("execute_cmd", command="true")) == "[no output]"


async def test_it_runs_in_its_folder_without_input_and_without_secrets(bench, monkeypatch):
    monkeypatch.setenv("PLACET_TEST_KEY", "hidden")
    bench.secrets = ["PLACET_TEST_KEY"]
    bench.write("sub/x", "")
    result = await bench.run("execute_cmd", command='pwd; cat; echo "<$PLACET_TEST_KEY>"', workdir="sub")
    assert body(result) == f"{bench.folder}/sub\n<>\n"


async def test_a_shell_with_another_grammar_is_not_used(bench, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert body(await bench.run("execute_cmd", command="a=1; echo $a")) == "1\n"


async def test_a_folder_that_is_gone_is_an_error(bench):
    bench.write("sub/x", "").unlink()
    operation = bench.prepare("execute_cmd", command="true", workdir="sub")
    (bench.folder / "sub").rmdir()
    with pytest.raises(ToolFailure, match="no file or folder 'sub'"):
        await operation.run(_io(bench))
    bench.write("sub", "")
    with pytest.raises(ToolFailure, match="no folder to run in"):
        await operation.run(_io(bench))


async def test_r1_a_folder_that_became_a_link_is_refused(bench):
    bench.write("other/x", "")
    bench.write("sub/x", "")
    operation = bench.prepare("execute_cmd", command="touch made", workdir="sub")
    (bench.folder / "sub").rename(bench.folder / "before")
    (bench.folder / "sub").symlink_to(bench.folder / "other")
    with pytest.raises(ToolFailure, match="not the place any more"):
        await operation.run(_io(bench))
    assert not (bench.folder / "other/made").exists()


def _io(bench):
    from placet.core.domain.tools import ToolIO

    return ToolIO(stop=bench.stop, emit_output=bench.live.append, is_denied=lambda _path: False)


async def test_d01_a_background_child_holds_nothing_up(bench, seconds):
    async with asyncio.timeout(HANGS_S):
        result = await bench.run("execute_cmd", command=f"sleep {seconds} & echo up")
    assert body(result) == "up\n" and result.facts["exit"] == 0
    assert "still runs and holds the output" in result.text
    assert alive(seconds)


async def test_d01_a_child_that_holds_nothing_is_reported_too(bench, seconds):
    result = await bench.run("execute_cmd", command=f"sleep {seconds} >/dev/null 2>&1 & echo up")
    assert result.facts["still_runs"] and "still runs; it was not ended" in result.text
    assert alive(seconds)
    for command in ("echo done", "yes | head -1", "sleep 0.01 & wait"):
        assert "still_runs" not in (await bench.run("execute_cmd", command=command)).facts


async def test_d01_a_timeout_ends_what_ignores_term(bench, seconds):
    command = f"echo before; sh -c 'trap \"\" TERM HUP; sleep {seconds} & wait'"
    assert "before" in await timed_out(bench, command)
    assert not alive(seconds)


async def test_d01_a_timeout_ends_a_pipeline(bench, seconds):
    await timed_out(bench, f"sleep {seconds} | cat")
    assert not alive(seconds)


async def test_d01_what_left_the_group_is_reported(bench, seconds):
    said = await timed_out(bench, f"setsid sleep {seconds} & echo up; sleep 300")
    assert "up" in said and "holds the output" in said


async def test_d01_t8_a_stop_ends_what_ignores_term(bench, seconds):
    started = asyncio.Event()
    bench.live = _Signal(started)
    command = f"sh -c 'trap \"\" TERM HUP; echo on; sleep {seconds} & wait'"
    running = asyncio.ensure_future(bench.run("execute_cmd", command=command, timeout=600))
    await asyncio.wait_for(started.wait(), 5)
    bench.stop.set()
    with pytest.raises(TurnStopped):
        await asyncio.wait_for(running, HANGS_S)
    assert not alive(seconds)


class _Signal(list):
    def __init__(self, event):
        super().__init__()
        self._event = event

    def append(self, text):
        super().append(text)
        self._event.set()


async def test_a_cancellation_ends_the_command(bench, seconds):
    started = asyncio.Event()
    bench.live = _Signal(started)
    running = asyncio.ensure_future(bench.run("execute_cmd", command=f"echo on; sleep {seconds}"))
    await asyncio.wait_for(started.wait(), 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not alive(seconds)


async def test_d01_fifty_runs_leave_no_zombie_thread_or_descriptor(bench):
    await bench.run("execute_cmd", command="true")
    threads, descriptors = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    for number in range(50):
        if number % 5 == 0:
            with pytest.raises(ToolFailure):
                await bench.run("execute_cmd", command="sleep 9", timeout=0.1)
        else:
            await bench.run("execute_cmd", command="echo a")
    await _until(lambda: threading.active_count() <= threads)
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors
    assert not [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE]


async def _until(is_true):
    async with asyncio.timeout(5):
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_d03_bytes_that_are_no_text(bench):
    result = await bench.run("execute_cmd", command=r"printf 'ok\n\344\377\000\033[31mred\033[0m'")
    assert body(result) == "ok\n\ufffd\ufffd\u2400red"
    assert "\x1b[31mred" in "".join(bench.live)


async def test_d03_a_signal_is_no_success(bench):
    result = await bench.run("execute_cmd", command="printf out1; printf err1 >&2; kill -SEGV $$")
    assert "SIGSEGV" in result.text and body(result) == "out1err1"
    assert result.facts["signal"] == "SIGSEGV" and "exit" not in result.facts
    assert "SIGKILL" in (await bench.run("execute_cmd", command="sh -c 'kill -9 $$'; exit $?")).text


async def test_d03_binary_output_is_counted(bench):
    result = await bench.run("execute_cmd", command="head -c 300000 /dev/urandom")
    assert body(result) == "[binary output, 300,000 bytes]"
    result.text.encode()


async def test_d03_progress_is_shown_in_its_last_state(bench):
    command = "for i in $(seq 1 500); do printf '\\r%d%%' $i; done; echo"
    assert body(await bench.run("execute_cmd", command=command)) == "500%\n"


async def test_d03_a_character_in_two_pieces_is_whole(bench):
    result = await bench.run("execute_cmd", command=r"printf '\360\237'; sleep 0.2; printf '\230\200'")
    assert body(result) == "\U0001f600"
    assert "".join(bench.live) == "\U0001f600"


async def test_long_output_loses_its_middle(bench):
    result = await bench.run("execute_cmd", command="seq 1 200000")
    lines = body(result).split("\n")
    assert len(result.text) < 101_000
    assert (lines[0], lines[-2]) == ("1", "200000")
    assert any("bytes (" in line and "left out" in line for line in lines)
    assert result.facts["lines"] == 200_000


async def test_a_flood_of_output_costs_bounded_memory(bench):
    """200 MB: neither the result nor the live events grow with it."""
    before = psutil.Process().memory_info().rss
    result = await bench.run("execute_cmd", command="yes 0123456789012345678901234567890123456789 | head -c 200000000")
    assert len(result.text) < 101_000
    assert psutil.Process().memory_info().rss - before < 60_000_000
    assert sum(map(len, bench.live)) < 20_000_000
