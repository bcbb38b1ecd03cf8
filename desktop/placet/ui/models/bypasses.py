"""What is not asked about in the session that is shown, for how long, and the way to end it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from placet.core.domain.events import Envelope, SessionChanged
from placet.core.domain.ids import SessionId
from placet.core.domain.review import Bypass, BypassScope
from placet.ui.bridge import Bridge

_tr = QCoreApplication.translate
_LONGEST_S = 3600  # a clock that was set back must not keep a timer from noticing
_CATEGORIES = {"fs_write": "any change of a file", "fs_read": "any reading of a file", "command": "any command"}


class BypassesModel(QObject):
    """Of one session. Holds no truth: the hub says what is active."""

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._session: SessionId | None = None
        self.items: Sequence[Bypass] = ()
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.timeout.connect(self.refresh)

    def show_session(self, session_id: SessionId) -> None:
        self._session = session_id
        self.refresh()

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if isinstance(envelope.event, SessionChanged) and envelope.event.session_id == self._session:
            self.refresh()

    def refresh(self) -> None:
        """Ask the hub anew."""
        if self._session is not None:
            session = self._session
            self._bridge.run(self._bridge.hub.bypasses(session), lambda found: self._take(session, found))

    def _take(self, session: SessionId, found: Sequence[Bypass]) -> None:
        if session != self._session:
            return
        ends = [bypass.until for bypass in found if bypass.until is not None]
        if ends:
            left_s = min(max(min(ends) - time.time(), 0.0), _LONGEST_S)
            self._end.start(round(left_s * 1000) + 500)
        else:
            self._end.stop()
        if tuple(found) != tuple(self.items):
            self.items = tuple(found)
            self.changed.emit()

    def ask_again(self, bypass_id: int) -> None:
        """End one: from the next call on it is asked."""
        self._bridge.run(self._bridge.hub.remove_bypass(bypass_id), lambda _: self.refresh())


def described(bypass: Bypass) -> str:
    """What it lets pass and how long, in a few words."""
    match bypass.scope:
        case BypassScope.ALL:
            what = _tr("Bypasses", "everything that no rule denies")
        case BypassScope.CATEGORY:
            what = _tr("Bypasses", _CATEGORIES.get(bypass.value, "any other tool"))
        case BypassScope.SERVER:
            what = _tr("Bypasses", "any tool of {}").format(bypass.value)
        case BypassScope.TOOL:
            what = bypass.value
        case BypassScope.COMMAND:
            first = bypass.value.split("\n")[0]
            what = first if len(first) <= 32 else f"{first[:31]}…"
    if bypass.until is None:
        return _tr("Bypasses", "{}, this session").format(what)
    return _tr("Bypasses", "{} until {}").format(what, time.strftime("%H:%M", time.localtime(bypass.until)))
