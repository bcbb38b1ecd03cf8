"""The debug view: all rows of a session at the left, everything of the chosen one at the right (`R-12`)."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.hidden import visible
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import CallStatus, MessageStatus, Role
from placet.ui.models.session_detail import Entry, EntryKind, SessionDetailModel, facts, headline, whole
from placet.ui.models.sessions import title_of
from placet.ui.panels.changes.two_lines import TwoLineList, TwoLines, when
from placet.ui.theme.fonts import mono_font
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of, row_of

_MIDDLE = 900
_MOST_SHOWN = 300_000  # characters of one row
_NEAR_TOP = 40  # rows from the first one that read the page before it
_LETTERS = {EntryKind.CALL: "·", EntryKind.AGENT: "▾", EntryKind.AGENT_END: "▴"}
_BAD = (CallStatus.FAILED, CallStatus.REJECTED, CallStatus.CANCELLED)


class SessionDetail(QWidget):
    """Read only. Escape and the arrow go back; `explain_requested` names a call whose decision is to be explained."""

    left = Signal()
    explain_requested = Signal(int)

    def __init__(self, model: SessionDetailModel, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("sessionDetail")
        self._model, self._theme = model, theme
        self.back = IconButton("arrow-left", self.tr("Back"), theme)
        self.title = Label("", theme, "text", 14, 600)
        self.about = Label("", theme, "text-3", 12)
        self.banner = Banner(theme, closable=False)
        self.list = TwoLineList(self.tr("Rows of the session"), model, theme, self._lines)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Everything of the chosen row"))
        self.text.setReadOnly(True)
        self.text.setFont(mono_font(12))
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.viewport().setBackgroundRole(QPalette.ColorRole.Window)  # on the page, not in a field
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.explain = Button(self.tr("Why?"), theme, icon="shield", pad=10)
        self.explain.setToolTip(self.tr("Explain this decision in Settings > Permissions"))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        head = Plane(self._theme, lines="b", height=48)
        row_of(self.back, 8, self.title, 12, self.about, None, self.explain, margins=(12, 0, 16, 1), parent=head)
        self._side = Plane(self._theme, lines="r")
        side = column_of(parent=self._side, margins=(0, 0, 1, 0))
        side.addWidget(self.list, 1)
        right = Plane(self._theme)
        column = column_of(Inset(self.banner), margins=(12, 8, 12, 0), parent=right)
        column.addWidget(self.text, 1)
        body = row_of(self._side, right)
        body.setStretch(1, 1)
        column_of(head, parent=self).addLayout(body, 1)
        self._side.setFixedWidth(420)

    def _connect(self) -> None:
        self.back.clicked.connect(self.left)
        self._model.loaded.connect(self._on_loaded)
        self._model.failed.connect(self._on_failed)
        self.list.chosen.connect(self._show_row)
        self.list.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.explain.clicked.connect(self._on_explain)

    # ---- showing -------------------------------------------------------------------------------------------------

    def show_session(self, session_id: SessionId) -> None:
        self.banner.hide()
        self.title.setText("")
        self.about.setText("")
        self.text.setPlainText("")
        self.explain.hide()
        self._model.show_session(session_id)
        self.list.setFocus()

    def _on_loaded(self) -> None:
        session = self._model.session
        if session is None:
            return
        self.title.setText(title_of(session) or self.tr("New chat"))
        words = self.tr("{} rows, {} in, {} out")
        self.about.setText(
            words.format(f"{session.messages:,}", f"{session.input_tokens:,}", f"{session.output_tokens:,}")
        )
        if self._model.rowCount():
            self.list.choose(self._model.rowCount() - 1)
            self.list.scrollToBottom()
        else:
            self.text.setPlainText(self.tr("Nothing was said in this session yet."))

    def _on_failed(self, error: PlacetError) -> None:
        self.banner.show_error(error)

    def _on_scrolled(self, value: int) -> None:
        if value < _NEAR_TOP:
            self._model.load_older()

    def _show_row(self, row: int) -> None:
        entry = self._model.entries[row]
        text = whole(entry, _times(entry))
        more = len(text) - _MOST_SHOWN
        cut = self.tr("\n\n[{} more characters; an export has all of them]").format(f"{more:,}") if more > 0 else ""
        self.text.setPlainText(visible(text[:_MOST_SHOWN]) + cut)
        self.explain.setVisible(entry.kind is EntryKind.CALL)
        if row < _NEAR_TOP:
            self._model.load_older()

    def _on_explain(self) -> None:
        index = self.list.currentIndex()
        if index.isValid() and (call := self._model.entries[index.row()].call) is not None:
            self.explain_requested.emit(call.id)

    def _lines(self, entry: Entry) -> TwoLines:
        message, call = entry.message, entry.call
        role = "text-3"
        if call is not None and call.status in _BAD and entry.kind is EntryKind.CALL:
            role = "danger-text" if call.status is CallStatus.FAILED else "warn-text"
        elif message is not None and (message.unreadable or message.status is not MessageStatus.OK):
            role = "warn-text"
        letter = _LETTERS.get(entry.kind, "›" if message is not None and message.role is Role.ASSISTANT else "▪")
        at = message.created_at if message is not None else call.created_at if call is not None else 0.0
        return TwoLines(
            letter=letter,
            name="    " * entry.depth + headline(entry),
            words="    " * entry.depth + facts(entry),
            aside=when(at) if at else "",
            role=role,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._side.setFixedWidth(420 if self.width() >= _MIDDLE else max(self.width() // 2, 200))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _times(entry: Entry) -> list[str]:
    message, call = entry.message, entry.call
    if call is None:
        return [_moment(message.created_at) if message is not None else ""]
    named = (("asked for", call.created_at), ("begun", call.started_at), ("ended", call.ended_at))
    return [f"{name} {_moment(at)}" for name, at in named if at is not None]


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M:%S}"
