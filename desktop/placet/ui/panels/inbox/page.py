"""The page: all that waits at the left, the chosen item in a review pane at the right (`R-10`, `R-17`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLayout, QWidget

from placet.core.domain.events import Envelope
from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.inbox import InboxModel
from placet.ui.models.inbox_items import Shown
from placet.ui.panels.inbox.inbox_list import InboxList
from placet.ui.panels.inbox.late_batch import LateBatch
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.guard import HOLD_MS
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import Plane, column_of, row_of

_BESIDE = 760  # px; narrower, the list or the pane
_LIST = 404
_NARROWEST = 360
_MINUTE_MS = 60_000
QWIDGETSIZE_MAX = 16_777_215  # as Qt calls it, which PySide does not


class InboxPage(QWidget):
    """By keys: arrows walk the list, Enter goes to the pane, whose keys decide, Escape goes back, and then leaves."""

    session_requested = Signal(object)  # a PendingRequest: its chat is wanted, at its row
    sidebar_requested = Signal()
    left = Signal()

    def __init__(
        self,
        model: InboxModel,
        hub: HubApi,
        scope: TaskScope,
        theme: Theme,
        *,
        now_ms: Callable[[], int] | None = None,
        hold_ms: int = HOLD_MS,
    ) -> None:
        super().__init__()
        self.setObjectName("inboxPage")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._model, self._hub, self._scope, self._theme = model, hub, scope, theme
        self._now_ms, self._hold_ms = now_ms, hold_ms
        self._made: tuple[ReviewPane, LateBatch] | None = None
        self._shows_pane = False  # where there is no room for both
        self.list = InboxList(model, theme)
        self.menu = IconButton("panel-left-open", self.tr("Show the sidebar"), theme)
        self.menu.hide()
        self.count = Label("", theme, "text-2", 12)
        self.kinds = Button(
            self._kind_words(Shown.ALL), theme, kind="ghost", tail="chevron-down", px=12, pad=8, weight=400
        )
        self.open_chat = Button(self.tr("Open chat"), theme, kind="ghost", icon="message-square", pad=8, weight=400)
        self.back = IconButton("arrow-left", self.tr("Back to the list, Escape"), theme)
        self._empty, self._side = self._empty_page(), Plane(theme)
        self._lay_out()
        self._minute = QTimer(self)  # ages change
        self._minute.setInterval(_MINUTE_MS)
        self._minute.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._connect()
        self._show()

    # ---- building ------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        head = Plane(self._theme, lines="b", height=48)
        title = Label(self.tr("Inbox"), self._theme, "text", 14, 600)
        self._head = row_of(self.menu, title, 8, self.count, None, self.kinds, margins=(16, 0, 8, 1), parent=head)
        column = column_of(head, self._empty, parent=self._side)
        column.addWidget(self.list, 1)
        self._row = row_of(self._side, parent=self)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # it may become narrower than both

    def _empty_page(self) -> QWidget:
        page = QWidget()
        title = Label(self.tr("Nothing waits for you"), self._theme, "text", 14, 600)
        words = self.tr(
            "What needs your approval or your answer is listed here, from every chat and every task. "
            "It stays until you decide, also after a restart."
        )
        sentence = Label(words, self._theme, "text-2", 13)
        sentence.setWordWrap(True)
        sentence.setMaximumWidth(560)
        column_of(title, 6, sentence, None, margins=(16, 24, 16, 16), parent=page)
        return page

    def _connect(self) -> None:
        self._model.listed.connect(self._show)
        self._model.place_changed.connect(self._show)
        self._minute.timeout.connect(self.list.viewport().update)
        self.list.entered.connect(self.enter)
        self.list.clicked.connect(lambda _: self._show_pane(True))
        self.kinds.clicked.connect(self._open_kinds)
        self.open_chat.clicked.connect(self._open_chat)
        self.back.clicked.connect(self.to_list)
        self.menu.clicked.connect(self.sidebar_requested)

    # ---- the pane ------------------------------------------------------------------------------------------------

    @property
    def pane(self) -> ReviewPane:
        """Made a moment after the page first showed: the list does not wait for it."""
        return self._complete()[0]

    @property
    def batch(self) -> LateBatch:
        return self._complete()[1]

    def _complete(self) -> tuple[ReviewPane, LateBatch]:
        if self._made is None:
            review = self._model.review
            pane = ReviewPane(review, self._theme, now_ms=self._now_ms, parent=self)
            pane.hide()
            batch = LateBatch(
                pane, review, self._hub, self._scope, self._theme, now_ms=self._now_ms, hold_ms=self._hold_ms
            )
            pane.head.add_action(self.open_chat)
            pane.head.put_first(self.back)
            self._row.addWidget(pane, 1)
            self._made = pane, batch
            self._arrange()
        return self._made

    def keep(self) -> None:
        """The window closes: what was written or looked at a moment ago is there next time, too."""
        if self._made is not None:
            self._made[0].keep()

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus: what became of the writes of a batch."""
        if self._made is not None:
            self._made[1].handle(envelope)

    # ---- showing -------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        model = self._model
        total, listed = model.total, model.rowCount()
        words = self.tr("{} waiting") if listed == total else self.tr("{} of {} waiting")
        self.count.setText(words.format(*((total,) if listed == total else (listed, total))) if total else "")
        self.kinds.setVisible(total > 0)
        self.kinds.setText(self._kind_words(model.shown))
        self.kinds.updateGeometry()
        self.list.setVisible(listed > 0)
        self._empty.setVisible(listed == 0)
        if listed == 0:
            had_focus = self._is_in_pane()
            self._shows_pane = False
            if had_focus:
                self.setFocus()
        self._arrange()
        if listed and self.hasFocus():
            self.list.setFocus()

    def _arrange(self) -> None:
        """List and pane side by side; one of them where there is no room; the words alone where nothing waits."""
        has_items, beside = self._model.rowCount() > 0, self.width() >= _BESIDE
        shows_pane = self._made is not None and has_items and (beside or self._shows_pane)
        shows_side = beside or not shows_pane
        width = min(_LIST, max(300, self.width() - 460))
        self._side.setMinimumWidth(width if shows_pane and beside else 0)
        self._side.setMaximumWidth(width if shows_pane and beside else QWIDGETSIZE_MAX)
        self._side.setVisible(shows_side)
        if self._made is not None:
            self._made[0].setVisible(shows_pane)
            self.back.setVisible(not beside)

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, 320)

    def show_narrow(self, narrow: bool) -> None:
        """Whether the sidebar is folded away and needs a button here."""
        self.menu.setVisible(narrow)
        self._head.setContentsMargins(10 if narrow else 16, 0, 8, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _kind_words(self, shown: Shown) -> str:
        return {
            Shown.ALL: self.tr("All kinds"),
            Shown.WRITES: self.tr("Edits"),
            Shown.COMMANDS: self.tr("Commands"),
            Shown.QUESTIONS: self.tr("Questions"),
            Shown.OTHERS: self.tr("Other calls"),
        }[shown]

    def _open_kinds(self) -> None:
        menu = Menu(self._theme, self)
        for shown in Shown:
            act = lambda shown=shown: self._model.show_only(shown)  # noqa: E731
            menu.add(self._kind_words(shown), act, checked=shown is self._model.shown)
        menu.open_below(self.kinds)

    # ---- going ---------------------------------------------------------------------------------------------------

    def show_request(self, request_id: RequestId) -> None:
        """Look at this one; a person asked for it."""
        self._model.show_request(request_id)
        self._show_pane(True)

    def to_list(self) -> None:
        """Where the arrows walk from item to item."""
        self._show_pane(False)
        (self.list if self.list.isVisible() else self).setFocus()

    def enter(self) -> None:
        """Into the pane: to the list of a batch, else to what is shown."""
        if self._model.rowCount():
            self._show_pane(True)
            self.pane.setFocus()

    def _show_pane(self, shown: bool) -> None:
        if shown != self._shows_pane:
            self._shows_pane = shown
            self._arrange()

    def _open_chat(self) -> None:
        request: PendingRequest | None = self._model.review.current
        if request is not None:
            self.session_requested.emit(request)

    def _is_in_pane(self) -> bool:
        pane, focused = self._made[0] if self._made is not None else None, QApplication.focusWidget()
        return pane is not None and focused is not None and (focused is pane or pane.isAncestorOf(focused))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that no part of the page took."""
        if event.key() == Qt.Key.Key_Escape:
            if self._is_in_pane():
                self.to_list()
            else:
                self.left.emit()
        elif event.key() == Qt.Key.Key_O and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._open_chat()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._minute.start()
        self._model.begin()
        if self._made is None:
            QTimer.singleShot(0, self, self._complete)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._minute.stop()
        self._model.end()
