"""The writes of a batch as rows: state, file, counts, and the state in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from placet.ui.models.batch import BatchModel, BatchRow, BatchState
from placet.ui.panels.inbox.inbox_list import WalkedList, paint_ground
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown

ROW = 28
_MOST = 6  # rows in sight; of more, half a row shows that it goes on
_RowRole = Qt.ItemDataRole.UserRole + 1
_NO_INDEX = QModelIndex()
_ICONS = {
    BatchState.UNSEEN: ("circle", "accent-mark"),
    BatchState.PART: ("circle-dashed", "text-2"),
    BatchState.SEEN: ("eye", "text-2"),
    BatchState.CHANGED: ("refresh-cw", "accent-text"),
    BatchState.FAILED: ("octagon-alert", "danger-icon"),
    BatchState.SENDING: ("ellipsis", "text-3"),
    BatchState.APPROVED: ("check", "text-3"),
    BatchState.REJECTED: ("ban", "text-3"),
    BatchState.WITHDRAWN: ("ban", "text-3"),
}


def tr(words: str) -> str:
    return QCoreApplication.translate("BatchList", words)


def state_words(row: BatchRow) -> str:
    words = {
        BatchState.UNSEEN: tr("not looked at"),
        BatchState.PART: tr("seen in part"),
        BatchState.SEEN: tr("looked at"),
        BatchState.CHANGED: tr("changed since you looked"),
        BatchState.FAILED: tr("not answered"),
        BatchState.SENDING: tr("sending"),
        BatchState.APPROVED: tr("approved"),
        BatchState.REJECTED: tr("rejected"),
        BatchState.WITHDRAWN: tr("withdrawn"),
    }
    return words[row.state]


def step_words(row: BatchRow) -> str:
    return tr("edit {} of {}").format(row.step, row.steps) if row.steps > 1 else ""


class _Rows(QAbstractListModel):
    """The rows of a `BatchModel` for Qt's list."""

    def __init__(self, batch: BatchModel) -> None:
        super().__init__(batch)
        self._batch, self.rows = batch, tuple(batch.rows)

    def take(self) -> None:
        rows = tuple(self._batch.rows)
        if [row.request.call_id for row in rows] != [row.request.call_id for row in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows != self.rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        request = row.request
        if role == _RowRole:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            figures = tr("{} added, {} removed").format(request.added, request.removed)
            agent = tr("sub-agent {}").format(request.agent) if request.agent else ""
            parts = (
                shown(request.label or request.path),
                step_words(row),
                state_words(row),
                figures,
                agent,
                row.trouble,
            )
            return ", ".join(filter(None, parts))
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (shown(request.path), row.trouble)))
        return None


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: BatchList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(240, ROW)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row: BatchRow = index.data(_RowRole)
        theme, box = self._theme, QRectF(option.rect)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(p, option, theme, is_active=self._view.isActiveWindow(), has_keys=self._view.hasFocus())
        icon, role = _ICONS[row.state]
        theme.draw_icon(p, icon, QRectF(box.left() + 16, box.top(), 14, ROW), role, 14)
        ink = "danger-text" if row.state is BatchState.FAILED else "text-3"
        ink = "accent-text" if row.state is BatchState.CHANGED else ink
        right, y = box.right() - 16, box.top()
        text(p, right, y, ROW, state_words(row), ui_font(11), theme.color(ink), right=True)
        right -= self._view.state_width
        for words, role in ((f"−{row.request.removed}", "del-text"), (f"+{row.request.added}", "add-text")):
            quiet = theme.color(role if row.waits else "text-3")
            right -= text(p, right, y, ROW, words, ui_font(12, 500, True), quiet, right=True) + 4
        self._paint_name(p, row, box.left() + 40, y, right - 8)

    def _paint_name(self, p: QPainter, row: BatchRow, x: float, y: float, right: float) -> None:
        theme, quiet = self._theme, not row.waits
        aside = " · ".join(filter(None, (step_words(row), shown(row.request.agent))))
        path, room = shown(row.request.label or row.request.path), right - x
        beside = room - text_width(aside, ui_font(11)) - 10
        room = beside if beside > min(120.0, text_width(path, mono_font())) else room  # the name before the agent's
        whole = elided(path, mono_font(), room, Qt.TextElideMode.ElideLeft)
        folder, slash, name = whole.rpartition("/")
        x += text(p, x, y, ROW, folder + slash, mono_font(), theme.color("text-3" if quiet else "text-2"))
        x += text(p, x, y, ROW, name, mono_font(), theme.color("text-3" if quiet else "text")) + 10
        if aside and x + 24 < right:
            text(p, x, y, ROW, elided(aside, ui_font(11), right - x), ui_font(11), theme.color("text-3"))


class BatchList(WalkedList):
    """A few rows high. Where one stands is the model's."""

    def __init__(self, batch: BatchModel, theme: Theme) -> None:
        super().__init__(theme)
        self.setObjectName("batchList")
        self.setAccessibleName(self.tr("Edits that wait together"))
        self._batch, self._rows = batch, _Rows(batch)
        self.state_width = 12.0
        self.setModel(self._rows)
        self.setItemDelegate(_Delegate(theme, self))
        self.verticalScrollBar().setSingleStep(ROW)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    @property
    def rows(self) -> Sequence[BatchRow]:
        return self._rows.rows

    def show_rows(self) -> None:
        self._rows.take()
        count = len(self.rows)
        self.setFixedHeight(ROW * min(count, _MOST) + (ROW // 2 if count > _MOST else 0))
        self.state_width = 16 + max((text_width(state_words(row), ui_font(11)) for row in self.rows), default=0.0)
        at = self._batch.current
        if at < 0 or not self.selectionModel().isRowSelected(at):
            self.stand_on(at)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid() and current.row() != self._batch.current:
            self._batch.open(current.row())
