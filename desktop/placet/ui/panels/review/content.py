"""The middle of the pane: the diff, the exact command or the arguments of what waits."""

from __future__ import annotations

import json

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.diff import DiffNotice, FileDiff, NoticeLevel
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.diff.exact import ExactText
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import hidden_count, shown
from placet.ui.widgets.plane import column_of
from placet.ui.widgets.prose_box import ProseArea


class RequestContent(QStackedWidget):
    """Shows one request. `seen_changed`: all of it has been in sight now."""

    seen_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._shown: tuple[object, ...] = ()
        self.diff_view = DiffView(theme)
        self.exact = ExactText(theme)
        self._waiting = Label(self.tr("The changes are being worked out…"), theme, "text-3", 13)
        self._empty = self._empty_page(theme)
        loading = QWidget()
        column_of(self._waiting, None, margins=(16, 16, 16, 16), parent=loading)
        self._loading = loading
        self.question = ProseArea(theme)
        asked = QWidget()
        self.title = Label("", theme, "text", 14, 600)
        self.title.setWordWrap(True)
        column_of(self.title, 6, self.question, margins=(16, 16, 16, 8), parent=asked)
        self._asked = asked
        for page in (self._empty, loading, self.diff_view, self.exact, asked):
            self.addWidget(page)
        self.exact.end_seen.connect(self.seen_changed)

    def _empty_page(self, theme: Theme) -> QWidget:
        page = QWidget()
        title = Label(self.tr("Nothing waits for you"), theme, "text", 14, 600)
        words = self.tr(
            "When the model wants to change a file or run a command, it appears here exactly as it would happen. "
            "Nothing happens before you approve it."
        )
        sentence = Label(words, theme, "text-2", 13)
        sentence.setWordWrap(True)
        column_of(title, 6, sentence, None, margins=(16, 24, 16, 16), parent=page)
        return page

    @property
    def is_seen(self) -> bool:
        """Whether what must be seen before approving has been; a diff may be approved as soon as it is there."""
        current = self.currentWidget()
        return current is self.diff_view or (current is self.exact and self.exact.is_end_seen)

    def show_nothing(self) -> None:
        self._shown = ()
        self.setCurrentWidget(self._empty)

    def show_request(self, request: PendingRequest, diff: FileDiff | None) -> None:
        """Show it from its beginning, unless it is what is shown already."""
        state = (request.id, diff is not None)
        if state == self._shown:
            return
        self._shown = state
        if request.kind is RequestKind.WRITE:
            if diff is None:
                self.setCurrentWidget(self._loading)
            else:
                self.diff_view.set_diff(diff)
                self.setCurrentWidget(self.diff_view)
            return
        if request.kind is RequestKind.QUESTION:
            self.title.setText(shown(request.label))
            self.question.show_source(request.detail)
            self.setCurrentWidget(self._asked)
            return
        is_command = request.kind is RequestKind.COMMAND
        text = request.detail if is_command else readable_arguments(request.detail)
        self.exact.setAccessibleName(self.tr("Command") if is_command else self.tr("Arguments"))
        self.exact.notices.set_notices(self._facts(request, text))
        self.setCurrentWidget(self.exact)
        self.exact.set_content(text, "bash" if is_command else "json")

    def _facts(self, request: PendingRequest, text: str) -> list[DiffNotice]:
        facts = [DiffNotice(NoticeLevel.WARNING, fact) for fact in request.facts]
        hidden = sum(hidden_count(line) for line in text.split("\n"))
        if hidden:
            one, many = self.tr("1 hidden character is"), self.tr("{} hidden characters are").format(hidden)
            words = self.tr("{} written out below, like <U+202E>.").format(one if hidden == 1 else many)
            facts.append(DiffNotice(NoticeLevel.WARNING, words))
        lines = text.count("\n") + 1
        counted = self.tr("1 line") if lines == 1 else self.tr("{} lines").format(f"{lines:,}")
        size = self.tr("{}, {} characters").format(counted, f"{len(text):,}")
        place = self.tr("Runs in {}").format(from_home(request.workdir)) if request.workdir else ""
        limit = self.tr("stopped after {:g} s").format(request.timeout_s) if request.timeout_s else ""
        facts.append(DiffNotice(NoticeLevel.FACT, ", ".join(part for part in (place, limit, size) if part) + "."))
        return facts


def readable_arguments(detail: str) -> str:
    """JSON with one value a line; anything else as it is."""
    try:
        value = json.loads(detail)
    except ValueError:
        return detail
    return json.dumps(value, indent=2, ensure_ascii=False)
