"""Who owns a running session: a process id together with the moment that process began.

The moment tells a process from a later one that got the same number.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

_QUERY_LIMITED_INFORMATION, _STILL_ACTIVE = 0x1000, 259  # of the Windows API


@functools.cache
def own_start() -> str:
    """When this process began, in the form `start_of` gives."""
    return start_of(os.getpid())


def is_alive(pid: int | None, started: str) -> bool:
    """Whether the process that wrote down `pid` and `started` still runs."""
    if pid is None:
        return False
    if pid == os.getpid():
        return started == own_start()
    return bool(started) and started == start_of(pid)


if sys.platform == "linux":

    def start_of(pid: int) -> str:
        """A text that names the moment the process began, empty if there is none. Comparable for equality only."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return ""
        # The name in parentheses may hold anything; the fields behind it are numbered from 3.
        fields = stat.rpartition(")")[2].split()
        if fields[0] in "ZX":  # ended, only not yet collected by its parent
            return ""
        return f"{_boot()}:{fields[19]}"

    @functools.cache
    def _boot() -> str:
        try:
            return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return ""

elif sys.platform == "win32":
    import ctypes

    def start_of(pid: int) -> str:
        """A text that names the moment the process began, empty if there is none. Comparable for equality only."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(_QUERY_LIMITED_INFORMATION, False, pid))
        if not handle:
            return ""
        try:
            code = ctypes.c_ulong()
            times = [ctypes.c_ulonglong() for _ in ("created", "ended", "in the kernel", "in the program")]
            kernel.GetExitCodeProcess(handle, ctypes.byref(code))
            kernel.GetProcessTimes(handle, *map(ctypes.byref, times))
            return str(times[0].value) if code.value == _STILL_ACTIVE else ""
        finally:
            kernel.CloseHandle(handle)

else:
    import subprocess

    def start_of(pid: int) -> str:
        """A text that names the moment the process began, empty if there is none. Comparable for equality only."""
        listing = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return listing.stdout.strip()
