"""Recent sessions: one painted row each, with what it waits for or how old it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

from PySide6.QtCore import (
    QCoreApplication,
    QDate,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Session
from placet.ui.models.sessions import ROW_ROLE, Keep, SessionsModel, title_of
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, focus_ring, rounded, spinner, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.viewport import own_viewport

ROW = 28


def ago(then: float, now: float) -> str:
    """A short age: now, 5 min, 2 h, 3 d, then the date in the person's own words."""
    seconds = max(0.0, now - then)
    if seconds < 90:
        return QCoreApplication.translate("ago", "now")
    units = (
        (3600, 60, QCoreApplication.translate("ago", "{} min")),
        (86_400, 3600, QCoreApplication.translate("ago", "{} h")),
        (14 * 86_400, 86_400, QCoreApplication.translate("ago", "{} d")),
    )
    for limit, size, words in units:
        if seconds < limit:
            return words.format(int(seconds // size))
    day, today = date.fromtimestamp(then), date.fromtimestamp(now)
    return QLocale().toString(QDate(day.year, day.month, day.day), "d MMM" if day.year == today.year else "MMM yyyy")


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: SessionList, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._theme = view, theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        session: Session = index.data(ROW_ROLE)
        theme, box = self._theme, QRectF(option.rect)
        row = box.adjusted(8, 0, -8, 0)
        is_under, has_focus = self._pointed_at(option)
        is_here = session.id == self._view.shown
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_here:
            rounded(painter, row, 6, theme.color("selected-sidebar"))
        elif is_under:
            rounded(painter, row, 6, theme.color("hover-sidebar"))
        if has_focus and self._view.is_keyboard_used:
            focus_ring(painter, row.adjusted(3, 3, -3, -3), 3, theme)
        right = row.right() - 8
        tail_width = self._draw_tail(painter, session, right, box)
        font = ui_font(13, 500 if is_here else 400)
        title = title_of(session) or self.tr("New chat")
        shown = elided(title, font, right - tail_width - 10 - (row.left() + 8))
        text(painter, row.left() + 8, box.top(), ROW + 1, shown, font, theme.color("text" if is_here else "text-2"))
        painter.restore()

    def _pointed_at(self, option: QStyleOptionViewItem) -> tuple[bool, bool]:
        """Whether the mouse is over the row, and whether the row has the keyboard."""
        if not (self._view.underMouse() or self._view.hasFocus()):
            return False, False
        from PySide6.QtWidgets import QStyle  # large; the first paint does without

        state: QStyle.StateFlag = option.state
        return bool(state & QStyle.StateFlag.State_MouseOver), bool(state & QStyle.StateFlag.State_HasFocus)

    def _draw_tail(self, p: QPainter, session: Session, right: float, box: QRectF) -> float:
        """Waiting beats running beats age. Returns the width used."""
        theme = self._theme
        if session.pinned and not session.waiting:
            theme.draw_icon(p, "pin", QRectF(right - 12, box.top(), 12, ROW + 1), "text-3", 12)
            return 16
        if session.waiting:
            rounded(p, QRectF(right - 10, box.top() + 11, 7, 7), 3.5, theme.color("accent-mark"))
            return 12
        if self._view.sessions.is_running(session):
            spinner(p, QRectF(right - 14, box.top(), 16, 29), theme, 0.0)
            return 16
        age = ago(session.last_activity, time.time())
        text(p, right, box.top(), ROW + 1, age, ui_font(11, tabular=True), theme.color("text-3"), right=True)
        return text_width(age, ui_font(11, tabular=True))


class SessionList(QListView):
    """The list. `opened` when a row is clicked or Enter is pressed on it."""

    opened = Signal(object)  # a SessionId
    rename_requested = Signal(object)  # a Session
    keep_requested = Signal(object, object)  # a Session and a Keep

    def __init__(self, model: SessionsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessionList")
        self.setAccessibleName(self.tr("Recent sessions"))
        self.sessions, self._theme = model, theme
        self.shown: SessionId | None = None
        self.is_keyboard_used = False
        self.setModel(model)
        self.setItemDelegate(_Delegate(self, theme))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(ROW)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        own_viewport(self).setAutoFillBackground(False)
        self.clicked.connect(self._open)
        self.activated.connect(self._open)
        self.customContextMenuRequested.connect(self._open_menu)
        self._minute = QTimer(self)  # ages change; the one timer of an idle window (`D-2`)
        self._minute.setInterval(60_000)
        self._minute.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._minute.timeout.connect(self.viewport().update)
        theme.changed.connect(self.viewport().update)

    def show_current(self, session_id: SessionId) -> None:
        self.shown = session_id
        row = self.sessions.row_of(session_id)
        if row >= 0:
            self.setCurrentIndex(self.sessions.index(row))
        self.viewport().update()

    def _open(self, index: QModelIndex) -> None:
        session: Session = index.data(ROW_ROLE)
        self.opened.emit(session.id)

    def _open_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if not index.isValid():
            return
        session: Session = index.data(ROW_ROLE)
        menu = Menu(self._theme, self)
        menu.add(self.tr("Open"), lambda: self.opened.emit(session.id))
        menu.add(self.tr("Rename…"), lambda: self.rename_requested.emit(session))
        menu.addSeparator()
        keep = self._keeper(session)
        menu.add(
            self.tr("Unpin") if session.pinned else self.tr("Pin"), keep(Keep.UNPIN if session.pinned else Keep.PIN)
        )
        menu.add(self.tr("Fork"), keep(Keep.FORK))
        menu.add(self.tr("Export…"), keep(Keep.EXPORT))
        menu.add(self.tr("Put away"), keep(Keep.PUT_AWAY))
        menu.add(self.tr("Debug view"), keep(Keep.INSPECT))
        menu.addSeparator()
        menu.add(self.tr("Delete"), keep(Keep.DELETE), tail=self.tr("Del"))
        menu.popup(self.viewport().mapToGlobal(at))

    def _keeper(self, session: Session) -> Callable[[Keep], Callable[[], None]]:
        return lambda what: lambda: self.keep_requested.emit(session, what)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.is_keyboard_used = True
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Delete and index.isValid() and not event.isAutoRepeat():
            self.keep_requested.emit(index.data(ROW_ROLE), Keep.DELETE)
        elif event.key() == Qt.Key.Key_Menu and index.isValid():
            self._open_menu(self.visualRect(index).center())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.is_keyboard_used = False
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._minute.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._minute.stop()
