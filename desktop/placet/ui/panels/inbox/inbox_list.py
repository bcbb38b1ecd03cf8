"""The list: three painted lines an item, real keys and accessibility from Qt's own list."""

from __future__ import annotations

import time

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from placet.core.domain.review import RequestKind
from placet.ui.models.inbox import InboxModel, ItemRole
from placet.ui.models.inbox_items import InboxItem, counts, detail, icon_of, origin, what
from placet.ui.panels.sidebar.session_list import ago
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown

ROW = 68
_WALK = frozenset({
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
})  # fmt: skip
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class WalkedList(QListView):
    """Arrows walk it, Enter leaves it for what is chosen; no other key does anything here."""

    entered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER:
            event.accept()  # whether it goes in or not: what this stands in may approve on Enter
            if not event.isAutoRepeat():
                self.entered.emit()
        elif event.key() in _WALK:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def stand_on(self, row: int) -> None:
        """Choose a row without telling, and bring it into sight."""
        index = self.model().index(row, 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flags)
        if index.isValid():
            self.scrollTo(index)


def paint_ground(p: QPainter, option: QStyleOptionViewItem, theme: Theme, *, is_active: bool, has_keys: bool) -> bool:
    """The ground of a row as it is chosen or pointed at; says whether it is chosen."""
    box, state = QRectF(option.rect), option.state
    is_chosen = bool(state & QStyle.StateFlag.State_Selected)
    if is_chosen:
        p.fillRect(box, theme.color("accent-bg"))
        bar = theme.color("accent-mark" if is_active else "control")
        p.fillRect(QRectF(box.left(), box.top(), 2, box.height()), bar)
    elif state & QStyle.StateFlag.State_MouseOver:
        p.fillRect(box, theme.color("hover"))
    if has_keys and state & QStyle.StateFlag.State_HasFocus:  # inside the edge, as rows show it
        ring, line = box.adjusted(2, 1, -2, -2), theme.color("focus")
        for side in (
            QRectF(ring.left(), ring.top(), ring.width(), 2),
            QRectF(ring.left(), ring.bottom() - 2, ring.width(), 2),
            QRectF(ring.left(), ring.top(), 2, ring.height()),
            QRectF(ring.right() - 2, ring.top(), 2, ring.height()),
        ):
            p.fillRect(side, line)
    return is_chosen


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: InboxList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(240, ROW)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        item: InboxItem = index.data(ItemRole)
        theme, box, view = self._theme, QRectF(option.rect), self._view
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = paint_ground(p, option, theme, is_active=view.isActiveWindow(), has_keys=view.is_walked)
        hairline(p, box.left(), box.bottom() - 1, box.width(), theme.color("hairline"))
        theme.draw_icon(
            p, icon_of(item), QRectF(box.left() + 16, box.top() + 12, 16, 16), "accent-text" if chosen else "text-2"
        )
        left, right, top = box.left() + 42, box.right() - 16, box.top()
        age = ago(item.at, time.time())
        tail = text(p, right, top + 11, 20, age, ui_font(11, 400, True), theme.color("text-3"), right=True)
        title = elided(shown(what(item)), ui_font(13, 500), right - left - tail - 12)
        text(p, left, top + 10, 20, title, ui_font(13, 500), theme.color("text"))
        self._paint_detail(p, item, left, top + 29, right)
        words = shown(origin(item.first, with_agent=not item.is_batch))
        text(p, left, top + 46, 18, elided(words, ui_font(11), right - left), ui_font(11), theme.color("text-3"))

    def _paint_detail(self, p: QPainter, item: InboxItem, x: float, y: float, right: float) -> None:
        theme, number = self._theme, counts(item)
        font = mono_font(12) if item.first.kind in (RequestKind.COMMAND, RequestKind.OTHER) else ui_font(12)
        figures = [(f"+{number[0]}", "add-text"), (f"−{number[1]}", "del-text")] if number else []
        if any(each.stale for each in item.requests):
            figures.append((self._view.tr("changed"), "accent-text"))
        tail = ui_font(12, 500, True)
        room = right - x - sum(text_width(words, tail) + 6 for words, _ in figures)
        mode = Qt.TextElideMode.ElideRight if item.is_batch or not number else Qt.TextElideMode.ElideLeft
        x += text(p, x, y, 18, elided(shown(detail(item)), font, room, mode), font, theme.color("text-2")) + 8
        for words, role in figures:
            x += text(p, x, y, 18, words, tail, theme.color(role)) + 4


class InboxList(WalkedList):
    """The items of an `InboxModel`. Where one stands is the model's; the view keeps it at its height on the screen."""

    def __init__(self, model: InboxModel, theme: Theme) -> None:
        super().__init__(theme)
        self.setObjectName("inboxList")
        self.setAccessibleName(self.tr("Inbox"))
        self._inbox = model
        self._height_of_place = 0
        self.is_walked = False  # by keys, so that they are shown where they are
        self.setModel(model)
        self.setItemDelegate(_Delegate(theme, self))
        self.verticalScrollBar().setSingleStep(ROW // 2)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        model.modelAboutToBeReset.connect(self._remember_height)
        model.place_changed.connect(self._on_place_changed)
        self.pressed.connect(lambda _: self._walk(False))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._walk(True)
        super().keyPressEvent(event)

    def _walk(self, by_keys: bool) -> None:
        if by_keys != self.is_walked:
            self.is_walked = by_keys
            self.viewport().update()

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._inbox.open(current.row())

    def _remember_height(self) -> None:
        at = self.currentIndex()
        self._height_of_place = self.visualRect(at).top() if at.isValid() else 0

    def _on_place_changed(self) -> None:
        """After the rows were made anew, what is looked at stands where it stood."""
        row = self._inbox.row
        if row < 0 or self.selectionModel().isRowSelected(row):  # Qt may stand there already, and not show it
            return
        was_reset = not self.selectionModel().hasSelection()
        self.stand_on(row)
        if was_reset:
            self.doItemsLayout()
            self.verticalScrollBar().setValue(row * ROW - self._height_of_place)
