"""Garbage is looked for once the program has started.

Nearly all that is made by then stays: looking through it again and again takes a tenth of the start, and later it
would be part of every full collection.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

START_S = 1.0  # the window is painted, or the first request sent


def not_yet() -> None:
    """Look for none until `later` has come to its time."""
    gc.disable()


def later(loop: asyncio.AbstractEventLoop) -> None:
    """Look for garbage from `START_S` on, among what is made after that."""
    loop.call_later(START_S, _begin)


def _begin() -> None:
    gc.freeze()
    gc.enable()
