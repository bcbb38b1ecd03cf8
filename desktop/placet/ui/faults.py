"""Faults of the program itself: logged, and told in the window with all that is known of them (`D-12`)."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from PySide6.QtCore import QCoreApplication

from placet.core.domain.errors import PlacetError

log = logging.getLogger(__name__)


class Faults:
    """Tells each fault once: one in a painter would come back with each frame."""

    def __init__(self, show: Callable[[PlacetError], None]) -> None:
        self._show = show
        self._told: set[str] = set()
        self._before = sys.excepthook

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of what tasks and Qt's slots let through, until `end`."""
        loop.set_exception_handler(self._on_loop)
        sys.excepthook = self._on_slot

    def end(self) -> None:
        sys.excepthook = self._before

    def _on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._tell(context["message"], context.get("exception"))

    def _on_slot(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._tell("a slot failed", error)

    def _tell(self, message: str, error: BaseException | None) -> None:
        lines = traceback.format_exception(error) if error is not None else [message]
        detail = "".join(lines)
        if detail in self._told:
            return
        self._told.add(detail)
        log.error("%s", message, exc_info=error)
        tr = QCoreApplication.translate
        self._show(
            PlacetError(
                tr("Faults", "Something inside Placet went wrong."),
                hint=tr(
                    "Faults",
                    "What you did last may not have happened: look, and try it again. If it comes back, the details "
                    "say where, for a report.",
                ),
                detail=detail,
            )
        )
