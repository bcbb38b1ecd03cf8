"""The conversation that a chat view draws: rows, and signals about which of them changed.

The store owns history and the bus tells what happens; this only remembers how it is shown. Streamed pieces wait for
the next drawing, at most 20 times a second, by a timer that runs only while something waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from placet.core.domain import events
from placet.core.domain.commands import CommandOutcome
from placet.core.domain.events import Envelope
from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.messages import HistoryPage
from placet.ui.models.transcript_answers import Entry
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_commands import answer_row
from placet.ui.models.transcript_events import STREAMED
from placet.ui.models.transcript_frames import Frames
from placet.ui.models.transcript_nesting import Nesting
from placet.ui.models.transcript_proposals import ShownProposal
from placet.ui.models.transcript_rows import AnyRow, CallRow
from placet.ui.models.transcript_splicing import gaps

_DECIDING = (
    events.PendingWrite, events.PreviewStale, events.ToolDone, events.ToolRejected, events.ToolCancelled,
    events.FileChanged,
)  # fmt: skip

FLUSH_MS = 50
COSTLY_S = 0.004
"""A flush that took longer (rows and their layout, not their painting) lets the next one wait twice as long."""


class TranscriptModel(QObject):
    """Rows of one session. Main thread only; `spliced` says which rows were replaced by how many.

    `is_folding` is set while the rows change because a person opened or closed a sub-agent.
    """

    spliced = Signal(int, int, int)  # first, removed, added
    running_changed = Signal(bool)
    nested_wanted = Signal(int)  # a call id: `add_nested` is to be told what its sub-agent did
    nested_added = Signal()
    proposal_changed = Signal(int)  # a call id: what is shown of its proposal has to be asked for anew

    def __init__(self, parent: QObject | None = None, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(parent)
        self.rows: list[AnyRow] = []
        self.has_older = False
        self.is_folding = False
        self._frames = Frames(clock)
        self._conversation = self._frames.root
        self._nesting = Nesting(self._frames)
        self._shown: list[tuple[Entry, int]] = []  # entries with how many rows each shows
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)

    # ---- history -----------------------------------------------------------------------------------------------

    def load(self, page: HistoryPage, *, running: bool | None = None) -> None:
        """Show this page and nothing else. `running` says whether a turn runs, None: as it was told last."""
        removed = len(self.rows)
        self._timer.stop()
        self._frames.load(page, running)
        self._frames.take_touched()
        self._show_all()
        self.has_older = page.has_older
        self.spliced.emit(0, removed, len(self.rows))
        self._ask_for_nested()

    def prepend(self, page: HistoryPage) -> None:
        """Put the rows before the ones shown in front of them. A page of another session is not taken."""
        if page.session.id != self._conversation.session_id:
            return
        count = self._conversation.prepend(page)
        older = [(entry, self._nesting.shown(entry)) for entry in self._conversation.entries.first(count)]
        rows = [row for _, shown in older for row in shown]
        self._shown[:0] = [(entry, len(shown)) for entry, shown in older]
        self.rows[:0] = rows
        self.has_older = page.has_older
        self.spliced.emit(0, 0, len(rows))

    def clear(self) -> None:
        """Show nothing, as at the beginning of a new session."""
        removed = len(self.rows)
        self._timer.stop()
        self._frames.clear()
        self._show_all()
        self.has_older = False
        self.spliced.emit(0, removed, 0)

    @property
    def session_id(self) -> SessionId | None:
        return self._conversation.session_id

    @property
    def oldest_id(self) -> MessageId | None:
        """What the next older page ends before."""
        ids = (entry.message_id for entry in self._conversation.entries if entry.message_id is not None)
        found = next(ids, None)
        return None if found is None else MessageId(found)

    @property
    def is_running(self) -> bool:
        return self._conversation.running

    # ---- events ------------------------------------------------------------------------------------------------

    def apply(self, envelope: Envelope) -> None:
        """Take an event of the bus. Events of other sessions, and those a transcript does not show, change nothing."""
        own = self._conversation.session_id
        if own is not None and envelope.session_id not in (None, own):
            return
        event = envelope.event
        is_told = self._frames.apply(event)
        self._ask_for_nested()
        if not is_told:
            return
        if isinstance(event, _DECIDING) and event.tool_call_id is not None:
            self._tell_proposal(event.tool_call_id)
        if isinstance(event, STREAMED):
            if not self._timer.isActive():
                self._timer.start()
            return
        self.flush()
        if isinstance(event, events.TurnRunning) and event.agent_call_id is None:
            self.running_changed.emit(event.running)

    def flush(self) -> None:
        """Show now what waits for the next drawing."""
        self._timer.stop()
        began = time.perf_counter()
        for entry in self._frames.take_touched():
            self._show(entry)
        is_costly = time.perf_counter() - began > COSTLY_S
        self._timer.setInterval(2 * FLUSH_MS if is_costly else FLUSH_MS)

    def add_answer(self, outcome: CommandOutcome) -> None:
        """Show what a command answered, behind all that is there; gone with the next loading."""
        self._conversation.add_remark(answer_row(outcome))
        self.flush()

    def has_writes(self) -> bool:
        """Whether a call that is known changed a file, or proposed to."""
        entries = (entry for conversation in self._frames.conversations() for entry in conversation.entries)
        calls = (call for entry in entries for call in entry.calls())
        return any(call.change_id is not None or call.has_proposal for call in calls)

    def mark_calls(self, marks: Mapping[int, CallMark]) -> None:
        """Add to calls, by their id, what is known of them beside their rows: what was undone, or counted, since."""
        self._frames.mark_calls(marks)
        self.flush()

    def set_proposal(self, call_id: int, proposal: ShownProposal | None) -> None:
        """Show what a call proposed, where it is open; asked for by the view, or by `proposal_changed`."""
        home = self._frames.home_of(call_id)
        if home is not None:
            home.change_call(call_id, "", lambda call: replace(call, proposal=proposal))
            self._fold()

    def call(self, call_id: int) -> CallRow | None:
        """A call that is known, also inside a sub-agent that is not open."""
        return self._frames.call(call_id)

    def _tell_proposal(self, call_id: int) -> None:
        """A proposal that is shown may be another one now."""
        call = self._frames.call(call_id)
        if call is not None and call.proposal is not None and call.has_proposal:
            self.proposal_changed.emit(call_id)

    # ---- sub-agents --------------------------------------------------------------------------------------------

    def toggle_agent(self, call_id: int) -> None:
        """Open or close what a sub-agent did; what is not known of it is asked for, and opens when it is there."""
        frame = self._frames.agent(call_id)
        self._frames.unfold(call_id, frame is None or not frame.is_open)
        self._fold()
        self._ask_for_nested()

    def add_nested(self, call_id: int, page: HistoryPage | None) -> None:
        """Take what a sub-agent did, as asked for by `nested_wanted`; None where it could not be read."""
        if page is not None and page.session.id != self._conversation.session_id:
            return
        self._frames.add_nested(call_id, page)
        self._fold()
        self._ask_for_nested()
        self.nested_added.emit()

    def _fold(self) -> None:
        self.is_folding = True
        self.flush()
        self.is_folding = False

    def _ask_for_nested(self) -> None:
        for call_id in self._frames.take_wanted():
            self.nested_wanted.emit(call_id)

    # ---- messages ----------------------------------------------------------------------------------------------

    def message_count(self) -> int:
        """User bubbles and answers of the model, each stored answer counting as one; no notes and no errors."""
        return len(self._conversation.entries.messages())

    def plain_text(self, index: int) -> str:
        """The visible text of a message; a negative index counts from the end. Raises: IndexError."""
        return self._conversation.entries.messages()[index].plain()

    def rows_of_entry(self, row: int) -> range:
        """The rows of the message that a row belongs to."""
        first = 0
        for _, count in self._shown:
            if row < first + count:
                return range(first, first + count)
            first += count
        return range(0)

    # ---- rows --------------------------------------------------------------------------------------------------

    def _show_all(self) -> None:
        self._nesting.clear()
        shown = [(entry, self._nesting.shown(entry)) for entry in self._conversation.entries]
        self._shown = [(entry, len(rows)) for entry, rows in shown]
        self.rows = [row for _, rows in shown for row in rows]

    def _show(self, entry: Entry) -> None:
        """Replace the rows of one entry, as few of them as possible, and keep equal ones as the objects they are."""
        place = next((i for i in range(len(self._shown) - 1, -1, -1) if self._shown[i][0] is entry), None)
        if place is None:
            place = len(self._shown)
            self._shown.append((entry, 0))
        first = len(self.rows) - sum(count for _, count in self._shown[place:])
        old = self.rows[first : first + self._shown[place][1]]
        new = self._nesting.shown(entry)
        self._shown[place] = (entry, len(new))
        for gap in gaps(old, new):
            at = first + gap.new  # what is above has been replaced already
            self.rows[at : at + gap.removed] = new[gap.new : gap.new + gap.added]
            self.spliced.emit(at, gap.removed, gap.added)
