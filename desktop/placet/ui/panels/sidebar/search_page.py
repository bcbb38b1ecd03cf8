"""Search over everything that was ever said or done: the field is the page."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from placet.core.domain.messages import SearchHit
from placet.ui.models.search_snippets import readable
from placet.ui.models.sessions import ROW_ROLE, FoundSession, SearchModel
from placet.ui.panels.sidebar.session_list import ago
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.plane import Plane, centred, column_of, row_of

_HEAD, _HIT, _WIDEST = 44, 24, 948
_ICONS = {"user": "user", "assistant": "message-square", "thinking": "message-square", "tool": "square-terminal"}


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListView, theme: Theme) -> None:
        super().__init__(view)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, _HEAD if isinstance(index.data(ROW_ROLE), FoundSession) else _HIT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, FoundSession):
            self._draw_head(painter, row, box, index.row() == 0)
        else:
            under = state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected)
            self._draw_hit(painter, row, box, bool(under), bool(state & QStyle.StateFlag.State_Selected))
        painter.restore()

    def _draw_head(self, p: QPainter, row: FoundSession, box: QRectF, is_first: bool) -> None:
        theme = self._theme
        if not is_first:
            hairline(p, box.left(), box.top() + 8, box.width(), theme.color("hairline"))
        age = ago(row.created_at, time.time())
        top, font = box.top() + 18, ui_font(14, 600)
        right = box.right() - 8
        text(p, right, top, 22, age, ui_font(12, tabular=True), theme.color("text-2"), right=True)
        title = elided(row.title, font, box.width() - text_width(age, ui_font(12, tabular=True)) - 40)
        text(p, box.left() + 8, top, 22, title, font, theme.color("text"))

    def _draw_hit(self, p: QPainter, hit: SearchHit, box: QRectF, is_lit: bool, is_chosen: bool) -> None:
        theme = self._theme
        if is_lit:
            rounded(p, box, 4, theme.color("accent-bg" if is_chosen else "hover"))
        theme.draw_icon(
            p, _ICONS.get(hit.kind, "message-square"), QRectF(box.left() + 8, box.top(), 14, _HIT), "text-2", 14
        )
        when = ago(hit.created_at, time.time())
        right = box.right() - 8
        text(p, right, box.top(), _HIT, when, ui_font(11, tabular=True), theme.color("text-3"), right=True)
        right -= text_width(when, ui_font(11, tabular=True)) + 16
        font = mono_font(12) if hit.kind == "tool" else ui_font(13)
        if hit.kind == "tool":
            snippet, marks = _around_match(hit.snippet.replace("\n", " "), hit.marks)
        else:
            snippet, marks = _around_match(*readable(hit.snippet, hit.marks))
        x = box.left() + 30
        p.setClipRect(QRectF(x, box.top(), right - x, _HIT))
        for start, end in marks:
            left = x + text_width(snippet[:start], font)
            width = text_width(snippet[start:end], font)
            rounded(p, QRectF(left - 1, box.top() + 3, width + 2, _HIT - 6), 2, theme.color("match"))
        text(p, x, box.top(), _HIT, elided(snippet, font, right - x), font, theme.color("text"))


def _around_match(snippet: str, marks: tuple[tuple[int, int], ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut a long beginning, so that the first match can be seen in one line."""
    if not marks or marks[0][0] <= 60:
        return snippet, marks
    cut = marks[0][0] - 40
    return "…" + snippet[cut:], tuple((start - cut + 1, end - cut + 1) for start, end in marks)


class SearchPage(Plane):
    """`opened` gives a session and what was searched for."""

    opened = Signal(object, str)
    left = Signal()

    def __init__(self, model: SearchModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model
        self.field = SearchField(self.tr("Search everything"), self.tr("Search all chats"), theme, large=True)
        self.field.setObjectName("sessionSearch")
        self.count = Label("", theme, "text-2", 12)
        self.list = QListView()
        self.list.setObjectName("searchResults")
        self.list.setAccessibleName(self.tr("Matches"))
        self.list.setModel(model)
        self.list.setItemDelegate(_Delegate(self.list, theme))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.viewport().setAutoFillBackground(False)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.hint = Label(
            self.tr("Words, a part of a word, or a piece of code. Matches show their chat."), theme, "text-3", 12
        )
        body = column_of(self.field, 8, row_of(8, self.hint, self.count, None), 4, self.list)
        body.setStretchFactor(self.list, 1)
        column = QWidget()
        column.setLayout(body)
        row_of(centred(column, _WIDEST, margins=(24, 15, 24, 0)), parent=self)
        self._connect(theme)
        self._on_finished(0)

    def _connect(self, theme: Theme) -> None:
        self.field.textChanged.connect(self._model.search)
        self.field.escaped.connect(self.left)
        self.field.returnPressed.connect(self._open_first)
        self._model.finished.connect(self._on_finished)
        self.list.clicked.connect(self._open)
        self.list.activated.connect(self._open)
        theme.changed.connect(self.list.viewport().update)

    def begin(self) -> None:
        """Ready to type, what was searched last selected."""
        self.field.setFocus()
        self.field.selectAll()

    def _on_finished(self, total: int) -> None:
        searched = bool(self.field.text().strip())
        self.hint.setVisible(not searched)
        self.count.setVisible(searched)
        if total:
            sessions = self._model.session_count()
            matches = self.tr("1 match") if total == 1 else self.tr("{} matches").format(f"{total:,}")
            chats = self.tr("in 1 chat") if sessions == 1 else self.tr("in {} chats").format(sessions)
            self.count.setText(f"{matches} {chats}")
        else:
            self.count.setText(self.tr("Nothing found. Fewer or shorter words find more."))

    def _open_first(self) -> None:
        if self._model.rowCount():
            self._open(self._model.index(0))

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self._model.session_of(index), self.field.text().strip())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Down and self.field.hasFocus():
            self.list.setFocus()
        else:
            super().keyPressEvent(event)
