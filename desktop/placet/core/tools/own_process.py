"""Placet's own process, closed to the programs that it starts.

A child gets an environment without our secrets, but another process of the same person may read ours, or our memory,
through `/proc` or as a debugger.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_PR_SET_DUMPABLE = 4


@cache
def close_to_others() -> None:
    """Let no other process of this person look into this one, where the system can keep it from that (Linux).

    Once for the whole life of the process. It leaves no core file from now on, and only root may debug it.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
