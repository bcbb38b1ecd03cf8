"""The chat: head, transcript or empty page, composer. Layout, and the wiring of one conversation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from placet.core.domain.commands import CommandOutcome
from placet.core.domain.events import Done, Envelope, ReasoningDelta, TextDelta, ToolStart, UserMessage
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import HistoryPage
from placet.ui.models.conversation import Conversation
from placet.ui.models.settings import CatalogueModel
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import Remedy, UserRow
from placet.ui.models.transcript_turns import row_of_message
from placet.ui.panels.chat.composer import Composer
from placet.ui.panels.chat.empty_page import COLUMN, EmptyPage
from placet.ui.panels.chat.find_bar import FindBar
from placet.ui.panels.chat.head import ChatHead
from placet.ui.panels.chat.question_card import QuestionCard
from placet.ui.theme.theme import Theme
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, centred, column_of
from placet.ui.widgets.transcript.view import TranscriptView

_SIDE = 24
_TRIES = 20  # changes of the rows until a call that is looked for is given up
_SHOWN = (UserMessage, TextDelta, ReasoningDelta, ToolStart, Done)


class ChatPanel(Plane):
    """One conversation on the screen."""

    settings_requested = Signal()
    review_requested = Signal(int)  # a call id
    undo_requested = Signal(int)  # a change id
    redo_requested = Signal(int)  # the id of the change that was undone
    undo_turn_requested = Signal(int)  # the id of the message that began it
    undo_since_requested = Signal(int)  # a message id
    hinted = Signal(str)
    link_hovered = Signal(str)

    def __init__(self, conversation: Conversation, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__(theme)
        self.conversation, self._catalogue = conversation, catalogue
        self.model = TranscriptModel(self)
        self.transcript = TranscriptView(self.model, theme)
        self.transcript.setObjectName("chatView")
        self.head = ChatHead(theme)
        self.find_bar = FindBar(theme)
        self.empty = EmptyPage(theme)
        self.composer = Composer(theme)
        self.question = QuestionCard(conversation.questions, theme)
        self._wanted: tuple[SessionId, str] | None = None  # what to find once that session is shown
        self._wanted_message: tuple[SessionId, int] | None = None  # where to go once it is there
        self._wanted_call: tuple[SessionId, CallId, CallId | None] | None = None
        self._tries = 0
        self._body = QStackedWidget()
        self._body.addWidget(self.empty)
        self._body.addWidget(self.transcript)
        foot = QWidget()
        column_of(Inset(self.question, (0, 4, 0, 8)), self.composer, parent=foot)
        below = centred(foot, COLUMN, margins=(_SIDE, 2, _SIDE, 12))
        column = column_of(self.head, self.find_bar, self._body, below, parent=self)
        column.setStretchFactor(self._body, 1)
        self._connect_conversation()
        self._connect_controls()
        self._connect_transcript()

    def _connect_conversation(self) -> None:
        told = self.conversation
        told.switched.connect(self._on_switched)
        told.older_loaded.connect(self.model.prepend)
        told.older_loaded.connect(lambda _: self._show_wanted_message())
        told.event_arrived.connect(self._on_event)
        told.nested_loaded.connect(self.model.add_nested)
        self.model.nested_wanted.connect(told.load_nested)
        self.model.spliced.connect(self._go_to_wanted_call)
        self.model.nested_added.connect(self._go_to_wanted_call)
        told.changed.connect(self._show_facts)
        told.running_changed.connect(self.composer.show_running)
        told.queue_changed.connect(lambda: self.composer.queue.show_messages(told.queued))
        told.context_changed.connect(self.composer.show_context)
        told.texts_returned.connect(self.composer.give_back)
        told.command_refused.connect(self.composer.show_refusal)
        told.command_answered.connect(self._on_answered)
        self._catalogue.changed.connect(self._show_facts)

    def _connect_controls(self) -> None:
        told, composer = self.conversation, self.composer
        composer.sent.connect(told.submit)
        composer.interrupted_with.connect(told.interrupt_and_send)
        composer.completer.wanted.connect(lambda begun: told.complete(begun, composer.completer.show_for))
        composer.stop_requested.connect(told.stop)
        composer.take_back_requested.connect(told.drop_queued)
        composer.mode_chosen.connect(told.choose_mode)
        composer.model_chosen.connect(told.choose_model)
        composer.settings_requested.connect(self.settings_requested)
        composer.hinted.connect(self.hinted)
        self.empty.suggested.connect(composer.fill)
        self.head.find_requested.connect(self.open_find)
        self.head.folder_requested.connect(self.choose_folder)
        self.head.renamed.connect(told.rename)

    def _connect_transcript(self) -> None:
        view, told, bar = self.transcript, self.conversation, self.find_bar
        view.older_wanted.connect(told.load_older)
        view.stop_requested.connect(told.stop)
        view.resume_requested.connect(told.resume)
        view.review_requested.connect(self.review_requested)
        view.answer_requested.connect(self._answer)
        view.undo_requested.connect(self.undo_requested)
        view.redo_requested.connect(self.redo_requested)
        view.undo_turn_requested.connect(self.undo_turn_requested)
        view.undo_since_requested.connect(self.undo_since_requested)
        view.retry_requested.connect(self._retry)
        view.remedy_requested.connect(self._remedy)
        view.told.connect(self.hinted)
        view.link_hovered.connect(self.link_hovered)
        view.link_activated.connect(lambda target: QDesktopServices.openUrl(QUrl(target)))
        view.file_link_activated.connect(self._show_in_folder)
        bar.wanted.connect(self._look_for)
        bar.stepped.connect(self._look_on)
        bar.closed.connect(self.composer.field.setFocus)
        self.question.left.connect(self.composer.field.setFocus)
        self.question.link_activated.connect(lambda target: QDesktopServices.openUrl(QUrl(target)))

    @property
    def model_name(self) -> str:
        """The model that would answer now; empty if none is configured."""
        session = self.conversation.session
        if session is not None and session.model:
            return session.model
        default = self._catalogue.default_model
        return default.name if default is not None else ""

    def open_find(self) -> None:
        if self._body.currentWidget() is self.transcript:
            self.find_bar.open_bar()

    def find_when_shown(self, session_id: SessionId, words: str) -> None:
        """Mark `words` in a session that is being opened, as soon as it is there."""
        self._wanted = (session_id, words)
        self._find_wanted()

    def show_call_when_shown(self, session_id: SessionId, call_id: CallId, agent_call_id: CallId | None) -> None:
        """Go to a call that waits, as soon as its session is there; inside a sub-agent that is opened for it."""
        self._wanted_call, self._tries = (session_id, call_id, agent_call_id), _TRIES
        self._go_to_wanted_call()

    def _go_to_wanted_call(self) -> None:
        if self._wanted_call is None:
            return
        session_id, call_id, agent_call_id = self._wanted_call
        if self.model.session_id != session_id or self.conversation.is_loading:
            return
        self._tries -= 1
        if self.transcript.show_call(call_id):
            self._wanted_call = None
            self.transcript.setFocus()
        elif self._tries < 0:
            self._wanted_call = None  # decided meanwhile
        elif agent_call_id is not None and self.transcript.open_agent(agent_call_id):
            self._wanted_call = (session_id, call_id, None)  # it is opened once

    def _find_wanted(self) -> None:
        session = self.conversation.session
        if self._wanted is not None and session is not None and session.id == self._wanted[0]:
            self.find_bar.field.setText(self._wanted[1])
            self._wanted = None
            self.open_find()

    def show_message_when_there(self, session_id: SessionId, message_id: int) -> None:
        """Scroll to a message of a session that is being opened; older pages are fetched until it is there."""
        self._wanted_message = (session_id, message_id)
        self._show_wanted_message()

    def _show_wanted_message(self) -> None:
        session, wanted = self.conversation.session, self._wanted_message
        if wanted is None or session is None or session.id != wanted[0]:
            return
        row = row_of_message(self.model.rows, wanted[1])
        if row < 0 and self.model.has_older:
            self.conversation.load_older()
            return
        self._wanted_message = None
        if row >= 0:
            self.transcript.show_row(row)

    def _look_for(self, needle: str) -> None:
        self.transcript.search(needle)
        self._show_found()

    def _look_on(self, step: int) -> None:
        self.transcript.search_next(step)
        self._show_found()

    def _show_found(self) -> None:
        finder = self.transcript.finder
        self.find_bar.show_count(len(finder.hits), finder.at + 1)

    def choose_folder(self) -> None:
        """Ask for the folder of this chat, without stopping anything meanwhile."""
        session = self.conversation.session
        dialog = QFileDialog(self.window(), self.tr("Choose the folder"), session.context.workdir if session else "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.conversation.choose_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_switched(self, page: HistoryPage) -> None:
        self.model.load(page, running=self.conversation.runs(page.session.id))
        self._show_empty(not page.messages)
        self.composer.show_session(page.session.id, self.conversation.sent_texts())
        self._find_wanted()
        self._show_wanted_message()
        self._go_to_wanted_call()

    def _show_empty(self, is_empty: bool) -> None:
        self._body.setCurrentWidget(self.empty if is_empty else self.transcript)
        self.head.search.setVisible(not is_empty)
        if is_empty:
            self.find_bar.close_bar()

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, _SHOWN):  # without a message of a person: a notification is answered
            self._show_empty(False)
        self.model.apply(envelope)

    def _on_answered(self, outcome: CommandOutcome) -> None:
        self._show_empty(False)
        self.model.add_answer(outcome)
        self.transcript.to_bottom()

    def _answer(self, call_id: int) -> None:
        if not self.question.answer(call_id):
            self.hinted.emit(self.tr("This question does not wait any more. Resume lets it be asked again."))

    def _retry(self, message_id: int) -> None:
        """A row without an answer is never sent again by itself; its text is, as a new message."""
        rows = (row for row in self.model.rows if isinstance(row, UserRow) and row.message_id == message_id)
        if (row := next(rows, None)) is not None:
            self.conversation.submit(row.again)

    def _remedy(self, name: str) -> None:
        match Remedy(name):
            case Remedy.MODELS:
                self.settings_requested.emit()
            case Remedy.NEW_CHAT:
                self.conversation.start_new()
            case Remedy.CONTINUE:
                self.conversation.send(self.tr("Go on."))
            case Remedy.RETRY:
                self.conversation.resume()

    def _show_in_folder(self, target: str) -> None:
        """Open the folder of a file that an answer names; never the file, whose program might run it."""
        session = self.conversation.session
        file = Path(session.context.workdir if session is not None else "") / target
        if file.parent.is_dir():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
        else:
            self.hinted.emit(self.tr("{} is not there").format(file))

    def _show_facts(self) -> None:
        session = self.conversation.session
        if session is None:
            return
        self.head.show_session(session)
        self.empty.show_folder(session.context.workdir)
        self.composer.show_mode(session.context.mode)
        self.composer.picker.show_models(self._catalogue.models, self.model_name)
