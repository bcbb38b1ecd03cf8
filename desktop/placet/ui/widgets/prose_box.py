"""Markdown as a widget: painted as in a transcript, for the few places that show a text outside of one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.links import LinkKind, read_link
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle


class ProseBox(QWidget):
    """As high as its text is at its width. Nothing is fetched and nothing opened here (`D-10`)."""

    link_activated = Signal(str)  # http, https and mailto
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._source = ""
        self._flow: Prose | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._lay_out)

    def show_source(self, source: str) -> None:
        if source != self._source:
            self._source = source
            self._lay_out()

    @property
    def plain(self) -> str:
        return self._flow.plain if self._flow is not None else ""

    def sizeHint(self) -> QSize:
        return QSize(240, self.height())

    def _lay_out(self) -> None:
        self._flow = Prose(self._theme, self._source, max(80, self.width()), style=TextStyle(px=13))
        self.setAccessibleName(self._flow.plain)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(1, round(self._flow.height)) if self._flow is not None and self._source else 1)
        self.update()
        self.resized.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._flow is not None and event.size().width() != event.oldSize().width():
            self._flow.set_width(max(80, self.width()))
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._flow is not None:
            p = QPainter(self)
            p.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._flow.draw(p, QPointF(0, 0), self._theme, (), QRectF(event.rect()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        link = self._flow.link_at(event.position()) if self._flow is not None else None
        if link is not None and read_link(link).kind is LinkKind.WEB:
            self.link_activated.emit(read_link(link).target)


class ProseArea(QScrollArea):
    """A `ProseBox` that scrolls when it is higher than `highest`; the keys scroll it, so that all can be read."""

    def __init__(self, theme: Theme, highest: int = 0) -> None:
        super().__init__()
        self._highest = highest
        self.box = ProseBox(theme)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.box.setAutoFillBackground(False)
        self.setWidget(self.box)
        self.box.setAutoFillBackground(False)  # the scroll area has set it
        self.box.resized.connect(self._fit)
        self._fit()

    def show_source(self, source: str) -> None:
        self.box.show_source(source)
        self.setAccessibleName(self.box.plain)
        self.verticalScrollBar().setValue(0)

    def _fit(self) -> None:
        """A text that is seen whole is no stop of the Tab key."""
        if self._highest:
            self.setFixedHeight(min(self.box.height(), self._highest))
        fits = bool(self._highest) and self.box.height() <= self._highest
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if fits else Qt.FocusPolicy.TabFocus)
