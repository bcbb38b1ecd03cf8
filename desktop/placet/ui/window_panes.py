"""Sidebar, page and review side by side, and what folds away when there is less room."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from placet.ui.panels.sidebar.sidebar import Sidebar
from placet.ui.theme.measures import SIDEBAR_FOLDS
from placet.ui.theme.theme import Theme

REVIEW_REPLACES = 1120  # px of the panes; below it an open review stands in the page's place
_REVIEW_WIDTH = 528


class _Handle(QSplitterHandle):
    """One pixel that can be dragged; the review pane draws the line beside it."""

    def __init__(self, splitter: _Splitter) -> None:
        super().__init__(Qt.Orientation.Horizontal, splitter)
        self._theme = splitter.theme

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("bg"))


class _Splitter(QSplitter):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = theme
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self)


class _Shade(QWidget):
    """Lies over the page while the sidebar does; a press anywhere on it puts the sidebar away."""

    pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


class Panes(QWidget):
    """Owns no content. Geometry follows the window's width; nothing is lost by narrowing and widening again."""

    narrow_changed = Signal(bool)
    review_changed = Signal(bool)

    def __init__(self, sidebar: Sidebar, page: QWidget, review: QWidget, theme: Theme) -> None:
        super().__init__()
        self.sidebar, self.page, self.review = sidebar, page, review
        self._splitter = _Splitter(theme, self)
        self._splitter.addWidget(page)
        self._splitter.addWidget(review)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 0)
        page.setMinimumWidth(340)
        review.setMinimumWidth(360)
        review.hide()
        self._shade = _Shade(self)
        self._shade.hide()
        self._shade.pressed.connect(self.fold_sidebar)
        sidebar.setParent(self)
        self._wants_review = False
        self._is_wide = False  # a person wants the review over the page
        self._wants_sidebar = True
        self._has_sized_review = False
        self.is_narrow = False

    # ---- sidebar -------------------------------------------------------------------------------------------------

    def toggle_sidebar(self) -> None:
        """Wide: keep it away or bring it back. Narrow: over the page or away."""
        if self.is_narrow:
            self._show_over(not self.sidebar.isVisible())
        else:
            self._wants_sidebar = not self._wants_sidebar
            self._arrange()

    def fold_sidebar(self) -> None:
        """Put it away if it lies over the page."""
        if self.is_narrow:
            self._show_over(False)

    def _show_over(self, shown: bool) -> None:
        self._shade.setVisible(shown)
        self.sidebar.setVisible(shown)
        if shown:
            self._shade.setGeometry(self.rect())
            self._shade.raise_()
            self.sidebar.raise_()
            self.sidebar.new_chat.setFocus()

    # ---- review --------------------------------------------------------------------------------------------------

    @property
    def is_review_open(self) -> bool:
        return self._wants_review

    @property
    def has_room_for_review(self) -> bool:
        """Whether the pane can stand beside the page."""
        return self.width() >= REVIEW_REPLACES

    def show_review(self, shown: bool) -> None:
        """Open or close the pane. Never moves the keyboard focus into it."""
        if shown != self._wants_review:
            self._wants_review = shown
            self._is_wide = False
            self._arrange()
            self.review_changed.emit(shown)

    @property
    def is_review_wide(self) -> bool:
        return self._is_wide

    def widen_review(self, wide: bool) -> None:
        """Let an open review stand in the page's place though there is room beside it, or put it back."""
        self._is_wide = wide and self._wants_review
        self._arrange()

    def save_state(self) -> QByteArray:
        return self._splitter.saveState()

    def restore_state(self, state: QByteArray) -> None:
        self._has_sized_review = self._splitter.restoreState(state)
        self._arrange()

    # ---- geometry ------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        width, height = self.width(), self.height()
        narrow = width < SIDEBAR_FOLDS
        if narrow != self.is_narrow:
            self.is_narrow = narrow
            self._shade.hide()
            self.sidebar.hide()
        beside = self._wants_sidebar and not narrow
        if not narrow:
            self.sidebar.setVisible(beside)
        self.narrow_changed.emit(not beside)
        self.sidebar.setGeometry(0, 0, self.sidebar.width(), height)
        self._shade.setGeometry(self.rect())
        left = self.sidebar.width() if beside else 0
        self._splitter.setGeometry(left, 0, width - left, height)
        replaces = self._is_wide or not self.has_room_for_review
        was_hidden = self.review.isHidden()
        self.page.setVisible(not (self._wants_review and replaces))
        self.review.setVisible(self._wants_review)
        if self._wants_review and not replaces and (was_hidden or not self._has_sized_review):
            room = width - left
            wanted = self.review.width() if self._has_sized_review else _REVIEW_WIDTH
            wanted = min(max(wanted, 360), room - 360)
            self._splitter.setSizes([room - wanted - 1, wanted])
            self._has_sized_review = True
