"""One changed file: its steps as a line, what they came to as a diff, and who changed it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import SessionId
from placet.core.domain.review import Change, ChangeState, RevertOutcome
from placet.core.domain.undo import ChangedFile, UndoWish
from placet.ui.models.changes import FileStory
from placet.ui.models.undo import outcome_sentences
from placet.ui.panels.changes.step_bar import StepBar
from placet.ui.panels.changes.who_changed import WhoChanged
from placet.ui.panels.review.head import SubjectLine
from placet.ui.paths import short_path
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of, row_of

_WIDE = 640
_MOST_SENTENCES = 8


class FilePane(Plane):
    """`wished` gives an `UndoWish` and a title; `place_requested` a `ChangeStep`, to see where it was asked for."""

    wished = Signal(object, str)
    place_requested = Signal(object)

    def __init__(self, story: FileStory, theme: Theme) -> None:
        super().__init__(theme)
        self._story = story
        self.folder = ""  # files in it are named from there on
        self.subject = SubjectLine(theme)
        self.place_button = Button(self.tr("Go to message"), theme, kind="ghost", height=24, pad=8, weight=400)
        self.undo_button = Button(self.tr("Undo file"), theme, icon="undo-2", height=24, pad=10)
        self.steps = StepBar(theme)
        self.banner = Banner(theme)
        self.diff = DiffView(theme)
        self.who = WhoChanged(story, theme)
        head, bar = Plane(theme, lines="b", height=48), Plane(theme, lines="b", height=41)
        buttons = row_of(self.subject, self.place_button, 4, self.undo_button, parent=head, margins=(0, 0, 16, 1))
        buttons.setStretch(0, 1)
        row_of(self.steps, margins=(12, 0, 16, 1), parent=bar)
        middle = column_of(head, bar, Inset(self.banner))
        middle.addWidget(self.diff, 1)
        row = row_of(middle, self.who, parent=self)
        row.setStretch(0, 1)
        self._connect()

    def _connect(self) -> None:
        story, who = self._story, self.who
        story.told.connect(self._show_story)
        story.diff_shown.connect(self._show_diff)
        story.moved_on.connect(self._show_moved_on)
        story.failed.connect(self.show_error)
        self.steps.chosen.connect(self._go_to_step)
        who.step_chosen.connect(self._go_to_step)
        who.undo_requested.connect(self._undo_step)
        who.again_requested.connect(self._apply_again)
        who.place_requested.connect(self.place_requested)
        self.undo_button.clicked.connect(self._undo_shown)
        self.place_button.clicked.connect(lambda: self.place_requested.emit(self._story.current))

    # ---- showing -------------------------------------------------------------------------------------------------

    def show_file(self, file: ChangedFile, session_id: SessionId | None) -> None:
        """Show a file with its steps of one session, or of all."""
        if file.path != self._story.path:
            self.banner.hide()
        self._show_subject(file.path, file.added, file.removed)
        self._story.show(file.path, session_id)

    def clear(self) -> None:
        self.diff.clear()

    def show_error(self, error: PlacetError) -> None:
        self.banner.show_error(error)
        if self.diff.diff.path != self._story.path:
            self.diff.clear()

    def show_done(self, outcomes: Sequence[RevertOutcome]) -> None:
        self.banner.show_words("info", self.tr("Done. This can be undone too."), self.sentences(outcomes))

    def show_missed(self, missed: int, outcomes: Sequence[RevertOutcome]) -> None:
        told = self.tr("{} of {} changes could not be undone").format(missed, len(outcomes))
        self.banner.show_words("warn", told, self.sentences(outcomes))

    def sentences(self, outcomes: Sequence[RevertOutcome]) -> str:
        """One line a file, named from the session's folder on; of very many the first ones."""
        lines = list(outcome_sentences(outcomes))
        for path in {outcome.path for outcome in outcomes if outcome.path}:
            lines = [line.replace(path, short_path(path, self.folder)) for line in lines]
        if len(lines) > _MOST_SENTENCES:
            lines[_MOST_SENTENCES:] = [self.tr("And {} more.").format(len(lines) - _MOST_SENTENCES)]
        return "\n".join(map(shown, lines))

    def _show_subject(self, path: str, added: int, removed: int) -> None:
        self.subject.show_file(short_path(path, self.folder), path, added, removed, [])

    def _show_story(self) -> None:
        self.steps.show_steps(self._story.steps, self._story.at)
        self.who.show_story()
        self._show_actions()

    def _show_actions(self) -> None:
        """The button at the head is about the step that is shown, or about the file."""
        step = self._story.current
        undone = step is not None and step.change.state is ChangeState.REVERTED
        words = self.tr("Undo file") if step is None else self.tr("Apply again") if undone else self.tr("Undo step")
        self.undo_button.relabel(words, "redo-2" if undone else "undo-2")
        self.undo_button.setVisible(step is not None or self._story.holds)
        self.place_button.setVisible(step is not None and not self.who.isVisibleTo(self))

    def _show_diff(self, diff: FileDiff) -> None:
        self.diff.set_diff(diff)
        self._show_subject(self._story.path, diff.added, diff.removed)

    def _show_moved_on(self) -> None:
        if not self.banner.isVisible():
            self.banner.show_words(
                "warn",
                self.tr("This file was changed since by somebody else"),
                self.tr("Undoing it shows first what was changed, and what would stay."),
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.who.setVisible(self.width() >= _WIDE)
        self._show_actions()

    # ---- walking and undoing -------------------------------------------------------------------------------------

    def _go_to_step(self, at: int) -> None:
        self._story.go_to(at)
        self._show_story()
        step = self._story.current
        if step is not None and step.change.conflict:
            title = self.tr("Another program wrote this file at the same moment")
            self.banner.show_words("warn", title, step.change.conflict)

    def _undo_shown(self) -> None:
        step, path = self._story.current, self._story.path
        if step is None:
            wish = UndoWish(path=path, session_id=self._story.session_id)
            self.wished.emit(wish, self.tr("Undo all changes of {}").format(shown(path.rpartition("/")[2])))
        elif step.change.state is ChangeState.REVERTED:
            self._apply_again(step.change)
        else:
            self._undo_step(step.change)

    def _undo_step(self, change: Change) -> None:
        self.wished.emit(UndoWish(changes=(change.id,)), self.tr("Undo step {}").format(self._story.at))

    def _apply_again(self, change: Change) -> None:
        self.wished.emit(UndoWish(again=(change.id,)), self.tr("Apply step {} again").format(self._story.at))
