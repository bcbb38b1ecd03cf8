"""The middle of the pane: the diff, the exact command or the arguments of what waits."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.diff import DiffNotice, FileDiff, NoticeLevel, Sign
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.review_draft import Draft
from placet.ui.panels.review.edit_page import EditPage
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.diff.exact import ExactText
from placet.ui.widgets.diff.hunk_states import HunkStates
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import hidden_count, shown
from placet.ui.widgets.plane import column_of
from placet.ui.widgets.prose_box import ProseArea


class RequestContent(QStackedWidget):
    """Shows one request. `seen_changed`: all of it has been in sight now. `cannot_edit` says why, in words."""

    seen_changed = Signal()
    cannot_edit = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._shown: tuple[object, ...] = ()
        self._diff: FileDiff | None = None
        self.edit_page = EditPage(theme)
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
        for page in (self._empty, loading, self.diff_view, self.exact, asked, self.edit_page):
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

    def focus_page(self) -> None:
        """Give the keyboard to what is shown."""
        if (page := self.currentWidget()) is not None:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_nothing(self) -> None:
        self._shown, self._diff = (), None
        self.edit_page.end()
        self.setCurrentWidget(self._empty)

    def show_request(self, request: PendingRequest, diff: FileDiff | None, draft: Draft) -> None:
        """Show it from its beginning, unless it is what is shown already."""
        if draft.is_editing:
            self._show_editor(request, draft)
            return
        self.edit_page.end()
        if request.kind is RequestKind.WRITE:
            self._show_diff(diff, draft)
            return
        self._diff = None
        state = (request.id, draft.version)
        if state != self._shown:
            self._shown = state
            if request.kind is RequestKind.QUESTION:
                self.title.setText(shown(request.label))
                self.question.show_source(request.detail)
                self.setCurrentWidget(self._asked)
            else:
                self._show_exact(request, draft)
        elif self.currentWidget() is self.edit_page:
            self.setCurrentWidget(self.exact)

    def _show_diff(self, diff: FileDiff | None, draft: Draft) -> None:
        self._shown = ()
        if diff is None:
            self.setCurrentWidget(self._loading)
            return
        states = states_of(diff, draft)
        if diff is not self._diff:
            self._diff = diff
            self.diff_view.set_diff(diff, states, draft.marks.current)
        elif states != self.diff_view.states:
            self.diff_view.show_states(states)
        self.setCurrentWidget(self.diff_view)

    def _show_exact(self, request: PendingRequest, draft: Draft) -> None:
        is_command = request.kind is RequestKind.COMMAND
        own = draft.own
        text = own.text if own is not None else request.detail if is_command else readable_arguments(request.detail)
        self.exact.setAccessibleName(self.tr("Command") if is_command else self.tr("Arguments"))
        self.exact.notices.set_notices(self._facts(request, text, request.facts if own is None else own.facts))
        self.setCurrentWidget(self.exact)
        self.exact.set_content(text, "bash" if is_command else "json")

    def _show_editor(self, request: PendingRequest, draft: Draft) -> None:
        is_command = request.kind is RequestKind.COMMAND
        title = self.tr("Your command") if is_command else self.tr("Your version of this file")
        line = 0 if self._diff is None else first_new_line(self._diff, self.diff_view.current)
        language = "bash" if is_command else self._diff.language if self._diff is not None else ""
        was_open = self.edit_page.is_busy
        trouble = self.edit_page.begin(request, draft.text or "", title=title, line=line, language=language)
        if trouble:
            self.cannot_edit.emit(trouble)
            return
        self.setCurrentWidget(self.edit_page)
        if not was_open:
            self.edit_page.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _facts(self, request: PendingRequest, text: str, unusual: Sequence[str]) -> list[DiffNotice]:
        facts = [DiffNotice(NoticeLevel.WARNING, fact) for fact in unusual]
        counts = {n: count for n, line in enumerate(text.split("\n"), 1) if (count := hidden_count(line))}
        if counts:
            hidden = sum(counts.values())
            one, many = self.tr("1 hidden character is"), self.tr("{} hidden characters are").format(hidden)
            words = self.tr("{} written out below, like <U+202E>.").format(one if hidden == 1 else many)
            facts.append(DiffNotice(NoticeLevel.WARNING, words, tuple(counts)))
        lines = text.count("\n") + 1
        counted = self.tr("1 line") if lines == 1 else self.tr("{} lines").format(f"{lines:,}")
        size = self.tr("{}, {} characters").format(counted, f"{len(text):,}")
        place = self.tr("Runs in {}").format(from_home(request.workdir)) if request.workdir else ""
        limit = self.tr("stopped after {:g} s").format(request.timeout_s) if request.timeout_s else ""
        facts.append(DiffNotice(NoticeLevel.FACT, ", ".join(part for part in (place, limit, size) if part) + "."))
        return facts


def states_of(diff: FileDiff, draft: Draft) -> HunkStates:
    """What the view is told of the hunks."""
    marks = draft.marks
    return HunkStates(
        can_choose=draft.can_choose,
        can_edit=not (diff.is_binary or diff.is_deleted),
        skipped=frozenset(marks.skipped),
        seen=frozenset(marks.seen),
        changed=frozenset(marks.changed),
        yours=draft.own.yours if draft.own is not None else frozenset(),
    )


def first_new_line(diff: FileDiff, hunk: int) -> int:
    """Where an editor begins for a hunk: its first changed line on the new side, counted from 0."""
    if not 0 <= hunk < len(diff.hunks):
        return 0
    at = 1
    for line in diff.hunks[hunk].lines:
        if line.sign is not Sign.SAME:
            return (line.new or at) - 1
        at = (line.new or 0) + 1
    return 0


def readable_arguments(detail: str) -> str:
    """JSON with one value a line; anything else as it is."""
    try:
        value = json.loads(detail)
    except ValueError:
        return detail
    return json.dumps(value, indent=2, ensure_ascii=False)
