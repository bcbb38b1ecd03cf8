"""The two lines above a request: which of how many, and what it is about."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from placet.core.domain.diff import FileDiff
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label, Segmented
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.plane import Plane, row_of

_SIDES_FROM = 440  # px


class PagerHead(Plane):
    """Which request of how many, with previous and next; wrapping and closing at the right."""

    previous_requested = Signal()
    next_requested = Signal()
    wrap_toggled = Signal(bool)
    split_chosen = Signal(bool)  # both sides beside each other
    wide_toggled = Signal(bool)  # over the whole window
    close_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, lines="b", height=48)
        self.place = Label("", theme, "text-3", 13)
        self.previous = IconButton("chevron-up", self.tr("Previous request, ["), theme)
        self.next = IconButton("chevron-down", self.tr("Next request, ]"), theme)
        self.wrap = IconButton("wrap-text", self.tr("Wrap lines, W"), theme)
        self.wrap.setCheckable(True)
        self.below, self.beside = self.tr("Unified"), self.tr("Side by side")
        self.sides = Segmented([("", "rows-2", self.below), ("", "columns-2", self.beside)], theme)
        self.sides.setToolTip(self.tr("Unified or side by side, V"))
        self.wide = IconButton("maximize-2", self.tr("Review over the whole window, F"), theme)
        self.wide.setCheckable(True)
        self.close_button = IconButton("x", self.tr("Close the review pane"), theme)
        title = Label(self.tr("Review"), theme, "text", 14, 600)
        self._row = row_of(
            *(
                title,
                8,
                self.place,
                8,
                self.previous,
                self.next,
                None,
                self.sides,
                4,
                self.wrap,
                self.wide,
                self.close_button,
            ),
            margins=(16, 0, 12, 1),
            parent=self,
        )
        self.previous.clicked.connect(self.previous_requested)
        self.next.clicked.connect(self.next_requested)
        self.wrap.clicked.connect(self.wrap_toggled)
        self.sides.chosen.connect(lambda name: self.split_chosen.emit(name == self.beside))
        self.wide.clicked.connect(self.wide_toggled)
        self.close_button.clicked.connect(self.close_requested)

    def choose_split(self, split: bool) -> None:
        """Show which of both is chosen."""
        self.sides.choose(self.beside if split else self.below)

    def show_tools(self, is_write: bool) -> None:
        """Only a file has sides and lines to wrap; a pane too narrow for two sides does not offer them."""
        self.wrap.setVisible(is_write)
        self.sides.setVisible(is_write and self.width() >= _SIDES_FROM)

    def add_action(self, widget: QWidget) -> None:
        """Put a button at the right end, in the place of the one that closes the pane."""
        self.close_button.hide()
        self._row.addWidget(widget)

    def put_first(self, widget: QWidget) -> None:
        self._row.insertWidget(0, widget)

    def show_place(self, index: int, count: int) -> None:
        self.place.setText(self.tr("{} of {}").format(index + 1, count) if count else "")
        self.previous.setVisible(count > 1)
        self.next.setVisible(count > 1)
        self.previous.setEnabled(index > 0)
        self.next.setEnabled(index + 1 < count)


class SubjectLine(QWidget):
    """The file or tool, its counts, what is special about it, and the file's encoding and line ends."""

    back_requested = Signal()  # from a person's own text to what was proposed

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icon, self._subject, self._aside = "file-code", "", ""
        self._counts: tuple[int, int] | None = None
        self._tags: list[tuple[str, str]] = []  # (words, family of colour roles)
        self.setFixedHeight(36)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.back = Button(self.tr("Back to the proposal"), theme, kind="ghost", height=24, pad=8, px=12)
        self.back.setObjectName("backToProposal")
        self.back.hide()
        row_of(None, self.back, margins=(0, 0, 12, 0), parent=self)
        self.back.clicked.connect(self.back_requested)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(320, 36)

    def show_request(self, request: PendingRequest, diff: FileDiff | None, *, is_own: bool = False) -> None:
        """Hidden characters in names are written out, and the whole path is there on hover."""
        writes = request.kind is RequestKind.WRITE
        names = {
            RequestKind.WRITE: "file-pen-line",
            RequestKind.COMMAND: "square-terminal",
            RequestKind.QUESTION: "message-circle-question-mark",
        }
        self._icon = "file-plus-2" if request.is_new_file else names.get(request.kind, "blocks")
        self._subject = shown(request.label or request.path) if writes else shown(request.tool)
        counted = diff if diff is not None else request
        self._counts = (counted.added, counted.removed) if writes else None
        self._tags = []
        self.back.setVisible(is_own)
        if is_own:
            self._tags.append((self.tr("edited by you"), "accent"))
        if request.stale:
            self._tags.append((self.tr("changed since you looked"), "accent"))
        if request.is_new_file:
            self._tags.append((self.tr("new file"), "info"))
        if diff is not None and diff.is_deleted:
            self._tags.append((self.tr("deleted"), "danger"))
        aside = [f"{shown(diff.encoding)}, {shown(diff.newline)}"] if diff is not None and not diff.is_binary else []
        self._aside = "   ".join((*aside, shown(request.session_title)) if request.session_title else aside)
        self._finish(shown(request.path) if writes else "")

    def show_file(self, subject: str, path: str, added: int, removed: int, tags: list[tuple[str, str]]) -> None:
        """The same line for a file that is no request."""
        self._icon, self._subject, self._aside = "file-text", shown(subject), ""
        self._counts, self._tags = (added, removed), tags
        self._finish(shown(path))

    def _finish(self, path: str) -> None:
        self.setToolTip(path)
        counts = (f"+{self._counts[0]} −{self._counts[1]}",) if self._counts else ()
        said = (self._subject, *counts, *(words for words, _ in self._tags), self._aside)
        self.setAccessibleName(", ".join(part for part in said if part))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        p, theme, h = QPainter(self), self._theme, self.height()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.draw_icon(p, self._icon, QRectF(16, 0, 16, h), "text-2")
        right = self.width() - 16.0 - (self.back.width() if self.back.isVisible() else 0)
        tags_width = sum(text_width(words, ui_font(11, 500)) + 20 for words, _ in self._tags)
        room = right - 40 - tags_width - (100 if self._counts else 0)
        aside = elided(self._aside, ui_font(12), max(0, min(room * 0.5, 240)))
        right -= text(p, right, 0, h, aside, ui_font(12), theme.color("text-2"), right=True) + 16
        x = self._paint_subject(p, 40, max(60, right - 40 - tags_width - (90 if self._counts else 0)))
        if self._counts:
            for words, role in ((f"+{self._counts[0]}", "add-text"), (f"−{self._counts[1]}", "del-text")):
                x += text(p, x, 0, h, words, ui_font(12, 500, True), theme.color(role)) + 4
        for words, family in self._tags:
            width = text_width(words, ui_font(11, 500)) + 12
            box = QRectF(x + 4, (h - 18) / 2, width, 18)
            rounded(p, box, 4, theme.color(f"{family}-bg"))
            frame(p, box, 4, theme.color(f"{family}-line"))
            text(p, box.left() + 6, box.top(), 18, words, ui_font(11, 500), theme.color(f"{family}-text"))
            x += width + 8

    def _paint_subject(self, p: QPainter, x: float, room: float) -> float:
        """Folders in grey, the name in full; too long a path loses its beginning."""
        whole = elided(self._subject, mono_font(), room, Qt.TextElideMode.ElideLeft)
        folder, slash, name = whole.rpartition("/")
        x += text(p, x, 0, self.height(), folder + slash, mono_font(), self._theme.color("text-2"))
        return x + text(p, x, 0, self.height(), name, mono_font(12, 500), self._theme.color("text")) + 8
