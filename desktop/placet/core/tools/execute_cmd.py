"""`execute_cmd`: one command line in the user's shell, ended with everything it started when its time is over."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.text import first_line
from placet.core.domain.tools import Category, Command, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.command_output import Captured, CommandOutput
from placet.core.tools.live_output import LiveOutput
from placet.core.tools.own_process import close_to_others
from placet.core.tools.places import Place, missing, need_same_place
from placet.core.tools.processes import ChildProcess
from placet.core.tools.shells import clean_environment, shell_argv
from placet.core.tools.tool import Tool, make_tool

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 600.0
_STOP_GRACE_S = 0.05
_TIMEOUT_GRACE_S = 2.0
_STILL_RUNS = "a process that it started still runs"
_STILL_HELD = f"{_STILL_RUNS} and holds the output"

_SPEC = ToolSpec(
    name="execute_cmd",
    description=(
        "Run a command line in the user's shell and return its exit code and its output (standard output and error "
        "in order). It cannot ask for input. Long output loses its middle. "
        f"Default time limit {DEFAULT_TIMEOUT_S:g} s, at most {MAX_TIMEOUT_S:g}."
    ),
    parameters={},
    category=Category.COMMAND,
    replay=Replay.NEVER,
    timeout_s=DEFAULT_TIMEOUT_S,
)
_PARAMS = (
    Param(name="command", required=True, description="The command line."),
    Param(name="workdir", default=".", description="The folder it runs in. Default: the working directory."),
    Param(
        name="timeout",
        kind=Kind.NUMBER,
        default=DEFAULT_TIMEOUT_S,
        minimum=0.1,
        description=f"Seconds until it is ended. Default {DEFAULT_TIMEOUT_S:g}, at most {MAX_TIMEOUT_S:g}.",
    ),
)


def tool(secret_env_names: Callable[[], Iterable[str]]) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Command:
        command, timeout_s = args["command"], min(float(args["timeout"]), MAX_TIMEOUT_S)
        if not command.strip():
            raise ToolFailure("execute_cmd did not run: the command is empty.")
        if "\0" in command:
            raise ToolFailure("execute_cmd did not run: the command contains a NUL character.")
        workdir = place.resolve(args["workdir"])
        folder = place.label(workdir)

        async def run(io: ToolIO) -> ToolResult:
            _need_folder(workdir, folder, io)
            return await _run(command, workdir, timeout_s, secret_env_names(), io)

        return Command(
            tool="execute_cmd",
            label=first_line(command),
            detail=command,
            command=command,
            workdir=workdir,
            timeout_s=timeout_s,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)


def _need_folder(workdir: Path, label: str, io: ToolIO) -> None:
    """Looked at only when the command may run: before, an answer would tell what is there. Raises: ToolFailure."""
    need_same_place(workdir, label)
    if not os.path.lexists(workdir):
        raise missing(workdir, label, io.is_denied)
    if not workdir.is_dir():
        raise ToolFailure(f"execute_cmd did not run: '{label}' is no folder to run in.")


async def _run(command: str, workdir: Path, timeout_s: float, secrets: Iterable[str], io: ToolIO) -> ToolResult:
    live = LiveOutput(io.emit_output)
    output = CommandOutput(live.feed)
    began = time.monotonic()
    close_to_others()
    try:
        child = ChildProcess(shell_argv(command), cwd=workdir, env=clean_environment(secrets), on_output=output.feed)
    except (OSError, ValueError) as error:
        raise ToolFailure(f"The command could not be started: {error}.") from error
    try:
        is_finished = await child.finished(timeout_s)
        if not is_finished:
            await child.end(_TIMEOUT_GRACE_S)
    except asyncio.CancelledError:
        await child.end(_STOP_GRACE_S)
        raise
    finally:
        live.close()
    captured = output.finish()
    reference = await io.keep(captured.remainder) if captured.remainder is not None else ""
    if not is_finished:
        held = f"; {_STILL_HELD}, though it left the command's group" if child.still_held else ""
        raise ToolFailure(
            f"[timed out after {timeout_s:g} s: the command and its processes were ended{held}. "
            f"Output so far:]\n{_shown(captured, reference)}"
        )
    return _result(child, captured, time.monotonic() - began, reference)


def _result(child: ChildProcess, captured: Captured, duration_s: float, reference: str) -> ToolResult:
    code = child.returncode or 0
    facts: dict[str, Any] = {"duration_ms": round(duration_s * 1000), "lines": captured.lines}
    if code < 0:
        facts["signal"] = _signal_name(-code)
        status = f"ended by {facts['signal']}"
    else:
        facts["exit"] = code
        status = f"exit {code}"
        if 128 < code < 160:
            status += f" (by convention: a process in it was ended by {_signal_name(code - 128)})"
    status += f", {duration_s:.1f} s"
    if child.still_held or child.still_runs:
        facts["still_runs"] = True
        status += f"; {_STILL_HELD if child.still_held else _STILL_RUNS}; it was not ended"
    return ToolResult(text=f"[{status}]\n{_shown(captured, reference)}", facts=facts)


def _shown(captured: Captured, reference: str) -> str:
    if captured.is_binary:
        return f"[binary output, {captured.size_bytes:,} bytes]"
    return captured.text(reference) or "[no output]"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
