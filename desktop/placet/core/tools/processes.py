"""Child processes: one group each, read by a thread of its own, ended with everything they started.

No child watcher of an event loop is used, so this works the same under any loop. The thread looks around every
20 ms, because a pipe may outlive the process that was started: a background child can hold it open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_LOOK_S = 0.02
_GRACE_S = 0.2  # how long what is still in the pipe is read after the process has ended
_LEAVE_S = 0.04  # the same after it was killed
_CHUNK = 65_536


class EnoughRead(Exception):
    """Raised by an `on_output` that wants no more: the process is killed and counts as finished."""


class ChildProcess:
    """A started process. Made on the loop's thread; `on_output` is called in the reader's thread, never twice at once.

    Once finished, `still_held` tells that some process that is left holds the output open, `still_runs` that the group
    has a process left. Its owner either awaits `finished` or calls `end`.
    """

    def __init__(
        self, argv: Sequence[str] | str, *, cwd: Path, env: Mapping[str, str], on_output: Callable[[bytes], None]
    ) -> None:
        """Raises: OSError where it cannot be started."""
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()
        self._leave = threading.Event()
        self._on_output = on_output
        self.still_held = self.still_runs = False
        self._popen = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            **_own_group(),
        )
        threading.Thread(target=self._read, name=f"placet-reader-{self._popen.pid}", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def returncode(self) -> int | None:
        """Negative for a signal, None while it runs."""
        return self._popen.returncode

    async def finished(self, timeout_s: float | None = None) -> bool:
        """Wait until the process has ended and its output is read; False where the time passed before."""
        await asyncio.wait((self._done,), timeout=timeout_s)
        return self._done.done()

    async def end(self, grace_s: float) -> None:
        """Ask the whole group to end, kill what is left of it after the grace, and wait until it is gone.

        Cancelling this kills at once.
        """
        _signal_group(self._popen, _TERM)
        try:
            until = self._loop.time() + grace_s
            # The system tells nobody when the last process of a group ends.
            while self._loop.time() < until and _group_lives(self._popen):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        finally:
            _signal_group(self._popen, _KILL)
            self._leave.set()
        await self.finished(1.0)

    def _read(self) -> None:
        try:
            try:
                self._read_output()
            except EnoughRead:
                _signal_group(self._popen, _KILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(1.0)
            self.still_runs = not self._leave.is_set() and _is_left_behind(self._popen)
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._finish)

    def _read_output(self) -> None:
        """Read until the end of output and of the process, or a grace after the process alone has ended."""
        assert self._popen.stdout is not None
        with self._popen.stdout as pipe:
            is_open, until = True, float("inf")
            while (is_open or self._popen.poll() is None) and time.monotonic() < until:
                if self._leave.is_set():
                    until = min(until, time.monotonic() + _LEAVE_S)
                elif self._popen.poll() is not None:
                    until = min(until, time.monotonic() + _GRACE_S)
                if not is_open:
                    time.sleep(_LOOK_S / 4)
                elif _is_readable(pipe.fileno(), _LOOK_S):
                    chunk = os.read(pipe.fileno(), _CHUNK)
                    is_open = bool(chunk)
                    if chunk:
                        self._on_output(chunk)
            self.still_held = is_open

    def _finish(self) -> None:
        if not self._done.done():
            self._done.set_result(None)


def _is_left_behind(popen: subprocess.Popen[bytes]) -> bool:
    """Whether the group outlives its leader. What is just ending, as in `yes | head -1`, gets a moment for it."""
    until = time.monotonic() + _LEAVE_S
    while is_left := _group_lives(popen) and _has_running_member(popen.pid):
        if time.monotonic() > until:
            break
        time.sleep(_LEAVE_S / 4)
    return is_left


def _has_running_member(group: int) -> bool:
    """Tell the living from the zombies, where the system shows them; elsewhere all count as living."""
    if not Path("/proc/self/stat").exists():
        return True
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name, which may contain anything: state, parent, group.
            state, _parent, its_group = stat.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                return True
    return False


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _TERM = _KILL = signal.SIGTERM

    def _own_group() -> dict[str, Any]:
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}

    def _signal_group(popen: subprocess.Popen[bytes], _number: int) -> None:
        if popen.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(popen.pid)], capture_output=True, check=False)

    def _group_lives(popen: subprocess.Popen[bytes]) -> bool:
        return popen.poll() is None

    def _is_readable(descriptor: int, timeout_s: float) -> bool:
        """A pipe of Windows cannot be waited for; a broken one is readable, so that reading shows its end."""
        try:
            if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]:
                return True
        except OSError:
            return True
        time.sleep(timeout_s)
        return False
else:
    import select

    _TERM, _KILL = signal.SIGTERM, signal.SIGKILL

    def _own_group() -> dict[str, Any]:
        return {"start_new_session": True}

    def _signal_group(popen: subprocess.Popen[bytes], number: int) -> None:
        # The group's number stays taken while it has a member; PermissionError: only such are left that we may not end.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(popen.pid, number)

    def _group_lives(popen: subprocess.Popen[bytes]) -> bool:
        try:
            os.killpg(popen.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _is_readable(descriptor: int, timeout_s: float) -> bool:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))
