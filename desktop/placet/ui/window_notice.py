"""Notices over the page: what went wrong, until it is dismissed (`D-12`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from placet.core.domain.errors import PlacetError
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce
from placet.ui.widgets.banner import Banner

_WIDEST, _TOP = 640, 56


class Notices(QObject):
    """Keeps one banner in the middle under the heads of `ground`. A newer notice replaces the older one."""

    def __init__(self, ground: QWidget, theme: Theme) -> None:
        super().__init__(ground)
        self._ground = ground
        self.banner = Banner(theme)
        self.banner.setParent(ground)
        self.banner.details.clicked.connect(self._place)
        self._offered: Callable[[], object] | None = None
        self._until = QTimer(self, singleShot=True)
        self._until.timeout.connect(self._end_offer)
        self.banner.offered.connect(self._take_offer)
        ground.installEventFilter(self)

    def show_error(self, error: PlacetError) -> None:
        self.banner.show_error(error)
        self._tell()

    def show_words(self, level: str, title: str, sentence: str) -> None:
        self.banner.show_words(level, title, sentence)
        self._tell()

    def show_offer(self, title: str, label: str, act: Callable[[], object], *, seconds: float) -> None:
        """Tell what was done, and for so long offer to do something about it."""
        self._offered = act
        self.banner.show_offer(title, label)
        self._until.start(round(seconds * 1000))
        self._tell()

    def _take_offer(self) -> None:
        act, self._offered = self._offered, None
        if act is not None:
            act()

    def _end_offer(self) -> None:
        if self._offered is not None and self.banner.offer.isVisible():
            self.banner.dismiss()
        self._offered = None

    def _tell(self) -> None:
        self._place()
        announce(self.banner, self.banner.accessibleName())  # it takes no focus, so nobody else says it

    def _place(self) -> None:
        whole = self._ground.width()
        width = min(_WIDEST, whole - 48)
        self.banner.fit(width)
        self.banner.move((whole - width) // 2, _TOP)
        self.banner.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.banner.isVisible():
            self._place()
        return False
