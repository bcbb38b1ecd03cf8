"""The 48 px head of the chat: title, folder, and what can be done with the conversation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from placet.core.domain.messages import Session
from placet.ui.models.sessions import title_of
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.measures import HEAD_HEIGHT
from placet.ui.theme.paint import elided, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import Plane, row_of


class _TitleField(QLineEdit):
    """The title while it is edited. Enter or leaving keeps it, Escape does not."""

    finished = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.finished.emit("")
        else:
            super().keyPressEvent(event)


class ChatHead(Plane):
    """Tells wishes; shows what it is given."""

    sidebar_requested = Signal()
    find_requested = Signal()
    folder_requested = Signal()
    inspect_requested = Signal()
    review_toggled = Signal(bool)
    renamed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "b", height=HEAD_HEIGHT)
        self._title = ""
        self._spoken_of: Callable[[str], str] = lambda _: ""
        self.menu = IconButton("panel-left-open", self.tr("Show the sidebar"), theme)
        self.menu.hide()
        self.title = Label("", theme, px=14, weight=600)
        self.edit = _TitleField()
        self.edit.setAccessibleName(self.tr("Title"))
        self.edit.setFont(ui_font(14, 600))
        self.edit.setFixedWidth(320)
        self.edit.hide()
        self.folder = Button("", theme, kind="ghost", px=12, weight=400, pad=6)
        self.folder.setObjectName("folderButton")
        self.search = IconButton("search", self.tr("Find in chat"), theme)
        self.review = IconButton("panel-right-close", self.tr("Review pane"), theme)
        self.review.setObjectName("reviewToggle")
        self.review.setCheckable(True)
        self.more = IconButton("ellipsis", self.tr("More"), theme)
        self._row = self._lay_out()
        self.menu.clicked.connect(self.sidebar_requested)
        self.search.clicked.connect(self.find_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.review.clicked.connect(self.review_toggled)
        self.more.clicked.connect(self._open_menu)
        self.edit.returnPressed.connect(lambda: self._finish_rename(self.edit.text()))
        self.edit.finished.connect(self._finish_rename)

    def _lay_out(self) -> QHBoxLayout:
        row = row_of(self.menu, self.title, self.edit, 4, self.folder, None, self.search, 8, self.review, 8, self.more)
        row.setContentsMargins(20, 0, 12, 0)
        self.setLayout(row)
        return row

    def show_session(self, session: Session) -> None:
        self._title = title_of(session) or self.tr("New chat")
        folder = session.context.workdir
        self.folder.setText(
            PurePath(folder).name or self.tr("Choose a folder") if folder else self.tr("Choose a folder")
        )
        self.folder.setAccessibleName(self.tr("Folder: {}").format(folder or self.tr("none")))
        self.folder.setToolTip(_shortened(folder) if folder else "")
        self.folder.updateGeometry()
        self._fit_title()

    def show_keys(self, spoken_of: Callable[[str], str]) -> None:
        """Name the keys of what the head and its menu do."""
        self._spoken_of = spoken_of
        for button, action in ((self.search, "chat.find"), (self.review, "review.toggle"), (self.menu, "view.sidebar")):
            name, keys = button.accessibleName(), spoken_of(action)
            button.setToolTip(f"{name} ({keys})" if keys else name)

    def show_review_open(self, is_open: bool) -> None:
        self.review.setChecked(is_open)

    def show_narrow(self, narrow: bool) -> None:
        """Whether the sidebar is folded away and needs a button here."""
        self.menu.setVisible(narrow)
        self._row.setContentsMargins(10 if narrow else 20, 0, 12, 0)

    def start_rename(self) -> None:
        self.edit.setText(self._title)
        self.title.hide()
        self.edit.show()
        self.edit.setFocus()
        self.edit.selectAll()

    def _finish_rename(self, title: str) -> None:
        self.edit.hide()
        self.title.show()
        if title.strip() and title.strip() != self._title:
            self.renamed.emit(title.strip())

    def _open_menu(self) -> None:
        menu = Menu(self._theme, self)
        told = self._spoken_of
        menu.add(self.tr("Rename…"), self.start_rename, tail=told("chat.rename"))
        menu.add(self.tr("Choose the folder…"), self.folder_requested.emit, tail=told("chat.folder"))
        menu.add(self.tr("Find in chat"), self.find_requested.emit, tail=told("chat.find"))
        menu.add(self.tr("Debug view"), self.inspect_requested.emit, tail=told("chat.inspect"))
        menu.open_below(self.more)

    def _fit_title(self) -> None:
        room = self.width() - 20 - 12 - self.folder.sizeHint().width() - 3 * 36 - 60
        self.title.setText(elided(self._title, ui_font(14, 600), max(80, room)))
        self.title.setToolTip(self._title if text_width(self._title, ui_font(14, 600)) > room else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()


def _shortened(folder: str) -> str:
    """With `~` for the home folder."""
    home = str(Path.home())
    return "~" + folder[len(home) :] if folder == home or folder.startswith(home + "/") else folder
