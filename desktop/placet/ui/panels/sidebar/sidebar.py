"""Places and recent sessions. Knows no hub: it tells where a person wants to go."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from placet.core.domain.ids import SessionId
from placet.ui.models.sessions import SessionsModel
from placet.ui.panels.sidebar.session_list import SessionList
from placet.ui.theme.measures import SIDEBAR_WIDTH
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import IconButton, Label
from placet.ui.widgets.plane import Plane, column_of, row_of
from placet.ui.widgets.rows import PlaceRow


class Sidebar(Plane):
    """`went` names a place: chat, search, inbox, changes, settings."""

    went = Signal(str)
    new_chat_requested = Signal()
    home_requested = Signal()
    session_opened = Signal(object)
    rename_requested = Signal(object)

    def __init__(self, model: SessionsModel, theme: Theme) -> None:
        super().__init__(theme, "r", "sidebar")
        self.setFixedWidth(SIDEBAR_WIDTH)
        self.setAccessibleName(self.tr("Places"))
        self._model = model
        self.new_chat = PlaceRow(self.tr("New chat"), "square-pen", theme)
        self.home = PlaceRow(self.tr("Home"), "house", theme)
        self.search = IconButton("search", self.tr("Search everything"), theme, icon_size=14, size=24)
        self.sessions = SessionList(model, theme)
        self._places = {
            "inbox": PlaceRow(self.tr("Inbox"), "inbox", theme),
            "changes": PlaceRow(self.tr("Changes"), "file-diff", theme),
            "settings": PlaceRow(self.tr("Settings"), "settings", theme),
        }
        self._recent = self._make_recent(theme)
        head = row_of(Label(self.tr("Recent"), theme, "text-3", 11, 500), None, self.search, margins=(16, 0, 12, 0))
        top = column_of(self.new_chat, 2, self.home, margins=(8, 10, 9, 0))
        bottom = Plane(theme, "t", "sidebar")
        column_of(*self._places.values(), margins=(8, 8, 8, 8), parent=bottom)
        body = column_of(top, 8, head, 2, self._recent, row_of(bottom, margins=(0, 0, 1, 0)), parent=self)
        body.setStretchFactor(self._recent, 1)
        self._connect()
        self._on_rows_changed()

    @property
    def places(self) -> Sequence[tuple[str, str, str]]:
        """The places at the bottom as (name, words, icon)."""
        return [(name, row.text(), row.icon_name) for name, row in self._places.items()]

    def show_keys(self, spoken_of: Callable[[str], str]) -> None:
        """Name the keys of what can be gone to from here."""
        self.new_chat.show_hint(spoken_of("chat.new"))
        name, keys = self.search.accessibleName(), spoken_of("search")
        self.search.setToolTip(f"{name} ({keys})" if keys else name)
        for place, row in self._places.items():
            row.setToolTip(spoken_of(f"go.{place}"))

    def _make_recent(self, theme: Theme) -> QWidget:
        recent = QWidget()
        self._stack = QStackedLayout(recent)
        empty = QWidget()
        words = Label(self.tr("Chats appear here once you have sent a first message."), theme, "text-3", 12)
        words.setWordWrap(True)
        column_of(4, words, None, margins=(16, 0, 24, 0), parent=empty)
        listed = QWidget()
        row_of(self.sessions, margins=(0, 0, 1, 0), parent=listed)
        self._stack.addWidget(empty)
        self._stack.addWidget(listed)
        return recent

    def _connect(self) -> None:
        self.new_chat.clicked.connect(self.new_chat_requested)
        self.home.clicked.connect(self.home_requested)
        self.search.clicked.connect(lambda: self.went.emit("search"))
        self.sessions.opened.connect(self.session_opened)
        self.sessions.rename_requested.connect(self.rename_requested)
        for name, row in self._places.items():
            row.setCheckable(True)
            row.clicked.connect(lambda _=False, name=name: self.went.emit(name))
        self._model.modelReset.connect(self._on_rows_changed)

    def _on_rows_changed(self) -> None:
        self._stack.setCurrentIndex(1 if self._model.rowCount() else 0)
        if self.sessions.shown is not None:
            self.sessions.show_current(self.sessions.shown)

    def show_waiting(self, count: int) -> None:
        """How many things wait in the Inbox."""
        self._places["inbox"].show_badge(count)

    def show_place(self, name: str, session_id: SessionId | None) -> None:
        """Mark where the window is; in the chat that is the session shown."""
        for place, row in self._places.items():
            row.setChecked(place == name)
        self.sessions.show_current(session_id if name == "chat" and session_id is not None else SessionId(""))
