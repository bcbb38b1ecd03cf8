"""Proposals in the chat: shown where their calls are, whole in the review pane, copied, and taken up again (`R-13`)."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.proposals import ProposedWrite
from placet.core.domain.review import RequestKind
from placet.ui.bridge import Bridge
from placet.ui.models.review import ReviewModel
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_proposals import ShownProposal, shown_proposal
from placet.ui.models.transcript_rows import CallRow, CallState
from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.panels.review.past_proposal import PastProposal
from placet.ui.theme.theme import Theme
from placet.ui.window_places import Places


class ChatProposals(QObject):
    """Asks the hub for what the chat wants to show, and marks the calls of what waits."""

    def __init__(
        self, bridge: Bridge, places: Places, chat: ChatPanel, review: ReviewPane, requests: ReviewModel, theme: Theme
    ) -> None:
        super().__init__(bridge)
        self._bridge, self._places, self._chat, self._review = bridge, places, chat, review
        self._requests, self._theme = requests, theme
        self._marked: dict[int, CallMark] = {}
        self._past: PastProposal | None = None
        self._rest: QWidget | None = None
        view = chat.transcript
        view.proposal_wanted.connect(self._load)
        chat.model.proposal_changed.connect(self._load)
        view.proposal_opened.connect(self._open)
        view.proposal_copied.connect(self._copy)
        view.take_up_requested.connect(self._take_up)
        places.review_wanted.connect(self.leave)
        places.arrived.connect(lambda _: self.leave())
        review.head.previous_requested.connect(self.leave)
        review.head.next_requested.connect(self.leave)
        requests.changed.connect(self._mark)
        requests.changed.connect(self._name_way_back)
        places.panes.review_changed.connect(self._on_review_changed)
        chat.conversation.switched.connect(lambda _: self._begin_anew())
        chat.model.nested_added.connect(self._mark)
        review.installEventFilter(self)

    # ---- in the chat ---------------------------------------------------------------------------------------------

    def _load(self, call_id: int) -> None:
        def failed(error: PlacetError) -> None:
            self._chat.model.set_proposal(call_id, ShownProposal(note=error.message))

        def found(write: ProposedWrite) -> None:
            self._chat.model.set_proposal(call_id, shown_proposal(write))

        self._bridge.run(self._bridge.hub.proposals.of_call(CallId(call_id)), found, failed)

    def _copy(self, call_id: int, is_written: bool, is_patch: bool) -> None:
        """What is shown may be cut; what is copied is whole."""

        def found(write: ProposedWrite) -> None:
            text = write.written if is_written else write.proposed
            words = "" if text is None else text.patch if is_patch else text.new_text
            if words:
                QGuiApplication.clipboard().setText(words)
            self._chat.hinted.emit(self.tr("Copied") if words else self.tr("There is no text to copy"))

        self._bridge.run(self._bridge.hub.proposals.of_call(CallId(call_id)), found)

    def _take_up(self, call_id: int) -> None:
        self._bridge.run(self._bridge.hub.proposals.again(CallId(call_id)), self._show_request)

    def _show_request(self, request_id: RequestId) -> None:
        self.leave()
        self._places.show_request_when_there(request_id)

    def _begin_anew(self) -> None:
        self._marked = {}
        self.leave()

    def _mark(self) -> None:
        """A stored call knows nothing of its request: how many lines it would change, and that it waits again."""
        writes = [request for request in self._requests.requests if request.kind is RequestKind.WRITE]
        marks: dict[int, CallMark] = {
            request.call_id: CallMark(waits_again=True)
            if request.is_own
            else CallMark(counts=(request.added, request.removed))
            for request in writes
        }
        gone = {key: CallMark(waits_again=False) for key, mark in self._marked.items() if mark.waits_again}
        marks = {**gone, **marks}
        if marks != self._marked:
            self._marked = marks
            self._chat.model.mark_calls(marks)

    # ---- in the review pane --------------------------------------------------------------------------------------

    def _open(self, call_id: int) -> None:
        self._bridge.run(self._bridge.hub.proposals.of_call(CallId(call_id)), self._show_past)

    def _show_past(self, write: ProposedWrite) -> None:
        if write.proposed is None:
            self._chat.hinted.emit(write.note)
            return
        call = self._chat.model.call(write.call_id)
        if self._past is None:
            self._past = self._make_page()
        self._places.go_to_review()
        self._past.show_write(write, self._word(call), can_be_taken_up=call is not None and call.can_be_taken_up)
        if self._rest is not None:
            self._rest.hide()
        self._name_way_back()
        self._past.show()
        self._past.diff_view.setFocus()

    def _make_page(self) -> PastProposal:
        """Not before somebody wants it."""
        page = PastProposal(self._theme, self._review)
        self._rest = self._review.put_below_head(page, share=1)
        page.copied.connect(self._copy)
        page.take_up_requested.connect(self._take_up)
        page.left.connect(self.leave)
        return page

    def leave(self) -> None:
        """Back to what waits."""
        if self._past is None or self._past.isHidden():
            return
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self._past.isAncestorOf(focused)
        self._past.hide()
        if self._rest is not None:
            self._rest.show()
        if had_focus:
            self._review.setFocus()

    def _name_way_back(self) -> None:
        """What arrives does not push away what is being read; it is named instead."""
        if self._past is not None:
            self._past.name_way_back(has_waiting=self._requests.has_decisions)

    def _on_review_changed(self, is_open: bool) -> None:
        if not is_open:
            self.leave()

    def _word(self, call: CallRow | None) -> str:
        if call is None:
            return ""
        if call.undone:
            return self.tr("undone")
        words = {
            CallState.REJECTED: self.tr("rejected"),
            CallState.CANCELLED: self.tr("stopped"),
            CallState.DONE: self.tr("written"),
        }
        return self.tr("applied by you") if call.is_taken_up else words.get(call.state, "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A key must not reach what waits while that cannot be seen."""
        is_key = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        if is_key and self._past is not None and not self._past.isHidden():
            assert isinstance(event, QKeyEvent)
            return self._past.press(event)
        return False
